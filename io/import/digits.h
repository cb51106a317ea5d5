/* digits.h - runs of decimal digits, eight bytes at a time, without branches
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_DIGITS_H
#define TH_DIGITS_H

#include <stdint.h>
#include <string.h>

/* Eight bytes as one number, the first byte lowest. */
static inline uint64_t th_digits_eight_bytes(const char *p)
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
static inline uint64_t th_digit_bytes(const char *p, uint64_t *others)
{
  const uint64_t each = 0x0101010101010101;
  uint64_t digits = th_digits_eight_bytes(p) ^ each * '0';
  *others = ((digits + each * (0x80 - 10)) | digits) & each * 0x80;
  return digits;
}

static inline int th_digit_count(uint64_t others)
{
  return others == 0 ? 8 : __builtin_ctzll(others) / 8;
}

/* The number that eight bytes of 0..9 are, the first one leading. */
static inline uint64_t th_digit_value(uint64_t digits)
{
  digits = (digits * 10 + (digits >> 8)) & 0x00ff00ff00ff00ff;
  digits = (digits * 100 + (digits >> 16)) & 0x0000ffff0000ffff;
  return (digits * 10000 + (digits >> 32)) & 0xffffffff;
}

/* 10^count, count from 0 to 8. */
static inline uint64_t th_digits_shift(int count)
{
  static const uint64_t shift[] = {1,      10,      100,      1000,     10000,
                                   100000, 1000000, 10000000, 100000000};
  return shift[count];
}

/* How many of the eight bytes at p are digits before the first that is none,
 * and their value. All eight bytes must be readable. */
static inline int th_digits_eight(const char *p, uint64_t *value)
{
  uint64_t others;
  uint64_t digits = th_digit_bytes(p, &others);
  int count = th_digit_count(others);
  /* leading zeros in place of what is missing; two shifts, as 64 is too far */
  *value = th_digit_value(digits << (4 * (8 - count)) << (4 * (8 - count)));
  return count;
}

/* The same for decimals: the value is in units of 10^-8. */
static inline int th_digits_eight_decimals(const char *p, uint64_t *value)
{
  uint64_t others;
  uint64_t digits = th_digit_bytes(p, &others);
  uint64_t first = others & -others;
  *value = th_digit_value(digits & ((first >> 7) - 1));
  return th_digit_count(others);
}

#endif
