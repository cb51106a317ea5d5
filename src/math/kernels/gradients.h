/* gradients.h - gradients of sixteen residuals at once
 *
 * What a pass costs is reading: with sixteen residuals it takes hardly longer
 * than with one. Rows lie one after the other, each with its sixteen residuals.
 * A gradient of a dense attribute is summed in float, 64 rows of the slab at a
 * time, each product fused with its sum; then in double. Entries of sparse
 * attributes are summed in double. So the bits depend on the rows of the slab
 * alone. Rounding changes a sum by less than 2^-17 (sparse: 2^-43) of the sum
 * of its terms' magnitudes, with |x| + |centre| for |x - centre| in them.
 * Local; nothing allocates.
 * SPDX-License-Identifier: MIT */
#ifndef TH_GRADIENTS_H
#define TH_GRADIENTS_H

#include "data/slab.h"

#include <stdint.h>

enum { TH_GRADIENTS = 16 };

/* grad[16 a + k] += sum over the rows i of residual[16 i + k] (x_ia -
 * centre[a]), for every attribute a of the slab; of a sparse one without its
 * centre. */
void th_gradients_add(const struct th_slab *slab, const float *residual,
                      const double *centre, double *grad);

/* Entries of `count` attributes, one attribute after another: entries start[a]
 * .. start[a + 1] - 1. Borrowed. */
struct th_gradients_entries {
  int64_t count;
  const int64_t *start;
  const int32_t *row; /* counted from the first residual */
  const double *value;
};

/* Add the products of such entries with the residuals: grad[a] for attribute
 * a. */
void th_gradients_add_entries(const struct th_gradients_entries *entries,
                              const float *residual, double *grad);

/* The plain form of th_gradients_add, in double, for tests. */
void th_gradients_reference(const struct th_slab *slab, const float *residual,
                            const double *centre, double *grad);

#endif
