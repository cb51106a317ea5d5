/* strict_fit.c - fits on given columns: least squares, Newton with a ridge
 * SPDX-License-Identifier: MIT */
#include "solvers/budgeted/end/strict.h"

#include "core/elementary.h"
#include "core/memory.h"
#include "math/cholesky.h"
#include "solvers/budgeted/end/strict_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 30, MOST_HALVINGS = 20 };

/* least squares: least pivot over its diagonal */
static const double dependent = 1e-7;
static const double ridge = 1e-3;          /* of coefficients of z, to sums */
static const double ridge_constant = 1e-9; /* where no row has curvature */
static const double flattest = 1e-10;      /* curvature of a row */
static const double singular = 1e-14;      /* with a ridge: rounding alone */
static const double longest_step = 5;      /* of any number */
static const double shortest_step = 1e-6;
static const double least_rise = 1e-13; /* of the value: more than rounding */

/* Coefficients of z become those of x. */
static void return_units(const struct th_standard *z, const double *theta,
                         double *coef, double *constant)
{
  for (int64_t k = 0; k < z->count; k++) {
    coef[k] = z->spread[k] > 0 ? theta[k] / z->spread[k] : 0;
    *constant -= coef[k] * z->offset[k];
  }
}

/* theta such that products theta = moment, both borrowed. */
static th_status solve(const struct th_standard *z, const double *products,
                       const double *moment, double *coef, double *constant,
                       struct th_error *err)
{
  struct th_cholesky factor = {0};
  double *theta = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&theta, z->count, "least squares", err));
  TH_TRY(
      th_cholesky_pivot(&factor, z->count, products, z->count, dependent, err));
  th_cholesky_solve(&factor, factor.rank, moment, theta);
  return_units(z, theta, coef, constant);
done:
  free(theta);
  th_cholesky_free(&factor);
  return rc;
}

/* *constant: the target's mean, or 0. */
static th_status fit_squares(const struct th_standard *z, const double *target,
                             double *coef, double *constant,
                             struct th_error *err)
{
  double *products = NULL;
  double *moment = NULL;
  double *u = NULL;
  double total = 0;
  th_status rc;
  TH_TRY(TH_NEW(&products, z->count * z->count, "least squares", err));
  TH_TRY(TH_NEW(&moment, z->count, "least squares", err));
  TH_TRY(TH_NEW(&u, z->rows, "least squares", err));
  TH_TRY(th_standard_products(z, NULL, 0, z->count, z->weight, products, err));
  for (int64_t i = 0; i < z->rows; i++) {
    u[i] = z->weight[i] * (target[i] - *constant);
    total += u[i];
  }
  for (int64_t k = 0; k < z->count; k++)
    moment[k] = th_standard_dot(z, k, u, total);
  TH_TRY(solve(z, products, moment, coef, constant, err));
done:
  TH_FREE(products, moment, u);
  return rc;
}

/* Newton's steps for labels. */
struct newton {
  const struct th_standard *z;
  const struct th_loss *loss;
  const double *target;
  bool intercept;
  int64_t order;      /* columns, and the constant, which is the last */
  double value;       /* the objective at theta */
  double *theta;      /* order */
  double *step;       /* order: first minus the gradient */
  double *prediction; /* rows */
  double *moved;      /* rows: what the step adds to them */
  double *u;          /* rows: work array */
  double *hessian;    /* order x order */
  double *known;      /* precision, order x order; NULL: nothing is known */
  double *pull;
  double *products; /* of the columns: count x count */
  struct th_cholesky factor;
};

static th_status newton_init(struct newton *n, struct th_error *err)
{
  int64_t rows = n->z->rows;
  int64_t count = n->z->count;
  th_status rc;
  TH_TRY(TH_NEW(&n->theta, n->order, "Newton steps", err));
  TH_TRY(TH_NEW(&n->step, n->order, "Newton steps", err));
  TH_TRY(TH_NEW(&n->prediction, rows, "Newton steps", err));
  TH_TRY(TH_NEW(&n->moved, rows, "Newton steps", err));
  TH_TRY(TH_NEW(&n->u, rows, "Newton steps", err));
  TH_TRY(TH_NEW(&n->hessian, n->order * n->order, "Newton steps", err));
  TH_TRY(TH_NEW(&n->products, count * count, "Newton steps", err));
done:
  return rc;
}

static void newton_free(struct newton *n)
{
  TH_FREE(n->theta, n->step, n->prediction, n->moved, n->u, n->hessian,
          n->known, n->pull, n->products);
  th_cholesky_free(&n->factor);
}

/* Take what is known, transformed to coefficients of z. */
static th_status take_known(struct newton *n,
                            const struct th_strict_known *known,
                            struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_NEW(&n->known, n->order * n->order, "Newton steps", err));
  TH_TRY(TH_NEW(&n->pull, n->order, "Newton steps", err));
  th_strict_known_of_z(known, n->z, n->intercept, n->known, n->pull);
done:
  return rc;
}

/* precision theta - moment of coefficient k, theta + length step. */
static double slope_of_known(const struct newton *n, int64_t k, double length)
{
  const double *row = n->known + k * n->order;
  double sum = -n->pull[k];
  for (int64_t j = 0; j < n->order; j++)
    sum += row[j] * (n->theta[j] + length * n->step[j]);
  return sum;
}

/* Half of theta' precision theta, less theta' moment. */
static double value_of_known(const struct newton *n, double length)
{
  double sum = 0;
  for (int64_t k = 0; k < n->order && n->known != NULL; k++)
    sum += (slope_of_known(n, k, length) - n->pull[k]) / 2 *
           (n->theta[k] + length * n->step[k]);
  return sum;
}

/* The objective at theta + length step. */
static double value_at(const struct newton *n, double length)
{
  double sum = 0;
  double square = 0;
  for (int64_t i = 0; i < n->z->rows; i++) {
    double p = n->prediction[i] + length * n->moved[i];
    double w = n->z->weight[i];
    sum += w > 0 ? w * th_loss_f(n->loss, p, n->target[i]) : 0;
  }
  for (int64_t k = 0; k < n->z->count; k++) {
    double b = n->theta[k] + length * n->step[k];
    square += b * b;
  }
  return sum + ridge / 2 * square + value_of_known(n, length);
}

static void find_gradient(struct newton *n)
{
  const struct th_standard *z = n->z;
  double total = 0;
  th_loss_df_all(n->loss, z->rows, n->prediction, n->target, n->u);
  for (int64_t i = 0; i < z->rows; i++) {
    n->u[i] *= -z->weight[i];
    total += n->u[i];
  }
  for (int64_t k = 0; k < z->count; k++)
    n->step[k] = th_standard_dot(z, k, n->u, total) - ridge * n->theta[k];
  if (n->intercept)
    n->step[z->count] = total;
  if (n->known == NULL)
    return;
  for (int64_t k = 0; k < n->order; k++) /* at theta itself */
    n->step[k] -= slope_of_known(n, k, 0);
}

static th_status find_hessian(struct newton *n, struct th_error *err)
{
  const struct th_standard *z = n->z;
  const int64_t count = z->count;
  double total = 0;
  th_loss_d2f_all(n->loss, z->rows, n->prediction, n->target, n->u);
  for (int64_t i = 0; i < z->rows; i++) {
    n->u[i] = z->weight[i] * fmax(n->u[i], flattest);
    total += n->u[i];
  }
  th_status rc =
      th_standard_products(z, NULL, 0, count, n->u, n->products, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < count; k++) {
    double *column = n->hessian + k * n->order;
    memcpy(column, n->products + k * count, (size_t)count * sizeof *column);
    column[k] += ridge;
    if (n->intercept)
      column[count] = n->hessian[k + count * n->order] =
          th_standard_dot(z, k, n->u, total);
  }
  if (n->intercept)
    n->hessian[count + count * n->order] = total + ridge_constant;
  for (int64_t k = 0; k < n->order * n->order && n->known != NULL; k++)
    n->hessian[k] += n->known[k];
  return TH_OK;
}

static double largest(const double *value, int64_t count)
{
  double most = 0;
  for (int64_t k = 0; k < count; k++)
    most = fmax(most, fabs(value[k]));
  return most;
}

/* Find the step, shortened to longest_step, and what it adds to predictions. */
static th_status find_step(struct newton *n, struct th_error *err)
{
  const struct th_standard *z = n->z;
  th_status rc;
  find_gradient(n);
  TH_TRY(find_hessian(n, err));
  TH_TRY(th_cholesky_pivot(&n->factor, n->order, n->hessian, n->order, singular,
                           err));
  th_cholesky_solve(&n->factor, n->factor.rank, n->step, n->step);
  double scale = fmin(1, longest_step / largest(n->step, n->order));
  for (int64_t k = 0; k < n->order; k++)
    n->step[k] *= scale;
  for (int64_t i = 0; i < z->rows; i++)
    n->moved[i] = n->intercept ? n->step[z->count] : 0;
  for (int64_t k = 0; k < z->count; k++)
    th_standard_add(z, k, n->step[k], n->moved);
done:
  return rc;
}

/* Go along the step, halved until the objective does not rise. *goes_on:
 * another step is worth it. */
static void descend(struct newton *n, bool *goes_on)
{
  double most = n->value + least_rise * fabs(n->value);
  double length = 1;
  double value = value_at(n, length);
  for (int k = 0; k < MOST_HALVINGS && !(value <= most); k++) {
    length /= 2;
    value = value_at(n, length);
  }
  *goes_on = value <= most;
  if (!*goes_on)
    return;
  n->value = value;
  th_column_add_plain(n->step, length, n->order, n->theta);
  th_column_add_plain(n->moved, length, n->z->rows, n->prediction);
  *goes_on = length * largest(n->step, n->order) >= shortest_step;
}

/* The log odds of the classes; *alone: there is only one. */
static double log_odds(const struct th_standard *z, const double *target,
                       bool *alone)
{
  double above = 0;
  double below = 0;
  for (int64_t i = 0; i < z->rows; i++)
    *(target[i] > 0 ? &above : &below) += z->weight[i];
  *alone = !(above > 0 && below > 0);
  return above + below > 0 ? th_log(fmax(above, 0.5) / fmax(below, 0.5)) : 0;
}

static th_status fit_labels(struct newton *n,
                            const struct th_strict_known *known, double start,
                            double *coef, double *constant,
                            struct th_error *err)
{
  bool goes_on = true;
  th_status rc;
  TH_TRY(newton_init(n, err));
  if (known != NULL)
    TH_TRY(take_known(n, known, err));
  if (n->intercept)
    n->theta[n->z->count] = start;
  for (int64_t i = 0; i < n->z->rows && n->intercept; i++)
    n->prediction[i] = start;
  n->value = value_at(n, 0);
  for (int k = 0; k < MOST_STEPS && goes_on; k++) {
    TH_TRY(find_step(n, err));
    descend(n, &goes_on);
  }
  *constant = n->intercept ? n->theta[n->z->count] : 0;
  return_units(n->z, n->theta, coef, constant);
done:
  newton_free(n);
  return rc;
}

th_status th_strict_fit(const struct th_strict_known *known,
                        const struct th_strict_data *data,
                        const struct th_loss *loss, double *coef,
                        double *constant, struct th_error *err)
{
  const double *target = data->target;
  const bool intercept = data->intercept;
  struct th_standard z = {0};
  struct newton newton = {.z = &z,
                          .loss = loss,
                          .target = target,
                          .intercept = intercept,
                          .order = data->count + intercept};
  bool alone = false;
  th_status rc;
  TH_TRY(th_standard_init(&z, data->rows, data->count, data->column,
                          data->weight, intercept, err));
  double start = loss->labels ? log_odds(&z, target, &alone)
                              : th_standard_mean(&z, target);
  *constant = intercept ? start : 0;
  memset(coef, 0, (size_t)data->count * sizeof *coef);
  if (!loss->labels)
    TH_TRY(fit_squares(&z, target, coef, constant, err));
  else if (!(alone && intercept))
    TH_TRY(fit_labels(&newton, known, start, coef, constant, err));
done:
  th_standard_free(&z);
  return rc;
}

void th_strict_predict(int64_t rows, int64_t count,
                       const struct th_vector *column, const double *coef,
                       double constant, double *out)
{
  for (int64_t i = 0; i < rows; i++)
    out[i] = constant;
  for (int64_t k = 0; k < count; k++)
    if (coef[k] != 0)
      th_column_add(&column[k], coef[k], out);
}
