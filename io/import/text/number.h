/* number.h - decimal text to the nearest double, fast and exact
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_NUMBER_H
#define TH_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

/* Eight bytes as one number, the first byte lowest. */
static inline uint64_t th_number_digits_eight_bytes(const char *p)
{
  const uint16_t one = 1;
  unsigned char lowest_first;
  uint64_t bytes;
  memcpy(&lowest_first, &one, 1);
  memcpy(&bytes, p, sizeof bytes);
  return lowest_first ? bytes : __builtin_bswap64(bytes);
}

/* The bytes at p less '0'; *others: the high bit of each byte that is no digit,
 * where bytes behind the first such may be wrong. */
static inline uint64_t th_number_digit_bytes(const char *p, uint64_t *others)
{
  const uint64_t each = 0x0101010101010101;
  uint64_t digits = th_number_digits_eight_bytes(p) ^ each * '0';
  *others = ((digits + each * (0x80 - 10)) | digits) & each * 0x80;
  return digits;
}

static inline int th_number_digit_count(uint64_t others)
{
  return others == 0 ? 8 : __builtin_ctzll(others) / 8;
}

/* The number that eight bytes of 0..9 are, the first one leading. */
static inline uint64_t th_number_digit_value(uint64_t digits)
{
  digits = (digits * 10 + (digits >> 8)) & 0x00ff00ff00ff00ff;
  digits = (digits * 100 + (digits >> 16)) & 0x0000ffff0000ffff;
  return (digits * 10000 + (digits >> 32)) & 0xffffffff;
}

/* How many of the eight bytes at p are digits before the first that is none,
 * and their value. All eight bytes must be readable. */
static inline int th_number_digits_eight(const char *p, uint64_t *value)
{
  uint64_t others;
  uint64_t digits = th_number_digit_bytes(p, &others);
  int count = th_number_digit_count(others);
  /* leading zeros in place of what is missing; two shifts, as 64 is too far */
  *value =
      th_number_digit_value(digits << (4 * (8 - count)) << (4 * (8 - count)));
  return count;
}

/* How many of the eight bytes at p are digits, read as decimals: the value is
 * in units of 10^-8. */
static inline int th_number_digits_eight_decimals(const char *p,
                                                  uint64_t *value)
{
  uint64_t others;
  uint64_t digits = th_number_digit_bytes(p, &others);
  uint64_t first = others & -others;
  *value = th_number_digit_value(digits & ((first >> 7) - 1));
  return th_number_digit_count(others);
}
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
    digits = th_number_digits_eight(p, &whole);
  p += digits;
  if (*p == '.')
    p += 1 + th_number_digits_eight_decimals(p + 1, &fraction);
  if (digits == 0 || digits == 8)
    return false;
  /* signed integers become doubles in one instruction */
  *value = (double)(int64_t)(whole * UNITS + fraction) / units[negative];
  *cursor = p;
  return true;
}

/* 10^count, count from 0 to 8. */
static inline uint64_t th_number_digits_shift(int count)
{
  static const uint64_t shift[] = {1,      10,      100,      1000,     10000,
                                   100000, 1000000, 10000000, 100000000};
  return shift[count];
}

/* Append the eight bytes at *p to a mantissa, as far as they are digits, whose
 * number is returned. Local. */
static inline int th_number_append(const char **p, uint64_t *mantissa)
{
  uint64_t some;
  int count = th_number_digits_eight(*p, &some);
  *mantissa = *mantissa * th_number_digits_shift(count) + some;
  *p += count;
  return count;
}

/* Read a number of more decimals: up to 7 digits, a point, up to 24 digits, at
 * most 19 together. TH_NUMBER_LONG_LOOK bytes must be readable. */
enum { TH_NUMBER_LONG_LOOK = 34 };

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
static inline th_decimal_wide th_number_decimal_product(uint64_t number, int q)
{
  const uint64_t *fives = th_decimal_fives[q + TH_DECIMAL_POWER];
  th_decimal_wide product = (th_decimal_wide)number * fives[0];
  if ((product >> 64 & 0x1ff) == 0x1ff)
    product += (th_decimal_wide)number * fives[1] >> 64;
  return product;
}

/* mantissa * 10^q to the nearest double, ties to even; |q| at most
 * TH_DECIMAL_POWER. Local. */
static inline double th_number_decimal_nearest(uint64_t mantissa, int q)
{
  enum { BIAS = 1023, FRACTION = 52 };
  if (mantissa == 0)
    return 0.0;
  int zeros = __builtin_clzll(mantissa);
  th_decimal_wide product = th_number_decimal_product(mantissa << zeros, q);
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
/* Local. */
static inline bool th_number_long(const char **cursor, double *value)
{
  const char *p = *cursor;
  uint64_t mantissa;
  bool negative = *p == '-';
  p += negative || *p == '+';
  int digits = th_number_digits_eight(p, &mantissa);
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
  double magnitude = th_number_decimal_nearest(mantissa, -decimals);
  *value = negative ? -magnitude : magnitude;
  *cursor = p;
  return true;
}

/* Read a usual number that may be near `end`, and is whole: no digit and no
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

/* --- Whole numbers times powers of ten, as the nearest doubles
 *
 * Lemire, Number parsing at a gigabyte per second, Software: Practice and
 * Experience 51 (2021); that it never fails for these powers is shown there,
 * section 5, and in Mushtak and Lemire, Fast number parsing without fallback
 * (2023). */

#endif
