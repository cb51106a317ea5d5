/* sparse.h - the kernels of sparse slabs; internal to src/math
 *
 * SPDX-License-Identifier: MIT */
#ifndef TH_SPARSE_H
#define TH_SPARSE_H

#include "math/kernels.h"

/* The entries of run k that lie on the slab's rows. */
struct th_range th_sparse_entries(const struct th_slab *slab, int64_t k);

/* As th_kernel_gradient and th_kernel_evidence: in double, entry after entry;
 * O(attributes + entries of the slab). */
void th_sparse_gradient(const struct th_slab *slab,
                        const struct th_multiplier *m, const double *centre,
                        double *grad);
void th_sparse_evidence(const struct th_slab *slab,
                        const struct th_multiplier *m, const double *centre,
                        double *u, double *v, double *q);

#endif
