/* irrepresentable.c - how well some attributes explain another one
 *
 * Let v_k = sum_l inv(Sigma_S)_kl (x_l - mean_l) over the examples. Then
 * coefficient k of the regression of x_j on S is sum_i eta_i v_ki x_ij. So a
 * pass with sixteen of them gives as many coefficients of all attributes, whose
 * magnitudes are added up.
 * SPDX-License-Identifier: MIT */
#include "solvers/greedy/irrepresentable.h"

#include "base/integer.h"
#include "base/memory.h"
#include "math/linalg.h"
#include "solvers/greedy/pursuit_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct work {
  struct th_context context;
  struct th_problem problem;
  struct th_duals duals;
  struct th_replicated_columns columns;
  struct th_pursuit path; /* S, and its covariance */
  double *inverse;        /* size x size */
  double *v;              /* examples */
  double *norm;           /* places: norm1 of the coefficients so far */
};

static void release(struct work *w)
{
  TH_FREE(w->inverse, w->v, w->norm);
  th_pursuit_fit_free(&w->path);
  th_replicated_columns_free(&w->columns);
  th_problem_duals_free(&w->duals);
  th_problem_free(&w->problem);
  th_context_free(&w->context);
}

static th_status reserve(struct work *w, int64_t size, struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_NEW(&w->inverse, size * size, "the inverse covariance", err));
  TH_TRY(TH_NEW(&w->v, w->problem.rows, "the inverse covariance", err));
  TH_TRY(TH_NEW(&w->norm, w->problem.active.count, "norms", err));
  TH_TRY(th_pursuit_fit_forecast_reserve(&w->path.forecast, &w->problem, err));
done:
  return rc;
}

/* The covariance of S, and its factor. Collective. */
static th_status add_members(struct work *w,
                             const struct th_irrepresentable *question,
                             struct th_error *err)
{
  bool depends = false;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < question->size; k++) {
    TH_TRY(th_pursuit_fit_add(&w->path, question->support[k], &depends, err));
    if (depends)
      return th_fail(err, TH_EDATA,
                     "attribute %lld is a combination of others of the "
                     "support, so mu_S is not defined",
                     (long long)question->support[k]);
  }
done:
  return rc;
}

/* The inverse of the covariance of S. Local, replicated. */
static th_status invert(struct work *w, struct th_error *err)
{
  const struct th_pursuit *path = &w->path;
  int64_t size = path->size;
  struct th_linalg_system system = {size, NULL, path->product,
                                    TH_PURSUIT_DEPENDS};
  double *a = NULL;
  double *x = NULL;
  bool *kept = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&a, size * size, "the covariance", err));
  TH_TRY(TH_NEW(&x, size, "the covariance", err));
  TH_TRY(TH_NEW(&kept, size, "the covariance", err));
  for (int64_t k = 0; k < size; k++)
    memcpy(a + k * size, path->gram + k * path->room, (size_t)size * sizeof *a);
  system.a = a;
  TH_TRY(th_linalg_solve(&system, x, w->inverse, kept, err));
done:
  TH_FREE(a, x, kept);
  return rc;
}

/* Extreme eigenvalues of the covariance of S; the least one by its inverse.
 * Local, replicated. */
static th_status find_eigenvalues(const struct work *w,
                                  struct th_irrepresentable *question,
                                  struct th_error *err)
{
  const struct th_pursuit *path = &w->path;
  int64_t size = path->size;
  size_t bytes = (size_t)(size * size) * sizeof(double);
  double *a = NULL;
  double of_inverse = 0;
  th_status rc = TH_NEW(&a, size * size, "the covariance", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < size; k++)
    memcpy(a + k * size, path->gram + k * path->room, (size_t)size * sizeof *a);
  TH_TRY(th_linalg_largest_eigenvalue(size, a, &question->most, err));
  memcpy(a, w->inverse, bytes);
  TH_TRY(th_linalg_largest_eigenvalue(size, a, &of_inverse, err));
  question->least = of_inverse > 0 ? 1 / of_inverse : 0;
done:
  free(a);
  return rc;
}

/* v_k. The covariance has the constant taken off already. Local. */
static void combine_columns(struct work *w, int64_t k)
{
  const struct th_pursuit *path = &w->path;
  double shift = 0;
  memset(w->v, 0, (size_t)w->problem.rows * sizeof *w->v);
  for (int64_t l = 0; l < path->size; l++) {
    double factor = w->inverse[k * path->size + l];
    th_column_add(&w->columns.vector[path->slot[l]], factor, w->v);
    shift += factor * path->mean[l];
  }
  for (int64_t i = 0; i < w->problem.rows; i++)
    w->v[i] -= shift;
}

/* Coefficients first .. of all attributes, as many as one pass forms, added to
 * their norms. Collective. */
static th_status add_coefficients(struct work *w, int64_t first,
                                  struct th_error *err)
{
  struct th_forecast *forecast = &w->path.forecast;
  const struct th_problem_block block = {forecast->right, forecast->gradient};
  int64_t last = th_min_i64(first + TH_FORECAST_WIDTH, w->path.size);
  th_pursuit_fit_forecast_clear(forecast, &w->problem);
  for (int64_t k = first; k < last; k++) {
    combine_columns(w, k);
    th_pursuit_fit_forecast_put(forecast, &w->problem, (int)(k - first), 1,
                                w->v);
  }
  th_status rc = th_problem_gradients(&w->problem, &block, 1, err);
  for (int64_t a = 0; a < w->problem.active.count && rc == TH_OK; a++)
    for (int64_t k = 0; k < last - first; k++)
      w->norm[a] += forecast->unit[k] *
                    fabs(forecast->gradient[a * TH_FORECAST_WIDTH + k]);
  return rc;
}

/* Coefficient k of all attributes, added to their norms in double: for values
 * beyond float. Collective. */
static th_status add_coefficient(struct work *w, int64_t k,
                                 struct th_error *err)
{
  combine_columns(w, k);
  th_status rc =
      th_problem_pass(&w->problem, w->v, 1, INFINITY, &w->duals, err);
  for (int64_t a = 0; a < w->problem.active.count && rc == TH_OK; a++)
    w->norm[a] += fabs(w->duals.z[a]);
  return rc;
}

/* Collective. */
static th_status add_every_coefficient(struct work *w, struct th_error *err)
{
  bool alone = w->problem.beyond_float;
  int64_t step = alone ? 1 : TH_FORECAST_WIDTH;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < w->path.size && rc == TH_OK; k += step)
    rc = alone ? add_coefficient(w, k, err) : add_coefficients(w, k, err);
  return rc;
}

/* The largest norm outside of S; of equal ones that of the first attribute.
 * Collective. */
static void find_most(struct work *w, struct th_irrepresentable *question)
{
  const struct th_active *active = &w->problem.active;
  struct th_comm *comm = w->context.comm;
  double most = -1;
  int64_t first = INT64_MIN;
  for (int64_t k = 0; k < question->size; k++) {
    int64_t g = th_problem_group(&w->problem, question->support[k]);
    if (g >= 0)
      w->norm[th_problem_place(&w->problem,
                               th_problem_members(&w->problem, g).first)] = -1;
  }
  for (int64_t a = 0; a < active->count; a++)
    most = fmax(most, w->norm[a]);
  comm->ops->max_f64(comm, &most, 1);
  for (int64_t a = active->count - 1; a >= 0; a--)
    if (most >= 0 && w->norm[a] == most)
      first = -active->attribute[a];
  comm->ops->max_i64(comm, &first, 1);
  question->mu = fmax(most, 0);
  question->attribute = first == INT64_MIN ? -1 : -first;
}

static th_status begin(struct work *w, const struct th_plan *plan,
                       struct th_store *store, struct th_comm *comm,
                       struct th_profile *profile, struct th_error *err)
{
  th_status rc;
  TH_TRY(th_context_init(&w->context, plan, store, comm, NULL, profile, err));
  TH_TRY(th_problem_init(&w->problem, &w->context, &w->duals, err));
  th_problem_columns_init(&w->problem, &w->columns);
  const struct th_pursuit_data data = {
      .problem = &w->problem, .duals = &w->duals, .columns = &w->columns};
  TH_TRY(th_pursuit_fit_init(&w->path, &data, w->problem.eta, err));
done:
  return rc;
}

th_status th_irrepresentable_find(struct th_irrepresentable *question,
                                  const struct th_plan *plan,
                                  struct th_store *store, struct th_comm *comm,
                                  struct th_profile *profile,
                                  struct th_error *err)
{
  struct work w = {.v = NULL};
  th_status rc;
  if (question->size > TH_IRREPRESENTABLE_MOST)
    return th_fail(err, TH_EDATA,
                   "mu_S is for supports of at most %d attributes, and this "
                   "one has %lld",
                   TH_IRREPRESENTABLE_MOST, (long long)question->size);
  TH_TRY(begin(&w, plan, store, comm, profile, err));
  TH_TRY(add_members(&w, question, err));
  rc = reserve(&w, question->size, err);
  if (rc == TH_OK)
    rc = invert(&w, err);
  if (rc == TH_OK)
    rc = find_eigenvalues(&w, question, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(add_every_coefficient(&w, err));
  find_most(&w, question);
done:
  release(&w);
  return rc;
}
