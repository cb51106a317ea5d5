/* dense.h - the kernels of dense slabs, once per instruction set
 *
 * math/kernels/dense.c is compiled for several instruction sets into tables of
 * the same functions; each gives the same bits. kernels.c takes the one that
 * base/processor.h names; tests call them all.
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_DENSE_H
#define TH_DENSE_H

#include "math/kernels/kernels.h"
#include "math/kernels/products_dense.h"

#include <stdbool.h>

/* As th_kernel_gradient and th_kernel_evidence, for dense slabs of one type; as
 * th_kernel_read. */
typedef void th_dense_gradient(const struct th_slab *slab,
                               const struct th_row_weights *m,
                               const double *centre, double *grad);
typedef void th_dense_evidence(const struct th_slab *slab,
                               const struct th_row_weights *m,
                               const double *centre, const double *own,
                               double *u, double *v, double *q);

typedef double th_dense_read(const float *values, int64_t count);

struct th_dense_kernels {
  th_dense_read *read;
  th_dense_gradient *gradient[TH_TYPE_COUNT];
  th_dense_evidence *evidence[TH_TYPE_COUNT];
};

/* One per compilation of math/kernels/dense.c; the latter two on x86-64 only.
 */
extern const struct th_dense_kernels th_dense_plain;
extern const struct th_dense_kernels th_dense_avx2;
extern const struct th_dense_kernels th_dense_avx512;

struct th_row_kernels;       /* math/kernels/rows_dense.h */
struct th_column_kernels;    /* math/kernels/columns_dense.h */
struct th_logistic_kernels;  /* math/kernels/logistic_dense.h */
struct th_tile_kernels;      /* math/kernels/tiles_dense.h */
struct th_gradients_kernels; /* math/kernels/gradients_dense.h */

/* All loops over arrays, of one instruction set. */
struct th_dense_set {
  const char *name;
  const struct th_dense_kernels *kernels;
  const struct th_row_kernels *rows;
  th_products_kernel *products;
  const struct th_column_kernels *columns;
  const struct th_logistic_kernels *logistic;
  const struct th_tile_kernels *tiles;
  const struct th_gradients_kernels *gradients;
};

#endif
