/* fixed.h - sums that do not depend on their order: 64-bit fixed point
 *
 * A term is rounded once, by itself, to a multiple of a power of two; integer
 * addition is exact, so any split of the terms over ranks gives the same sum.
 * The power of two comes from a bound that every rank knows. Fixed point lives
 * inside one sum: the result becomes a double again. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FIXED_H
#define TH_FIXED_H

#include <stdbool.h>
#include <stdint.h>

/* Bounds come from sums in double, which round: times this they hold. */
#define TH_FIXED_SLACK 1.000001

struct th_fixed {
  double scale;   /* a power of two: integer = value * scale */
  double inverse; /* 1 / scale, exact */
};

/* The scale for sums whose terms' magnitudes add up to at most bound: all
 * partial sums stay below 2^62. A bound of 0 or less counts as 1. False if the
 * bound is not finite, or so large or small that the scale is no normal number.
 */
bool th_fixed_init(struct th_fixed *fixed, double bound);

/* The integer of a term. A term that is not finite or breaks the bound gives
 * TH_FIXED_BAD, which no sum of good terms can reach. */
#define TH_FIXED_BAD INT64_MIN
int64_t th_fixed_from(const struct th_fixed *fixed, double value);

/* sums[i] += the integer of factor * x[i], for count terms; false if one of
 * them is bad, and then the sums mean nothing. The same bits as th_fixed_from,
 * many times faster. */
bool th_fixed_add(const struct th_fixed *fixed, double factor,
                  const double *restrict x, int64_t count,
                  int64_t *restrict sums);

/* Sums for each of many examples are exchanged for so many at a time, so that
 * no rank needs room for those of all. */
enum { TH_FIXED_AT_ONCE = 1 << 16 };

/* The double nearest to a sum. */
double th_fixed_to(const struct th_fixed *fixed, int64_t sum);

/* out[i] = constant + the double nearest to sums[i]: predictions, of which it
 * is the intercept. */
void th_fixed_read(const struct th_fixed *fixed, double constant,
                   const int64_t *restrict sums, int64_t count,
                   double *restrict out);

#endif
