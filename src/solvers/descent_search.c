/* descent_search.c - how far to go along the step of a Newton model
 * SPDX-License-Identifier: MIT */
#include "math/gap.h"
#include "solvers/descent.h"

#include <string.h>

enum { HALVINGS = 40 };

/* What the model's step does to the predictions: trial = (u - g) / h. */
static void step_of(struct th_descent *d)
{
  const struct th_quadratic *q = &d->quadratic;
  for (int64_t i = 0; i < d->problem->rows; i++)
    d->trial[i] = d->h[i] > 0 ? (q->state[i] - d->weighted[i]) / d->h[i] : 0;
}

/* The objective a part of the step on; coef receives the coefficients there,
 * trial holds the step. */
static double objective_at(struct th_descent *d,
                           const struct th_working *working, double lambda,
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
         lambda * th_working_omega(working, coef) +
         th_working_ridge(working, p->ridge, coef);
}

bool th_descent_search(struct th_descent *d, struct th_working *working,
                       double lambda)
{
  const struct th_quadratic *q = &d->quadratic;
  double slope = lambda * (th_working_omega(working, q->coef) -
                           th_working_omega(working, working->coef));
  step_of(d);
  for (int64_t i = 0; i < d->problem->rows; i++)
    slope += d->weighted[i] * d->trial[i];
  for (int64_t k = 0; d->problem->ridge > 0 && k < working->members; k++)
    slope +=
        d->problem->ridge * working->coef[k] * (q->coef[k] - working->coef[k]);
  double part = 1;
  for (int k = 0; k < HALVINGS; k++, part /= 2) {
    double value = objective_at(d, working, lambda, part, q->work);
    if (value <= d->primal + 1e-4 * part * slope) {
      memcpy(working->coef, q->work,
             (size_t)working->members * sizeof *working->coef);
      return true;
    }
  }
  return false;
}
