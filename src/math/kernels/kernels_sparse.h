/* kernels_sparse.h - sums over the entries of sparse slabs
 *
 * Local, no allocation, no failure; sums run in double, entry after entry. The
 * forms that kernels.h offers for either layout are reached through it.
 * SPDX-License-Identifier: MIT */
#ifndef TH_KERNELS_SPARSE_H
#define TH_KERNELS_SPARSE_H

#include "math/kernels/kernels.h"

/* The entries of run k that lie on the slab's rows: places in row_in_group and
 * values. */
struct th_range th_kernels_sparse_entries(const struct th_slab *slab,
                                          int64_t k);

void th_kernels_sparse_gradient(const struct th_slab *slab,
                                const struct th_row_weights *m,
                                const double *centre, double *grad);
void th_kernels_sparse_evidence(const struct th_slab *slab,
                                const struct th_row_weights *m,
                                const double *centre, double *u, double *v,
                                double *q);
void th_kernels_sparse_column(const struct th_slab *slab, double centre,
                              double scale, double *column);

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

#endif
