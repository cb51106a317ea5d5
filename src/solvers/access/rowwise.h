/* rowwise.h - the entries of sparse columns, row by row
 *
 * If there are many rows and few columns, products of all columns are sums over
 * the pairs of entries in each row, and predictions are sums over the entries.
 * These functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ROWWISE_H
#define TH_ROWWISE_H

#include "base/error.h"
#include "math/kernels/column.h"

#include <stdint.h>

/* Values are scaled, as solvers see the columns. */
struct th_rowwise {
  int64_t rows;
  int64_t longest; /* entries of a row */
  int64_t *start;  /* rows + 1 */
  int32_t *column; /* of each entry, ascending within a row */
  double *value;
};

/* An entry that takes part in products. */
struct th_rowwise_entry {
  int64_t name;
  double value;
};

/* Build it from columns that all have the form of entries. Release with
 * th_rowwise_free. */
th_status th_rowwise_build(struct th_rowwise *rowwise, int64_t rows,
                           const struct th_vector *column, int64_t count,
                           struct th_error *err);

void th_rowwise_free(struct th_rowwise *rowwise);

/* out[i] = the sum of coef[column] x over the entries of row i. */
void th_rowwise_predict(const struct th_rowwise *rowwise, const double *coef,
                        double *out);

/* product[j * stride + k] += sum of h_i x_ij x_ik over the rows, for j from
 * `first` on and k, both below `last`. If both are from first on, only one of
 * the pair's two places gets the sum. name[column]: which j that is; -1: none.
 * Sums run in the order of rows. work has room for the longest row. */
void th_rowwise_products(const struct th_rowwise *rowwise, const double *h,
                         const int64_t *name, int64_t first, int64_t stride,
                         double *product, struct th_rowwise_entry *work);

#endif
