/* dense_types.h - what the kernels of dense slabs know about each storage type
 *
 * For each type: the bytes of a step; the rows of a piece; `prepare`, a vector
 * made from the centre of an attribute; `centred`, values less the centre, for
 * the lanes lane .. of the step at `at`; `patch`, a whole step that begins with
 * `count` values; `load`, the value of row `row` of the step at `at`.
 * SPDX-License-Identifier: MIT */
#ifndef TH_DENSE_TYPES_H
#define TH_DENSE_TYPES_H

#include "math/kernels/simd.h"

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

TH_INLINE th_vector_f32 prepare_f32(double centre)
{
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

TH_INLINE float load_f32(const unsigned char *at, int row)
{
  float x;
  memcpy(&x, at + (size_t)row * sizeof x, sizeof x);
  return x;
}

TH_INLINE th_vector_f64 prepare_f64(double centre)
{
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

TH_INLINE double load_f64(const unsigned char *at, int row)
{
  double x;
  memcpy(&x, at + (size_t)row * sizeof x, sizeof x);
  return x;
}

TH_INLINE th_vector_f32 prepare_u8(double centre)
{
  return prepare_f32(centre);
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

TH_INLINE float load_u8(const unsigned char *at, int row)
{
  return (float)at[row];
}

TH_INLINE th_vector_f32 prepare_i8(double centre)
{
  return prepare_f32(centre);
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

TH_INLINE float load_i8(const unsigned char *at, int row)
{
  return (float)(int8_t)at[row];
}

/* The four values less the centre, over and over. */
TH_INLINE th_vector_f32 prepare_u2(double centre)
{
  th_vector_f32 table = {0};
  for (int k = 0; k < TH_WIDTH_f32; k++)
    table[k] = (float)(k % 4) - (float)centre;
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

TH_INLINE float load_u2(const unsigned char *at, int row)
{
  return (float)(at[row / 4] >> 2 * (row % 4) & 3);
}

#endif
