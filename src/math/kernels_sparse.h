/* kernels_sparse.h - sums over the entries of sparse slabs
 *
 * Local, no allocation, no failure; sums run in double, entry after entry. The
 * forms that kernels.h offers for either layout are reached through it.
 * SPDX-License-Identifier: MIT */
#ifndef TH_KERNELS_SPARSE_H
#define TH_KERNELS_SPARSE_H

#include "math/kernels.h"

/* The entries of run k that lie on the slab's rows: places in row_in_group and
 * values. */
struct th_range th_sparse_entries(const struct th_slab *slab, int64_t k);

void th_sparse_gradient(const struct th_slab *slab,
                        const struct th_multiplier *m, const double *centre,
                        double *grad);
void th_sparse_evidence(const struct th_slab *slab,
                        const struct th_multiplier *m, const double *centre,
                        double *u, double *v, double *q);
void th_sparse_column(const struct th_slab *slab, double centre, double scale,
                      double *column);

/* The three sums of evidence of an attribute, see th_kernel_evidence. */
struct th_evidence {
  double u;
  double v;
  double q;
};

/* What evidence the rows add on which an attribute has no entry, for centre 1:
 * u: -c * u, v: c^2 * v, q: c^2 * q. */
struct th_evidence th_sparse_floor(const struct th_multiplier *m, int64_t rows);

/* evidence[a] += what the entries of attribute a add to the floor, O(entries of
 * the slab). touched[*count] grows by the attributes of the data set that have
 * an entry on these rows, once per slab; room for slab->runs more. */
void th_sparse_touch(const struct th_slab *slab, const struct th_multiplier *m,
                     const double *centre, struct th_evidence *evidence,
                     int64_t *touched, int64_t *count);

#endif
