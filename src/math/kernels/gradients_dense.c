/* gradients_dense.c - sixteen gradients at once, for the instruction set that
 * it is compiled for
 *
 * Compiled once per set (src/math/kernels/CMakeLists.txt), which names its
 * table in TH_GRADIENTS_SET. A band of attributes is centred first, some rows
 * at a time. Its sums then stay in registers over the rows: the sixteen
 * residuals of a row are the lanes, and each value multiplies all of them.
 * SPDX-License-Identifier: MIT */
#include "math/kernels/dense.h"

#include "math/kernels/kernels.h"
#include "math/kernels/simd.h"

enum {
  RIGHT = TH_GRADIENTS,
  VECTORS = RIGHT / TH_WIDTH_f32,
  BAND = TH_VECTOR == 64 ? 8 : 4, /* attributes side by side */
  ROWS = 64,                      /* that are summed in float */
  AHEAD = 1024,                   /* bytes */
  FETCH = 16                      /* entries */
};

/* Rows first .. last - 1 of a room of centred values, ROWS for each attribute.
 */
struct part {
  const float *room;
  int first;
  int last;
};

static inline int smaller(int a, int b)
{
  return a < b ? a : b;
}

/* sums[16 j + k] += what the part adds up to, for `wide` attributes. */
TH_INLINE void add_part(const struct part *part, const float *residual,
                        int wide, double *sums)
{
  th_vector_f32 sum[BAND][VECTORS];
  float lanes[BAND * RIGHT];
  for (int j = 0; j < wide; j++)
    for (int v = 0; v < VECTORS; v++)
      sum[j][v] = (th_vector_f32){0};
  for (int i = part->first; i < part->last; i++, residual += RIGHT) {
    th_vector_f32 right[VECTORS];
    memcpy(right, residual, sizeof right);
    for (int j = 0; j < wide; j++) {
      th_vector_f32 value = part->room[j * ROWS + i] - (th_vector_f32){0};
      for (int v = 0; v < VECTORS; v++)
        sum[j][v] = th_add_product(sum[j][v], value, right[v]);
    }
  }
  for (int j = 0; j < wide; j++)
    memcpy(lanes + j * RIGHT, sum[j], sizeof sum[j]);
  for (int k = 0; k < wide * RIGHT; k++)
    sums[k] += (double)lanes[k];
}

/* Out of line: their sums take all registers. */
static __attribute__((noinline)) void
add_band(const struct part *part, const float *residual, double *sums)
{
  add_part(part, residual, BAND, sums);
}

static __attribute__((noinline)) void
add_one(const struct part *part, const float *residual, double *sums)
{
  add_part(part, residual, 1, sums);
}

/* Write `count` rows of an attribute less its centre into a room, as floats; up
 * to whole steps of sixteen. stand_in: for missing values, or NULL. */
typedef void unpack_rows(const unsigned char *at, int count, double centre,
                         const double *stand_in, float *room);

/* One storage type, with its bytes of a step. */
struct form {
  unpack_rows *unpack;
  int64_t step;
};

/* Attributes first .. first + wide - 1 of a slab. */
TH_INLINE void add_attributes(const struct th_slab *slab, struct form type,
                              const float *residual, const double *centre,
                              int64_t first, int wide, double *grad)
{
  float room[BAND * ROWS];
  int64_t stride = slab->stride * type.step / TH_LANES;
  const unsigned char *at =
      (const unsigned char *)slab->values + first * stride;
  for (int row = -th_slab_skip(slab); row < slab->rows; row += ROWS) {
    int last = smaller(ROWS, slab->rows - row);
    struct part part = {room, row < 0 ? -row : 0, last};
    const float *right = residual + (int64_t)(row + part.first) * RIGHT;
    for (int j = 0; j < wide; j++)
      type.unpack(at + j * stride, last, centre[first + j],
                  slab->stand_in == NULL ? NULL : slab->stand_in + first + j,
                  room + j * ROWS);
    (wide == BAND ? add_band : add_one)(&part, right, grad + first * RIGHT);
    at += ROWS / TH_LANES * type.step;
  }
}

TH_INLINE void add_slab(const struct th_slab *slab, struct form type,
                        const float *residual, const double *centre,
                        double *grad)
{
  int64_t count = th_range_count(slab->attributes);
  int64_t a = 0;
  for (; a + BAND <= count; a += BAND)
    add_attributes(slab, type, residual, centre, a, BAND, grad);
  for (; a < count; a++)
    add_attributes(slab, type, residual, centre, a, 1, grad);
}

/* The instances, for every storage type. */
#define DEFINE(stored, lane)                                                   \
  TH_INLINE void unpack_##stored(const unsigned char *at, int count,           \
                                 double centre, const double *stand_in,        \
                                 float *room)                                  \
  {                                                                            \
    th_prepared_##stored with = prepare_##stored(centre, stand_in);            \
    unsigned char patched[BYTES_##stored];                                     \
    for (int i = 0; i < count; i += TH_LANES, at += BYTES_##stored) {          \
      const unsigned char *from = at;                                          \
      __builtin_prefetch(at + AHEAD);                                          \
      if (count - i < TH_LANES) {                                              \
        patch_##stored(patched, at, count - i);                                \
        from = patched;                                                        \
      }                                                                        \
      for (int l = 0; l < TH_LANES; l += TH_WIDTH_##lane) {                    \
        th_vector_##lane x = centred_##stored(from, l, with);                  \
        for (int k = 0; k < TH_WIDTH_##lane; k++)                              \
          room[i + l + k] = (float)x[k];                                       \
      }                                                                        \
    }                                                                          \
  }                                                                            \
  static void add_##stored(const struct th_slab *slab, const float *residual,  \
                           const double *centre, double *grad)                 \
  {                                                                            \
    struct form type = {unpack_##stored, BYTES_##stored};                      \
    add_slab(slab, type, residual, centre, grad);                              \
  }

DEFINE(f32, f32)
DEFINE(f64, f64)
DEFINE(u8, f32)
DEFINE(i8, f32)
DEFINE(u8m, f32)
DEFINE(i8m, f32)
DEFINE(u2, f32)

/* u8 and i8 with and without missing values. */
#define DEFINE_EITHER(some, type)                                              \
  static void add_##some##_or_not(const struct th_slab *slab,                  \
                                  const float *residual, const double *centre, \
                                  double *grad)                                \
  {                                                                            \
    (slab->stand_in == NULL ? add_##type : add_##some)(slab, residual, centre, \
                                                       grad);                  \
  }

DEFINE_EITHER(u8m, u8)
DEFINE_EITHER(i8m, i8)

static void add_entries(const struct th_gradients_entries *entries,
                        const float *residual, double *grad)
{
  const int32_t *row = entries->row;
  int64_t all = entries->start[entries->count];
  for (int64_t a = 0; a < entries->count; a++, grad += RIGHT) {
    double sum[RIGHT] = {0};
    for (int64_t e = entries->start[a]; e < entries->start[a + 1]; e++) {
      int64_t next = e + FETCH < all ? e + FETCH : e;
      const float *right = residual + (int64_t)row[e] * RIGHT;
      double value = entries->value[e];
      __builtin_prefetch(residual + (int64_t)row[next] * RIGHT);
      for (int k = 0; k < RIGHT; k++)
        sum[k] += value * (double)right[k];
    }
    for (int k = 0; k < RIGHT; k++)
      grad[k] += sum[k];
  }
}

/* Sparse slabs: runs are short, so entry by entry. */
#define DEFINE_SPARSE(stored, item)                                            \
  static void sparse_##stored(const struct th_slab *slab,                      \
                              const float *residual, double *grad)             \
  {                                                                            \
    const item *value = slab->values;                                          \
    residual -= slab->row * RIGHT;                                             \
    for (int64_t k = 0; k < slab->runs; k++) {                                 \
      struct th_range entries = th_slab_entries(slab, k);                      \
      double *sum = grad + RIGHT * (slab->base + slab->attribute[k] -          \
                                    slab->attributes.first);                   \
      for (int64_t e = entries.first; e < entries.last; e++) {                 \
        const float *right =                                                   \
            residual + RIGHT * (int64_t)slab->row_in_group[e];                 \
        for (int l = 0; l < RIGHT; l++)                                        \
          sum[l] += (double)value[e] * (double)right[l];                       \
      }                                                                        \
    }                                                                          \
  }

DEFINE_SPARSE(f32, float)
DEFINE_SPARSE(f64, double)
DEFINE_SPARSE(u8, uint8_t)
DEFINE_SPARSE(i8, int8_t)

const struct th_gradients_kernels TH_GRADIENTS_SET = {
    .add = {[TH_F32] = add_f32,
            [TH_F64] = add_f64,
            [TH_U8] = add_u8m_or_not,
            [TH_I8] = add_i8m_or_not,
            [TH_U2] = add_u2},
    .add_sparse = {[TH_F32] = sparse_f32,
                   [TH_F64] = sparse_f64,
                   [TH_U8] = sparse_u8,
                   [TH_I8] = sparse_i8},
    .add_entries = add_entries};
