/* fixed.c - sums that do not depend on their order: 64-bit fixed point
 * SPDX-License-Identifier: MIT */
#include "core/fixed.h"

#include <math.h>

enum { HEADROOM_BITS = 61, LARGEST_EXPONENT = 900 };

bool th_fixed_init(struct th_fixed *fixed, double bound)
{
  int exponent = 0;
  if (!isfinite(bound))
    return false;
  if (bound > 0)
    frexp(bound, &exponent); /* bound <= 2^exponent */
  if (exponent > LARGEST_EXPONENT || exponent < -LARGEST_EXPONENT)
    return false;
  fixed->scale = ldexp(1.0, HEADROOM_BITS - exponent);
  fixed->inverse = ldexp(1.0, exponent - HEADROOM_BITS);
  return true;
}

int64_t th_fixed_from(const struct th_fixed *fixed, double value)
{
  double scaled = value * fixed->scale;
  if (!(fabs(scaled) <= 0x1p61))
    return TH_FIXED_BAD;
  return (int64_t)rint(scaled);
}

double th_fixed_to(const struct th_fixed *fixed, int64_t sum)
{
  return (double)sum * fixed->inverse;
}
