/* simd.h - sixteen lanes as vectors of the instruction set compiled for
 *
 * Only for files that are compiled once per instruction set. Sixteen rows make
 * a step; each row of a step has its lane, whatever the width of a vector, so
 * sums have the same bits everywhere. Compilers do not find the instructions
 * made for widening 8-bit and 2-bit values, hence the intrinsics; the plain
 * forms at the end say what they do.
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SIMD_H
#define TH_SIMD_H

#include <stdint.h>
#include <string.h>

enum { TH_LANES = 16 };

#if defined(__AVX512F__)
enum { TH_VECTOR = 64 }; /* bytes */
#elif defined(__AVX2__)
enum { TH_VECTOR = 32 };
#else
enum { TH_VECTOR = 16 };
#endif
enum { TH_WIDTH_f32 = TH_VECTOR / 4, TH_WIDTH_f64 = TH_VECTOR / 8 };

typedef float th_vector_f32 __attribute__((vector_size(TH_VECTOR)));
typedef double th_vector_f64 __attribute__((vector_size(TH_VECTOR)));

/* What is inlined with constants stays in registers. */
#define TH_INLINE static inline __attribute__((always_inline))

/* th_widen_u8, _i8: the eight-bit values at `at`, one for each lane of a
 * vector. th_widen_f32: so many floats as doubles. th_look_up: lanes lane .. of
 * the step whose 2-bit values are the four bytes at `at`, each through a table
 * of four, which repeats through its vector. th_subtract_product: c - a b,
 * rounded once; th_add_product: c + a b of floats, likewise. */
#if defined(__AVX512F__)
#include <immintrin.h>

TH_INLINE th_vector_f64 th_subtract_product(th_vector_f64 c, th_vector_f64 a,
                                            th_vector_f64 b)
{
  return _mm512_fnmadd_pd(a, b, c);
}

TH_INLINE th_vector_f32 th_add_product(th_vector_f32 c, th_vector_f32 a,
                                       th_vector_f32 b)
{
  return _mm512_fmadd_ps(a, b, c);
}

TH_INLINE th_vector_f64 th_widen_f32(const float *at)
{
  return _mm512_cvtps_pd(_mm256_loadu_ps(at));
}

TH_INLINE th_vector_f32 th_widen_u8(const unsigned char *at)
{
  __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
  return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes));
}

TH_INLINE th_vector_f32 th_widen_i8(const unsigned char *at)
{
  __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes));
}

TH_INLINE th_vector_f32 th_look_up(const unsigned char *at, int lane,
                                   th_vector_f32 table)
{
  const __m512i shift = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
                                          22, 24, 26, 28, 30);
  int32_t word;
  (void)lane;
  memcpy(&word, at, sizeof word);
  __m512i fields = _mm512_srlv_epi32(_mm512_set1_epi32(word), shift);
  return _mm512_permutevar_ps(table, fields); /* by the lowest two bits */
}
#elif defined(__AVX2__)
#include <immintrin.h>

TH_INLINE th_vector_f64 th_subtract_product(th_vector_f64 c, th_vector_f64 a,
                                            th_vector_f64 b)
{
  return _mm256_fnmadd_pd(a, b, c);
}

TH_INLINE th_vector_f32 th_add_product(th_vector_f32 c, th_vector_f32 a,
                                       th_vector_f32 b)
{
  return _mm256_fmadd_ps(a, b, c);
}

TH_INLINE th_vector_f64 th_widen_f32(const float *at)
{
  return _mm256_cvtps_pd(_mm_loadu_ps(at));
}

TH_INLINE th_vector_f32 th_widen_u8(const unsigned char *at)
{
  __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)at);
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
}

TH_INLINE th_vector_f32 th_widen_i8(const unsigned char *at)
{
  __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)at);
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
}

TH_INLINE th_vector_f32 th_look_up(const unsigned char *at, int lane,
                                   th_vector_f32 table)
{
  const __m256i first = _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14);
  __m256i shift = _mm256_add_epi32(first, _mm256_set1_epi32(2 * lane));
  int32_t word;
  memcpy(&word, at, sizeof word);
  __m256i fields = _mm256_srlv_epi32(_mm256_set1_epi32(word), shift);
  return _mm256_permutevar_ps(table, fields); /* by the lowest two bits */
}
#else
TH_INLINE th_vector_f64 th_subtract_product(th_vector_f64 c, th_vector_f64 a,
                                            th_vector_f64 b)
{
  for (int k = 0; k < TH_WIDTH_f64; k++)
    c[k] = __builtin_fma(-a[k], b[k], c[k]);
  return c;
}

TH_INLINE th_vector_f32 th_add_product(th_vector_f32 c, th_vector_f32 a,
                                       th_vector_f32 b)
{
  for (int k = 0; k < TH_WIDTH_f32; k++)
    c[k] = __builtin_fmaf(a[k], b[k], c[k]);
  return c;
}

TH_INLINE th_vector_f64 th_widen_f32(const float *at)
{
  th_vector_f64 z = {0};
  for (int k = 0; k < TH_WIDTH_f64; k++)
    z[k] = (double)at[k];
  return z;
}

TH_INLINE th_vector_f32 th_widen_u8(const unsigned char *at)
{
  th_vector_f32 z = {0};
  for (int k = 0; k < TH_WIDTH_f32; k++)
    z[k] = (float)at[k];
  return z;
}

TH_INLINE th_vector_f32 th_widen_i8(const unsigned char *at)
{
  th_vector_f32 z = {0};
  for (int k = 0; k < TH_WIDTH_f32; k++)
    z[k] = (float)(int8_t)at[k];
  return z;
}

TH_INLINE th_vector_f32 th_look_up(const unsigned char *at, int lane,
                                   th_vector_f32 table)
{
  th_vector_f32 z = {0};
  for (int k = 0; k < TH_WIDTH_f32; k++)
    z[k] = table[at[(lane + k) / 4] >> 2 * (k % 4) & 3];
  return z;
}
#endif

#endif
