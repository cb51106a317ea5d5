/* quadratic_cycles.c - cycles of coordinate descent in random order
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/quadratic_cycles.h"

#include "core/random.h"
#include "solvers/exact/quadratic_parts.h"

#include <math.h>

/* A member at zero takes part in a model if its slope is above this share of
 * lambda. */
static const double near = 0.98;

enum {
  DRAWN = 4, /* numbers that come together */
  VISIT = 20 /* entries that take as long as all else of a visit */
};

/* The members that take part, in the order of the present cycle. Those behind
 * `count` have been left out since the last cycle over `all` of them. */
struct cycle {
  int64_t *member;
  int64_t all;
  int64_t count;
  double slack; /* a slope that is farther below lambda is left out */
  struct th_violation met;
};

static double weight_of(const struct th_quadratic *q, int64_t k)
{
  return q->working->norm[k].a + q->working->norm[k].c;
}

/* Distance of a slope from optimality. Below 0: by how much a member at zero is
 * inside. */
static double distance(double coef, double slope, double penalty)
{
  if (coef == 0)
    return fabs(slope) - penalty;
  return fabs(slope + copysign(penalty, coef));
}

static void meet(struct th_violation *met, double by)
{
  met->sum += fmax(by, 0);
  met->most = fmax(met->most, by);
}

struct th_violation th_quadratic_violation(const struct th_quadratic *q,
                                           double lambda)
{
  const struct th_working_set *w = q->working;
  struct th_violation met = {0, 0};
  for (int64_t k = 0; k < w->members; k++)
    meet(&met, distance(w->coef[k], w->slope[k], lambda * weight_of(q, k)));
  return met;
}

/* List the members that take part. */
static struct cycle begin(struct th_quadratic *q, double lambda)
{
  const struct th_working_set *w = q->working;
  struct cycle c = {.member = q->order, .slack = INFINITY};
  for (int64_t k = 0; k < w->members; k++) {
    if (q->coef[k] == 0 &&
        !(fabs(w->slope[k]) > near * lambda * weight_of(q, k)))
      continue;
    q->curvature[k] = th_quadratic_square(q, k);
    q->visited += q->columns->vector[w->slot[k]].items;
    if (q->curvature[k] > 0)
      c.member[c.all++] = k;
  }
  c.count = c.all;
  return c;
}

static void swap(int64_t *member, int64_t a, int64_t b)
{
  int64_t kept = member[a];
  member[a] = member[b];
  member[b] = kept;
}

/* Put the members into a random order (Fisher and Yates). */
static void shuffle(const struct cycle *c, uint64_t turn)
{
  const struct th_stream stream = {0, TH_PURPOSE_DESCENT};
  uint32_t bits[DRAWN];
  for (int64_t k = 0; k < c->count; k++) {
    if (k % DRAWN == 0)
      th_random_bits(stream, turn, (uint64_t)(k / DRAWN), bits);
    uint64_t left = (uint64_t)(c->count - k);
    swap(c->member, k, k + (int64_t)((bits[k % DRAWN] * left) >> 32));
  }
}

static double soft_threshold(double value, double by)
{
  return copysign(fmax(fabs(value) - by, 0), value);
}

/* Minimise over one member. False: it is at zero and left out. */
static bool step(struct th_quadratic *q, struct cycle *c, int64_t k,
                 double penalty)
{
  double slope = th_quadratic_slope(q, k);
  double by = distance(q->coef[k], slope, penalty);
  int64_t items = q->columns->vector[q->working->slot[k]].items;
  q->visited += items + VISIT;
  if (q->coef[k] == 0 && by < -c->slack)
    return false;
  meet(&c->met, by);
  double to = soft_threshold(q->coef[k] - slope / q->curvature[k],
                             penalty / q->curvature[k]);
  if (to == q->coef[k])
    return true;
  th_quadratic_move(q, k, to - q->coef[k]);
  q->coef[k] = to; /* keeps exact zeros */
  q->visited += items;
  return true;
}

/* One cycle over those that have not been left out. */
static void visit(struct th_quadratic *q, struct cycle *c, double lambda,
                  uint64_t turn)
{
  c->met = (struct th_violation){0, 0};
  shuffle(c, turn);
  for (int64_t at = 0; at < c->count;) {
    int64_t k = c->member[at];
    if (step(q, c, k, lambda * weight_of(q, k)))
      at++;
    else
      swap(c->member, at, --c->count);
  }
  meet(&c->met, fabs(th_quadratic_step_intercept(q)));
}

int th_quadratic_cycles(struct th_quadratic *q, double lambda, double aim,
                        int most, uint64_t *turn)
{
  struct cycle c = begin(q, lambda);
  int made = 0;
  while (made < most) {
    visit(q, &c, lambda, (*turn)++);
    made++;
    c.slack = c.met.most;
    if (c.met.sum > aim)
      continue;
    if (c.count == c.all)
      break;
    c.count = c.all; /* look at those that were left out, too */
    c.slack = INFINITY;
  }
  return made;
}
