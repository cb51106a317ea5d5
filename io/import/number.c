/* number.c - decimal text to the nearest double, fast and exact
 * SPDX-License-Identifier: MIT */
#include "io/import/number.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

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
                    : th_decimal_nearest(mantissa, (int)exponent);
  *cursor = p;
  if (!isfinite(magnitude))
    return TH_NUMBER_HUGE;
  *value = negative ? -magnitude : magnitude;
  return TH_NUMBER_OK;
}
