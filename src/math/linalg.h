/* linalg.h - dense symmetric problems of one rank, over LAPACK
 *
 * Matrices are column-major with leading dimension n; only the upper triangle
 * is read unless said otherwise. Local. What enters a model is solved on one
 * rank and broadcast by the caller: up to some 39,000 members fit a rank's 12
 * GB, and on two ranks ScaLAPACK is no faster (tests/bench/solve.sh).
 * SPDX-License-Identifier: MIT */
#ifndef TH_LINALG_H
#define TH_LINALG_H

#include "core/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Cholesky factor in the given order; row and column k whose pivot falls below
 * tolerance times its diagonal are left out (collinear): kept[k] says so. The
 * factor of the kept ones is in the upper triangle of a, which is overwritten;
 * *rank receives their number. */
void th_linalg_cholesky(int64_t n, double *a, double tolerance, bool *kept,
                        int64_t *rank);

/* a x = b by Cholesky, with a's collinear rows left out (their x is 0); inverse
 * (n x n, full, or NULL) receives the inverse, zero in those rows. a is
 * overwritten. TH_ENUMERIC when the result is not finite, TH_ENOMEM. */
th_status th_linalg_solve(int64_t n, double *a, const double *b,
                          double tolerance, double *x, double *inverse,
                          bool *kept, struct th_error *err);

/* The largest eigenvalue of a, which is overwritten. */
th_status th_linalg_largest_eigenvalue(int64_t n, double *a, double *value,
                                       struct th_error *err);

#endif
