/* products.c - sums of products of columns: who forms them, and what they are
 * SPDX-License-Identifier: MIT */
#include "math/kernels/products.h"

#include "base/integer.h"
#include "math/kernels/dense.h"

void th_products_add(const struct th_products *p)
{
  th_dense_best()->products(p);
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

void th_products_reference(const struct th_products *p)
{
  for (int64_t k = 0; k < p->right_tiles * TH_PRODUCTS_TILE; k++)
    for (int64_t j = 0; j < p->left_tiles * TH_PRODUCTS_TILE; j++)
      p->sum[j + k * p->stride] +=
          product(p->rows, p->left + j * p->lead, p->right + k * p->lead);
}

int64_t th_products_tiles(int64_t columns)
{
  return th_integer_ceil_divide(columns, TH_PRODUCTS_TILE);
}

int64_t th_products_whole(int64_t rows)
{
  return th_integer_ceil_divide(rows, TH_PRODUCTS_LANES) * TH_PRODUCTS_LANES;
}
