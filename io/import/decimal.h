/* decimal.h - whole numbers times powers of ten, as the nearest doubles
 *
 * Lemire, Number parsing at a gigabyte per second, Software: Practice and
 * Experience 51 (2021); that it never fails for these powers is shown there,
 * section 5, and in Mushtak and Lemire, Fast number parsing without fallback
 * (2023).
 * SPDX-License-Identifier: MIT */
#ifndef TH_DECIMAL_H
#define TH_DECIMAL_H

#include <stdint.h>
#include <string.h>

enum {
  TH_DECIMAL_DIGITS = 19, /* fit in 64 bits */
  TH_DECIMAL_POWER = 27   /* 5^27 is the last power of 5 that 64 bits hold */
};

/* 5^q for q from -TH_DECIMAL_POWER on, as a fraction of 128 bits with the
 * highest one set, the upper half first; for q below 0 rounded up. */
extern const uint64_t th_decimal_fives[2 * TH_DECIMAL_POWER + 1][2];

__extension__ typedef unsigned __int128 th_decimal_wide;

/* The product of a number with its highest bit set and 5^q, to 128 bits: its
 * upper half is right but for a carry, which the lower half of 5^q tells where
 * it could matter. Local. */
static inline th_decimal_wide th_decimal_product(uint64_t number, int q)
{
  const uint64_t *fives = th_decimal_fives[q + TH_DECIMAL_POWER];
  th_decimal_wide product = (th_decimal_wide)number * fives[0];
  if ((product >> 64 & 0x1ff) == 0x1ff)
    product += (th_decimal_wide)number * fives[1] >> 64;
  return product;
}

/* mantissa * 10^q to the nearest double, ties to even; |q| at most
 * TH_DECIMAL_POWER. Local. */
static inline double th_decimal_nearest(uint64_t mantissa, int q)
{
  enum { BIAS = 1023, FRACTION = 52 };
  if (mantissa == 0)
    return 0.0;
  int zeros = __builtin_clzll(mantissa);
  th_decimal_wide product = th_decimal_product(mantissa << zeros, q);
  uint64_t high = (uint64_t)(product >> 64);
  int upper = (int)(high >> 63);
  int shift = upper + 63 - FRACTION - 2; /* leaves 54 bits: one to round by */
  uint64_t bits = high >> shift;
  /* a tie, which only a whole product can be */
  if ((uint64_t)product <= 1 && q >= -4 && q <= 23 && (bits & 3) == 1 &&
      bits << shift == high)
    bits--;
  bits = (bits + 1) >> 1; /* 2^53 is as good: it carries into the exponent */
  /* floor(log2(10^q)) + 63, the exponent of the product's highest bit */
  int exponent = ((152170 + 65536) * q >> 16) + 63 + upper - zeros;
  bits += (uint64_t)(exponent + BIAS - 1) << FRACTION;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

#endif
