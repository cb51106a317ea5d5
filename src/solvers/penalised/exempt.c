/* exempt.c - attributes of a penalised problem that have no penalty
 * SPDX-License-Identifier: MIT */
#include "solvers/penalised/exempt.h"

#include "base/memory.h"
#include "base/search.h"
#include "math/gap.h"
#include "math/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 100, HALVINGS = 40, REFINEMENTS = 2 };

/* A pivot below this share of its diagonal: the attribute depends on others. */
static const double independent = 1e-11;

/* A step that gains less than this share of the loss is the last. */
static const double little = 1e-15;

static const char what[] = "attributes without a penalty";

/* List those that are not left out. Collective. */
static th_status list_active(struct th_exempt *x, struct th_context *context,
                             const struct th_active *active,
                             struct th_error *err)
{
  const struct th_config_exempt *all = &context->config->group.exempt;
  struct th_comm *comm = context->comm;
  int64_t *there = NULL;
  th_status rc = TH_NEW(&there, all->count, what, err);
  if (rc == TH_OK)
    rc = TH_NEW(&x->attribute, all->count, what, err);
  TH_TRY(th_agree(comm, rc, err));
  for (int64_t k = 0; k < all->count; k++)
    there[k] = th_active_place(active, all->attribute[k]) >= 0;
  comm->ops->max_i64(comm, there, (size_t)all->count);
  for (int64_t k = 0; k < all->count; k++)
    if (there[k] > 0)
      x->attribute[x->count++] = all->attribute[k];
done:
  free(there);
  return rc;
}

/* Local. */
static th_status reserve(struct th_exempt *x, struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_NEW(&x->coef, x->count, what, err));
  TH_TRY(TH_NEW(&x->h, x->rows, what, err));
  TH_TRY(TH_NEW(&x->at, x->rows, what, err));
  TH_TRY(TH_NEW(&x->work, x->rows, what, err));
  TH_TRY(TH_NEW(&x->matrix, x->unknowns * x->unknowns, what, err));
  TH_TRY(TH_NEW(&x->slope, x->unknowns, what, err));
  TH_TRY(TH_NEW(&x->step, x->unknowns, what, err));
done:
  return rc;
}

/* Where all errors are large, a loss that is a line there has no curvature that
 * a fit could go by. */
static th_status check_curvature(const struct th_exempt *x,
                                 struct th_error *err)
{
  if (x->count == 0 || !x->loss->scaled)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "{loss} %s does not support attributes without a penalty; "
                 "leave {unpenalised} out, or give them a small factor by "
                 "{penalty-weights}",
                 x->loss->name);
}

th_status th_exempt_init(struct th_exempt *x, struct th_context *context,
                         const struct th_active *active,
                         const struct th_csc_cache *cache, struct th_error *err)
{
  th_status rc = TH_OK;
  if (context->config->group.exempt.count == 0)
    return rc;
  TH_TRY(list_active(x, context, active, err));
  TH_TRY(check_curvature(x, err));
  x->unknowns = x->count + (x->intercept ? 1 : 0);
  TH_TRY(th_agree(context->comm, reserve(x, err), err));
  th_replicated_columns_init(&x->columns, x->rows, NULL);
  x->columns.cache = cache;
  if (x->count > 0)
    rc = th_replicated_columns_fetch(&x->columns, context, x->attribute,
                                     x->count, err);
done:
  return rc;
}

void th_exempt_free(struct th_exempt *x)
{
  th_replicated_columns_free(&x->columns);
  TH_FREE(x->attribute, x->coef, x->h, x->at, x->work, x->matrix, x->slope,
          x->step);
  *x = (struct th_exempt){0};
}

bool th_exempt_has(const struct th_exempt *x, int64_t attribute)
{
  int64_t k = th_search_i64(x->attribute, 0, x->count, attribute);
  return k < x->count && x->attribute[k] == attribute;
}

void th_exempt_add(const struct th_exempt *x, const double *coef,
                   double *prediction)
{
  for (int64_t k = 0; k < x->count; k++)
    th_column_add(&x->columns.vector[k], coef[k], prediction);
}

static double sum_of(const double *v, int64_t rows)
{
  double sum = 0;
  for (int64_t i = 0; i < rows; i++)
    sum += v[i];
  return sum;
}

/* Which unknown an attribute is. */
static int64_t unknown_of(const struct th_exempt *x, int64_t k)
{
  return x->unknowns - x->count + k;
}

/* The upper triangle of the Hessian by the unknowns, with weights h. */
static void form_matrix(const struct th_exempt *x)
{
  int64_t n = x->unknowns;
  if (x->intercept)
    x->matrix[0] = sum_of(x->h, x->rows);
  for (int64_t k = 0; k < x->count; k++) {
    double *column = x->matrix + unknown_of(x, k) * n;
    memset(x->work, 0, (size_t)x->rows * sizeof *x->work);
    th_column_add_weighted(&x->columns.vector[k], 1, x->h, x->work);
    if (x->intercept)
      column[0] = sum_of(x->work, x->rows);
    for (int64_t j = 0; j <= k; j++)
      column[unknown_of(x, j)] = th_column_dot(&x->columns.vector[j], x->work);
  }
}

/* Slopes by all unknowns at theta. */
static void form_slopes(const struct th_exempt *x, const double *theta)
{
  for (int64_t i = 0; i < x->rows; i++)
    x->work[i] = x->eta[i] * theta[i];
  if (x->intercept)
    x->slope[0] = sum_of(x->work, x->rows);
  for (int64_t k = 0; k < x->count; k++)
    x->slope[unknown_of(x, k)] = th_column_dot(&x->columns.vector[k], x->work);
}

void th_exempt_slopes(const struct th_exempt *x, const double *theta,
                      double *slope)
{
  form_slopes(x, theta);
  for (int64_t k = 0; k < x->count; k++)
    slope[k] = x->slope[unknown_of(x, k)];
}

/* h = eta f'' at predictions. */
static void weigh_curvatures(const struct th_exempt *x,
                             const double *prediction)
{
  double *h = x->h;
  th_loss_d2f_all(x->loss, x->rows, prediction, x->target, h);
  for (int64_t i = 0; i < x->rows; i++)
    h[i] *= x->eta[i];
}

/* step = the solution of matrix step = slope; work = what it changes in the
 * predictions. */
static th_status find_step(const struct th_exempt *x, struct th_error *err)
{
  struct th_linalg_system system = {x->unknowns, x->matrix, x->slope,
                                    independent};
  bool *kept = NULL;
  th_status rc = TH_NEW(&kept, x->unknowns, what, err);
  TH_TRY(rc);
  TH_TRY(th_linalg_solve(&system, x->step, NULL, kept, err));
  double shift = x->intercept ? x->step[0] : 0;
  for (int64_t i = 0; i < x->rows; i++)
    x->work[i] = shift;
  th_exempt_add(x, x->step + unknown_of(x, 0), x->work);
done:
  free(kept);
  return rc;
}

/* Move by the step, halved until the loss falls. False: it does not. */
static bool move_along(const struct th_exempt *x, double gain, double *loss,
                       double *coef, double *intercept)
{
  double part = 1;
  double moved = 0; /* of the step, in x->at */
  for (int k = 0; k < HALVINGS; k++, part /= 2) {
    for (int64_t i = 0; i < x->rows; i++)
      x->at[i] -= (part - moved) * x->work[i];
    moved = part;
    double now = th_gap_primal(x->loss, x->rows, x->eta, x->target, x->at);
    if (!(now <= *loss - 1e-4 * part * gain + 2 * little * fabs(*loss)))
      continue;
    *loss = now;
    for (int64_t j = 0; j < x->count; j++)
      coef[j] -= part * x->step[unknown_of(x, j)];
    *intercept -= x->intercept ? part * x->step[0] : 0;
    return true;
  }
  return false;
}

th_status th_exempt_fit(const struct th_exempt *x, const double *prediction,
                        double *coef, double *intercept, struct th_error *err)
{
  bool ends = false;
  th_status rc = TH_OK;
  memset(coef, 0, (size_t)x->count * sizeof *coef);
  for (int64_t i = 0; i < x->rows; i++)
    x->at[i] = prediction[i] + *intercept;
  double loss = th_gap_primal(x->loss, x->rows, x->eta, x->target, x->at);
  if (!isfinite(loss))
    return th_fail(err, TH_ENUMERIC,
                   "a prediction is not a number; check the data, or "
                   "standardize");
  for (int k = 0; k < MOST_STEPS && !ends && rc == TH_OK; k++) {
    weigh_curvatures(x, x->at);
    form_matrix(x);
    th_loss_df_all(x->loss, x->rows, x->at, x->target, x->h);
    form_slopes(x, x->h);
    rc = find_step(x, err);
    double gain = 0;
    for (int64_t j = 0; j < x->unknowns && rc == TH_OK; j++)
      gain += x->slope[j] * x->step[j];
    ends = !(gain > little * fabs(loss));
    ends = rc != TH_OK || !move_along(x, gain, &loss, coef, intercept) || ends;
  }
  return rc;
}

void th_exempt_theta(const struct th_exempt *x, const double *prediction,
                     double *theta)
{
  struct th_error ignored;
  weigh_curvatures(x, prediction);
  th_loss_df_all(x->loss, x->rows, prediction, x->target, theta);
  form_matrix(x);
  for (int k = 0; k < REFINEMENTS; k++) {
    form_slopes(x, theta);
    if (find_step(x, &ignored) != TH_OK)
      return;
    for (int64_t i = 0; i < x->rows; i++)
      theta[i] -= x->eta[i] > 0 ? x->h[i] / x->eta[i] * x->work[i] : 0;
  }
  for (int64_t i = 0; i < x->rows; i++)
    theta[i] = th_loss_in_domain(x->loss, theta[i], x->target[i]);
}
