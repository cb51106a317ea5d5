/* pursuit_fit.c - the fit on the attributes that a path has chosen
 * SPDX-License-Identifier: MIT */
#include "solvers/greedy/pursuit_fit.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/range.h"
#include "math/gap.h"

#include <math.h>
#include <string.h>

static struct th_comm *comm_of(const struct th_pursuit *path)
{
  return path->data.problem->context->comm;
}

/* --- Products of the columns of S ----------------------------------------- */

static const struct th_vector *column_of(const struct th_pursuit *path,
                                         int64_t j)
{
  return &path->data.columns->vector[path->slot[j]];
}

static double sum_entries(const double *x, int64_t count)
{
  double sum = 0;
  for (int64_t i = 0; i < count; i++)
    sum += x[i];
  return sum;
}

/* Without an intercept the means are 0. */
static th_status find_means(struct th_pursuit *path, int64_t first,
                            const double *q, struct th_error *err)
{
  const struct th_problem *p = path->data.problem;
  int64_t count = path->size - first;
  double total = sum_entries(q, p->rows);
  memset(path->mean + first, 0, (size_t)count * sizeof *path->mean);
  if (!p->intercept || !(total > 0))
    return TH_OK;
  th_status rc = th_replicated_columns_dots(path->data.columns, comm_of(path),
                                            path->slot + first, count, q,
                                            path->mean + first, err);
  for (int64_t j = first; j < path->size && rc == TH_OK; j++)
    path->mean[j] /= total;
  return rc;
}

/* mean[j] and product[j] = sum q (x_j - mean_j) u, for j = first .. size - 1.
 * q, u: of each example. Collective. */
static th_status pursuit_means(struct th_pursuit *path, int64_t first,
                               const double *q, const double *u,
                               struct th_error *err)
{
  int64_t rows = path->data.problem->rows;
  double *z = path->work;
  th_status rc;
  TH_TRY(find_means(path, first, q, err));
  for (int64_t i = 0; i < rows; i++)
    z[i] = q[i] * u[i];
  double sum = sum_entries(z, rows);
  TH_TRY(th_replicated_columns_dots(path->data.columns, comm_of(path),
                                    path->slot + first, path->size - first, z,
                                    path->product + first, err));
  for (int64_t j = first; j < path->size; j++)
    path->product[j] -= path->mean[j] * sum;
done:
  return rc;
}

/* z = q (x_j - mean_j), for all examples. */
static void weigh_column(const struct th_pursuit *path, int64_t j,
                         const double *q, double *z)
{
  int64_t rows = path->data.problem->rows;
  memset(z, 0, (size_t)rows * sizeof *z);
  th_column_add(column_of(path, j), 1, z);
  for (int64_t i = 0; i < rows; i++)
    z[i] = q[i] * (z[i] - path->mean[j]);
}

/* Products j, k are item j (j + 1) / 2 + k of a list. */
static int64_t item_of(int64_t j)
{
  return j * (j + 1) / 2;
}

/* Form the items of this rank. Since q (x_j - mean_j) adds up to 0, mean_k need
 * not be taken off. */
static void form_items(const struct th_pursuit *path, int64_t first,
                       struct th_range mine, const double *q, double *list)
{
  for (int64_t j = first; j < path->size; j++) {
    struct th_range row = {item_of(j), item_of(j + 1)};
    struct th_range items = th_range_intersect(row, mine);
    if (items.first >= items.last)
      continue;
    weigh_column(path, j, q, path->work);
    for (int64_t at = items.first; at < items.last; at++)
      list[at - item_of(first)] =
          th_column_dot(column_of(path, at - row.first), path->work);
  }
}

/* gram[j][k] = sum q (x_j - mean_j) (x_k - mean_k), for j = first .. size - 1
 * and k = 0 .. j, at both places. Collective. */
static th_status pursuit_products(struct th_pursuit *path, int64_t first,
                                  const double *q, struct th_error *err)
{
  struct th_comm *comm = comm_of(path);
  int64_t count = item_of(path->size) - item_of(first);
  double *list = NULL;
  th_status rc = TH_NEW(&list, count, "products of attributes", err);
  TH_TRY(th_agree(comm, rc, err));
  struct th_range part = th_range_part(count, comm->rank, comm->size);
  struct th_range mine = {part.first + item_of(first),
                          part.last + item_of(first)};
  form_items(path, first, mine, q, list);
  TH_TRY(th_comm_join(comm, list, count, part.first, part.last, err));
  for (int64_t j = first; j < path->size; j++)
    for (int64_t k = 0; k <= j; k++) {
      double value = list[item_of(j) - item_of(first) + k];
      path->gram[j * path->room + k] = value;
      path->gram[k * path->room + j] = value;
    }
done:
  TH_FREE(list);
  return rc;
}

/* --- The fit on S: least squares, or Newton's steps for other losses
 *
 * Where attributes separate the labels there is no solution. A ridge so small
 * that it changes no other fit by more than about 1e-8 bounds the coefficients
 * there: at some twenty times the inverse of the margin. */

enum { MOST_STEPS = 50, MOST_HALVINGS = 20 };

static const double flattest = 1e-13; /* smallest curvature that counts */
/* of coefficients in standard deviations, beside the mean loss */
static const double ridge = 1e-10;
static const double longest_step = 5;   /* in standard deviations */
static const double least_gain = 1e-12; /* relative decrease that goes on */

/* The constant that goes with the coefficients: mean target less mean
 * prediction. */
static void find_intercept(struct th_pursuit *path)
{
  const struct th_problem *p = path->data.problem;
  if (!p->intercept)
    return;
  double sum = 0;
  for (int64_t i = 0; i < p->rows; i++)
    sum += path->weight[i] * p->target[i];
  path->intercept = sum / path->total;
  for (int64_t j = 0; j < path->size; j++)
    path->intercept -= path->mean[j] * path->coef[j];
}

static th_status fit_path(struct th_pursuit *path, struct th_error *err)
{
  th_cholesky_solve(&path->factor, path->factor.rank, path->product,
                    path->coef);
  find_intercept(path);
  return th_pursuit_fit_predict(path, err);
}

/* Work arrays of Newton's steps. */
struct newton {
  double *curvature; /* h f'' of each example */
  double *slope;     /* f' / f'' */
  double *step;      /* |S|, then the constant's */
  double *coef;      /* where the step begins */
};

static th_status reserve(struct newton *n, const struct th_pursuit *path,
                         struct th_error *err)
{
  int64_t rows = path->data.problem->rows;
  th_status rc;
  TH_TRY(TH_NEW(&n->curvature, rows, "Newton steps", err));
  TH_TRY(TH_NEW(&n->slope, rows, "Newton steps", err));
  TH_TRY(TH_NEW(&n->step, path->size + 1, "Newton steps", err));
  TH_TRY(TH_NEW(&n->coef, path->size, "Newton steps", err));
  memcpy(n->coef, path->coef, (size_t)path->size * sizeof *n->coef);
done:
  return rc;
}

static void release(struct newton *n)
{
  TH_FREE(n->curvature, n->slope, n->step, n->coef);
}

static double total_ridge(const struct th_pursuit *path)
{
  return ridge * path->total;
}

/* The objective that the steps decrease. */
static double objective(const struct th_pursuit *path)
{
  double sum = 0;
  for (int64_t j = 0; j < path->size; j++)
    sum +=
        path->coef[j] * path->coef[j] * path->deviation[j] * path->deviation[j];
  return path->total * path->loss + total_ridge(path) / 2 * sum;
}

/* Curvatures and slopes at the predictions. Returns sum h f'. */
static double differentiate(struct th_pursuit *path, struct newton *n,
                            double *curvature)
{
  const struct th_problem *p = path->data.problem;
  double sum = 0;
  *curvature = 0;
  th_loss_d2f_all(p->loss, p->rows, path->prediction, p->target, n->curvature);
  th_loss_df_all(p->loss, p->rows, path->prediction, p->target, n->slope);
  for (int64_t i = 0; i < p->rows; i++) {
    double second = fmax(n->curvature[i], flattest);
    sum += path->weight[i] * n->slope[i];
    n->slope[i] /= second;
    n->curvature[i] = path->weight[i] * second;
    *curvature += n->curvature[i];
  }
  return sum;
}

/* Solve the equations, with the ridge on their diagonal. Local. */
static th_status solve_newton(struct th_pursuit *path, struct newton *n,
                              struct th_error *err)
{
  int64_t size = path->size;
  double *right = n->coef; /* saved before the step is taken */
  for (int64_t j = 0; j < size; j++) {
    double *diagonal = &path->gram[j * path->room + j];
    double own = total_ridge(path) * path->deviation[j] * path->deviation[j];
    *diagonal += own;
    right[j] = -path->product[j] - own * path->coef[j];
  }
  th_status rc = th_cholesky_pivot(&path->factor, size, path->gram, path->room,
                                   TH_PURSUIT_DEPENDS, err);
  if (rc == TH_OK)
    th_cholesky_solve(&path->factor, path->factor.rank, right, n->step);
  return rc;
}

/* No coefficient moves by more than longest_step standard deviations. */
static void limit_newton_step(struct newton *n, const struct th_pursuit *path)
{
  int64_t size = path->size;
  double most = fabs(n->step[size]);
  for (int64_t j = 0; j < size; j++)
    most = fmax(most, fabs(n->step[j]) * path->deviation[j]);
  for (int64_t j = 0; j <= size && most > longest_step; j++)
    n->step[j] *= longest_step / most;
}

/* Collective. */
static th_status find_newton_step(struct th_pursuit *path, struct newton *n,
                                  struct th_error *err)
{
  int64_t size = path->size;
  double curvature = 0;
  double slope = differentiate(path, n, &curvature);
  th_status rc;
  TH_TRY(pursuit_means(path, 0, n->curvature, n->slope, err));
  TH_TRY(pursuit_products(path, 0, n->curvature, err));
  TH_TRY(th_agree(path->data.problem->context->comm, solve_newton(path, n, err),
                  err));
  n->step[size] = path->data.problem->intercept ? -slope / curvature : 0;
  for (int64_t j = 0; j < size; j++)
    n->step[size] -= path->mean[j] * n->step[j];
  limit_newton_step(n, path);
done:
  return rc;
}

/* Go along the step, halving it until the objective falls. *goes_on: it fell
 * enough for another step. Collective. */
static th_status backtrack_path(struct th_pursuit *path, struct newton *n,
                                bool *goes_on, struct th_error *err)
{
  int64_t size = path->size;
  double before = objective(path);
  double constant = path->intercept;
  double length = 1;
  th_status rc = TH_OK;
  memcpy(n->coef, path->coef, (size_t)size * sizeof *n->coef);
  for (int k = 0; k <= MOST_HALVINGS; k++, length /= 2) {
    if (k == MOST_HALVINGS)
      length = 0;
    for (int64_t j = 0; j < size; j++)
      path->coef[j] = n->coef[j] + length * n->step[j];
    path->intercept = constant + length * n->step[size];
    TH_TRY(th_pursuit_fit_predict(path, err));
    if (objective(path) <= before)
      break;
  }
  *goes_on = objective(path) < before * (1 - least_gain);
done:
  return rc;
}

static th_status fit_by_steps(struct th_pursuit *path, struct th_error *err)
{
  struct newton n = {0};
  bool goes_on = true;
  th_status rc = reserve(&n, path, err);
  TH_TRY(th_agree(path->data.problem->context->comm, rc, err));
  for (int k = 0; k < MOST_STEPS && goes_on; k++) {
    TH_TRY(find_newton_step(path, &n, err));
    TH_TRY(backtrack_path(path, &n, &goes_on, err));
  }
done:
  release(&n);
  return rc;
}

th_status th_pursuit_fit_solve(struct th_pursuit *path, struct th_error *err)
{
  return path->data.problem->loss->quadratic ? fit_path(path, err)
                                             : fit_by_steps(path, err);
}

/* --- The vectors of a forecast -------------------------------------------- */

enum { WIDTH = TH_FORECAST_WIDTH };

th_status th_pursuit_fit_forecast_reserve(struct th_forecast *o,
                                          const struct th_problem *p,
                                          struct th_error *err)
{
  th_status rc = TH_OK;
  if (o->right != NULL)
    return TH_OK;
  TH_TRY(TH_NEW(&o->right, p->rows * WIDTH, "a forecast", err));
  TH_TRY(TH_NEW(&o->gradient, p->active.count * WIDTH, "a forecast", err));
done:
  return rc;
}

void th_pursuit_fit_forecast_free(struct th_forecast *o)
{
  TH_FREE(o->right, o->gradient);
  *o = (struct th_forecast){0};
}

void th_pursuit_fit_forecast_clear(struct th_forecast *o,
                                   const struct th_problem *p)
{
  memset(o->unit, 0, sizeof o->unit);
  memset(o->norm, 0, sizeof o->norm);
  memset(o->right, 0, (size_t)(p->rows * WIDTH) * sizeof *o->right);
}

void th_pursuit_fit_forecast_put(struct th_forecast *o,
                                 const struct th_problem *p, int k,
                                 double factor, const double *z)
{
  double largest = 0;
  double sum = 0;
  int exponent = 0;
  for (int64_t i = 0; i < p->rows; i++) {
    largest = fmax(largest, fabs(p->eta[i] * z[i] * factor));
    sum += p->eta[i] * z[i] * z[i];
  }
  frexp(largest, &exponent);
  o->unit[k] = ldexp(1, exponent);
  o->norm[k] = fabs(factor) * sqrt(sum);
  factor /= o->unit[k];
  for (int64_t i = 0; i < p->rows; i++)
    o->right[i * WIDTH + k] = (float)(p->eta[i] * z[i] * factor);
}

/* --- A path that begins, and grows ---------------------------------------- */

enum { FIRST_ROOM = 16 };

/* Local. */
static th_status reserve_examples(struct th_pursuit *path, struct th_error *err)
{
  int64_t rows = path->data.problem->rows;
  th_status rc;
  TH_TRY(TH_NEW(&path->weight, rows, "weights", err));
  TH_TRY(TH_NEW(&path->prediction, rows, "predictions", err));
  TH_TRY(TH_NEW(&path->work, rows, "residuals", err));
done:
  return rc;
}

/* The best constant. Local, replicated. */
static th_status begin(struct th_pursuit *path, struct th_error *err)
{
  const struct th_problem *p = path->data.problem;
  th_status rc = TH_OK;
  if (p->intercept)
    rc = th_gap_intercept(p->loss, p->rows, path->weight, p->target,
                          path->prediction, &path->intercept, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t i = 0; i < p->rows; i++)
    path->prediction[i] = path->intercept;
  path->loss = th_gap_primal(p->loss, p->rows, path->weight, p->target,
                             path->prediction) /
               path->total;
  return rc;
}

th_status th_pursuit_fit_init(struct th_pursuit *path,
                              const struct th_pursuit_data *data,
                              const double *weight, struct th_error *err)
{
  int64_t rows = data->problem->rows;
  *path = (struct th_pursuit){.data = *data};
  th_status rc;
  TH_TRY(th_agree(comm_of(path), reserve_examples(path, err), err));
  memcpy(path->weight, weight, (size_t)rows * sizeof *weight);
  for (int64_t i = 0; i < rows; i++)
    path->total += weight[i];
  TH_TRY(begin(path, err));
done:
  return rc;
}

void th_pursuit_fit_free(struct th_pursuit *path)
{
  TH_FREE(path->weight, path->prediction, path->work, path->attribute,
          path->slot, path->mean, path->deviation, path->product, path->coef,
          path->gram);
  th_cholesky_free(&path->factor);
  th_pursuit_fit_forecast_free(&path->forecast);
  *path = (struct th_pursuit){0};
}

/* Room for one more; rows of the Gram matrix move. Local. */
static th_status widen(struct th_pursuit *path, struct th_error *err)
{
  int64_t old = path->room;
  int64_t room = th_max_i64(FIRST_ROOM, 2 * old);
  double *gram = NULL;
  th_status rc;
  if (path->size < old)
    return TH_OK;
  TH_TRY(TH_NEW(&gram, room * room, "products of attributes", err));
  TH_TRY(TH_WIDEN(&path->attribute, old, room, "the support", err));
  TH_TRY(TH_WIDEN(&path->slot, old, room, "the support", err));
  TH_TRY(TH_WIDEN(&path->mean, old, room, "the support", err));
  TH_TRY(TH_WIDEN(&path->deviation, old, room, "the support", err));
  TH_TRY(TH_WIDEN(&path->product, old, room, "the support", err));
  TH_TRY(TH_WIDEN(&path->coef, old, room, "the support", err));
  for (int64_t j = 0; j < path->size; j++)
    memcpy(gram + j * room, path->gram + j * old,
           (size_t)path->size * sizeof *gram);
  TH_FREE(path->gram);
  path->gram = gram;
  path->room = room;
  gram = NULL;
done:
  TH_FREE(gram);
  return rc;
}

/* Let the last row join the factor. If that has no room, all join anew. Local.
 */
static th_status join_last(struct th_pursuit *path, bool *joined,
                           struct th_error *err)
{
  int64_t first = path->size - 1;
  *joined = true;
  if (path->factor.size < path->size) {
    th_status rc = th_cholesky_begin(&path->factor, path->room, err);
    if (rc != TH_OK)
      return rc;
    first = 0;
  }
  for (int64_t j = first; j < path->size; j++)
    *joined = th_cholesky_join(&path->factor, path->gram, path->room, j,
                               TH_PURSUIT_DEPENDS);
  return TH_OK;
}

th_status th_pursuit_fit_fetch(struct th_pursuit *path, int64_t attribute,
                               int64_t *slot, struct th_error *err)
{
  struct th_replicated_columns *columns = path->data.columns;
  *slot = th_replicated_columns_slot(columns, attribute);
  if (*slot >= 0)
    return TH_OK;
  *slot = columns->count;
  return th_replicated_columns_fetch(columns, path->data.problem->context,
                                     &attribute, 1, err);
}

/* Of the last member, whose mean is known. */
static void find_deviation(struct th_pursuit *path)
{
  int64_t j = path->size - 1;
  const struct th_vector *x = &path->data.columns->vector[path->slot[j]];
  double square = th_column_square(x, path->weight) / path->total;
  path->deviation[j] = sqrt(fmax(square - path->mean[j] * path->mean[j], 0));
}

th_status th_pursuit_fit_add(struct th_pursuit *path, int64_t attribute,
                             bool *depends, struct th_error *err)
{
  const struct th_problem *p = path->data.problem;
  int64_t j = path->size;
  bool joined = false;
  th_status rc;
  *depends = false;
  TH_TRY(th_agree(comm_of(path), widen(path, err), err));
  TH_TRY(th_pursuit_fit_fetch(path, attribute, &path->slot[j], err));
  path->attribute[j] = attribute;
  path->coef[j] = 0;
  path->size++;
  TH_TRY(pursuit_means(path, j, path->weight, p->target, err));
  find_deviation(path);
  if (!p->loss->quadratic) /* their products change with every step */
    return TH_OK;
  TH_TRY(pursuit_products(path, j, path->weight, err));
  TH_TRY(th_agree(comm_of(path), join_last(path, &joined, err), err));
  *depends = !joined;
  if (!joined)
    path->size--;
done:
  return rc;
}

th_status th_pursuit_fit_predict(struct th_pursuit *path, struct th_error *err)
{
  const struct th_problem *p = path->data.problem;
  th_status rc = th_replicated_columns_predict(
      path->data.columns, comm_of(path), path->slot, path->coef, path->size,
      path->prediction, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t i = 0; i < p->rows; i++)
    path->prediction[i] += path->intercept;
  path->loss = th_gap_primal(p->loss, p->rows, path->weight, p->target,
                             path->prediction) /
               path->total;
  return rc;
}
