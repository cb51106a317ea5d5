/* lanczos.h - the largest eigenvalue of a symmetric matrix
 * SPDX-License-Identifier: MIT */
#ifndef TH_LANCZOS_H
#define TH_LANCZOS_H

#include "ranks/comm.h"

#include <stdint.h>

/* Compute the largest eigenvalue of a, n x n, full and symmetric, n at least 1.
 * It is good to some 1e-14 of the largest magnitude of an eigenvalue, with the
 * same bits on every processor. This is Lanczos' method from a fixed start
 * (Golub & Van Loan 2013, section 10.3). Vectors are not made orthogonal again,
 * since that does not change the largest value (Paige 1980). Local. An error
 * for a that is not finite. */
th_status th_lanczos_largest(int64_t n, const double *a, double *value,
                             struct th_error *err);

/* A symmetric matrix, n x n, n at least 1, by its products. */
struct th_lanczos_matrix {
  int64_t n;
  /* y = A x; x and y are replicated. Collective. */
  th_status (*multiply)(void *self, const double *x, double *y,
                        struct th_error *err);
  void *self;
};

/* Compute the largest eigenvalue of such a matrix of all ranks, as
 * th_lanczos_largest does. Collective. An error for products that are not
 * finite, or that fail. */
th_status th_lanczos_largest_of(const struct th_lanczos_matrix *matrix,
                                struct th_comm *comm, double *value,
                                struct th_error *err);

#endif
