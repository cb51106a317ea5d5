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
 * of four, which repeats through its vector. th_double_u8, _i8: eight-bit
 * values as doubles, one for each lane of a vector. th_look_up_double: lanes of
 * doubles by the 2-bit values of the byte at `at`, from value `lane` on, and of
 * the next one, through a table of th_table_of. th_subtract_product: c - a b,
 * rounded once; th_add_product: c + a b of floats, likewise.
 * th_known_less: x - c, x being th_widen_u8 or _i8 of `at`, where the byte is
 * not `missing`, else `other`. */
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

TH_INLINE th_vector_f32 th_known_less(th_vector_f32 x, th_vector_f32 c,
                                      const unsigned char *at, int missing,
                                      th_vector_f32 other)
{
  __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
  __mmask16 known = _mm_cmpneq_epi8_mask(bytes, _mm_set1_epi8((char)missing));
  return _mm512_mask_sub_ps(other, known, x, c);
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

TH_INLINE th_vector_f64 th_double_u8(const unsigned char *at)
{
  __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)at);
  return _mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(bytes));
}

TH_INLINE th_vector_f64 th_double_i8(const unsigned char *at)
{
  __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)at);
  return _mm512_cvtepi32_pd(_mm256_cvtepi8_epi32(bytes));
}

typedef th_vector_f64 th_table_f64;

TH_INLINE th_table_f64 th_table_of(const double value[4])
{
  return _mm512_broadcast_f64x4(_mm256_loadu_pd(value));
}

TH_INLINE th_vector_f64 th_look_up_double(const unsigned char *at, int lane,
                                          th_table_f64 table)
{
  const __m512i shift = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  uint16_t word;
  (void)lane;
  memcpy(&word, at, sizeof word);
  __m512i fields = _mm512_srlv_epi64(_mm512_set1_epi64(word), shift);
  return _mm512_permutexvar_pd(fields, table); /* the third bit is no matter */
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

TH_INLINE th_vector_f32 th_known_less(th_vector_f32 x, th_vector_f32 c,
                                      const unsigned char *at, int missing,
                                      th_vector_f32 other)
{
  (void)at;
  __m256 away = _mm256_cmp_ps(x, _mm256_set1_ps((float)missing), _CMP_EQ_OQ);
  return _mm256_blendv_ps(x - c, other, away);
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

TH_INLINE int32_t th_four_bytes(const unsigned char *at)
{
  int32_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

TH_INLINE th_vector_f64 th_double_u8(const unsigned char *at)
{
  __m128i bytes = _mm_cvtsi32_si128(th_four_bytes(at));
  return _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(bytes));
}

TH_INLINE th_vector_f64 th_double_i8(const unsigned char *at)
{
  __m128i bytes = _mm_cvtsi32_si128(th_four_bytes(at));
  return _mm256_cvtepi32_pd(_mm_cvtepi8_epi32(bytes));
}

typedef th_vector_f64 th_table_f64;

TH_INLINE th_table_f64 th_table_of(const double value[4])
{
  return _mm256_loadu_pd(value);
}

/* Halves of the table by the upper bit, and in them by the lower one. */
TH_INLINE th_vector_f64 th_look_up_double(const unsigned char *at, int lane,
                                          th_table_f64 table)
{
  const __m256i shift = _mm256_setr_epi64x(62, 60, 58, 56);
  (void)lane;
  __m256i upper = _mm256_sllv_epi64(_mm256_set1_epi64x(*at), shift);
  __m256i lower = _mm256_srli_epi64(upper, 61);
  __m256d first = _mm256_permute2f128_pd(table, table, 0x00);
  __m256d last = _mm256_permute2f128_pd(table, table, 0x11);
  return _mm256_blendv_pd(_mm256_permutevar_pd(first, lower),
                          _mm256_permutevar_pd(last, lower),
                          _mm256_castsi256_pd(upper));
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

TH_INLINE th_vector_f32 th_known_less(th_vector_f32 x, th_vector_f32 c,
                                      const unsigned char *at, int missing,
                                      th_vector_f32 other)
{
  th_vector_f32 z = x - c;
  (void)at;
  for (int k = 0; k < TH_WIDTH_f32; k++)
    z[k] = x[k] == (float)missing ? other[k] : z[k];
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

TH_INLINE th_vector_f64 th_double_u8(const unsigned char *at)
{
  th_vector_f64 z = {0};
  for (int k = 0; k < TH_WIDTH_f64; k++)
    z[k] = at[k];
  return z;
}

TH_INLINE th_vector_f64 th_double_i8(const unsigned char *at)
{
  th_vector_f64 z = {0};
  for (int k = 0; k < TH_WIDTH_f64; k++)
    z[k] = (int8_t)at[k];
  return z;
}

typedef struct {
  double value[4];
} th_table_f64;

TH_INLINE th_table_f64 th_table_of(const double value[4])
{
  th_table_f64 table;
  memcpy(table.value, value, sizeof table.value);
  return table;
}

TH_INLINE th_vector_f64 th_look_up_double(const unsigned char *at, int lane,
                                          th_table_f64 table)
{
  th_vector_f64 z = {0};
  for (int k = 0; k < TH_WIDTH_f64; k++)
    z[k] = table.value[at[(lane + k) / 4] >> 2 * ((lane + k) % 4) & 3];
  return z;
}
#endif

/* --- What the kernels of dense slabs know about each storage type ---------
 *
 * For each type: the bytes of a step; the rows of a piece; `prepare`, made from
 * the centre of an attribute and from what stands for its missing values, NULL
 * where there are none, or they have their own in memory; `centred`, values
 * less the centre, for the lanes lane .. of the step at `at`; `patch`, a whole
 * step that begins with `count` values; `load`, the value of row `row` of the
 * step at `at`. Types u8m and i8m are u8 and i8 of which some are missing. */

enum {
  BYTES_f32 = 4 * TH_LANES,
  BYTES_f64 = 8 * TH_LANES,
  BYTES_u8 = TH_LANES,
  BYTES_i8 = TH_LANES,
  BYTES_u2 = TH_LANES / 4
};

/* Rows of a piece: some kilobytes of a band. */
enum {
  PIECE_f32 = 256,
  PIECE_f64 = 256,
  PIECE_u8 = 1024,
  PIECE_i8 = 1024,
  PIECE_u2 = 1024
};

/* The first value stands where there is none: any that occurs would do, but
 * zero may be so far from the centre that its square is out of range. */
static inline void patch_items(unsigned char *to, const unsigned char *from,
                               int count, size_t size)
{
  for (int k = 0; k < TH_LANES; k++)
    memcpy(to + (size_t)k * size, from + (size_t)(k < count ? k : 0) * size,
           size);
}

typedef th_vector_f32 th_prepared_f32;
typedef th_vector_f64 th_prepared_f64;
typedef th_vector_f32 th_prepared_u8;
typedef th_vector_f32 th_prepared_i8;
typedef th_vector_f32 th_prepared_u2;

TH_INLINE th_vector_f32 prepare_f32(double centre, const double *stand_in)
{
  (void)stand_in;
  return (float)centre - (th_vector_f32){0};
}

TH_INLINE th_vector_f32 centred_f32(const unsigned char *at, int lane,
                                    th_vector_f32 centre)
{
  th_vector_f32 x;
  memcpy(&x, at + (size_t)lane * sizeof(float), sizeof x);
  return x - centre;
}

static inline void patch_f32(unsigned char *to, const unsigned char *from,
                             int count)
{
  patch_items(to, from, count, sizeof(float));
}

TH_INLINE float load_f32(const unsigned char *at, int row,
                         const double *stand_in)
{
  (void)stand_in;
  float x;
  memcpy(&x, at + (size_t)row * sizeof x, sizeof x);
  return x;
}

TH_INLINE th_vector_f64 prepare_f64(double centre, const double *stand_in)
{
  (void)stand_in;
  return centre - (th_vector_f64){0};
}

TH_INLINE th_vector_f64 centred_f64(const unsigned char *at, int lane,
                                    th_vector_f64 centre)
{
  th_vector_f64 x;
  memcpy(&x, at + (size_t)lane * sizeof(double), sizeof x);
  return x - centre;
}

static inline void patch_f64(unsigned char *to, const unsigned char *from,
                             int count)
{
  patch_items(to, from, count, sizeof(double));
}

TH_INLINE double load_f64(const unsigned char *at, int row,
                          const double *stand_in)
{
  (void)stand_in;
  double x;
  memcpy(&x, at + (size_t)row * sizeof x, sizeof x);
  return x;
}

TH_INLINE th_vector_f32 prepare_u8(double centre, const double *stand_in)
{
  return prepare_f32(centre, stand_in);
}

TH_INLINE th_vector_f32 centred_u8(const unsigned char *at, int lane,
                                   th_vector_f32 centre)
{
  return th_widen_u8(at + lane) - centre;
}

static inline void patch_u8(unsigned char *to, const unsigned char *from,
                            int count)
{
  patch_items(to, from, count, 1);
}

TH_INLINE float load_u8(const unsigned char *at, int row,
                        const double *stand_in)
{
  (void)stand_in;
  return (float)at[row];
}

TH_INLINE th_vector_f32 prepare_i8(double centre, const double *stand_in)
{
  return prepare_f32(centre, stand_in);
}

TH_INLINE th_vector_f32 centred_i8(const unsigned char *at, int lane,
                                   th_vector_f32 centre)
{
  return th_widen_i8(at + lane) - centre;
}

static inline void patch_i8(unsigned char *to, const unsigned char *from,
                            int count)
{
  patch_items(to, from, count, 1);
}

TH_INLINE float load_i8(const unsigned char *at, int row,
                        const double *stand_in)
{
  (void)stand_in;
  return (float)(int8_t)at[row];
}

/* What a vector of eight-bit values needs of which some are missing. */
struct th_prepared_some {
  th_vector_f32 centre;
  th_vector_f32 stand_in; /* less the centre */
};
typedef struct th_prepared_some th_prepared_u8m;
typedef struct th_prepared_some th_prepared_i8m;

TH_INLINE struct th_prepared_some prepare_some(double centre,
                                               const double *stand_in)
{
  float from = (float)*stand_in - (float)centre;
  return (struct th_prepared_some){(float)centre - (th_vector_f32){0},
                                   from - (th_vector_f32){0}};
}

enum {
  BYTES_u8m = BYTES_u8,
  BYTES_i8m = BYTES_i8,
  PIECE_u8m = PIECE_u8,
  PIECE_i8m = PIECE_i8,
  MISSING_u8 = 255,
  MISSING_i8 = -128,
  MISSING_u2 = 3
};

#define TH_DEFINE_SOME(name, from)                                             \
  TH_INLINE struct th_prepared_some prepare_##name(double centre,              \
                                                   const double *stand_in)     \
  {                                                                            \
    return prepare_some(centre, stand_in);                                     \
  }                                                                            \
  TH_INLINE th_vector_f32 centred_##name(const unsigned char *at, int lane,    \
                                         struct th_prepared_some with)         \
  {                                                                            \
    return th_known_less(th_widen_##from(at + lane), with.centre, at + lane,   \
                         MISSING_##from, with.stand_in);                       \
  }                                                                            \
  static inline void patch_##name(unsigned char *to,                           \
                                  const unsigned char *from_, int count)       \
  {                                                                            \
    patch_items(to, from_, count, 1);                                          \
  }                                                                            \
  TH_INLINE float load_##name(const unsigned char *at, int row,                \
                              const double *stand_in)                          \
  {                                                                            \
    float x = load_##from(at, row, NULL);                                      \
    return x == MISSING_##from ? (float)*stand_in : x;                         \
  }

TH_DEFINE_SOME(u8m, u8)
TH_DEFINE_SOME(i8m, i8)

/* The four values less the centre, over and over. */
TH_INLINE th_vector_f32 prepare_u2(double centre, const double *stand_in)
{
  th_vector_f32 table = {0};
  float last = stand_in == NULL ? MISSING_u2 : (float)*stand_in;
  for (int k = 0; k < TH_WIDTH_f32; k++)
    table[k] = (k % 4 == MISSING_u2 ? last : (float)(k % 4)) - (float)centre;
  return table;
}

TH_INLINE th_vector_f32 centred_u2(const unsigned char *at, int lane,
                                   th_vector_f32 table)
{
  return th_look_up(at, lane, table);
}

static inline void patch_u2(unsigned char *to, const unsigned char *from,
                            int count)
{
  memset(to, 0, BYTES_u2);
  memcpy(to, from, (size_t)(count + 3) / 4);
}

TH_INLINE float load_u2(const unsigned char *at, int row,
                        const double *stand_in)
{
  int x = at[row / 4] >> 2 * (row % 4) & 3;
  return x == MISSING_u2 && stand_in != NULL ? (float)*stand_in : (float)x;
}

#endif
