/* strict.c - selects the strict support anew on a list
 * SPDX-License-Identifier: MIT */
#include "solvers/predict/strict.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "base/memory.h"
#include "math/cholesky.h"
#include "solvers/access/standard.h"
#include "solvers/fits/backward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double max_abs(const double *value, int64_t count);

/* --- The strict support, from rows and from what earlier rows have said
 *
 * Earlier rows were read once and are gone. What they said about the members is
 * one Gaussian observation of their coefficients. */

enum { ROWS_FOR_VARIANCE = 10 }; /* of each member */

void th_strict_known_free(struct th_strict_known *known)
{
  TH_FREE(known->precision, known->moment, known->centre, known->coef);
  *known = (struct th_strict_known){0};
}

/* Of a column: 1 / spread, and how much the constant changes for a unit of z.
 */
struct unit {
  double size;
  double shift;
};

static struct unit column_unit(const struct th_strict_known *known,
                               const struct th_standard *z, int64_t k)
{
  double size = z->spread[k] > 0 ? 1 / z->spread[k] : 1;
  return (struct unit){size, (z->offset[k] - known->centre[k]) * size};
}

/* The normal equations of (z, 1), from rows and from what is known together. */
struct equations {
  const struct th_strict_known *known;
  struct th_standard z;
  double variance;  /* of the rows; precision is multiplied by it */
  double *products; /* count x count; then with the constant swept out */
  double *moment;   /* count; likewise */
  double *cross;    /* count: with the constant */
  double weight;    /* of the constant */
  double total;     /* its moment */
  double square;    /* of the target */
  struct th_backward fit;
};

static void equations_free(struct equations *e)
{
  th_standard_free(&e->z);
  TH_FREE(e->products, e->moment, e->cross);
  th_backward_free(&e->fit);
}

static th_status reserve(struct equations *e, struct th_error *err)
{
  int64_t count = e->z.count;
  th_status rc;
  TH_TRY(TH_NEW(&e->products, count * count, "least squares", err));
  TH_TRY(TH_NEW(&e->moment, count, "least squares", err));
  TH_TRY(TH_NEW(&e->cross, count, "least squares", err));
done:
  return rc;
}

/* The variance: mean square of the residuals of the known coefficients on these
 * rows, or the known variance if rows are few. */
static th_status find_variance(struct equations *e,
                               const struct th_vector *column,
                               const double *target, struct th_error *err)
{
  const struct th_strict_known *known = e->known;
  double *left = NULL;
  double constant = known->constant;
  double sum = 0;
  th_status rc;
  e->variance = known->variance;
  if (e->z.n <= ROWS_FOR_VARIANCE * (double)e->z.count)
    return TH_OK;
  TH_TRY(TH_NEW(&left, e->z.rows, "residuals", err));
  for (int64_t k = 0; k < e->z.count; k++)
    constant -= known->coef[k] * known->centre[k];
  th_strict_predict(e->z.rows, e->z.count, column, known->coef, constant, left);
  for (int64_t i = 0; i < e->z.rows; i++)
    sum += e->z.weight[i] * (target[i] - left[i]) * (target[i] - left[i]);
  e->variance = sum / e->z.n;
done:
  free(left);
  return rc;
}

/* Sums over the rows. */
static th_status add_row_products(struct equations *e, const double *target,
                                  bool intercept, struct th_error *err)
{
  const struct th_standard *z = &e->z;
  double total = 0;
  double *u = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&u, z->rows, "least squares", err));
  TH_TRY(
      th_standard_products(z, NULL, 0, z->count, z->weight, e->products, err));
  for (int64_t i = 0; i < z->rows; i++) {
    u[i] = z->weight[i] * target[i];
    total += u[i];
    e->square += u[i] * target[i];
  }
  for (int64_t k = 0; k < z->count; k++)
    e->moment[k] = th_standard_dot(z, k, u, total);
  e->weight = intercept ? z->n : 0;
  e->total = intercept ? total : 0;
done:
  free(u);
  return rc;
}

/* Transform what is known about the coefficients of the columns, less `centre`
 * each, and about their constant, to the coefficients and constant of z:
 * precision[order * order] and moment[order]. Local.
 * theta of the columns = T (theta of z, its constant): T' Lam T and T' eta. */
static void known_of_z(const struct th_strict_known *known,
                       const struct th_standard *z, bool intercept,
                       double *precision, double *moment)
{
  const int64_t count = z->count;
  const int64_t order = count + intercept;
  const double *lam = known->precision;
  const double *last = lam + count * order;
  double weight = intercept ? last[count] : 0;
  double total = intercept ? known->moment[count] : 0;
  for (int64_t k = 0; k < count; k++) {
    struct unit b = column_unit(known, z, k);
    double beside = intercept ? last[k] : 0;
    for (int64_t j = 0; j < count; j++) {
      struct unit a = column_unit(known, z, j);
      double other = intercept ? last[j] : 0;
      precision[j + k * order] =
          a.size * b.size * lam[j + k * order] - a.shift * b.size * beside -
          a.size * b.shift * other + a.shift * b.shift * weight;
    }
    moment[k] = b.size * known->moment[k] - b.shift * total;
    if (intercept)
      precision[count + k * order] = precision[k + count * order] =
          b.size * beside - b.shift * weight;
  }
  if (intercept) {
    precision[count + count * order] = weight;
    moment[count] = total;
  }
}

/* Add what is known, over the variance of the rows. Local. */
static th_status add_known_products(struct equations *e, bool intercept,
                                    struct th_error *err)
{
  const struct th_strict_known *known = e->known;
  const int64_t count = e->z.count;
  const int64_t order = count + intercept;
  double *lam = NULL;
  double *eta = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&lam, order * order, "least squares", err));
  TH_TRY(TH_NEW(&eta, order, "least squares", err));
  known_of_z(known, &e->z, intercept, lam, eta);
  for (int64_t k = 0; k < count; k++) {
    for (int64_t j = 0; j < count; j++)
      e->products[j + k * count] += e->variance * lam[j + k * order];
    e->cross[k] += intercept ? e->variance * lam[count + k * order] : 0;
    e->moment[k] += e->variance * eta[k];
    e->square += e->variance * known->moment[k] * known->coef[k];
  }
  if (intercept) {
    e->weight += e->variance * lam[count + count * order];
    e->total += e->variance * eta[count];
    e->square += e->variance * known->moment[count] * known->constant;
  }
done:
  TH_FREE(lam, eta);
  return rc;
}

/* What is left of the equations when the constant has its best value. */
static void sweep_constant(struct equations *e)
{
  const int64_t count = e->z.count;
  if (!(e->weight > 0))
    return;
  for (int64_t k = 0; k < count; k++) {
    double share = e->cross[k] / e->weight;
    for (int64_t j = 0; j < count; j++)
      e->products[j + k * count] -= e->cross[j] * share;
    e->moment[k] -= share * e->total;
  }
  e->square -= e->total * e->total / e->weight;
}

/* Return the coefficients of the columns that stay, for columns as given. */
static void return_coefs(const struct equations *e, int64_t *chosen,
                         int64_t *size, double *coef, double *constant)
{
  double total = e->total;
  *size = 0;
  for (int64_t k = 0; k < e->z.count; k++)
    total -= e->cross[k] * e->fit.coef[k];
  *constant = e->weight > 0 ? total / e->weight : 0;
  for (int64_t k = 0; k < e->z.count; k++)
    if (e->fit.stays[k]) {
      coef[*size] = e->fit.coef[k] * column_unit(e->known, &e->z, k).size;
      *constant -= coef[*size] * e->z.offset[k];
      chosen[(*size)++] = k;
    }
}

th_status th_strict_join(const struct th_strict_known *known,
                         const struct th_strict_data *data, int64_t *chosen,
                         int64_t *size, double *coef, double *constant,
                         struct th_error *err)
{
  struct equations e = {.known = known};
  double threshold = sqrt(2 * th_log(fmax(1, (double)data->attributes)));
  th_status rc;
  TH_TRY(th_standard_init(&e.z, data->rows, data->count, data->column,
                          data->weight, data->intercept, err));
  TH_TRY(reserve(&e, err));
  TH_TRY(find_variance(&e, data->column, data->target, err));
  TH_TRY(add_row_products(&e, data->target, data->intercept, err));
  TH_TRY(add_known_products(&e, data->intercept, err));
  sweep_constant(&e);
  if (data->count > 0)
    TH_TRY(th_backward_start(&e.fit, data->count, e.z.n + (double)data->count,
                             e.products, e.moment, e.square, err));
  th_backward_prune(&e.fit, threshold, false);
  if (data->largest > 0)
    th_backward_reduce(&e.fit, data->largest);
  return_coefs(&e, chosen, size, coef, constant);
done:
  equations_free(&e);
  return rc;
}

/* --- Fits on given columns: least squares, Newton with a ridge ------------ */

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
static th_status solve_z(const struct th_standard *z, const double *products,
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
  TH_TRY(solve_z(z, products, moment, coef, constant, err));
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
static th_status transform_known(struct newton *n,
                                 const struct th_strict_known *known,
                                 struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_NEW(&n->known, n->order * n->order, "Newton steps", err));
  TH_TRY(TH_NEW(&n->pull, n->order, "Newton steps", err));
  known_of_z(known, n->z, n->intercept, n->known, n->pull);
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
static double objective_along(const struct newton *n, double length)
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

static double max_abs(const double *value, int64_t count)
{
  double most = 0;
  for (int64_t k = 0; k < count; k++)
    most = fmax(most, fabs(value[k]));
  return most;
}

/* Find the step, shortened to longest_step, and what it adds to predictions. */
static th_status find_short_step(struct newton *n, struct th_error *err)
{
  const struct th_standard *z = n->z;
  th_status rc;
  find_gradient(n);
  TH_TRY(find_hessian(n, err));
  TH_TRY(th_cholesky_pivot(&n->factor, n->order, n->hessian, n->order, singular,
                           err));
  th_cholesky_solve(&n->factor, n->factor.rank, n->step, n->step);
  double scale = fmin(1, longest_step / max_abs(n->step, n->order));
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
static void backtrack_theta(struct newton *n, bool *goes_on)
{
  double most = n->value + least_rise * fabs(n->value);
  double length = 1;
  double value = objective_along(n, length);
  for (int k = 0; k < MOST_HALVINGS && !(value <= most); k++) {
    length /= 2;
    value = objective_along(n, length);
  }
  *goes_on = value <= most;
  if (!*goes_on)
    return;
  n->value = value;
  th_column_add_plain(n->step, length, n->order, n->theta);
  th_column_add_plain(n->moved, length, n->z->rows, n->prediction);
  *goes_on = length * max_abs(n->step, n->order) >= shortest_step;
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
    TH_TRY(transform_known(n, known, err));
  if (n->intercept)
    n->theta[n->z->count] = start;
  for (int64_t i = 0; i < n->z->rows && n->intercept; i++)
    n->prediction[i] = start;
  n->value = objective_along(n, 0);
  for (int k = 0; k < MOST_STEPS && goes_on; k++) {
    TH_TRY(find_short_step(n, err));
    backtrack_theta(n, &goes_on);
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

/* --- The selection -------------------------------------------------------- */

enum {
  MOST_ROUNDS = 4,
  MOST_MEMBERS = 2048,
  ROWS_PER_MEMBER = 5,
  LEAST_BATCH = 5,
  BATCHES = 4 /* of the largest support */
};

static const double share_of_columns = 0.7;
static const double clearly = 2; /* t of members, in the forward part */
static const double nothing_left = 1e-20; /* of the target's squares */

struct candidate {
  double score; /* |z| */
  int64_t column;
};

struct selection {
  struct th_standard z;
  double *target;   /* rows: of mean 0 */
  double *residual; /* rows */
  double *weighted; /* rows: target or residual, times weight; work array */
  double square;    /* of the target, weighted, summed */
  double threshold; /* of |z|, and of t at the end */
  int64_t most;
  int64_t size;  /* members of the last fit, also those that have left since */
  int64_t *list; /* size: their columns */
  double *products;            /* size x size */
  double *moment;              /* size */
  bool *member;                /* count */
  struct candidate *candidate; /* count */
  struct th_backward fit;
};

static void selection_free(struct selection *s)
{
  th_standard_free(&s->z);
  TH_FREE(s->target, s->residual, s->weighted, s->list, s->products, s->moment,
          s->member, s->candidate);
  th_backward_free(&s->fit);
}

/* u = w v; returns the sum. */
static double weigh_z(const struct selection *s, const double *v, double *u)
{
  double sum = 0;
  for (int64_t i = 0; i < s->z.rows; i++) {
    u[i] = s->z.weight[i] * v[i];
    sum += u[i];
  }
  return sum;
}

static int64_t largest_support(const struct selection *s)
{
  double most = fmin(share_of_columns * (double)s->z.count,
                     floor(s->z.n / ROWS_PER_MEMBER));
  return (int64_t)fmax(1, fmin(most, MOST_MEMBERS));
}

static th_status selection_init(struct selection *s, const double *target,
                                int64_t attributes, bool intercept,
                                struct th_error *err)
{
  const int64_t rows = s->z.rows;
  const int64_t count = s->z.count;
  double mean = intercept ? th_standard_mean(&s->z, target) : 0;
  th_status rc;
  TH_TRY(TH_NEW(&s->target, rows, "a target", err));
  TH_TRY(TH_NEW(&s->residual, rows, "residuals", err));
  TH_TRY(TH_NEW(&s->weighted, rows, "residuals", err));
  TH_TRY(TH_NEW(&s->member, count, "the members of the support", err));
  TH_TRY(TH_NEW(&s->candidate, count, "candidate attributes", err));
  for (int64_t i = 0; i < rows; i++)
    s->residual[i] = s->target[i] = target[i] - mean;
  weigh_z(s, s->target, s->weighted);
  s->square = th_column_dot_plain(s->weighted, s->target, rows);
  s->threshold = sqrt(2 * th_log(fmax(1, (double)attributes)));
  s->most = largest_support(s);
done:
  return rc;
}

static int by_candidate_score(const void *a, const void *b)
{
  const struct candidate *left = a;
  const struct candidate *right = b;
  if (left->score != right->score)
    return left->score < right->score ? 1 : -1;
  return (left->column > right->column) - (left->column < right->column);
}

/* List the columns that stand out in the residual, the best first, and as many
 * as may join. */
static int64_t find_candidates(struct selection *s)
{
  double total = weigh_z(s, s->residual, s->weighted);
  double square = th_column_dot_plain(s->weighted, s->residual, s->z.rows);
  int64_t batch = th_max_i64(LEAST_BATCH, s->most / BATCHES);
  int64_t found = 0;
  if (!(square > nothing_left * s->square))
    return 0;
  for (int64_t k = 0; k < s->z.count; k++) {
    if (s->member[k] || s->z.spread[k] == 0)
      continue;
    double sum = th_standard_dot(&s->z, k, s->weighted, total);
    double score = fabs(sum) / sqrt(square);
    if (score > s->threshold)
      s->candidate[found++] = (struct candidate){score, k};
  }
  qsort(s->candidate, (size_t)found, sizeof *s->candidate, by_candidate_score);
  return th_min_i64(found, th_min_i64(batch, s->most - s->fit.left));
}

/* Forget members that have left. The products of the others move together, into
 * a matrix with room for those that join. */
static void keep_products(const struct selection *s, int64_t size, double *to)
{
  int64_t column = 0;
  for (int64_t k = 0; k < s->size; k++) {
    if (!s->fit.stays[k])
      continue;
    int64_t row = 0;
    for (int64_t j = 0; j < s->size; j++)
      if (s->fit.stays[j])
        to[row++ + column * size] = s->products[j + k * s->size];
    column++;
  }
}

/* The list: members of the last fit that stay, then the first candidates. */
static th_status widen_list(struct selection *s, int64_t joining,
                            struct th_error *err)
{
  int64_t old = s->fit.left;
  int64_t kept = 0;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < s->size; k++)
    if (s->fit.stays[k])
      s->list[kept++] = s->list[k];
  TH_TRY(TH_WIDEN(&s->list, kept, old + joining, "the members of the support",
                  err));
  for (int64_t k = 0; k < joining; k++)
    s->list[old + k] = s->candidate[k].column;
done:
  return rc;
}

/* Complete the products and moments of the list. */
static th_status widen_products(struct selection *s, int64_t size,
                                struct th_error *err)
{
  double *products = NULL;
  double *moment = NULL;
  double total = weigh_z(s, s->target, s->weighted);
  th_status rc;
  TH_TRY(TH_NEW(&products, size * size, "products of attributes", err));
  TH_TRY(TH_NEW(&moment, size, "products of attributes", err));
  keep_products(s, size, products);
  TH_TRY(th_standard_products(&s->z, s->list, s->fit.left, size, s->z.weight,
                              products, err));
  for (int64_t k = 0; k < size; k++)
    moment[k] = th_standard_dot(&s->z, s->list[k], s->weighted, total);
  TH_FREE(s->products, s->moment);
  s->products = products;
  s->moment = moment;
  s->size = size;
  return TH_OK;
done:
  TH_FREE(products, moment);
  return rc;
}

/* Update the membership from the fit. *changed: it has changed. */
static void note_members(struct selection *s, bool *changed)
{
  *changed = false;
  for (int64_t k = 0; k < s->size; k++) {
    bool *member = &s->member[s->list[k]];
    *changed |= *member != s->fit.stays[k];
    *member = s->fit.stays[k];
  }
}

static void form_residual(struct selection *s)
{
  memcpy(s->residual, s->target, (size_t)s->z.rows * sizeof *s->residual);
  for (int64_t k = 0; k < s->size; k++)
    if (s->fit.stays[k])
      th_standard_add(&s->z, s->list[k], -s->fit.coef[k], s->residual);
}

/* One step of the forward part. *changed: the support has changed. */
static th_status forward_step(struct selection *s, bool *changed,
                              struct th_error *err)
{
  int64_t joining = find_candidates(s);
  int64_t size = s->fit.left + joining;
  th_status rc = TH_OK;
  *changed = false;
  if (joining <= 0)
    return rc;
  TH_TRY(widen_list(s, joining, err));
  TH_TRY(widen_products(s, size, err));
  TH_TRY(th_backward_start(&s->fit, size, s->z.n, s->products, s->moment,
                           s->square, err));
  th_backward_prune(&s->fit, clearly, true);
  note_members(s, changed);
  form_residual(s);
done:
  return rc;
}

static void finish(struct selection *s, int64_t largest, int64_t *chosen,
                   int64_t *size)
{
  bool changed;
  th_backward_prune(&s->fit, s->threshold, false);
  if (largest > 0)
    th_backward_reduce(&s->fit, largest);
  note_members(s, &changed);
  *size = 0;
  for (int64_t k = 0; k < s->z.count; k++)
    if (s->member[k])
      chosen[(*size)++] = k;
}

/* Let the support grow from nothing, a few members at a time. */
static th_status grow_selection(struct selection *s, struct th_error *err)
{
  bool changed = true;
  th_status rc = TH_OK;
  for (int round = 0; round < MOST_ROUNDS && changed && rc == TH_OK; round++)
    rc = forward_step(s, &changed, err);
  return rc;
}

/* All columns are members. */
static th_status join_all(struct selection *s, struct th_error *err)
{
  th_status rc = TH_OK;
  if (s->z.count == 0)
    return rc;
  for (int64_t k = 0; k < s->z.count; k++)
    s->candidate[k].column = k;
  TH_TRY(widen_list(s, s->z.count, err));
  TH_TRY(widen_products(s, s->z.count, err));
  TH_TRY(th_backward_start(&s->fit, s->z.count, s->z.n, s->products, s->moment,
                           s->square, err));
done:
  return rc;
}

th_status th_strict_select(const struct th_strict_data *data, bool all,
                           int64_t *chosen, int64_t *size, struct th_error *err)
{
  struct selection s = {0};
  th_status rc;
  TH_TRY(th_standard_init(&s.z, data->rows, data->count, data->column,
                          data->weight, data->intercept, err));
  TH_TRY(
      selection_init(&s, data->target, data->attributes, data->intercept, err));
  TH_TRY((all ? join_all : grow_selection)(&s, err));
  finish(&s, data->largest, chosen, size);
done:
  selection_free(&s);
  return rc;
}
