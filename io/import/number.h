/* number.h - decimal text to the nearest double, fast and exact
 * SPDX-License-Identifier: MIT */
#ifndef TH_NUMBER_H
#define TH_NUMBER_H

#include "io/import/decimal.h"
#include "io/import/digits.h"

#include <stdbool.h>

enum th_number {
  TH_NUMBER_OK,
  TH_NUMBER_NONE, /* no decimal number begins here; nan, inf and hex are none */
  TH_NUMBER_HUGE  /* beyond the range of a double */
};

/* Read the decimal number at *cursor and move *cursor behind it: an optional
 * sign, digits with an optional point, an optional exponent. *value is the
 * nearest double, 0 where the number underflows; untouched unless TH_NUMBER_OK.
 * The byte at `end` must be readable and must not continue a number. Local. */
enum th_number th_number_parse(const char **cursor, const char *end,
                               double *value);

/* The short way for what most files are full of: up to 7 digits, a point, up to
 * 8 digits. Exact, as such a mantissa has at most 50 bits. False, with nothing
 * changed, where no such number begins; whether it ends there is for the caller
 * to see. TH_NUMBER_LOOK bytes must be readable. */
enum { TH_NUMBER_LOOK = 18 };
/* Local. */
static inline bool th_number_plain(const char **cursor, double *value)
{
  enum { UNITS = 100000000 }; /* in a whole */
  static const double units[2] = {UNITS, -UNITS};
  const char *p = *cursor;
  uint64_t whole = 0;
  uint64_t fraction = 0;
  int digits = 1;
  bool negative = *p == '-';
  p += negative || *p == '+';
  if (p[1] == '.' && (unsigned char)(*p - '0') < 10)
    whole = (uint64_t)(*p - '0'); /* nothing waits for its length */
  else
    digits = th_digits_eight(p, &whole);
  p += digits;
  if (*p == '.')
    p += 1 + th_digits_eight_decimals(p + 1, &fraction);
  if (digits == 0 || digits == 8)
    return false;
  /* signed integers become doubles in one instruction */
  *value = (double)(int64_t)(whole * UNITS + fraction) / units[negative];
  *cursor = p;
  return true;
}

/* Append the eight bytes at *p to a mantissa, as far as they are digits, whose
 * number is returned. Local. */
static inline int th_number_append(const char **p, uint64_t *mantissa)
{
  uint64_t some;
  int count = th_digits_eight(*p, &some);
  *mantissa = *mantissa * th_digits_shift(count) + some;
  *p += count;
  return count;
}

/* The same for more decimals: up to 7 digits, a point, up to 24 digits, at most
 * 19 together. TH_NUMBER_LONG_LOOK bytes must be readable. */
enum { TH_NUMBER_LONG_LOOK = 34 };
/* Local. */
static inline bool th_number_long(const char **cursor, double *value)
{
  const char *p = *cursor;
  uint64_t mantissa;
  bool negative = *p == '-';
  p += negative || *p == '+';
  int digits = th_digits_eight(p, &mantissa);
  int decimals = 0;
  p += digits;
  if (digits == 8)
    return false;
  if (*p == '.') {
    const char *fraction = ++p;
    int some = th_number_append(&p, &mantissa);
    for (int k = 0; k < 2 && some == 8; k++)
      some = th_number_append(&p, &mantissa);
    decimals = (int)(p - fraction);
  }
  if (digits + decimals == 0 || digits + decimals > TH_DECIMAL_DIGITS)
    return false;
  double magnitude = th_decimal_nearest(mantissa, -decimals);
  *value = negative ? -magnitude : magnitude;
  *cursor = p;
  return true;
}

/* The same where the number may be near `end`, and is whole: no digit and no
 * exponent follows. Tried first by th_number_parse. Local. */
static inline bool th_number_usual(const char **cursor, const char *end,
                                   double *value)
{
  const char *p = *cursor;
  double found;
  if (end - p < TH_NUMBER_LOOK || !th_number_plain(&p, &found) ||
      (unsigned char)(*p - '0') < 10 || (*p | 0x20) == 'e')
    return false;
  *value = found;
  *cursor = p;
  return true;
}

#endif
