/* columns_dense.h - one dense attribute on all examples, once per instruction
 * set
 *
 * math/kernels/columns_dense.c is compiled for several instruction sets, like
 * math/kernels/dense.c; each gives the same bits. Entry 0 of a row of the table
 * is for values in single, entry 1 for those in double precision; c is the
 * attribute's centre.
 * SPDX-License-Identifier: MIT */
#ifndef TH_COLUMNS_DENSE_H
#define TH_COLUMNS_DENSE_H

#include <stdint.h>

struct th_column_kernels {
  /* sum of (x - c) u */
  double (*dot[2])(const void *x, int64_t n, double c, const double *u);
  /* sum of (x - c)^2 h */
  double (*square[2])(const void *x, int64_t n, double c, const double *h);
  /* u += (x - c) factor */
  void (*add[2])(const void *x, int64_t n, double c, double factor,
                 double *restrict u);
  /* u += (x - c) factor h */
  void (*add_weighted[2])(const void *x, int64_t n, double c, double factor,
                          const double *h, double *restrict u);
  /* out = ((x - c) scale - mean) weight */
  void (*unpack[2])(const void *x, int64_t count, double c, double scale,
                    double mean, const double *weight, double *restrict out);
};

/* The latter two on x86-64 only. */
extern const struct th_column_kernels th_columns_plain;
extern const struct th_column_kernels th_columns_avx2;
extern const struct th_column_kernels th_columns_avx512;

#endif
