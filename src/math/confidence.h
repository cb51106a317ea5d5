/* confidence.h - how far a mean of few examples may be from what it estimates
 *
 * Half-widths that hold for all entries at once with probability 1 - delta, for
 * means of `samples` independent values in [-bound, bound] (Liang & Poon 2022,
 * section 3.4, where the exponent lacks a square and a factor). Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CONFIDENCE_H
#define TH_CONFIDENCE_H

#include <stdint.h>

/* What check c = 1, 2, ... of a run may spend of delta: delta / (c (c + 1)),
 * which adds up to delta however many checks there are. */
double th_confidence_share(double delta, int64_t check);

/* Maurer & Pontil 2009, Theorem 4: for a sample variance (divisor samples - 1)
 * far below bound^2 many times narrower. INFINITY for fewer than 2 samples. */
double th_confidence_bernstein(double variance, double bound, int64_t samples,
                               int64_t entries, double delta);

#endif
