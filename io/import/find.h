/* find.h - where the next byte of a kind stands, without a loop
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FIND_H
#define TH_FIND_H

#include <emmintrin.h> /* SSE2, which every x86-64 has */

/* A bit for each of the 16 bytes at p that are like the wanted ones. */
static inline unsigned th_find_bits(const char *p, __m128i wanted)
{
  __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
  return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted));
}

/* Bytes before the first wanted one of the next 16; 16: there is none. */
static inline int th_find_in_16(const char *p, __m128i wanted)
{
  return __builtin_ctz(th_find_bits(p, wanted) | 1U << 16);
}

/* The same of the next 32. */
static inline int th_find_in_32(const char *p, __m128i wanted)
{
  unsigned long long found = th_find_bits(p, wanted);
  found |= (unsigned long long)th_find_bits(p + 16, wanted) << 16;
  return __builtin_ctzll(found | 1ULL << 32);
}

#endif
