/* newton.c - fits on a fixed support for a loss with curvature
 * SPDX-License-Identifier: MIT */
#include "solvers/fits/newton.h"

#include "base/memory.h"
#include "solvers/access/gram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_STEPS = 30,
  MOST_HALVINGS = 10,
  HALVES = 2,
  MANY_ROWS = 50 /* per parameter */
};

static const double flattest = 1e-6;   /* smallest curvature that counts */
static const double ridge = 1e-3;      /* of coefficients of z, to sums */
static const double longest_step = 5;  /* of these */
static const double least_gain = 1e-7; /* relative decrease that goes on */

/* Work arrays of Newton's steps. */
struct newton {
  struct th_gram gram;
  const bool *keep; /* borrowed; NULL: all members */
  double *work;     /* curvatures and targets of the rows */
  double *step;     /* |S| + 1 */
  double *ridge;    /* |S|: in the members' own units */
  double weight;    /* sum of the rows' */
};

/* The ridge of each member: by its variance, with rows weighted by their
 * curvature at the start. Local. */
static th_status choose_ridge(struct newton *newton, bool intercept,
                              struct th_error *err)
{
  const struct th_gram *gram = &newton->gram;
  int64_t n = gram->size;
  double all = th_gram_at(gram, n, n);
  th_status rc = TH_NEW(&newton->ridge, n, "Newton steps", err);
  for (int64_t k = 0; k < n && rc == TH_OK && all > 0; k++) {
    double mean = intercept ? th_gram_at(gram, k, n) / all : 0;
    newton->ridge[k] =
        ridge * fmax(th_gram_at(gram, k, k) / all - mean * mean, 0);
  }
  return rc;
}

/* The objective, over the rows' weight. */
static double value(const struct newton *newton, const struct th_batch *batch,
                    const struct th_support *support)
{
  double sum = 0;
  for (int64_t k = 0; k < support->size && newton->weight > 0; k++)
    sum += newton->ridge[k] * support->coef[k] * support->coef[k];
  return batch->loss + (sum > 0 ? sum / (2 * newton->weight) : 0);
}

/* Neither a coefficient of z nor the constant moves by more than longest_step.
 */
static void limit_step(struct newton *newton)
{
  int64_t n = newton->gram.size;
  double most = fabs(newton->step[n]);
  for (int64_t k = 0; k < n; k++)
    most = fmax(most, fabs(newton->step[k]) * sqrt(newton->ridge[k] / ridge));
  for (int64_t k = 0; k <= n && most > longest_step; k++)
    newton->step[k] *= longest_step / most;
}

/* Newton's equations as weighted least squares: weights are the curvatures,
 * and the target is minus derivative over curvature, so that the solution is
 * the step. Collective. */
static th_status find_direction(struct newton *newton, struct th_batch *batch,
                                struct th_context *context,
                                const struct th_support *support,
                                struct th_error *err)
{
  bool intercept = context->config->intercept;
  double *curvature = newton->work;
  double *target = newton->work + batch->rows;
  th_loss_curvatures(context->loss, batch->rows, batch->prediction,
                     batch->target, curvature);
  th_loss_derivatives(context->loss, batch->rows, batch->prediction,
                      batch->target, target);
  for (int64_t i = 0; i < batch->rows; i++) {
    curvature[i] = fmax(curvature[i], flattest);
    target[i] = -target[i] / curvature[i];
  }
  free(newton->step);
  newton->step = NULL;
  th_status rc;
  TH_TRY(th_gram_start(&newton->gram, context, support->size, err));
  TH_TRY(th_gram_add(&newton->gram, context, batch, support, curvature, target,
                     err));
  if (newton->ridge == NULL)
    TH_TRY(th_agree(context->comm, choose_ridge(newton, intercept, err), err));
  const struct th_gram_equations equations = {.gram = &newton->gram,
                                              .intercept = intercept,
                                              .ridge = newton->ridge,
                                              .coef = support->coef,
                                              .keep = newton->keep};
  TH_TRY(th_gram_solve(&equations, context, &newton->step, err));
  limit_step(newton);
done:
  return rc;
}

static void move(struct th_support *support, const double *step, double length)
{
  for (int64_t k = 0; k < support->size; k++)
    support->coef[k] += length * step[k];
  support->intercept += length * step[support->size];
}

/* Go along the step, halving it until the loss falls. *goes_on: the loss fell
 * enough for another step. Collective. */
static th_status backtrack(const struct newton *newton,
                           struct th_support *support, struct th_batch *batch,
                           struct th_context *context, bool *goes_on,
                           struct th_error *err)
{
  const double *step = newton->step;
  double before = value(newton, batch, support);
  double length = 1;
  th_status rc = TH_OK;
  *goes_on = false;
  for (int k = 0; k < MOST_HALVINGS; k++, length /= 2) {
    move(support, step, length);
    rc = th_batch_residual(batch, context, support, context->loss, err);
    if (rc != TH_OK)
      return rc;
    double now = value(newton, batch, support);
    *goes_on = now < before * (1 - least_gain);
    if (now <= before)
      return rc;
    move(support, step, -length);
  }
  return th_batch_residual(batch, context, support, context->loss, err);
}

th_status th_newton_fit(struct th_support *support, struct th_batch *batch,
                        struct th_context *context, const bool *keep,
                        struct th_error *err)
{
  struct newton newton = {.keep = keep, .weight = batch->weight_sum};
  bool goes_on = true;
  th_status rc = TH_NEW(&newton.work, 2 * batch->rows, "Newton steps", err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_batch_residual(batch, context, support, context->loss, err));
  for (int k = 0; k < MOST_STEPS && goes_on; k++) {
    TH_TRY(find_direction(&newton, batch, context, support, err));
    TH_TRY(backtrack(&newton, support, batch, context, &goes_on, err));
  }
done:
  TH_FREE(newton.step, newton.ridge, newton.work);
  th_gram_free(&newton.gram);
  return rc;
}

/* Fits on halves of the rows, each judged on the other half. Replicated. */
struct halves {
  double *weight; /* of the rows, as they are */
  double *masked; /* of one half; the others weigh nothing */
  double *now;    /* loss of each row, weighted, before any fit */
  double gain;    /* how much less the fits lose, summed over the rows */
  double square;  /* the same, squared row by row */
};

static void halves_free(struct halves *h)
{
  TH_FREE(h->weight, h->masked, h->now);
}

static double row_loss(const struct th_batch *batch,
                       const struct th_context *context, const double *weight,
                       int64_t i)
{
  return weight[i] *
         context->loss->value(batch->prediction[i], batch->target[i]);
}

/* Begin with the losses of the support as it is. Local. */
static th_status halves_init(struct halves *h, const struct th_batch *batch,
                             const struct th_context *context,
                             struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_NEW(&h->weight, batch->rows, "weights", err));
  TH_TRY(TH_NEW(&h->masked, batch->rows, "weights", err));
  TH_TRY(TH_NEW(&h->now, batch->rows, "losses", err));
  memcpy(h->weight, batch->weight, (size_t)batch->rows * sizeof *h->weight);
  for (int64_t i = 0; i < batch->rows; i++)
    h->now[i] = row_loss(batch, context, h->weight, i);
done:
  return rc;
}

/* Every other row belongs to the half. */
static void weigh_half(struct th_batch *batch, struct halves *h, int which)
{
  for (int64_t i = 0; i < batch->rows; i++)
    h->masked[i] = i % HALVES == which ? h->weight[i] : 0;
  th_batch_weigh(batch, h->masked);
}

/* Fit on the other half, and judge on this one. A half without weight gains
 * nothing. Collective. */
static th_status judge_half(struct halves *h, struct th_support *support,
                            struct th_batch *batch, struct th_context *context,
                            int which, struct th_error *err)
{
  th_status rc = TH_OK;
  weigh_half(batch, h, 1 - which);
  if (!(batch->weight_sum > 0))
    return rc;
  TH_TRY(th_newton_fit(support, batch, context, NULL, err));
  weigh_half(batch, h, which);
  TH_TRY(th_batch_residual(batch, context, support, context->loss, err));
  for (int64_t i = which; i < batch->rows; i += HALVES) {
    double gain = h->now[i] - row_loss(batch, context, h->masked, i);
    h->gain += gain;
    h->square += gain * gain;
  }
done:
  return rc;
}

/* *pays: the gain is above its standard error. The support is `before` again at
 * the end. Collective. */
static th_status fits_pay(struct th_support *support,
                          const struct th_support *before,
                          struct th_batch *batch, struct th_context *context,
                          bool *pays, struct th_error *err)
{
  struct halves h = {0};
  th_status rc = halves_init(&h, batch, context, err);
  TH_TRY(th_agree(context->comm, rc, err));
  for (int k = 0; k < HALVES; k++) {
    TH_TRY(judge_half(&h, support, batch, context, k, err));
    TH_TRY(th_support_copy(support, before, err)); /* there is room */
  }
  th_batch_weigh(batch, h.weight);
  double variance = h.square - h.gain * h.gain / (double)batch->rows;
  *pays = h.gain > sqrt(fmax(variance, 0));
done:
  halves_free(&h);
  return rc;
}

th_status th_newton_improve(struct th_support *support, struct th_batch *batch,
                            struct th_context *context, struct th_error *err)
{
  struct th_support before = {0};
  double parameters = (double)(support->size + 1);
  double rows = (double)batch->rows;
  bool few = rows < MANY_ROWS * parameters;
  bool pays = true;
  th_status rc = th_support_copy(&before, support, err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_batch_residual(batch, context, support, context->loss, err));
  double now = batch->loss;
  if (few)
    TH_TRY(fits_pay(support, &before, batch, context, &pays, err));
  if (pays)
    TH_TRY(th_newton_fit(support, batch, context, NULL, err));
  if (!few && !(batch->loss + parameters / rows <= now))
    TH_TRY(th_support_copy(support, &before, err)); /* there is room */
done:
  th_support_free(&before);
  return rc;
}
