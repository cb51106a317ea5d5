/* gram.h - second moments of (x_S, 1, y) over rows, the same on every rank
 * SPDX-License-Identifier: MIT */
#ifndef TH_GRAM_H
#define TH_GRAM_H

#include "solvers/batch.h"

#include <stdint.h>

/* Sums over rows of weight * z z', z = (x_S scaled, 1, y); order size + 2,
 * column-major, full. Replicated. */
struct th_gram {
  int64_t size; /* |S| */
  double *a;
  int64_t capacity;
  double rows;
  double weight;
};

/* Forget all rows; from now on the support has that size. Local. */
th_status th_gram_reset(struct th_gram *gram, int64_t size,
                        struct th_error *err);
void th_gram_free(struct th_gram *gram);

/* Add the rows of a batch whose support has been observed. Each group of 256
 * rows is formed whole on one rank (one dsyrk), rounded once to fixed point and
 * summed over ranks. row_weight multiplies each row's weight, NULL for 1;
 * target replaces the batch's, NULL for those. Collective. */
th_status th_gram_add(struct th_gram *gram, struct th_context *context,
                      const struct th_batch *batch,
                      const struct th_support *support,
                      const double *row_weight, const double *target,
                      struct th_error *err);

/* Entry (i, j); index size is the constant, size + 1 the target. Local. */
static inline double th_gram_at(const struct th_gram *gram, int64_t i,
                                int64_t j)
{
  return gram->a[i + j * (gram->size + 2)];
}

#endif
