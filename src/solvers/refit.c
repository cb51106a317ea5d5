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
    1e-6;                               /* per unit of weight: separable data */
static const double newton_gain = 1e-7; /* relative decrease that goes on */

/* The normal equations of (x_S, 1). */
struct normal {
  const struct th_gram *gram;
  bool intercept;   /* without one, the constant's equation is 1 * b = 0 */
  double ridge;     /* on x_S */
  const bool *keep; /* NULL: all; the others get 0 */
};

static void fill_equations(const struct normal *e, double *a, double *b)
{
  int64_t n = e->gram->size + 1;
  for (int64_t j = 0; j < n; j++) {
    bool member = j < e->gram->size;
    for (int64_t i = 0; i < n; i++)
      a[i + j * n] = th_gram_at(e->gram, i, j);
    a[j + j * n] += member ? e->ridge : 0;
    if (member && e->keep != NULL && !e->keep[j])
      a[j + j * n] = 0; /* left out as if collinear */
    b[j] = th_gram_at(e->gram, j, n);
  }
  if (e->intercept)
    return;
  for (int64_t i = 0; i < n; i++)
    a[i + (n - 1) * n] = a[n - 1 + i * n] = i == n - 1;
  b[n - 1] = 0;
}

/* solution[|S| + 1]: coefficients, then the constant. Local, on rank 0. */
static th_status solve_normal(const struct normal *equations, double *solution,
                              struct th_error *err)
{
  int64_t n = equations->gram->size + 1;
  double *a = NULL;
  double *b = NULL;
  bool *kept = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&a, n * n, "normal equations", err));
  TH_TRY(TH_NEW(&b, n, "normal equations", err));
  TH_TRY(TH_NEW(&kept, n, "normal equations", err));
  fill_equations(equations, a, b);
  TH_TRY(th_linalg_solve(n, a, b, collinear, solution, NULL, kept, err));
done:
  free(a);
  free(b);
  free(kept);
  return rc;
}

/* Solve on rank 0; everyone receives the same solution. Collective. */
static th_status solve_and_tell(struct th_context *context,
                                const struct normal *equations,
                                double **solution, struct th_error *err)
{
  struct th_comm *comm = context->comm;
  int64_t n = equations->gram->size + 1;
  double *made = NULL;
  th_status rc = TH_NEW(&made, n, "a solution", err);
  th_profile_begin(context->profile);
  if (rc == TH_OK && comm->rank == 0)
    rc = solve_normal(equations, made, err);
  rc = th_agree(comm, rc, err);
  if (rc == TH_OK)
    comm->ops->bcast(comm, made, (size_t)n * sizeof *made, 0);
  th_profile_end(context->profile, TH_PHASE_SOLVE);
  if (rc == TH_OK)
    *solution = made;
  else
    free(made);
  return rc;
}

th_status th_refit_squares(struct th_support *support,
                           struct th_context *context,
                           const struct th_gram *gram, const bool *keep,
                           struct th_error *err)
{
  const struct normal equations = {
      .gram = gram, .intercept = context->config->intercept, .keep = keep};
  double *solution = NULL;
  th_status rc = solve_and_tell(context, &equations, &solution, err);
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
static th_status newton_direction(struct newton *newton, struct th_batch *batch,
                                  struct th_context *context,
                                  const struct th_support *support,
                                  struct th_error *err)
{
  const struct normal equations = {.gram = &newton->gram,
                                   .intercept = context->config->intercept,
                                   .ridge = newton_ridge * batch->weight_sum,
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
  return solve_and_tell(context, &equations, &newton->step, err);
}

static void move(struct th_support *support, const double *step, double length)
{
  for (int64_t k = 0; k < support->size; k++)
    support->coef[k] += length * step[k];
  support->intercept += length * step[support->size];
}

/* Go along the step, halving it until the loss falls; *goes_on: far enough for
 * another step to be worth it, which squares the error. Collective. */
static th_status newton_move(struct th_support *support, struct th_batch *batch,
                             struct th_context *context, const double *step,
                             bool *goes_on, struct th_error *err)
{
  double before = batch->loss;
  double length = 1;
  th_status rc = TH_OK;
  *goes_on = false;
  for (int k = 0; k < NEWTON_HALVINGS; k++, length /= 2) {
    move(support, step, length);
    rc = th_batch_residual(batch, context, support, context->loss, err);
    if (rc != TH_OK)
      return rc;
    *goes_on = batch->loss < before * (1 - newton_gain);
    if (batch->loss <= before)
      return rc;
    move(support, step, -length);
  }
  return th_batch_residual(batch, context, support, context->loss, err);
}

int64_t th_refit_most(const struct th_support *support, int64_t rows)
{
  int64_t most = NEWTON_VALUES / (support->size + 2);
  return rows < most ? rows : most;
}

th_status th_refit_draw(struct th_batch *batch, struct th_context *context,
                        const struct th_support *support, int64_t rows,
                        bool *complete, struct th_error *err)
{
  const struct th_view view = {.consumer = TH_CONSUMER_EXPLOIT,
                               .rows = th_refit_most(support, rows),
                               .support = support,
                               .loss = context->loss};
  return th_batch_look(batch, context, &view, complete, err);
}

th_status th_refit_newton(struct th_support *support, struct th_batch *batch,
                          struct th_context *context, const bool *keep,
                          struct th_error *err)
{
  struct newton newton = {.keep = keep};
  bool goes_on = true;
  th_status rc = TH_NEW(&newton.work, 2 * batch->rows, "Newton steps", err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_batch_residual(batch, context, support, context->loss, err));
  for (int k = 0; k < NEWTON_STEPS && goes_on; k++) {
    TH_TRY(newton_direction(&newton, batch, context, support, err));
    TH_TRY(newton_move(support, batch, context, newton.step, &goes_on, err));
  }
done:
  free(newton.step);
  free(newton.work);
  th_gram_free(&newton.gram);
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
    bool complete = rows >= enough;
    th_status rc = TH_OK;
    if (complete)
      rc = th_refit_draw(batch, context, support, rows, &complete, err);
    if (rc == TH_OK && complete)
      rc = th_refit_newton(support, batch, context, NULL, err);
    return rc;
  }
  th_status rc = TH_OK;
  if (rows >= context->deal.rows_in_pass) /* then each example counts once */
    rc = th_gram_start(gram, context, support->size, err);
  if (rc == TH_OK)
    rc = th_refit_spend(gram, batch, context, support, rows, err);
  if (rc != TH_OK || gram->rows < (double)enough)
    return rc;
  return th_refit_squares(support, context, gram, NULL, err);
}
