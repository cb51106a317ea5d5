/* quadratic.c - coordinate descent on a quadratic model with a penalty
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/quadratic.h"

#include "base/memory.h"
#include "base/random.h"
#include "math/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TH_EXTRAPOLATED = 5 }; /* iterates that are combined */

/* --- Combines the last iterates of descent
 *
 * Anderson's acceleration as in celer (Massias, Gramfort & Salmon 2018). */

void th_quadratic_keep(struct th_quadratic *q, int at)
{
  int64_t variables = q->working->members + 1;
  memcpy(q->kept[0] + at * variables, q->coef,
         (size_t)variables * sizeof *q->coef);
  memcpy(q->kept[1] + at * q->states, q->state,
         (size_t)q->states * sizeof *q->state);
}

void th_quadratic_restore(struct th_quadratic *q, int at)
{
  int64_t variables = q->working->members + 1;
  memcpy(q->coef, q->kept[0] + at * variables,
         (size_t)variables * sizeof *q->coef);
  memcpy(q->state, q->kept[1] + at * q->states,
         (size_t)q->states * sizeof *q->state);
}

/* Solve a x = 1 for a small symmetric matrix, by elimination. False if it is
 * singular. */
static bool solve_ones(double a[TH_EXTRAPOLATED][TH_EXTRAPOLATED],
                       double x[TH_EXTRAPOLATED])
{
  for (int j = 0; j < TH_EXTRAPOLATED; j++)
    x[j] = 1;
  for (int j = 0; j < TH_EXTRAPOLATED; j++) {
    if (!(a[j][j] > 0))
      return false;
    for (int i = j + 1; i < TH_EXTRAPOLATED; i++) {
      double factor = a[i][j] / a[j][j];
      for (int k = j; k < TH_EXTRAPOLATED; k++)
        a[i][k] -= factor * a[j][k];
      x[i] -= factor * x[j];
    }
  }
  for (int j = TH_EXTRAPOLATED - 1; j >= 0; j--) {
    for (int k = j + 1; k < TH_EXTRAPOLATED; k++)
      x[j] -= a[j][k] * x[k];
    x[j] /= a[j][j];
  }
  return true;
}

/* Weights of the last iterates, adding up to 1, for which the combined step is
 * the shortest. */
static bool extrapolation_weights(const struct th_quadratic *q,
                                  double weight[TH_EXTRAPOLATED])
{
  double a[TH_EXTRAPOLATED][TH_EXTRAPOLATED];
  int64_t variables = q->working->members + 1;
  double sum = 0;
  for (int i = 0; i < TH_EXTRAPOLATED; i++)
    for (int j = 0; j <= i; j++) {
      const double *x = q->kept[0] + i * variables;
      const double *y = q->kept[0] + j * variables;
      double product = 0;
      for (int64_t k = 0; k < variables; k++)
        product += (x[variables + k] - x[k]) * (y[variables + k] - y[k]);
      a[i][j] = a[j][i] = product;
    }
  for (int i = 0; i < TH_EXTRAPOLATED; i++)
    sum += a[i][i];
  for (int i = 0; i < TH_EXTRAPOLATED; i++)
    a[i][i] += 1e-12 * sum;
  if (!solve_ones(a, weight))
    return false;
  sum = 0;
  for (int i = 0; i < TH_EXTRAPOLATED; i++)
    sum += weight[i];
  for (int i = 0; i < TH_EXTRAPOLATED; i++)
    weight[i] /= sum;
  return isfinite(sum) && sum != 0;
}

static void combine_iterates(const double *kept, int64_t count,
                             const double *weight, double *out)
{
  memset(out, 0, (size_t)count * sizeof *out);
  for (int i = 0; i < TH_EXTRAPOLATED; i++)
    for (int64_t k = 0; k < count; k++)
      out[k] += weight[i] * kept[(i + 1) * count + k];
}

/* Put back what rounding has taken beyond its bound. False: it is farther. */
static bool keep_bounds(const struct th_quadratic *q, double *coef)
{
  const double rounding = 1e-12;
  for (int64_t k = 0; k < q->working->members; k++) {
    double inside =
        th_penalty_norm_clip(th_working_set_norm(q->working, k), coef[k]);
    if (fabs(coef[k] - inside) > rounding * fabs(inside))
      return false;
    coef[k] = inside;
  }
  return true;
}

/* Move to the point extrapolated from all iterates if the model is lower there.
 * The iterates are overwritten. */
static void quadratic_extrapolate(struct th_quadratic *q, double lambda)
{
  int64_t variables = q->working->members + 1;
  double weight[TH_EXTRAPOLATED];
  if (!extrapolation_weights(q, weight))
    return;
  double now = th_quadratic_value(q, lambda, q->coef, q->state);
  /* the first iterate is not combined, so its room is free */
  double *coef = q->kept[0];
  double *state = q->kept[1];
  combine_iterates(q->kept[0], variables, weight, coef);
  combine_iterates(q->kept[1], q->states, weight, state);
  if (!keep_bounds(q, coef))
    return;
  if (th_quadratic_value(q, lambda, coef, state) < now)
    th_quadratic_restore(q, 0);
}

/* --- The model, and descent in the order of its units --------------------- */

/* With a pivot below this share of the diagonal, a member without a penalty
 * depends on others. */
#define INDEPENDENT 1e-11

enum {
  EPOCHS = 10
}; /* on coefficients that are not 0, between two looks at the gap */

static void exempt_free(struct th_quadratic_exempt *x)
{
  th_linalg_factor_free(&x->factor);
  TH_FREE(x->member, x->kept, x->slope);
}

void th_quadratic_free(struct th_quadratic *q)
{
  exempt_free(&q->exempt);
  TH_FREE(q->state, q->coef, q->start, q->from, q->curvature, q->slope, q->work,
          q->order, q->kept[0], q->kept[1]);
  *q = (struct th_quadratic){0};
}

th_status th_quadratic_reserve(struct th_quadratic *q, int64_t states,
                               int64_t members, int64_t units,
                               struct th_error *err)
{
  const int64_t iterates = TH_EXTRAPOLATED + 1;
  int64_t most = states > members ? states : members;
  th_status rc;
  th_quadratic_free(q);
  TH_TRY(TH_NEW(&q->state, states, "solving on the working set", err));
  TH_TRY(TH_NEW(&q->start, states, "solving on the working set", err));
  TH_TRY(TH_NEW(&q->coef, members + 1, "solving on the working set", err));
  TH_TRY(TH_NEW(&q->from, members + 1, "solving on the working set", err));
  TH_TRY(TH_NEW(&q->slope, members, "solving on the working set", err));
  TH_TRY(TH_NEW(&q->curvature, units, "solving on the working set", err));
  TH_TRY(TH_NEW(&q->work, 2 * most, "solving on the working set", err));
  TH_TRY(TH_NEW(&q->order, members, "solving on the working set", err));
  TH_TRY(TH_NEW(&q->kept[0], iterates * (members + 1),
                "solving on the working set", err));
  TH_TRY(TH_NEW(&q->kept[1], iterates * states, "solving on the working set",
                err));
  q->states = states;
done:
  return rc;
}

void th_quadratic_weigh(const struct th_quadratic *q, int64_t k,
                        double *weighted)
{
  if (q->covariance != NULL)
    return;
  memset(weighted, 0, (size_t)q->states * sizeof *weighted);
  th_column_add_weighted(&q->columns->vector[q->working->slot[k]], 1, q->h,
                         weighted);
}

double th_quadratic_product(const struct th_quadratic *q, int64_t j, int64_t k,
                            const double *weighted)
{
  const struct th_covariance *c = q->covariance;
  const int64_t *slot = q->working->slot;
  double ridge = j == k ? q->ridge * q->working->q[k] : 0;
  if (c != NULL)
    return c->product[slot[j] * c->capacity + slot[k]] + ridge;
  return th_column_dot(&q->columns->vector[slot[j]], weighted) + ridge;
}

/* The product of a member with itself, where nothing has been weighed. */
static double quadratic_square(const struct th_quadratic *q, int64_t k)
{
  if (q->covariance != NULL)
    return th_quadratic_product(q, k, k, NULL);
  return th_column_square(&q->columns->vector[q->working->slot[k]], q->h) +
         q->ridge * q->working->q[k];
}

/* The largest eigenvalue of a unit's block of the Hessian. */
static th_status block_curvature(struct th_quadratic *q, int64_t first,
                                 int64_t count, double *curvature,
                                 struct th_error *err)
{
  double *block = NULL;
  th_status rc =
      TH_NEW(&block, count * count, "solving on the working set", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t j = 0; j < count; j++) {
    th_quadratic_weigh(q, first + j, q->work);
    block[j * count + j] = quadratic_square(q, first + j);
    for (int64_t k = j + 1; k < count; k++)
      block[k * count + j] =
          th_quadratic_product(q, first + k, first + j, q->work);
  }
  rc = th_linalg_largest_eigenvalue(count, block, curvature, err);
  *curvature *= 1 + 1e-10; /* a bound, in spite of rounding */
  free(block);
  return rc;
}

/* Is the intercept a variable of its own? */
static bool has_intercept(const struct th_quadratic *q)
{
  return q->intercept && q->covariance == NULL && q->sum_h > 0;
}

/* List the members without a penalty. */
static th_status list_exempt(struct th_quadratic *q, struct th_error *err)
{
  const struct th_working_set *w = q->working;
  struct th_quadratic_exempt *x = &q->exempt;
  th_status rc = TH_OK;
  for (int64_t g = 0; g < w->units; g++)
    x->count += !(th_penalty_norm_least(w->norm[g]) > 0);
  if (x->count == 0)
    return rc;
  TH_TRY(TH_NEW(&x->member, x->count, "solving on the working set", err));
  TH_TRY(TH_NEW(&x->kept, x->count + 1, "solving on the working set", err));
  TH_TRY(TH_NEW(&x->slope, x->count + 1, "solving on the working set", err));
  int64_t at = 0;
  for (int64_t g = 0; g < w->units; g++)
    if (!(th_penalty_norm_least(w->norm[g]) > 0))
      x->member[at++] = w->start[g];
done:
  return rc;
}

/* Form the factor of the products of the members without a penalty, with the
 * intercept as the first row if it is a variable. */
static th_status factor_exempt(struct th_quadratic *q, struct th_error *err)
{
  struct th_quadratic_exempt *x = &q->exempt;
  int64_t first = has_intercept(q) ? 1 : 0;
  int64_t rows = x->count + first;
  double *product = NULL;
  th_status rc =
      TH_NEW(&product, rows * rows, "solving on the working set", err);
  TH_TRY(rc);
  if (first > 0)
    product[0] = q->sum_h;
  for (int64_t k = 0; k < x->count; k++) {
    double *column = product + (first + k) * rows;
    int64_t slot = q->working->slot[x->member[k]];
    th_quadratic_weigh(q, x->member[k], q->work);
    if (first > 0)
      column[0] = th_column_dot(&q->columns->vector[slot], q->h);
    for (int64_t j = 0; j <= k; j++)
      column[first + j] =
          th_quadratic_product(q, x->member[j], x->member[k], q->work);
  }
  TH_TRY(th_linalg_factor_reserve(&x->factor, rows, err));
  rc = th_linalg_factor_form(&x->factor, rows, product, INDEPENDENT, x->kept,
                             err);
done:
  free(product);
  return rc;
}

th_status th_quadratic_begin(struct th_quadratic *q, struct th_error *err)
{
  const struct th_working_set *w = q->working;
  th_status rc = TH_OK;
  memcpy(q->coef, w->coef, (size_t)w->members * sizeof *q->coef);
  q->coef[w->members] = 0;
  memcpy(q->from, q->coef, (size_t)(w->members + 1) * sizeof *q->from);
  memcpy(q->start, q->state, (size_t)q->states * sizeof *q->start);
  q->sum_h = 0;
  q->uniform_curvature = q->covariance == NULL ? q->h[0] : 0;
  for (int64_t i = 0; q->covariance == NULL && i < q->states; i++) {
    q->sum_h += q->h[i];
    q->uniform_curvature =
        q->h[i] == q->uniform_curvature ? q->uniform_curvature : 0;
  }
  for (int64_t g = 0; !q->lazy && g < w->units && rc == TH_OK; g++) {
    int64_t count = w->start[g + 1] - w->start[g];
    if (count == 1)
      q->curvature[g] = quadratic_square(q, w->start[g]);
    else
      rc = block_curvature(q, w->start[g], count, &q->curvature[g], err);
  }
  if (rc == TH_OK)
    rc = list_exempt(q, err);
  if (rc == TH_OK && q->exempt.count > 0)
    rc = factor_exempt(q, err);
  return rc;
}

double th_quadratic_slope(const struct th_quadratic *q, int64_t k)
{
  int64_t slot = q->working->slot[k];
  if (q->covariance != NULL)
    return q->state[slot];
  return th_column_dot(&q->columns->vector[slot], q->state) +
         q->ridge * q->working->q[k] * q->coef[k];
}

void th_quadratic_move(struct th_quadratic *q, int64_t k, double delta)
{
  const struct th_covariance *c = q->covariance;
  int64_t slot = q->working->slot[k];
  q->coef[k] += delta;
  if (c == NULL) {
    const struct th_vector *x = &q->columns->vector[slot];
    if (q->uniform_curvature > 0)
      th_column_add(x, delta * q->uniform_curvature, q->state);
    else
      th_column_add_weighted(x, delta, q->h, q->state);
    return;
  }
  const double *product = c->product + slot * c->capacity;
  for (int64_t j = 0; j < q->states; j++)
    q->state[j] += delta * product[j];
  q->state[slot] += delta * (q->ridge * q->working->q[k]);
}

/* A proximal gradient step on one unit, exact if it has one member. Returns a
 * lower bound of the model's fall. */
static double step_unit(struct th_quadratic *q, int64_t g, double lambda)
{
  const struct th_working_set *w = q->working;
  int64_t first = w->start[g];
  int64_t count = w->start[g + 1] - first;
  double curvature = q->curvature[g];
  double *to = q->work;
  double moved = 0;
  if (!(curvature > 0))
    return 0; /* a column of zeros: the coefficient stays 0 */
  for (int64_t k = 0; k < count; k++)
    to[k] = q->coef[first + k] - th_quadratic_slope(q, first + k) / curvature;
  th_penalty_norm_prox(w->norm[g], lambda / curvature, to, count);
  for (int64_t k = 0; k < count; k++) {
    double delta = to[k] - q->coef[first + k];
    if (delta == 0)
      continue;
    th_quadratic_move(q, first + k, delta);
    q->coef[first + k] = to[k]; /* keeps exact zeros */
    moved += 0.5 * curvature * delta * delta;
  }
  return moved;
}

/* Values that a step of one unit visits. */
static int64_t unit_visits(const struct th_quadratic *q, int64_t g)
{
  const struct th_working_set *w = q->working;
  int64_t count = 0;
  if (q->covariance != NULL)
    return q->states;
  for (int64_t k = w->start[g]; k < w->start[g + 1]; k++)
    count += 2 * q->columns->vector[w->slot[k]].items;
  return count;
}

static bool group_is_zero(const struct th_quadratic *q, int64_t g)
{
  const struct th_working_set *w = q->working;
  for (int64_t k = w->start[g]; k < w->start[g + 1]; k++)
    if (q->coef[k] != 0)
      return false;
  return true;
}

void th_quadratic_move_intercept(struct th_quadratic *q, double delta)
{
  q->coef[q->working->members] += delta;
  for (int64_t i = 0; i < q->states; i++)
    q->state[i] += delta * q->h[i];
}

/* Solve for the members without a penalty and the intercept. */
static double step_exempt(struct th_quadratic *q)
{
  struct th_quadratic_exempt *x = &q->exempt;
  int64_t first = has_intercept(q) ? 1 : 0;
  int64_t rows = 0;
  double most = 0;
  for (int64_t k = 0; k < x->count + first; k++) {
    double slope = 0;
    for (int64_t i = 0; k < first && i < q->states; i++)
      slope += q->state[i];
    if (k >= first)
      slope = th_quadratic_slope(q, x->member[k - first]);
    most = fmax(most, fabs(slope));
    if (x->kept[k])
      x->slope[rows++] = slope;
  }
  th_linalg_factor_solve(&x->factor, x->slope, x->slope);
  rows = 0;
  for (int64_t k = 0; k < x->count + first; k++) {
    if (!x->kept[k])
      continue;
    double delta = -x->slope[rows++];
    if (k < first)
      th_quadratic_move_intercept(q, delta);
    else
      th_quadratic_move(q, x->member[k - first], delta);
  }
  return most;
}

double th_quadratic_step_intercept(struct th_quadratic *q)
{
  double slope = 0;
  if (q->exempt.count > 0)
    return step_exempt(q);
  if (!q->intercept || q->covariance != NULL || !(q->sum_h > 0))
    return 0;
  for (int64_t i = 0; i < q->states; i++)
    slope += q->state[i];
  th_quadratic_move_intercept(q, -slope / q->sum_h);
  return slope;
}

double th_quadratic_epoch(struct th_quadratic *q, double lambda, bool all)
{
  double moved = 0;
  for (int64_t g = 0; g < q->working->units; g++)
    if (all || !group_is_zero(q, g)) {
      moved += step_unit(q, g, lambda);
      q->visited += unit_visits(q, g);
    }
  th_quadratic_step_intercept(q);
  return moved;
}

/* The model's value up to a constant, without the penalty: half the weighted
 * mean square of the residual. */
static double fit_of(const struct th_quadratic *q, const double *coef,
                     const double *state)
{
  const struct th_working_set *w = q->working;
  double sum = 0;
  if (q->covariance == NULL) {
    for (int64_t i = 0; i < q->states; i++)
      sum += q->h[i] > 0 ? state[i] * state[i] / q->h[i] : 0;
    return 0.5 * sum + th_working_set_ridge(w, q->ridge, coef);
  }
  for (int64_t k = 0; k < w->members; k++) {
    int64_t slot = w->slot[k];
    sum += (q->start[slot] + state[slot]) * (coef[k] - q->from[k]);
  }
  return q->constant + 0.5 * sum;
}

double th_quadratic_value(const struct th_quadratic *q, double lambda,
                          const double *coef, const double *state)
{
  return fit_of(q, coef, state) +
         lambda * th_working_set_omega(q->working, coef);
}

/* With the residual divided by c >= the dual norm as the dual point: F (1 -
 * 1/c)^2 + lambda Omega + b'slope / c, F the fit, and what members at their
 * bounds add. */
double th_quadratic_gap(struct th_quadratic *q, double lambda)
{
  const struct th_working_set *w = q->working;
  double along = 0;
  for (int64_t k = 0; k < w->members; k++) {
    q->slope[k] = th_quadratic_slope(q, k);
    along += q->coef[k] * q->slope[k];
  }
  double c =
      fmax(1, th_working_set_dual(w, q->coef, q->slope, q->work) / lambda);
  double rest = 1 - 1 / c;
  double gap = lambda * th_working_set_omega(w, q->coef) + along / c +
               th_working_set_beyond(w, lambda, 1 / c, q->coef, q->slope);
  if (rest > 0)
    gap += fit_of(q, q->coef, q->state) * rest * rest;
  return gap;
}

double th_quadratic_descend(struct th_quadratic *q, double lambda)
{
  double moved = 0;
  int kept = 0;
  th_quadratic_keep(q, kept++);
  for (int k = 0; k < EPOCHS; k++) {
    moved = th_quadratic_epoch(q, lambda, q->covariance != NULL);
    if (moved == 0)
      break;
    th_quadratic_keep(q, kept++);
    if (kept <= TH_EXTRAPOLATED)
      continue;
    quadratic_extrapolate(q, lambda);
    kept = 0;
    th_quadratic_keep(q, kept++);
  }
  return moved;
}

/* --- Cycles of coordinate descent in random order ------------------------- */

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
static double slope_excess(double coef, double slope, double penalty)
{
  if (coef == 0)
    return fabs(slope) - penalty;
  return fabs(slope + copysign(penalty, coef));
}

static void note_by(struct th_violation *met, double by)
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
    note_by(&met,
            slope_excess(w->coef[k], w->slope[k], lambda * weight_of(q, k)));
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
    q->curvature[k] = quadratic_square(q, k);
    q->visited += q->columns->vector[w->slot[k]].items;
    if (q->curvature[k] > 0)
      c.member[c.all++] = k;
  }
  c.count = c.all;
  return c;
}

static void swap_members(int64_t *member, int64_t a, int64_t b)
{
  int64_t kept = member[a];
  member[a] = member[b];
  member[b] = kept;
}

/* Put the members into a random order (Fisher and Yates). */
static void shuffle_members(const struct cycle *c, uint64_t turn)
{
  const struct th_stream stream = {0, TH_PURPOSE_DESCENT};
  uint32_t bits[DRAWN];
  for (int64_t k = 0; k < c->count; k++) {
    if (k % DRAWN == 0)
      th_random_bits(stream, turn, (uint64_t)(k / DRAWN), bits);
    uint64_t left = (uint64_t)(c->count - k);
    swap_members(c->member, k, k + (int64_t)((bits[k % DRAWN] * left) >> 32));
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
  double by = slope_excess(q->coef[k], slope, penalty);
  int64_t items = q->columns->vector[q->working->slot[k]].items;
  q->visited += items + VISIT;
  if (q->coef[k] == 0 && by < -c->slack)
    return false;
  note_by(&c->met, by);
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
static void visit_members(struct th_quadratic *q, struct cycle *c,
                          double lambda, uint64_t turn)
{
  c->met = (struct th_violation){0, 0};
  shuffle_members(c, turn);
  for (int64_t at = 0; at < c->count;) {
    int64_t k = c->member[at];
    if (step(q, c, k, lambda * weight_of(q, k)))
      at++;
    else
      swap_members(c->member, at, --c->count);
  }
  note_by(&c->met, fabs(th_quadratic_step_intercept(q)));
}

int th_quadratic_cycles(struct th_quadratic *q, double lambda, double aim,
                        int most, uint64_t *turn)
{
  struct cycle c = begin(q, lambda);
  int made = 0;
  while (made < most) {
    visit_members(q, &c, lambda, (*turn)++);
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
