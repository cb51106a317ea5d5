/* logistic_dense.h - the logistic loss on all examples, once per instruction
 * set
 *
 * math/kernels/logistic_dense.c is compiled for several instruction sets, like
 * math/kernels/dense.c; each gives the same bits.
 * SPDX-License-Identifier: MIT */
#ifndef TH_LOGISTIC_DENSE_H
#define TH_LOGISTIC_DENSE_H

#include <stdint.h>

/* As th_column_logistic_at, whose four sums are out's, and
 * th_column_logistic_dual. */
struct th_logistic_kernels {
  void (*at)(int64_t n, const double *eta, const double *label,
             const double *prediction, double offset, double *theta,
             double out[4]);
  double (*dual)(int64_t n, const double *eta, const double *theta,
                 double scale);
};

/* The latter two on x86-64 only. */
extern const struct th_logistic_kernels th_logistic_plain;
extern const struct th_logistic_kernels th_logistic_avx2;
extern const struct th_logistic_kernels th_logistic_avx512;

#endif
