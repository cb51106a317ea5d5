/* kernels.h - sums over the rows of stored attributes, one kernel per type
 *
 * Local, no allocation, no failure. Sums of dense slabs run in 16 fixed lanes
 * (products in f32, for f64 storage in f64; 256 rows, 1024 of whole numbers,
 * then double, by a fixed tree), so the bits depend neither on the instruction
 * set nor on which attributes are handled together. Values are centred before
 * they are multiplied: x - centre in the lane type, so a large mean does not
 * drown the sum. Rounding changes a sum by less than 2^-17 (f64 storage, sparse
 * slabs: 2^-43) of the sum of its terms' magnitudes, with |x| + |centre| for |x
 * - centre| in them.
 * SPDX-License-Identifier: MIT */
#ifndef TH_KERNELS_H
#define TH_KERNELS_H

#include "data/slab.h"

#include <stdint.h>

/* What multiplies the rows of a slab, in both precisions; entry 0 belongs to
 * the slab's first row. Borrowed. */
struct th_row_weights {
  const double *residual; /* weight times derivative of the loss */
  const float *residual32;
  const double *weight;
  const float *weight32;
};

/* grad[a] += sum over rows of residual * (x_a - centre[a]), for every attribute
 * a of the slab (Murata & Suzuki, Algorithm 1, line 6, before scaling). */
void th_kernel_gradient(const struct th_slab *slab,
                        const struct th_row_weights *m, const double *centre,
                        double *grad);

/* The three sums of evidence of solver `sift`, with z = x_a - centre[a]:
 * u[a] += sum residual z, v[a] += sum weight z^2, q[a] += sum (residual +
 * weight own[a] z)^2 z^2. own: NULL is 0, as it always is for sparse slabs. */
void th_kernel_evidence(const struct th_slab *slab,
                        const struct th_row_weights *m, const double *centre,
                        const double *own, double *u, double *v, double *q);

/* Return the sum of count values, a multiple of 64. It measures the bandwidth
 * at which a core reads memory; kernels are compared with it. */
double th_kernel_read(const float *values, int64_t count);

/* column[i] = (x_i - centre) * scale for the rows of a slab of one attribute;
 * absent entries of a sparse slab are zeros. */
void th_kernel_column(const struct th_slab *slab, double centre, double scale,
                      double *column);

/* The plain form of th_kernel_evidence, for tests: one double sum per
 * attribute, row after row. */
void th_kernel_reference(const struct th_slab *slab,
                         const struct th_row_weights *m, const double *centre,
                         const double *own, double *u, double *v, double *q);

#endif
