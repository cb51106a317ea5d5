/* linalg.h - dense symmetric problems of one rank
 *
 * Matrices are column-major with leading dimension n; only the upper triangle
 * is read unless said otherwise. Local. Systems whose solutions enter a model
 * are solved on one rank, and the caller broadcasts the solution: up to some
 * 39,000 members fit a rank's 12 GB, and on two ranks ScaLAPACK is no faster
 * (tests/bench/solve.sh). The bits are the same on every processor
 * (math/tiled.h, math/lanczos.h).
 * SPDX-License-Identifier: MIT */
#ifndef TH_LINALG_H
#define TH_LINALG_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* a x = b, of n rows; borrowed. */
struct th_linalg_system {
  int64_t n;
  const double *a;
  const double *b;
  double tolerance;
};

/* Solve a x = b by Cholesky, with a's collinear rows left out (their x is 0).
 * inverse (n x n, full, or NULL) receives the inverse, zero in those rows. Row
 * k is left out, and kept[k] is false, if its pivot is not above tolerance
 * times its diagonal. x may be b. An error if the result is not finite. */
th_status th_linalg_solve(const struct th_linalg_system *system, double *x,
                          double *inverse, bool *kept, struct th_error *err);

/* Compute the largest eigenvalue of a, which is overwritten. An error if a is
 * not finite. */
th_status th_linalg_largest_eigenvalue(int64_t n, double *a, double *value,
                                       struct th_error *err);

#endif
