/* number.c - decimal text to the nearest double, fast and exact
 * SPDX-License-Identifier: MIT */
#include "io/import/text/number.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- Powers of five for number.h
 *
 * For q of 0 and more these are the powers themselves, shifted; for q below 0
 * floor(2^b / 5^-q) + 1, with the b that makes 128 bits. */

const uint64_t th_decimal_fives[2 * TH_DECIMAL_POWER + 1][2] = {
    {0x9e74d1b791e07e48, 0x775ea264cf55347e}, /* -27 */
    {0xc612062576589dda, 0x95364afe032a819e}, /* -26 */
    {0xf79687aed3eec551, 0x3a83ddbd83f52205}, /* -25 */
    {0x9abe14cd44753b52, 0xc4926a9672793543}, /* -24 */
    {0xc16d9a0095928a27, 0x75b7053c0f178294}, /* -23 */
    {0xf1c90080baf72cb1, 0x5324c68b12dd6339}, /* -22 */
    {0x971da05074da7bee, 0xd3f6fc16ebca5e04}, /* -21 */
    {0xbce5086492111aea, 0x88f4bb1ca6bcf585}, /* -20 */
    {0xec1e4a7db69561a5, 0x2b31e9e3d06c32e6}, /* -19 */
    {0x9392ee8e921d5d07, 0x3aff322e62439fd0}, /* -18 */
    {0xb877aa3236a4b449, 0x09befeb9fad487c3}, /* -17 */
    {0xe69594bec44de15b, 0x4c2ebe687989a9b4}, /* -16 */
    {0x901d7cf73ab0acd9, 0x0f9d37014bf60a11}, /* -15 */
    {0xb424dc35095cd80f, 0x538484c19ef38c95}, /* -14 */
    {0xe12e13424bb40e13, 0x2865a5f206b06fba}, /* -13 */
    {0x8cbccc096f5088cb, 0xf93f87b7442e45d4}, /* -12 */
    {0xafebff0bcb24aafe, 0xf78f69a51539d749}, /* -11 */
    {0xdbe6fecebdedd5be, 0xb573440e5a884d1c}, /* -10 */
    {0x89705f4136b4a597, 0x31680a88f8953031}, /* -9 */
    {0xabcc77118461cefc, 0xfdc20d2b36ba7c3e}, /* -8 */
    {0xd6bf94d5e57a42bc, 0x3d32907604691b4d}, /* -7 */
    {0x8637bd05af6c69b5, 0xa63f9a49c2c1b110}, /* -6 */
    {0xa7c5ac471b478423, 0x0fcf80dc33721d54}, /* -5 */
    {0xd1b71758e219652b, 0xd3c36113404ea4a9}, /* -4 */
    {0x83126e978d4fdf3b, 0x645a1cac083126ea}, /* -3 */
    {0xa3d70a3d70a3d70a, 0x3d70a3d70a3d70a4}, /* -2 */
    {0xcccccccccccccccc, 0xcccccccccccccccd}, /* -1 */
    {0x8000000000000000, 0x0000000000000000}, /* 0 */
    {0xa000000000000000, 0x0000000000000000}, /* 1 */
    {0xc800000000000000, 0x0000000000000000}, /* 2 */
    {0xfa00000000000000, 0x0000000000000000}, /* 3 */
    {0x9c40000000000000, 0x0000000000000000}, /* 4 */
    {0xc350000000000000, 0x0000000000000000}, /* 5 */
    {0xf424000000000000, 0x0000000000000000}, /* 6 */
    {0x9896800000000000, 0x0000000000000000}, /* 7 */
    {0xbebc200000000000, 0x0000000000000000}, /* 8 */
    {0xee6b280000000000, 0x0000000000000000}, /* 9 */
    {0x9502f90000000000, 0x0000000000000000}, /* 10 */
    {0xba43b74000000000, 0x0000000000000000}, /* 11 */
    {0xe8d4a51000000000, 0x0000000000000000}, /* 12 */
    {0x9184e72a00000000, 0x0000000000000000}, /* 13 */
    {0xb5e620f480000000, 0x0000000000000000}, /* 14 */
    {0xe35fa931a0000000, 0x0000000000000000}, /* 15 */
    {0x8e1bc9bf04000000, 0x0000000000000000}, /* 16 */
    {0xb1a2bc2ec5000000, 0x0000000000000000}, /* 17 */
    {0xde0b6b3a76400000, 0x0000000000000000}, /* 18 */
    {0x8ac7230489e80000, 0x0000000000000000}, /* 19 */
    {0xad78ebc5ac620000, 0x0000000000000000}, /* 20 */
    {0xd8d726b7177a8000, 0x0000000000000000}, /* 21 */
    {0x878678326eac9000, 0x0000000000000000}, /* 22 */
    {0xa968163f0a57b400, 0x0000000000000000}, /* 23 */
    {0xd3c21bcecceda100, 0x0000000000000000}, /* 24 */
    {0x84595161401484a0, 0x0000000000000000}, /* 25 */
    {0xa56fa5b99019a5c8, 0x0000000000000000}, /* 26 */
    {0xcecb8f27f4200f3a, 0x0000000000000000}, /* 27 */
};

enum { EXPONENT_LIMIT = 99999 }; /* written exponents beyond it are all alike */

static inline bool is_digit(char c)
{
  return (unsigned char)(c - '0') < 10;
}

/* The mantissa wraps beyond TH_DECIMAL_DIGITS digits; it is not used then. */
static inline const char *read_digits(const char *p, const char *end,
                                      uint64_t *mantissa)
{
  int count = 8;
  while (count == 8 && end - p >= 8)
    count = th_number_append(&p, mantissa);
  for (; count == 8 && p < end && is_digit(*p); p++)
    *mantissa = 10 * *mantissa + (uint64_t)(*p - '0');
  return p;
}

/* An "e" without digits behind it is no part of the number. */
static const char *read_exponent(const char *p, const char *end,
                                 int64_t *exponent)
{
  const char *q = p + 1;
  bool negative = q < end && *q == '-';
  if (q < end && (*q == '-' || *q == '+'))
    q++;
  if (q == end || !is_digit(*q))
    return p;
  int64_t written = 0;
  for (; q < end && is_digit(*q); q++)
    if (written < EXPONENT_LIMIT)
      written = 10 * written + (*q - '0');
  *exponent += negative ? -written : written;
  return q;
}

/* Zeros that lead are no digits of the mantissa. */
static ptrdiff_t count_leading(const char *p, const char *end)
{
  ptrdiff_t zeros = 0;
  for (; p < end && (*p == '0' || *p == '.'); p++)
    zeros += *p == '0';
  return zeros;
}

/* The C library's conversion is exact for every number, but slow and subject
 * to the locale of whoever uses this library. */
static double convert_slowly(const char *text)
{
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = uselocale(plain);
  double value = strtod(text, NULL);
  uselocale(before);
  freelocale(plain);
  return value;
}

enum th_number th_number_parse(const char **cursor, const char *end,
                               double *value)
{
  if (th_number_usual(cursor, end, value))
    return TH_NUMBER_OK;
  const char *p = *cursor;
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+'))
    p++;
  uint64_t mantissa = 0;
  int64_t exponent = 0;
  const char *start = p;
  p = read_digits(p, end, &mantissa);
  ptrdiff_t digits = p - start;
  if (p < end && *p == '.') {
    const char *fraction = p + 1;
    p = read_digits(fraction, end, &mantissa);
    exponent = fraction - p;
    digits += p - fraction;
  }
  if (digits == 0)
    return TH_NUMBER_NONE;
  if (digits > TH_DECIMAL_DIGITS)
    digits -= count_leading(start, p);
  if (p < end && (*p | 0x20) == 'e')
    p = read_exponent(p, end, &exponent);
  double magnitude = 0.0;
  if (digits > TH_DECIMAL_DIGITS)
    magnitude = fabs(convert_slowly(*cursor));
  else if (mantissa != 0)
    magnitude = exponent < -TH_DECIMAL_POWER || exponent > TH_DECIMAL_POWER
                    ? fabs(convert_slowly(*cursor))
                    : th_number_decimal_nearest(mantissa, (int)exponent);
  *cursor = p;
  if (!isfinite(magnitude))
    return TH_NUMBER_HUGE;
  *value = negative ? -magnitude : magnitude;
  return TH_NUMBER_OK;
}
