/* newton.c - fits on a fixed support for a loss with curvature
 * SPDX-License-Identifier: MIT */
#include "solvers/newton.h"

#include "core/memory.h"
#include "solvers/normal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 12, MOST_HALVINGS = 10, HALVES = 2 };

static const double flattest = 1e-6;   /* smallest curvature that counts */
static const double ridge = 1e-6;      /* per unit of weight: separable data */
static const double least_gain = 1e-7; /* relative decrease that goes on */

/* Work arrays of Newton's steps. */
struct newton {
  struct th_gram gram;
  const bool *keep; /* borrowed; NULL: all members */
  double *work;     /* curvatures and targets of the rows */
  double *step;     /* |S| + 1 */
};

/* Newton's equations as weighted least squares: weights are the curvatures,
 * and the target is minus derivative over curvature, so that the solution is
 * the step. Collective. */
static th_status find_direction(struct newton *newton, struct th_batch *batch,
                                struct th_context *context,
                                const struct th_support *support,
                                struct th_error *err)
{
  const struct th_normal equations = {.gram = &newton->gram,
                                      .intercept = context->config->intercept,
                                      .ridge = ridge * batch->weight_sum,
                                      .keep = newton->keep};
  double *curvature = newton->work;
  double *target = newton->work + batch->rows;
  for (int64_t i = 0; i < batch->rows; i++) {
    double p = batch->prediction[i];
    double y = batch->target[i];
    curvature[i] = fmax(context->loss->curvature(p, y), flattest);
    target[i] = -context->loss->derivative(p, y) / curvature[i];
  }
  free(newton->step);
  newton->step = NULL;
  th_status rc = th_gram_start(&newton->gram, context, support->size, err);
  if (rc == TH_OK)
    rc = th_gram_add(&newton->gram, context, batch, support, curvature, target,
                     err);
  if (rc != TH_OK)
    return rc;
  return th_normal_solve(&equations, context, &newton->step, err);
}

static void move(struct th_support *support, const double *step, double length)
{
  for (int64_t k = 0; k < support->size; k++)
    support->coef[k] += length * step[k];
  support->intercept += length * step[support->size];
}

/* Go along the step, halving it until the loss falls; *goes_on: far enough for
 * another step to be worth it, which squares the error. Collective. */
static th_status descend(struct th_support *support, struct th_batch *batch,
                         struct th_context *context, const double *step,
                         bool *goes_on, struct th_error *err)
{
  double before = batch->loss;
  double length = 1;
  th_status rc = TH_OK;
  *goes_on = false;
  for (int k = 0; k < MOST_HALVINGS; k++, length /= 2) {
    move(support, step, length);
    rc = th_batch_residual(batch, context, support, context->loss, err);
    if (rc != TH_OK)
      return rc;
    *goes_on = batch->loss < before * (1 - least_gain);
    if (batch->loss <= before)
      return rc;
    move(support, step, -length);
  }
  return th_batch_residual(batch, context, support, context->loss, err);
}

th_status th_newton_fit(struct th_support *support, struct th_batch *batch,
                        struct th_context *context, const bool *keep,
                        struct th_error *err)
{
  struct newton newton = {.keep = keep};
  bool goes_on = true;
  th_status rc = TH_NEW(&newton.work, 2 * batch->rows, "Newton steps", err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_batch_residual(batch, context, support, context->loss, err));
  for (int k = 0; k < MOST_STEPS && goes_on; k++) {
    TH_TRY(find_direction(&newton, batch, context, support, err));
    TH_TRY(descend(support, batch, context, newton.step, &goes_on, err));
  }
done:
  free(newton.step);
  free(newton.work);
  th_gram_free(&newton.gram);
  return rc;
}

/* The rows of one half, in turns; the others weigh nothing. */
static void weigh_half(struct th_batch *batch, const double *weight,
                       double *half, int which)
{
  for (int64_t i = 0; i < batch->rows; i++)
    half[i] = i % HALVES == which ? weight[i] : 0;
  th_batch_weigh(batch, half);
}

/* What a fit on one half loses on the other, summed over its rows; NaN where a
 * half has no weight. Collective. */
static th_status lose_on_half(struct th_support *support,
                              struct th_batch *batch,
                              struct th_context *context, const double *weight,
                              double *half, int which, double *loss,
                              struct th_error *err)
{
  th_status rc = TH_OK;
  bool empty = false;
  weigh_half(batch, weight, half, 1 - which);
  empty = !(batch->weight_sum > 0);
  if (!empty)
    TH_TRY(th_newton_fit(support, batch, context, NULL, err));
  weigh_half(batch, weight, half, which);
  TH_TRY(th_batch_residual(batch, context, support, context->loss, err));
  *loss = empty ? NAN : batch->loss * batch->weight_sum;
done:
  return rc;
}

th_status th_newton_pays(struct th_support *support, struct th_batch *batch,
                         struct th_context *context, bool *pays,
                         struct th_error *err)
{
  struct th_support before = {0};
  double *weight = NULL;
  double *half = NULL;
  double fitted = 0;
  th_status rc = TH_NEW(&weight, batch->rows, "weights", err);
  if (rc == TH_OK)
    rc = TH_NEW(&half, batch->rows, "weights", err);
  if (rc == TH_OK)
    rc = th_support_copy(&before, support, err);
  TH_TRY(th_agree(context->comm, rc, err));
  memcpy(weight, batch->weight, (size_t)batch->rows * sizeof *weight);
  TH_TRY(th_batch_residual(batch, context, support, context->loss, err));
  double now = batch->loss * batch->weight_sum;
  for (int k = 0; k < HALVES; k++) {
    double loss = 0;
    TH_TRY(lose_on_half(support, batch, context, weight, half, k, &loss, err));
    TH_TRY(th_support_copy(support, &before, err)); /* there is room */
    fitted += loss;
  }
  th_batch_weigh(batch, weight);
  *pays = fitted <= now;
done:
  th_support_free(&before);
  free(weight);
  free(half);
  return rc;
}
