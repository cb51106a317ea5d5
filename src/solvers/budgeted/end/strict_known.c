/* strict_known.c - the strict support, from rows and from what earlier rows
 * have said
 *
 * Earlier rows were read once and are gone. What they said about the members is
 * one Gaussian observation of their coefficients.
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"

#include "core/elementary.h"
#include "solvers/budgeted/end/backward.h"
#include "solvers/budgeted/end/strict_parts.h"

#include <math.h>
#include <stdlib.h>

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

static struct unit unit_of(const struct th_strict_known *known,
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
static th_status add_rows(struct equations *e, const double *target,
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

/* theta of the columns = T (theta of z, its constant): T' Lam T and T' eta. */
void th_strict_known_of_z(const struct th_strict_known *known,
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
    struct unit b = unit_of(known, z, k);
    double beside = intercept ? last[k] : 0;
    for (int64_t j = 0; j < count; j++) {
      struct unit a = unit_of(known, z, j);
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

/* The same over the variance of the rows. Local. */
static th_status add_known(struct equations *e, bool intercept,
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
  th_strict_known_of_z(known, &e->z, intercept, lam, eta);
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
static void tell(const struct equations *e, int64_t *chosen, int64_t *size,
                 double *coef, double *constant)
{
  double total = e->total;
  *size = 0;
  for (int64_t k = 0; k < e->z.count; k++)
    total -= e->cross[k] * e->fit.coef[k];
  *constant = e->weight > 0 ? total / e->weight : 0;
  for (int64_t k = 0; k < e->z.count; k++)
    if (e->fit.stays[k]) {
      coef[*size] = e->fit.coef[k] * unit_of(e->known, &e->z, k).size;
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
  TH_TRY(add_rows(&e, data->target, data->intercept, err));
  TH_TRY(add_known(&e, data->intercept, err));
  sweep_constant(&e);
  if (data->count > 0)
    TH_TRY(th_backward_start(&e.fit, data->count, e.z.n + (double)data->count,
                             e.products, e.moment, e.square, err));
  th_backward_prune(&e.fit, threshold, false);
  if (data->largest > 0)
    th_backward_reduce(&e.fit, data->largest);
  tell(&e, chosen, size, coef, constant);
done:
  equations_free(&e);
  return rc;
}
