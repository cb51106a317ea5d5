/* refit.c - exact fits on a fixed support: least squares, Newton
 * SPDX-License-Identifier: MIT */
#include "solvers/refit.h"

#include "core/memory.h"
#include "math/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  SPEND_ROWS = 4096, /* rows of one mini-batch of th_refit_spend */
  NEWTON_STEPS = 12,
  NEWTON_HALVINGS = 10,
  NEWTON_VALUES = 1 << 25 /* support values that are kept for Newton steps */
};

static const double collinear = 1e-10; /* pivot against diagonal */
static const double flattest = 1e-6;   /* smallest curvature that counts */
static const double newton_ridge =
    1e-6; /* per unit of weight: separable data */
static const double newton_gain = 1e-10; /* relative decrease that goes on */

/* The normal equations of (x_S, 1) with a ridge on x_S; without an intercept
 * the constant's equation is 1 * b = 0. */
static void normal_equations(const struct th_gram *gram, bool intercept,
                             double ridge, double *a, double *b)
{
  int64_t n = gram->size + 1;
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = 0; i < n; i++)
      a[i + j * n] = th_gram_at(gram, i, j);
    a[j + j * n] += j < gram->size ? ridge : 0;
    b[j] = th_gram_at(gram, j, n);
  }
  if (intercept)
    return;
  for (int64_t i = 0; i < n; i++)
    a[i + (n - 1) * n] = a[n - 1 + i * n] = i == n - 1;
  b[n - 1] = 0;
}

/* solution[|S| + 1]: coefficients, then the constant. Local, on rank 0. */
static th_status solve_normal(const struct th_gram *gram, bool intercept,
                              double ridge, double *solution,
                              struct th_error *err)
{
  int64_t n = gram->size + 1;
  double *a = NULL;
  double *b = NULL;
  bool *kept = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&a, n * n, "normal equations", err));
  TH_TRY(TH_NEW(&b, n, "normal equations", err));
  TH_TRY(TH_NEW(&kept, n, "normal equations", err));
  normal_equations(gram, intercept, ridge, a, b);
  TH_TRY(th_linalg_solve(n, a, b, collinear, solution, NULL, kept, err));
done:
  free(a);
  free(b);
  free(kept);
  return rc;
}

/* Solve on rank 0; everyone receives the same solution. Collective. */
static th_status solve_and_tell(struct th_context *context,
                                const struct th_gram *gram, double ridge,
                                double **solution, struct th_error *err)
{
  struct th_comm *comm = context->comm;
  double *made = NULL;
  th_status rc = TH_NEW(&made, gram->size + 1, "a solution", err);
  th_profile_begin(context->profile);
  if (rc == TH_OK && comm->rank == 0)
    rc = solve_normal(gram, context->config->intercept, ridge, made, err);
  rc = th_agree(comm, rc, err);
  if (rc == TH_OK)
    comm->ops->bcast(comm, made, (size_t)(gram->size + 1) * sizeof *made, 0);
  th_profile_end(context->profile, TH_PHASE_SOLVE);
  if (rc == TH_OK)
    *solution = made;
  else
    free(made);
  return rc;
}

th_status th_refit_squares(struct th_support *support,
                           struct th_context *context,
                           const struct th_gram *gram, struct th_error *err)
{
  double *solution = NULL;
  th_status rc = solve_and_tell(context, gram, 0, &solution, err);
  if (rc != TH_OK)
    return rc;
  memcpy(support->coef, solution, (size_t)support->size * sizeof(double));
  support->intercept = solution[support->size];
  free(solution);
  return TH_OK;
}

th_status th_refit_spend(struct th_gram *gram, struct th_batch *batch,
                         struct th_context *context,
                         const struct th_support *support, int64_t rows,
                         struct th_error *err)
{
  bool complete = true;
  th_status rc = TH_OK;
  while (rows > 0) {
    struct th_view view = {.consumer = TH_CONSUMER_EXPLOIT,
                           .rows = rows < SPEND_ROWS ? rows : SPEND_ROWS,
                           .support = support};
    TH_TRY(th_batch_observe(batch, context, &view, &complete, err));
    if (!complete)
      break;
    TH_TRY(th_gram_add(gram, context, batch, support, NULL, NULL, err));
    rows -= view.rows;
  }
done:
  return rc;
}

/* Newton's equations as weighted least squares: weights are the curvatures,
 * and the target is minus derivative over curvature, so that the solution is
 * the step. Collective. */
static th_status newton_direction(struct th_gram *gram, struct th_batch *batch,
                                  struct th_context *context,
                                  const struct th_support *support,
                                  double *work, double **step,
                                  struct th_error *err)
{
  double *curvature = work;
  double *target = work + batch->rows;
  for (int64_t i = 0; i < batch->rows; i++) {
    double p = batch->prediction[i];
    double y = batch->target[i];
    curvature[i] = fmax(context->loss->curvature(p, y), flattest);
    target[i] = -context->loss->derivative(p, y) / curvature[i];
  }
  th_status rc = th_gram_start(gram, context, support->size, err);
  if (rc == TH_OK)
    rc = th_gram_add(gram, context, batch, support, curvature, target, err);
  if (rc != TH_OK)
    return rc;
  return solve_and_tell(context, gram, newton_ridge * batch->weight_sum, step,
                        err);
}

static void move(struct th_support *support, const double *step, double length)
{
  for (int64_t k = 0; k < support->size; k++)
    support->coef[k] += length * step[k];
  support->intercept += length * step[support->size];
}

/* Go along the step, halving it until the loss falls. Collective. */
static th_status newton_move(struct th_support *support, struct th_batch *batch,
                             struct th_context *context, const double *step,
                             bool *fell, struct th_error *err)
{
  double before = batch->loss;
  double length = 1;
  th_status rc = TH_OK;
  *fell = false;
  for (int k = 0; k < NEWTON_HALVINGS; k++, length /= 2) {
    move(support, step, length);
    rc = th_batch_residual(batch, context, support, context->loss, err);
    if (rc != TH_OK)
      return rc;
    *fell = batch->loss < before * (1 - newton_gain);
    if (*fell)
      return rc;
    move(support, step, -length);
  }
  return th_batch_residual(batch, context, support, context->loss, err);
}

th_status th_refit_newton(struct th_support *support, struct th_batch *batch,
                          struct th_context *context, int64_t rows,
                          struct th_error *err)
{
  struct th_gram gram = {0};
  double *work = NULL;
  double *step = NULL;
  bool go_on = true;
  th_status rc = TH_OK;
  if (rows > NEWTON_VALUES / (support->size + 2))
    rows = NEWTON_VALUES / (support->size + 2);
  const struct th_view view = {.consumer = TH_CONSUMER_EXPLOIT,
                               .rows = rows,
                               .support = support,
                               .loss = context->loss};
  TH_TRY(th_batch_look(batch, context, &view, &go_on, err));
  if (!go_on)
    goto done;
  rc = TH_NEW(&work, 2 * batch->rows, "Newton steps", err);
  TH_TRY(th_agree(context->comm, rc, err));
  for (int k = 0; k < NEWTON_STEPS && go_on; k++) {
    free(step);
    step = NULL;
    TH_TRY(newton_direction(&gram, batch, context, support, work, &step, err));
    TH_TRY(newton_move(support, batch, context, step, &go_on, err));
  }
done:
  free(step);
  free(work);
  th_gram_free(&gram);
  return rc;
}

int64_t th_refit_rows(const struct th_context *context)
{
  int64_t left = th_deal_left(&context->deal);
  int64_t pass = context->deal.rows_in_pass;
  return context->config->passes > 1 && left > pass ? pass : left;
}

th_status th_refit_end(struct th_support *support, struct th_gram *gram,
                       struct th_batch *batch, struct th_context *context,
                       int64_t rows, struct th_error *err)
{
  enum th_refit refit = context->config->refit;
  int64_t enough =
      refit == TH_REFIT_YES ? support->size + 1 : 2 * support->size + 2;
  if (refit == TH_REFIT_NO || support->size == 0)
    return TH_OK;
  if (context->loss->labels) {
    if (rows < enough)
      return TH_OK;
    return th_refit_newton(support, batch, context, rows, err);
  }
  th_status rc = TH_OK;
  if (rows >= context->deal.rows_in_pass) /* then each example counts once */
    rc = th_gram_start(gram, context, support->size, err);
  if (rc == TH_OK)
    rc = th_refit_spend(gram, batch, context, support, rows, err);
  if (rc != TH_OK || gram->rows < (double)enough)
    return rc;
  return th_refit_squares(support, context, gram, err);
}
