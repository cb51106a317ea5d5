/* column.c - columns of double: sums, updates, products, the logistic loss
 * SPDX-License-Identifier: MIT */
#include "math/kernels/column.h"
#include "math/kernels/kernels.h"

#include "base/integer.h"
#include "math/kernels/dense.h"

enum { ENTRY_LANES = 4 };

static const struct th_column_kernels *dense_columns(void)
{
  return th_kernel_best()->columns;
}

/* sum of value_e u at row_e; in lanes, since a sum waits for the one before. */
static double dot_entries(const double *value, const int32_t *row, int64_t n,
                          const double *u)
{
  double sum[ENTRY_LANES] = {0};
  int64_t e = 0;
  for (; e + ENTRY_LANES <= n; e += ENTRY_LANES)
    for (int k = 0; k < ENTRY_LANES; k++)
      sum[k] += value[e + k] * u[row[e + k]];
  for (int k = 0; e < n; e++, k++)
    sum[k] += value[e] * u[row[e]];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

double th_column_dot(const struct th_vector *x, const double *u)
{
  if (x->form != TH_VECTOR_ENTRIES)
    return x->scale * dense_columns()->dot[x->form](x, u);
  return x->scale * dot_entries(x->values, x->row, x->items, u);
}

void th_column_lanes(const double *const x[TH_COLUMN_DOTS], const double *u,
                     int64_t count,
                     double lane[TH_COLUMN_DOTS][TH_COLUMN_LANES])
{
  dense_columns()->lanes(x, u, count, lane);
}

void th_column_tile(
    const double *const x[TH_COLUMN_DOTS],
    const double *const u[TH_COLUMN_DOTS], int64_t count,
    double lane[TH_COLUMN_DOTS][TH_COLUMN_DOTS][TH_COLUMN_LANES])
{
  dense_columns()->tile(x, u, count, lane);
}

void th_column_add_several(const double *const x[TH_COLUMN_DOTS],
                           const double factor[TH_COLUMN_DOTS], int64_t count,
                           double *u)
{
  dense_columns()->several(x, factor, count, u);
}

double th_column_lanes_sum(double lane[TH_COLUMN_LANES], const double *x,
                           const double *u, int64_t first, int64_t last)
{
  for (int64_t i = first; i < last; i++)
    lane[i % TH_COLUMN_LANES] += x[i] * u[i];
  double a = (lane[0] + lane[4]) + (lane[2] + lane[6]);
  double b = (lane[1] + lane[5]) + (lane[3] + lane[7]);
  return a + b;
}

double th_column_square(const struct th_vector *x, const double *h)
{
  const double *entry = x->values;
  double scale = x->scale * x->scale;
  double sum = 0;
  if (x->form != TH_VECTOR_ENTRIES)
    return scale * dense_columns()->square[x->form](x, h);
  for (int64_t e = 0; e < x->items; e++)
    sum += entry[e] * entry[e] * h[x->row[e]];
  return scale * sum;
}

void th_column_add(const struct th_vector *x, double factor, double *u)
{
  const double *entry = x->values;
  double f = factor * x->scale;
  if (x->form != TH_VECTOR_ENTRIES)
    dense_columns()->add[x->form](x, f, u);
  else
    for (int64_t e = 0; e < x->items; e++)
      u[x->row[e]] += entry[e] * f;
}

void th_column_add_weighted(const struct th_vector *x, double factor,
                            const double *h, double *u)
{
  const double *entry = x->values;
  double f = factor * x->scale;
  if (x->form != TH_VECTOR_ENTRIES)
    dense_columns()->add_weighted[x->form](x, f, h, u);
  else
    for (int64_t e = 0; e < x->items; e++)
      u[x->row[e]] += entry[e] * f * h[x->row[e]];
}

void th_column_unpack(const struct th_vector *x, int64_t first, int64_t count,
                      double mean, const double *weight, double *out)
{
  dense_columns()->unpack[x->form](x, first, count, mean, weight, out);
}

/* --- Sums of products of columns, tile by tile ---------------------------- */

void th_column_products_add(const struct th_products *p)
{
  th_kernel_best()->products->add(p);
}

/* The tree over the lanes of one product. */
static double product(int64_t rows, const double *left, const double *right)
{
  double lane[TH_PRODUCTS_LANES] = {0};
  for (int64_t i = 0; i < rows; i++)
    lane[i % TH_PRODUCTS_LANES] += left[i] * right[i];
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
         ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

void th_column_products_reference(const struct th_products *p)
{
  for (int64_t k = 0; k < p->right_tiles * TH_PRODUCTS_TILE; k++)
    for (int64_t j = 0; j < p->left_tiles * TH_PRODUCTS_TILE; j++)
      p->sum[j + k * p->stride] +=
          product(p->rows, p->left + j * p->lead, p->right + k * p->lead);
}

int64_t th_column_products_tiles(int64_t columns)
{
  return th_integer_ceil_divide(columns, TH_PRODUCTS_TILE);
}

int64_t th_column_products_whole(int64_t rows)
{
  return th_integer_ceil_divide(rows, TH_PRODUCTS_LANES) * TH_PRODUCTS_LANES;
}

/* --- The logistic loss on all examples at once ---------------------------- */

struct th_logistic th_column_logistic_at(int64_t n, const double *eta,
                                         const double *label,
                                         const double *prediction,
                                         double offset, double *theta)
{
  double sum[4];
  th_kernel_best()->logistic->at(n, eta, label, prediction, offset, theta, sum);
  return (struct th_logistic){sum[0], sum[1], sum[2], sum[3]};
}

double th_column_logistic_dual(int64_t n, const double *eta,
                               const double *theta, double scale)
{
  return th_kernel_best()->logistic->dual(n, eta, theta, scale);
}
