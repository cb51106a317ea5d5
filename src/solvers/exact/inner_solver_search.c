/* inner_solver_search.c - how far to go along the step of a Newton model
 * SPDX-License-Identifier: MIT */
#include "math/gap.h"
#include "solvers/exact/inner_solver.h"
#include "solvers/exact/inner_solver_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { HALVINGS = 40 };

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

bool th_inner_solver_search(struct th_inner_solver *d,
                            struct th_working_set *working, double lambda)
{
  const struct th_quadratic *q = &d->quadratic;
  double slope = lambda * (th_working_set_omega(working, q->coef) -
                           th_working_set_omega(working, working->coef));
  step_of(d);
  for (int64_t i = 0; i < d->problem->rows; i++)
    slope += d->weighted[i] * d->trial[i];
  for (int64_t k = 0; d->problem->ridge > 0 && k < working->members; k++)
    slope +=
        d->problem->ridge * working->coef[k] * (q->coef[k] - working->coef[k]);
  double part = 1;
  double rounding = d->cycles.used ? TH_INNER_ROUNDING * fabs(d->primal) : 0;
  for (int k = 0; k < HALVINGS; k++, part /= 2) {
    double value = objective_at(d, working, lambda, part, q->work);
    if (value <= d->primal + 1e-4 * part * slope + rounding) {
      memcpy(working->coef, q->work,
             (size_t)working->members * sizeof *working->coef);
      return true;
    }
  }
  return false;
}

/* The coefficients after a part of the model's step from its start. */
static void place(struct th_working_set *working, const struct th_quadratic *q,
                  double part)
{
  for (int64_t k = 0; k < working->members; k++)
    working->coef[k] =
        part == 1 ? q->coef[k] : q->from[k] + part * (q->coef[k] - q->from[k]);
}

/* The slope of the objective at the best intercept along the step; that of the
 * model's intercept. */
static double begin_of(const struct th_inner_solver *d,
                       const struct th_working_set *working, double lambda,
                       double *intercept)
{
  const struct th_quadratic *q = &d->quadratic;
  double slope = lambda * (th_working_set_omega(working, q->coef) -
                           th_working_set_omega(working, q->from));
  *intercept = 0;
  for (int64_t k = 0; k < working->members; k++) {
    double step = q->coef[k] - q->from[k];
    slope += working->slope[k] * step;
    *intercept -= d->covariance.mean[working->slot[k]] * step;
  }
  return slope;
}

/* Update the products by the slopes, if every slot is a member. */
static void learn(struct th_inner_solver *d,
                  const struct th_working_set *working, double part)
{
  struct th_quadratic *q = &d->quadratic;
  double *step = q->kept[0];
  double *change = q->kept[1];
  double *expected = q->work;
  if (!d->whole || working->members != d->covariance.count)
    return;
  for (int64_t k = 0; k < working->members; k++) {
    int64_t slot = working->slot[k];
    step[slot] = working->coef[k] - q->from[k];
    change[slot] = working->slope[k] - q->start[slot] - q->ridge * step[slot];
    expected[slot] =
        part * (q->state[slot] - q->start[slot]) - q->ridge * step[slot];
  }
  th_chord_learn(&d->covariance, step, change, expected);
}

th_status th_inner_solver_chord(struct th_inner_solver *d,
                                struct th_working_set *working, double lambda,
                                bool *moved, struct th_error *err)
{
  double along = 0;
  double slope = begin_of(d, working, lambda, &along);
  double primal = d->primal;
  double gap = d->gap;
  double intercept = d->intercept;
  double rounding = 16 * DBL_EPSILON * fabs(primal);
  double part = 1;
  bool falls = false;
  th_status rc;
  for (int k = 0; k < HALVINGS && !falls; k++, part /= 2) {
    place(working, &d->quadratic, part);
    d->intercept = intercept + part * along;
    TH_TRY(th_inner_solver_predict(d, working, lambda, err));
    falls = d->primal <= primal + 1e-4 * part * slope + rounding;
  }
  if (!falls) {
    place(working, &d->quadratic, 0);
    TH_TRY(th_inner_solver_predict(d, working, lambda, err));
  }
  TH_TRY(th_inner_solver_slopes(d, working, lambda, err));
  if (falls)
    learn(d, working, 2 * part);
  bool gains = d->gap < gap || d->primal < primal - rounding;
  *moved = (falls && gains) || !d->chord.fresh;
  th_chord_note(&d->chord, d->gap / gap, d->first, falls && part == 0.5);
done:
  return rc;
}
