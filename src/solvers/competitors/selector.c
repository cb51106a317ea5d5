/* selector.c - the Dantzig selector: the smallest l1 norm under a bound on the
 * correlations of the residuals
 * SPDX-License-Identifier: MIT */
#include "solvers/competitors/selector.h"

#include "base/memory.h"
#include "math/kernels/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  POWER_STEPS = 40, /* for the norm of G */
  LOOK_EVERY = 50,  /* steps */
  LONGEST = 1000,   /* steps without a restart */
  MOST_STEPS = 20000
};

/* The norm is found from below, and the steps must not be too long. */
static const double care = 1.1;
/* A restart where the error has fallen so much. */
static const double enough = 0.5;

static const struct th_array vectors[] = {
    TH_ARRAY(struct th_selector, w),
    TH_ARRAY(struct th_selector, u),
    TH_ARRAY(struct th_selector, gw),
    TH_ARRAY(struct th_selector, gu),
    TH_ARRAY(struct th_selector, w_sum),
    TH_ARRAY(struct th_selector, u_sum),
    TH_ARRAY(struct th_selector, w_from),
    TH_ARRAY(struct th_selector, u_from),
    TH_ARRAY(struct th_selector, next),
    TH_ARRAY(struct th_selector, product)};

th_status th_selector_init(struct th_selector *selector, int64_t n,
                           struct th_error *err)
{
  int64_t capacity = 0;
  *selector = (struct th_selector){.n = n, .weighing = 1};
  return th_memory_arrays_reserve(TH_ARRAYS(selector, vectors), &capacity, n,
                                  "the Dantzig selector", err);
}

void th_selector_free(struct th_selector *selector)
{
  th_memory_arrays_free(TH_ARRAYS(selector, vectors));
}

int64_t th_selector_bytes(void)
{
  return (int64_t)(TH_COUNT(vectors) * sizeof(double));
}

static double norm2_distance(const double *a, const double *b, int64_t n)
{
  double sum = 0;
  for (int64_t j = 0; j < n; j++)
    sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sqrt(sum);
}

/* The largest |eigenvalue| of G, by the power method. Collective. */
static double matrix_norm(struct th_selector *s,
                          const struct th_selector_problem *problem)
{
  double norm = 0;
  for (int64_t j = 0; j < s->n; j++)
    s->next[j] = 1 + (double)(j % 7) / 7; /* along no axis */
  for (int step = 0; step < POWER_STEPS; step++) {
    problem->multiply(problem->self, s->next, s->product);
    memset(s->next, 0, (size_t)s->n * sizeof *s->next);
    norm = norm2_distance(s->product, s->next, s->n);
    for (int64_t j = 0; j < s->n && norm > 0; j++)
      s->next[j] = s->product[j] / norm;
  }
  return norm;
}

/* Errors of a pair of points. */
struct errors {
  double violation;
  double gap;
  double error; /* the larger one of their shares */
};

static struct errors judge_point(const struct th_selector *s,
                                 const struct th_selector_problem *problem,
                                 const double *w, const double *gw,
                                 const double *u, const double *gu)
{
  struct errors found = {0};
  double size = 0;
  double bound = 0;
  double largest = 1;
  for (int64_t j = 0; j < s->n; j++) {
    found.violation =
        fmax(found.violation, fabs(problem->c[j] - gw[j]) - problem->lambda);
    size += fabs(w[j]);
    bound += problem->c[j] * u[j] - problem->lambda * fabs(u[j]);
    largest = fmax(largest, fabs(gu[j]));
  }
  /* u over the largest is a point of the dual */
  found.gap = fabs(size - bound / largest);
  found.error =
      fmax(found.violation / problem->lambda, size > 0 ? found.gap / size : 0);
  return found;
}

/* w <- soft(w + tau G u, tau), then u <- soft(u + sigma (c - G (2 w' - w)),
 * sigma lambda). Collective: a product each. */
static void step_primal_dual(struct th_selector *s,
                             const struct th_selector_problem *problem)
{
  double tau = s->weighing / s->norm;
  double sigma = 1 / (s->weighing * s->norm);
  for (int64_t j = 0; j < s->n; j++) {
    s->w[j] = th_row_soft(s->w[j] + tau * s->gu[j], tau);
    s->w_sum[j] += s->w[j];
  }
  problem->multiply(problem->self, s->w, s->product);
  for (int64_t j = 0; j < s->n; j++) {
    double ahead = 2 * s->product[j] - s->gw[j];
    s->gw[j] = s->product[j];
    s->u[j] = th_row_soft(s->u[j] + sigma * (problem->c[j] - ahead),
                          sigma * problem->lambda);
    s->u_sum[j] += s->u[j];
  }
  problem->multiply(problem->self, s->u, s->gu);
}

/* Replace the point by the averages over so many steps if they are better.
 * Collective. */
static struct errors try_average(struct th_selector *s,
                                 const struct th_selector_problem *problem,
                                 struct errors now, int64_t steps, bool *take)
{
  double *gw = s->next;
  double *gu = s->product;
  for (int64_t j = 0; j < s->n; j++) {
    s->w_sum[j] /= (double)steps;
    s->u_sum[j] /= (double)steps;
  }
  problem->multiply(problem->self, s->w_sum, gw);
  problem->multiply(problem->self, s->u_sum, gu);
  struct errors mean = judge_point(s, problem, s->w_sum, gw, s->u_sum, gu);
  *take = mean.error < now.error;
  for (int64_t j = 0; j < s->n; j++) {
    s->w_sum[j] *= (double)steps;
    s->u_sum[j] *= (double)steps;
  }
  return *take ? mean : now;
}

/* Begin anew at the present point, or at the averages. */
static void restart(struct th_selector *s,
                    const struct th_selector_problem *problem, bool averages,
                    int64_t steps)
{
  size_t bytes = (size_t)s->n * sizeof *s->w;
  for (int64_t j = 0; j < s->n && averages; j++) {
    s->w[j] = s->w_sum[j] / (double)steps;
    s->u[j] = s->u_sum[j] / (double)steps;
  }
  double primal = norm2_distance(s->w, s->w_from, s->n);
  double dual = norm2_distance(s->u, s->u_from, s->n);
  if (primal > 0 && dual > 0) /* half way to their ratio, in logarithms */
    s->weighing = sqrt(s->weighing * primal / dual);
  memcpy(s->w_from, s->w, bytes);
  memcpy(s->u_from, s->u, bytes);
  memset(s->w_sum, 0, bytes);
  memset(s->u_sum, 0, bytes);
  problem->multiply(problem->self, s->w, s->gw);
  problem->multiply(problem->self, s->u, s->gu);
}

bool th_selector_solve(struct th_selector *s,
                       const struct th_selector_problem *problem, double share)
{
  double last = INFINITY; /* error at the last restart */
  int64_t since = 0;
  struct errors now;
  s->norm = care * matrix_norm(s, problem);
  memcpy(s->w_from, s->w, (size_t)s->n * sizeof *s->w);
  memcpy(s->u_from, s->u, (size_t)s->n * sizeof *s->u);
  restart(s, problem, false, 1);
  now = judge_point(s, problem, s->w, s->gw, s->u, s->gu);
  s->steps = 0;
  while (now.error > share && s->steps < MOST_STEPS) {
    bool averages = false;
    step_primal_dual(s, problem);
    s->steps++;
    if (++since % LOOK_EVERY != 0)
      continue;
    now = judge_point(s, problem, s->w, s->gw, s->u, s->gu);
    if (now.error <= share)
      break;
    struct errors best = try_average(s, problem, now, since, &averages);
    if (!(best.error <= enough * last) && since < LONGEST)
      continue;
    restart(s, problem, averages, since);
    now = best;
    last = best.error;
    since = 0;
  }
  s->violation = now.violation;
  s->gap = now.gap;
  return now.error <= share;
}

void th_selector_describe(struct th_selector *selector, struct th_state *state)
{
  th_state_enter(state, "selector");
  TH_STATE_ARRAY(state, selector, w, selector->n);
  TH_STATE_ARRAY(state, selector, u, selector->n);
  TH_STATE_ONE(state, selector, weighing);
  TH_STATE_ONE(state, selector, violation);
  TH_STATE_ONE(state, selector, gap);
  TH_STATE_ONE(state, selector, steps);
  th_state_leave(state);
}
