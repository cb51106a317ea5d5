/* confidence.c - how far a mean of few examples may be from what it estimates
 * SPDX-License-Identifier: MIT */
#include "math/confidence.h"

#include "core/elementary.h"

#include <math.h>

double th_confidence_share(double delta, int64_t check)
{
  return delta / ((double)check * ((double)check + 1));
}

double th_confidence_bernstein(double variance, double bound, int64_t samples,
                               int64_t entries, double delta)
{
  if (samples < 2)
    return INFINITY;
  /* both sides of every entry, and Theorem 4's own log(2 / delta) */
  double risk = th_log(4 * (double)entries / delta);
  return sqrt(2 * variance * risk / (double)samples) +
         14 * bound * risk / (3 * ((double)samples - 1));
}
