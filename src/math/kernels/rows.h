/* rows.h - kernels over the values of one example
 *
 * Stochastic methods take examples one by one: a row is what a rank holds of
 * one example, the values of its active attributes by place. Products are
 * formed in double, cell by cell, and each cell's sum becomes one term of a sum
 * in fixed point: the same bits for any split of cells over ranks. Local, no
 * allocation, no failure.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ROWS_H
#define TH_ROWS_H

#include "data/slab.h"
#include "ranks/fixed.h"

#include <stdbool.h>
#include <stdint.h>

/* Borrowed. Dense: value k belongs to place k. Sparse: to place[k], which
 * ascend. */
struct th_row {
  enum th_type type; /* of values: f32 or f64 */
  int64_t count;
  const void *values;
  const int32_t *place; /* NULL: dense */
};

/* Cells with at least one active attribute: cell k holds the places edge[k] ..
 * edge[k + 1] - 1. Borrowed. */
struct th_cells {
  int64_t count;
  const int64_t *edge;      /* count + 1 */
  const int64_t *attribute; /* of each place */
};

/* Add the terms of x'v to *sum, one for each cell. False if a term breaks the
 * bound that the scale was made for; the sum then means nothing. */
bool th_row_product(const struct th_row *row, const double *v,
                    const struct th_cells *cells, const struct th_fixed *fixed,
                    int64_t *sum);

/* Add the terms of the sum of v over all places to *sum, likewise. */
bool th_row_cells_sum(const double *v, const struct th_cells *cells,
                      const struct th_fixed *fixed, int64_t *sum);

/* v += factor x. */
void th_row_add(const struct th_row *row, double factor, double *v);

/* v_j += factor x_j^2. */
void th_row_add_squares(const struct th_row *row, double factor, double *v);

/* Both at once: v_j += factor x_j, w_j += square x_j^2. */
void th_row_add_moments(const struct th_row *row, double factor, double *v,
                        double square, double *w);

/* v_j = soft(v_j + factor x_j, t), for all places of a dense row: a gradient
 * step and the prox of t times the l1 norm at once. The same bits as
 * th_row_add and th_row_soft one after the other. */
void th_row_step(const struct th_row *row, double factor, double t, double *v);

/* The prox of t norm1, free of branches: four times faster than with them. */
static inline double th_row_soft(double v, double t)
{
  double low = v < -t ? -t : v;
  return v - (low > t ? t : low);
}

/* v = soft(v, t). */
void th_row_soft_all(double t, double *v, int64_t count);

/* Return value k of a row. */
static inline double th_row_value(const struct th_row *row, int64_t k)
{
  return row->type == TH_F32 ? (double)((const float *)row->values)[k]
                             : ((const double *)row->values)[k];
}

#endif
