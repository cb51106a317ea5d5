/* digits.h - runs of decimal digits, eight bytes at a time, without branches
 * SPDX-License-Identifier: MIT */
#ifndef TH_DIGITS_H
#define TH_DIGITS_H

#include <stdint.h>
#include <string.h>

/* Eight bytes as one number, the first byte lowest. */
static inline uint64_t th_eight_bytes(const char *p)
{
  const uint16_t one = 1;
  unsigned char lowest_first;
  uint64_t bytes;
  memcpy(&lowest_first, &one, 1);
  memcpy(&bytes, p, sizeof bytes);
  return lowest_first ? bytes : __builtin_bswap64(bytes);
}

/* How many of the eight bytes at p are digits before the first that is none,
 * and their value. All eight bytes must be readable. */
static inline int th_eight_digits(const char *p, uint64_t *value)
{
  const uint64_t each = 0x0101010101010101;
  uint64_t digits = th_eight_bytes(p) ^ each * '0';
  /* the high bit of each byte that is no digit; bytes behind the first such
   * may be wrong */
  uint64_t others = ((digits + each * (0x80 - 10)) | digits) & each * 0x80;
  int count = others == 0 ? 8 : __builtin_ctzll(others) / 8;
  /* leading zeros in place of what is missing; two shifts, as 64 is too far */
  digits = digits << (4 * (8 - count)) << (4 * (8 - count));
  digits = (digits * 10 + (digits >> 8)) & 0x00ff00ff00ff00ff;
  digits = (digits * 100 + (digits >> 16)) & 0x0000ffff0000ffff;
  *value = (digits * 10000 + (digits >> 32)) & 0xffffffff;
  return count;
}

#endif
