/* lanczos.h - the largest eigenvalue of a symmetric matrix
 * SPDX-License-Identifier: MIT */
#ifndef TH_LANCZOS_H
#define TH_LANCZOS_H

#include "core/error.h"

#include <stdint.h>

/* Compute the largest eigenvalue of a, n x n, full and symmetric, n at least 1.
 * It is good to some 1e-14 of the largest magnitude of an eigenvalue, with the
 * same bits on every processor. This is Lanczos' method from a fixed start
 * (Golub & Van Loan 2013, section 10.3). Vectors are not made orthogonal again,
 * since that does not change the largest value (Paige 1980). Local.
 * TH_ENUMERIC for a that is not finite, TH_ENOMEM. */
th_status th_lanczos_largest(int64_t n, const double *a, double *value,
                             struct th_error *err);

#endif
