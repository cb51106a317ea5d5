/* rows_dense.h - the kernels of dense rows, once per instruction set
 *
 * math/kernels/rows_dense.c is compiled for several instruction sets, like
 * math/kernels/dense.c; each gives the same bits.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ROWS_DENSE_H
#define TH_ROWS_DENSE_H

#include "math/kernels/rows.h"

/* By type of the values, f32 or f64. */
struct th_row_kernels {
  /* sum x_k v_k for first <= k < last */
  double (*dot[TH_TYPE_COUNT])(const void *values, int64_t first, int64_t last,
                               const double *v);
  /* v += factor x */
  void (*add[TH_TYPE_COUNT])(const void *values, double factor, double *v,
                             int64_t count);
  /* v += factor x, w += square x^2 */
  void (*moments[TH_TYPE_COUNT])(const void *values, double factor, double *v,
                                 double square, double *w, int64_t count);
  /* v = soft(v + factor x, t) */
  void (*step[TH_TYPE_COUNT])(const void *values, double factor, double t,
                              double *v, int64_t count);
  /* v = soft(v, t) */
  void (*soft)(double t, double *v, int64_t count);
};

/* The latter two on x86-64 only. */
extern const struct th_row_kernels th_rows_plain;
extern const struct th_row_kernels th_rows_avx2;
extern const struct th_row_kernels th_rows_avx512;

#endif
