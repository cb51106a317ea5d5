/* number.h - decimal text to the nearest double, fast and exact
 * SPDX-License-Identifier: MIT */
#ifndef TH_NUMBER_H
#define TH_NUMBER_H

#include "io/digits.h"

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

/* The short way for what most files are full of, tried first by the above: up
 * to 7 digits, a point, up to 8 digits, no exponent, and text behind it. Exact,
 * as such a mantissa has at most 50 bits. False, with nothing changed, where
 * the number is another one. */
static inline bool th_number_usual(const char **cursor, const char *end,
                                   double *value)
{
  enum { LOOKED_AT = 18 }; /* bytes, at most */
  static const uint64_t whole_powers[9] = {
      1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  static const double powers[9] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
  const char *p = *cursor;
  uint64_t whole = 0;
  uint64_t fraction = 0;
  if (end - p < LOOKED_AT)
    return false;
  bool negative = *p == '-';
  p += negative || *p == '+';
  int digits = 1;
  int decimals = 0;
  if (p[1] == '.' && (unsigned char)(*p - '0') < 10)
    whole = (uint64_t)(*p - '0'); /* nothing waits for its length */
  else
    digits = th_eight_digits(p, &whole);
  p += digits;
  if (*p == '.') {
    decimals = th_eight_digits(p + 1, &fraction);
    p += 1 + decimals;
  }
  if (digits == 0 || digits == 8 || (unsigned char)(*p - '0') < 10 ||
      (*p | 0x20) == 'e')
    return false;
  double magnitude =
      (double)(whole * whole_powers[decimals] + fraction) / powers[decimals];
  uint64_t bits;
  memcpy(&bits, &magnitude, sizeof bits);
  bits |= (uint64_t)negative << 63;
  memcpy(value, &bits, sizeof bits);
  *cursor = p;
  return true;
}

#endif
