/* fixed.c - sums that do not depend on their order: 64-bit fixed point
 * SPDX-License-Identifier: MIT */
#include "ranks/fixed.h"

#include <math.h>
#include <string.h>

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
  return llrint(scaled); /* no branch on the size, unlike rint */
}

/* 1.5 * 2^52: in a sum with it the integer nearest to a small number stands in
 * the low bits, rounded to even as by rint. */
static const double magic = 0x1.8p52;

static uint64_t bits_of(double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* What processors lack before AVX-512 is a vector conversion to 64 bits: the
 * number is cut into a multiple of 2^32 and an exact rest, each small enough
 * for the sum with `magic`. Unsigned, since bad terms wrap around. */
bool th_fixed_add(const struct th_fixed *fixed, double factor,
                  const double *restrict x, int64_t count,
                  int64_t *restrict sums)
{
  const double scale = fixed->scale;
  const uint64_t zero = bits_of(magic);
  uint64_t bad = 0;
  for (int64_t i = 0; i < count; i++) {
    double scaled = factor * x[i] * scale;
    double high = scaled * 0x1p-32 + magic;
    double low = scaled - (high - magic) * 0x1p32 + magic;
    uint64_t term = ((bits_of(high) - zero) << 32) + (bits_of(low) - zero);
    bad |= fabs(scaled) <= 0x1p61 ? 0 : 1;
    sums[i] = (int64_t)((uint64_t)sums[i] + term);
  }
  return bad == 0;
}

double th_fixed_to(const struct th_fixed *fixed, int64_t sum)
{
  return (double)sum * fixed->inverse;
}

void th_fixed_read(const struct th_fixed *fixed, double constant,
                   const int64_t *restrict sums, int64_t count,
                   double *restrict out)
{
  const double inverse = fixed->inverse;
  for (int64_t i = 0; i < count; i++)
    out[i] = constant + (double)sums[i] * inverse;
}
