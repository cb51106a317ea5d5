/* number.c - decimal text to the nearest double, fast and exact
 * SPDX-License-Identifier: MIT */
#include "io/import/number.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

enum {
  MAX_DIGITS = 19, /* fit in 64 bits */
  MAX_POWER = 22,  /* 10^22 is the last power that a double holds exactly */
  MAX_FIVES = 27,  /* 5^27 is the last power of 5 that 64 bits hold */
  EXPONENT_LIMIT = 99999 /* written exponents beyond it are all alike */
};

static const double powers[MAX_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static inline bool is_digit(char c)
{
  return (unsigned char)(c - '0') < 10;
}

/* The mantissa wraps beyond MAX_DIGITS digits; it is not used then. */
static inline const char *read_digits(const char *p, const char *end,
                                      uint64_t *mantissa)
{
  static const uint64_t shift[] = {1,      10,      100,      1000,     10000,
                                   100000, 1000000, 10000000, 100000000};
  uint64_t m = *mantissa;
  int count = 8;
  while (count == 8 && end - p >= 8) {
    uint64_t some;
    count = th_digits_eight(p, &some);
    m = m * shift[count] + some;
    p += count;
  }
  for (; count == 8 && p < end && is_digit(*p); p++)
    m = 10 * m + (uint64_t)(*p - '0');
  *mantissa = m;
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

/* mantissa * 10^exponent, |exponent| <= MAX_POWER, for a mantissa of more than
 * 53 bits: a first result from its upper 53 bits, the exact remainder of that
 * step, and a correction. The correction is known to about 2^-51 of the terms
 * it is made of; where both ends of that doubt round to the same double, it is
 * the nearest one. False where they do not. */
static bool convert_long(uint64_t mantissa, int64_t exponent, double *value)
{
  double high = (double)(mantissa & ~(uint64_t)0x7ff);
  double low = (double)(mantissa & 0x7ff);
  double power = powers[exponent < 0 ? -exponent : exponent];
  double first, rest, correction, doubt;
  if (exponent < 0) {
    first = high / power;
    rest = fma(-first, power, high);
    correction = (rest + low) / power;
    doubt = (fabs(rest) + low) / power * 0x1p-50;
  } else {
    first = high * power;
    rest = fma(high, power, -first);
    correction = rest + low * power;
    doubt = (fabs(rest) + low * power) * 0x1p-50;
  }
  *value = first + (correction - doubt);
  return *value == first + (correction + doubt);
}

/* mantissa * 10^exponent, |exponent| <= MAX_FIVES: exactly, as whole numbers,
 * up to the one rounding that turns 128 bits into a double. A quotient has more
 * bits than a double, so that a remainder is one more bit behind them. */
static double convert_whole(uint64_t mantissa, int exponent)
{
  uint64_t fives = 1;
  for (int k = exponent < 0 ? -exponent : exponent; k > 0; k--)
    fives *= 5;
  if (exponent >= 0)
    return ldexp((double)((wide)mantissa * fives), exponent);
  int shift = 64 + __builtin_clzll(mantissa);
  wide dividend = (wide)mantissa << shift;
  wide quotient = dividend / fives;
  quotient |= quotient * fives != dividend;
  return ldexp((double)quotient, exponent - shift);
}

static bool convert(uint64_t mantissa, int64_t exponent, double *value)
{
  if (mantissa == 0) {
    *value = 0.0;
    return true;
  }
  if (exponent < -MAX_FIVES || exponent > MAX_FIVES)
    return false;
  if (exponent < -MAX_POWER || exponent > MAX_POWER ||
      (mantissa > (uint64_t)1 << 53 &&
       !convert_long(mantissa, exponent, value)))
    *value = convert_whole(mantissa, (int)exponent);
  else if (mantissa <= (uint64_t)1 << 53)
    *value = exponent < 0 ? (double)mantissa / powers[-exponent]
                          : (double)mantissa * powers[exponent];
  return true;
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
  if (digits > MAX_DIGITS)
    digits -= count_leading(start, p);
  if (p < end && (*p | 0x20) == 'e')
    p = read_exponent(p, end, &exponent);
  double magnitude;
  if (digits > MAX_DIGITS || !convert(mantissa, exponent, &magnitude))
    magnitude = fabs(convert_slowly(*cursor));
  *cursor = p;
  if (!isfinite(magnitude))
    return TH_NUMBER_HUGE;
  *value = negative ? -magnitude : magnitude;
  return TH_NUMBER_OK;
}
