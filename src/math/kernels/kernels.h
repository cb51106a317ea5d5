/* kernels.h - sums over the rows of stored attributes, one kernel per type
 *
 * Local, no allocation, no failure. Sums of dense slabs run in 16 fixed lanes
 * (products in f32, for f64 storage in f64; 256 rows, 1024 of whole numbers,
 * then double, by a fixed tree), so the bits depend neither on the instruction
 * set nor on which attributes are handled together. Values are centred before
 * they are multiplied: x - centre in the lane type, so a large mean does not
 * drown the sum. Rounding changes a sum by less than 2^-17 (f64 storage, sparse
 * slabs: 2^-43) of the sum of its terms' magnitudes, in which |x| + |centre|
 * stands for |x - centre|.
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

/* So for all attributes of a slab: column[a * stride + i] of attribute a, by
 * centre[a] and scale[a]. A sparse slab has one attribute. */
void th_kernel_columns(const struct th_slab *slab, const double *centre,
                       const double *scale, double *column, int64_t stride);

/* The plain form of th_kernel_evidence, for tests: one double sum per
 * attribute, row after row. */
void th_kernel_reference(const struct th_slab *slab,
                         const struct th_row_weights *m, const double *centre,
                         const double *own, double *u, double *v, double *q);

/* --- Sums over the entries of sparse slabs --------------------------------
 *
 * Local, no allocation, no failure; sums run in double, entry after entry. */

/* What an attribute's values add up to over rows: u = sum r x, v = sum w x^2.
 */
struct th_evidence {
  double u;
  double v;
};

/* The sums over all rows that centring takes away, u = sum r times c and v =
 * sum w times c^2: exactly from u, and on average from v. */
struct th_evidence th_kernels_sparse_centring(const struct th_row_weights *m,
                                              int64_t rows);

/* evidence[a] += unit times the sums over the entries of attribute a (member by
 * member), for the attributes a of the slab counted from `offset`; O(entries of
 * the slab). Bit a of touched[] is set for those with an entry. */
void th_kernels_sparse_touch(const struct th_slab *slab,
                             const struct th_row_weights *m,
                             struct th_evidence unit, int64_t offset,
                             struct th_evidence *evidence, uint64_t *touched);

/* --- Gradients of sixteen residuals at once -------------------------------
 *
 * What a pass costs is reading: with sixteen residuals it takes hardly longer
 * than with one. Rows lie one after the other, each with its sixteen residuals.
 * A gradient of a dense attribute is summed in float, 64 rows of the slab at a
 * time, each product fused with its sum; then in double. Entries of sparse
 * attributes are summed in double. So the bits depend on the rows of the slab
 * alone. Rounding changes a sum by less than 2^-17 (sparse: 2^-43) of the sum
 * of its terms' magnitudes, with |x| + |centre| for |x - centre| in them.
 * Local; nothing allocates. */

enum { TH_GRADIENTS = 16 };

/* grad[16 a + k] += sum over the rows i of residual[16 i + k] (x_ia -
 * centre[a]), for every attribute a of the slab; of a sparse one without its
 * centre. */
void th_kernel_gradients_add(const struct th_slab *slab, const float *residual,
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
void th_kernel_gradients_add_entries(const struct th_gradients_entries *entries,
                                     const float *residual, double *grad);

/* The plain form of th_kernel_gradients_add, in double, for tests. */
void th_kernel_gradients_reference(const struct th_slab *slab,
                                   const float *residual, const double *centre,
                                   double *grad);

/* Return all sets by form (base/processor.h), plain first; a row without a
 * name ends them. For tests, which compare the forms. */
const struct th_dense_set *th_kernel_sets(void);

/* Say whether this processor can run the set. For tests. */
bool th_kernel_runs_here(const struct th_dense_set *set);

/* Return the set in use. */
const struct th_dense_set *th_kernel_best(void);

#endif
