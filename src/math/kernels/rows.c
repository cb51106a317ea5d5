/* rows.c - kernels over the values of one example
 * SPDX-License-Identifier: MIT */
#include "math/kernels/rows.h"
#include "math/kernels/kernels.h"

#include "math/kernels/dense.h"
#include "ranks/partition.h"

/* One more term; false when it is bad. */
static bool add_term(const struct th_fixed *fixed, double term, int64_t *sum)
{
  int64_t integer = th_fixed_from(fixed, term);
  if (integer == TH_FIXED_BAD)
    return false;
  *sum += integer;
  return true;
}

/* Entries of a cell lie together, since places ascend. */
static bool sparse_product(const struct th_row *row, const double *v,
                           const struct th_cells *cells,
                           const struct th_fixed *fixed, int64_t *sum)
{
  bool good = true;
  for (int64_t k = 0; k < row->count;) {
    int64_t cell = cells->attribute[row->place[k]] / TH_CELL;
    double term = 0;
    for (; k < row->count && cells->attribute[row->place[k]] / TH_CELL == cell;
         k++)
      term += th_row_value(row, k) * v[row->place[k]];
    good &= add_term(fixed, term, sum);
  }
  return good;
}

static bool dense_product(const struct th_row *row, const double *v,
                          const struct th_cells *cells,
                          const struct th_fixed *fixed, int64_t *sum)
{
  const struct th_row_kernels *kernels = th_kernel_best()->rows;
  bool good = true;
  for (int64_t k = 0; k < cells->count; k++)
    good &= add_term(fixed,
                     kernels->dot[row->type](row->values, cells->edge[k],
                                             cells->edge[k + 1], v),
                     sum);
  return good;
}

bool th_row_product(const struct th_row *row, const double *v,
                    const struct th_cells *cells, const struct th_fixed *fixed,
                    int64_t *sum)
{
  return (row->place != NULL ? sparse_product : dense_product)(row, v, cells,
                                                               fixed, sum);
}

bool th_row_cells_sum(const double *v, const struct th_cells *cells,
                      const struct th_fixed *fixed, int64_t *sum)
{
  bool good = true;
  for (int64_t c = 0; c < cells->count; c++) {
    double term = 0;
    for (int64_t k = cells->edge[c]; k < cells->edge[c + 1]; k++)
      term += v[k];
    good &= add_term(fixed, term, sum);
  }
  return good;
}

void th_row_add(const struct th_row *row, double factor, double *v)
{
  if (row->place != NULL)
    for (int64_t k = 0; k < row->count; k++)
      v[row->place[k]] += factor * th_row_value(row, k);
  else
    th_kernel_best()->rows->add[row->type](row->values, factor, v, row->count);
}

void th_row_add_squares(const struct th_row *row, double factor, double *v)
{
  for (int64_t k = 0; k < row->count; k++) {
    double x = th_row_value(row, k);
    v[row->place != NULL ? row->place[k] : k] += factor * (x * x);
  }
}

void th_row_add_moments(const struct th_row *row, double factor, double *v,
                        double square, double *w)
{
  if (row->place == NULL) {
    th_kernel_best()->rows->moments[row->type](row->values, factor, v, square,
                                               w, row->count);
    return;
  }
  th_row_add(row, factor, v);
  th_row_add_squares(row, square, w);
}

void th_row_step(const struct th_row *row, double factor, double t, double *v)
{
  th_kernel_best()->rows->step[row->type](row->values, factor, t, v,
                                          row->count);
}

void th_row_soft_all(double t, double *v, int64_t count)
{
  th_kernel_best()->rows->soft(t, v, count);
}
