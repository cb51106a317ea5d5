/* confidence.h - how far a mean of few examples may be from what it estimates
 *
 * Half-widths that hold for all entries at once with probability 1 - delta, for
 * means of `samples` independent values in [-bound, bound] (Liang & Poon 2022,
 * section 3.4, where the exponent lacks a square and a factor). Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CONFIDENCE_H
#define TH_CONFIDENCE_H

#include <stdint.h>

/* Return the share of delta that check c = 1, 2, ... of a run may spend:
 * delta / (c (c + 1)). For any number of checks the sum is at most delta. */
double th_confidence_share(double delta, int64_t check);

/* Return the half-width of Maurer & Pontil 2009, Theorem 4. variance is the
 * sample variance (divisor samples - 1). The half-width is small if the
 * variance is far below bound^2. INFINITY for fewer than 2 samples. */
double th_confidence_bernstein(double variance, double bound, int64_t samples,
                               int64_t entries, double delta);

#endif
