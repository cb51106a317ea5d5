/* integer.h - small arithmetic on counts. Local and pure.
 * SPDX-License-Identifier: MIT */
#ifndef TH_INTEGER_H
#define TH_INTEGER_H

#include <stddef.h>
#include <stdint.h>

static inline int64_t th_min_i64(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static inline int64_t th_max_i64(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

/* a / b, rounded up; a >= 0, b > 0. */
static inline int64_t th_integer_ceil_divide(int64_t a, int64_t b)
{
  return a / b + (a % b != 0);
}

/* For qsort: int64_t, or structs that begin with one, ascending. */
static inline int th_integer_ascending(const void *a, const void *b)
{
  int64_t left = *(const int64_t *)a;
  int64_t right = *(const int64_t *)b;
  return (left > right) - (left < right);
}

/* FNV-1a of some bytes, continued from `hash`; begin with TH_FNV_BASIS. */
#define TH_FNV_BASIS UINT64_C(0xcbf29ce484222325)

static inline uint64_t th_integer_hash(uint64_t hash, const void *data,
                                       size_t bytes)
{
  const unsigned char *byte = data;
  for (size_t k = 0; k < bytes; k++)
    hash = (hash ^ byte[k]) * UINT64_C(0x100000001b3);
  return hash;
}

#endif
