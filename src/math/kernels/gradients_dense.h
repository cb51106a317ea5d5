/* gradients_dense.h - the kernels of sixteen gradients, once per instruction
 * set
 *
 * math/kernels/gradients_dense.c is compiled for several instruction sets, like
 * math/kernels/dense.c; each gives the same bits.
 * SPDX-License-Identifier: MIT */
#ifndef TH_GRADIENTS_DENSE_H
#define TH_GRADIENTS_DENSE_H

#include "math/kernels/kernels.h"

/* As th_kernel_gradients_add, for dense slabs of one type, and for sparse ones,
 * of which u2 are none; as th_kernel_gradients_add_entries. */
struct th_gradients_kernels {
  void (*add[TH_TYPE_COUNT])(const struct th_slab *slab, const float *residual,
                             const double *centre, double *grad);
  void (*add_sparse[TH_TYPE_COUNT])(const struct th_slab *slab,
                                    const float *residual, double *grad);
  void (*add_entries)(const struct th_gradients_entries *entries,
                      const float *residual, double *grad);
};

/* The latter two on x86-64 only. */
extern const struct th_gradients_kernels th_gradients_plain;
extern const struct th_gradients_kernels th_gradients_avx2;
extern const struct th_gradients_kernels th_gradients_avx512;

#endif
