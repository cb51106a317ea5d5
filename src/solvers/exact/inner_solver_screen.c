/* inner_solver_screen.c - looks at the present point: predictions, theta,
 * slopes, gap; and how far to go along the step of a model
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/inner_solver.h"

#include "base/memory.h"
#include "math/gap.h"
#include "math/kernels/column.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEWTON_STEPS = 12 };

/* The intercept's slope over the size of its terms is at most this. The rest is
 * removed by centring. */
static const double flat = 1e-11;

/* Predictions without the intercept. */
static th_status predict(struct th_inner_solver *d,
                         const struct th_working_set *w, struct th_error *err)
{
  const struct th_problem *p = d->problem;
  double *coef = d->chord.coef;
  if (d->chord.rowwise.start == NULL)
    return th_replicated_columns_predict(&d->columns, p->context->comm, w->slot,
                                         w->coef, w->members, d->prediction,
                                         err);
  memset(coef, 0, (size_t)p->kept->count * sizeof *coef);
  for (int64_t k = 0; k < w->members; k++)
    coef[w->attribute[k]] = w->coef[k];
  th_rowwise_predict(&d->chord.rowwise, coef, d->prediction);
  return TH_OK;
}

/* Derive theta, and its weighted form for sums, from the predictions. */
static void derive_theta(struct th_inner_solver *d)
{
  const struct th_problem *p = d->problem;
  th_loss_df_all(p->loss, p->rows, d->prediction, p->target, d->theta);
  if (p->intercept) /* remove the rounding of the optimal intercept */
    th_gap_centre(p->loss, p->rows, p->eta, p->target, d->theta);
  for (int64_t i = 0; i < p->rows; i++)
    d->weighted[i] = p->eta[i] * d->theta[i];
}

/* Derive theta where some attributes have no penalty. */
static void derive_exempt(struct th_inner_solver *d)
{
  const struct th_problem *p = d->problem;
  th_problem_theta(p, d->prediction, d->theta);
  for (int64_t i = 0; i < p->rows; i++)
    d->weighted[i] = p->eta[i] * d->theta[i];
  d->loss = th_gap_primal(p->loss, p->rows, p->eta, p->target, d->prediction);
}

/* Fit the intercept and the attributes without a penalty beside the others, and
 * derive everything from the predictions, for any loss. */
static th_status finish_screen_exempt(struct th_inner_solver *d,
                                      struct th_working_set *w,
                                      struct th_error *err)
{
  const struct th_problem *p = d->problem;
  const struct th_exempt *x = &p->exempt;
  double *shift = NULL;
  th_status rc = TH_NEW(&shift, x->count, "coefficients", err);
  TH_TRY(rc);
  TH_TRY(th_exempt_fit(x, d->prediction, shift, &d->intercept, err));
  th_exempt_add(x, shift, d->prediction);
  for (int64_t i = 0; i < p->rows; i++)
    d->prediction[i] += d->intercept;
  for (int64_t k = 0; k < x->count; k++) {
    int64_t unit = th_working_set_find(w, x->attribute[k]);
    w->coef[w->start[unit]] += shift[k];
  }
  derive_exempt(d);
done:
  free(shift);
  return rc;
}

/* Find the intercept, and derive everything from the predictions, for any loss.
 */
static th_status finish_screen(struct th_inner_solver *d, struct th_error *err)
{
  const struct th_problem *p = d->problem;
  if (p->intercept) {
    th_status rc = th_gap_intercept(p->loss, p->rows, p->eta, p->target,
                                    d->prediction, &d->intercept, err);
    if (rc != TH_OK)
      return rc;
    for (int64_t i = 0; i < p->rows; i++)
      d->prediction[i] += d->intercept;
  }
  derive_theta(d);
  d->loss = th_gap_primal(p->loss, p->rows, p->eta, p->target, d->prediction);
  return TH_OK;
}

/* Find the intercept at which the sum is flat. False: not within so many steps.
 */
static bool step_intercept(struct th_inner_solver *d, struct th_logistic *at)
{
  const struct th_problem *p = d->problem;
  double place = d->intercept;
  bool settled = false;
  for (int k = 0; k < NEWTON_STEPS; k++) {
    *at = th_column_logistic_at(p->rows, p->eta, p->target, d->prediction,
                                place, d->theta);
    d->intercept = place;
    bool is_flat = fabs(at->slope) <= flat * at->size;
    if (!p->intercept || settled || (is_flat && !d->cycles.suit))
      return true;
    settled = is_flat; /* one step more makes it as flat as doubles can */
    double step = -at->slope / at->curvature;
    if (!(fabs(step) <= 1))
      return false;
    place += step;
  }
  return false;
}

/* theta as th_gap_centre makes it, from known sums. */
static void centre(struct th_inner_solver *d, const struct th_logistic *at)
{
  const struct th_problem *p = d->problem;
  double positive = (at->size - at->slope) / 2;
  double negative = (at->size + at->slope) / 2;
  double larger = positive > negative ? 1 : -1;
  double factor =
      fmin(positive, negative) / fmax(DBL_MIN, fmax(positive, negative));
  if (!p->intercept)
    factor = 1;
  for (int64_t i = 0; i < p->rows; i++) {
    d->theta[i] *= larger * p->target[i] > 0 ? factor : 1;
    d->weighted[i] = p->eta[i] * d->theta[i];
    d->prediction[i] += d->intercept;
  }
}

/* Intercept, loss and theta for the logistic loss. */
static th_status finish_screen_logistic(struct th_inner_solver *d,
                                        struct th_error *err)
{
  const struct th_problem *p = d->problem;
  struct th_logistic at;
  if (!step_intercept(d, &at)) {
    th_status rc = th_gap_intercept(p->loss, p->rows, p->eta, p->target,
                                    d->prediction, &d->intercept, err);
    if (rc != TH_OK)
      return rc;
    at = th_column_logistic_at(p->rows, p->eta, p->target, d->prediction,
                               d->intercept, d->theta);
  }
  if (!isfinite(at.loss))
    return th_fail(
        err, TH_ENUMERIC,
        "a prediction is not a number; check the data, or standardize");
  d->loss = at.loss;
  centre(d, &at);
  return TH_OK;
}

/* Intercept, loss and theta for the squared loss of a problem in memory. */
static th_status settle_squared(struct th_inner_solver *d, struct th_error *err)
{
  const struct th_problem *p = d->problem;
  if (p->intercept)
    d->intercept = th_column_dot_plain(p->eta, p->target, p->rows) -
                   th_column_dot_plain(p->eta, d->prediction, p->rows);
  for (int64_t i = 0; i < p->rows; i++) {
    d->prediction[i] += d->intercept;
    d->theta[i] = d->prediction[i] - p->target[i];
  }
  double mean =
      p->intercept ? th_column_dot_plain(p->eta, d->theta, p->rows) : 0;
  for (int64_t i = 0; i < p->rows; i++) {
    d->theta[i] -= mean;
    d->weighted[i] = p->eta[i] * d->theta[i];
  }
  d->sums.square = th_column_dot_plain(d->weighted, d->theta, p->rows);
  d->sums.along = th_column_dot_plain(d->weighted, p->target, p->rows);
  d->loss = 0.5 * (d->sums.square + mean * mean);
  return isfinite(d->loss) ? TH_OK
                           : th_fail(err, TH_ENUMERIC,
                                     "a prediction is not a number; check the "
                                     "data, or standardize");
}

/* D(scale theta), without the ridge. */
static double dual_of(const struct th_inner_solver *d, double scale)
{
  const struct th_problem *p = d->problem;
  if (d->squared)
    return -scale * (scale * d->sums.square / 2 + d->sums.along);
  return d->logistic ? th_column_logistic_dual(p->rows, p->eta, d->theta, scale)
                     : th_gap_dual(p->loss, p->rows, p->eta, p->target,
                                   d->theta, scale);
}

double th_inner_solver_screen_gap(const struct th_inner_solver *d,
                                  const struct th_working_set *w, double lambda,
                                  double scale)
{
  double ridge = th_working_set_ridge(w, d->problem->ridge, w->coef);
  double beyond = th_working_set_beyond(w, lambda, scale, w->coef, w->slope);
  return th_gap_bound(d->primal,
                      dual_of(d, scale) - scale * scale * ridge - beyond);
}

static void find_primal(struct th_inner_solver *d,
                        const struct th_working_set *w, double lambda)
{
  d->primal = d->loss + lambda * th_working_set_omega(w, w->coef) +
              th_working_set_ridge(w, d->problem->ridge, w->coef);
}

th_status th_inner_solver_screen_predict(struct th_inner_solver *d,
                                         struct th_working_set *w,
                                         double lambda, struct th_error *err)
{
  th_status rc;
  TH_TRY(predict(d, w, err));
  if (d->problem->exempt.count > 0)
    TH_TRY(finish_screen_exempt(d, w, err));
  else if (d->squared)
    TH_TRY(settle_squared(d, err));
  else
    TH_TRY(d->logistic ? finish_screen_logistic(d, err)
                       : finish_screen(d, err));
  find_primal(d, w, lambda);
  d->looked = true;
done:
  return rc;
}

static void measure_gap(struct th_inner_solver *d,
                        const struct th_working_set *w, double lambda)
{
  double dual_norm =
      th_working_set_dual(w, w->coef, w->slope, d->work) / lambda;
  d->gap = th_inner_solver_screen_gap(d, w, lambda, 1 / fmax(1, dual_norm));
}

th_status th_inner_solver_screen_slopes(struct th_inner_solver *d,
                                        struct th_working_set *w, double lambda,
                                        struct th_error *err)
{
  const struct th_problem *p = d->problem;
  th_status rc;
  TH_TRY(th_replicated_columns_dots(&d->columns, p->context->comm, w->slot,
                                    w->members, d->weighted, w->slope, err));
  for (int64_t k = 0; p->ridge > 0 && k < w->members; k++)
    w->slope[k] += p->ridge * w->q[k] * w->coef[k];
  measure_gap(d, w, lambda);
done:
  return rc;
}

void th_inner_solver_screen_stay(struct th_inner_solver *d,
                                 const struct th_working_set *w, double lambda)
{
  find_primal(d, w, lambda);
  measure_gap(d, w, lambda);
}

th_status th_inner_solver_screen_at(struct th_inner_solver *d,
                                    struct th_working_set *w, double lambda,
                                    struct th_error *err)
{
  th_status rc;
  TH_TRY(th_inner_solver_screen_predict(d, w, lambda, err));
  TH_TRY(th_inner_solver_screen_slopes(d, w, lambda, err));
done:
  return rc;
}

/* --- How far to go along the step of a Newton model ----------------------- */

/* The change of the predictions by the model's step: trial = (u - g) / h. */
static void step_of(struct th_inner_solver *d)
{
  const struct th_quadratic *q = &d->quadratic;
  for (int64_t i = 0; i < d->problem->rows; i++)
    d->trial[i] = d->h[i] > 0 ? (q->state[i] - d->weighted[i]) / d->h[i] : 0;
}

/* The objective after a part of the step. coef receives the coefficients there;
 * trial holds the step. */
static double objective_at(struct th_inner_solver *d,
                           const struct th_working_set *working, double lambda,
                           double part, double *coef)
{
  const struct th_problem *p = d->problem;
  const struct th_quadratic *q = &d->quadratic;
  for (int64_t k = 0; k < working->members; k++)
    coef[k] = part == 1
                  ? q->coef[k]
                  : working->coef[k] + part * (q->coef[k] - working->coef[k]);
  double *prediction = d->h; /* the model is done with it */
  for (int64_t i = 0; i < p->rows; i++)
    prediction[i] = d->prediction[i] + part * d->trial[i];
  return th_gap_primal(p->loss, p->rows, p->eta, p->target, prediction) +
         lambda * th_working_set_omega(working, coef) +
         th_working_set_ridge(working, p->ridge, coef);
}

bool th_inner_solver_screen_search(struct th_inner_solver *d,
                                   struct th_working_set *working,
                                   double lambda)
{
  const struct th_quadratic *q = &d->quadratic;
  double slope = lambda * (th_working_set_omega(working, q->coef) -
                           th_working_set_omega(working, working->coef));
  step_of(d);
  for (int64_t i = 0; i < d->problem->rows; i++)
    slope += d->weighted[i] * d->trial[i];
  for (int64_t k = 0; q->ridge > 0 && k < working->members; k++)
    slope += q->ridge * working->q[k] * working->coef[k] *
             (q->coef[k] - working->coef[k]);
  double part = 1;
  double rounding = d->cycles.used ? TH_INNER_ROUNDING * fabs(d->primal) : 0;
  for (int k = 0; k < TH_INNER_HALVINGS; k++, part /= 2) {
    double value = objective_at(d, working, lambda, part, q->work);
    if (value <= d->primal + 1e-4 * part * slope + rounding) {
      memcpy(working->coef, q->work,
             (size_t)working->members * sizeof *working->coef);
      return true;
    }
  }
  return false;
}

/* --- How far models trust the curvature ----------------------------------- */

static const double least = 1e-3;
static const double change = 10; /* of the share */

static const double part_of_gap =
    0.1; /* of its gap that minimising leaves a model */

/* Of what a model fell, a step has gained little below, and all above. */
static const double poor = 0.25;
static const double good = 0.75;

/* A step that is to gain a smaller share of the objective tells nothing: it is
 * close to the solution, and to rounding. */
static const double little = 1e-8;

void th_inner_solver_screen_begin(struct th_inner_solver *inner)
{
  bool scaled = inner->problem->loss->scaled;
  inner->quadratic.caution =
      (struct th_quadratic_caution){.share = scaled ? least : 0};
}

static void heed(struct th_quadratic_caution *c, double primal)
{
  double gained = c->primal - primal;
  bool tells = c->expected > little * fabs(primal);
  if (tells && gained < poor * c->expected)
    c->share = fmin(1, c->share * change);
  else if (c->expected > 0 && (!tells || gained > good * c->expected))
    c->share = fmax(least, c->share / change);
  c->primal = primal;
  c->expected = 0;
}

void th_inner_solver_screen_raise(struct th_inner_solver *inner)
{
  struct th_quadratic_caution *c = &inner->quadratic.caution;
  const struct th_problem *p = inner->problem;
  if (!(c->share > 0))
    return;
  heed(c, inner->primal);
  th_loss_majorants(p->loss, p->rows, inner->prediction, p->target,
                    inner->trial);
  for (int64_t i = 0; i < p->rows; i++)
    inner->h[i] = fmax(inner->h[i], c->share * inner->trial[i]);
}

double th_inner_solver_screen_aim(struct th_inner_solver *inner, double lambda,
                                  double wanted)
{
  struct th_quadratic *q = &inner->quadratic;
  if (!(q->caution.share > 0))
    return wanted;
  q->caution.value = th_quadratic_value(q, lambda, q->coef, q->state);
  return fmin(wanted, part_of_gap * th_quadratic_gap(q, lambda));
}

void th_inner_solver_screen_expect(struct th_inner_solver *inner, double lambda)
{
  struct th_quadratic *q = &inner->quadratic;
  if (q->caution.share > 0)
    q->caution.expected =
        q->caution.value - th_quadratic_value(q, lambda, q->coef, q->state);
}

bool th_inner_solver_screen_grow(struct th_inner_solver *inner)
{
  struct th_quadratic_caution *c = &inner->quadratic.caution;
  bool grows = c->share > 0 && c->share < 1;
  if (grows)
    c->share = fmin(1, c->share * change);
  c->expected = 0;
  return grows;
}
