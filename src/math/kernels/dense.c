/* dense.c - the dense kernels, for the instruction set it is compiled for
 *
 * Compiled once per set (src/math/kernels/CMakeLists.txt), which names its
 * table in TH_DENSE_SET. The sum of an attribute: sixteen lanes, row i of a
 * piece in lane i % 16, products and lanes in f32 (f64 for f64 storage); a
 * piece is 256 rows, 1024 of whole numbers; then in double, by a fixed tree. No
 * product is contracted with a sum (-ffp-contract=off). So the bits depend on
 * the rows of the slab alone: not on the width of a vector, nor on how many
 * attributes are handled together.
 *
 * SPDX-License-Identifier: MIT */
#include "math/kernels/dense.h"

#include "math/kernels/simd.h"

#include <stdbool.h>

enum {
  GRADIENT = 1,     /* sums of an attribute */
  EVIDENCE = 3,     /* the same */
  BAND = 4,         /* attributes side by side */
  LINE = 64,        /* bytes of a cache line */
  LOOK_AHEAD = 512, /* bytes of each attribute of a band, at least; much more
                       pushes lines of other attributes out, as all begin at the
                       same place of a page */
  ROWS_AHEAD = 64,  /* attributes, of a single row */
  READ_AHEAD = 1024 /* bytes of a stream */
};

/* What the rows are multiplied with, from some row on. */
typedef float scalar_f32;
typedef double scalar_f64;

struct rows_f32 {
  const float *residual;
  const float *weight;
};

struct rows_f64 {
  const double *residual;
  const double *weight;
};

static inline struct rows_f32 rows_of_f32(const struct th_row_weights *m)
{
  return (struct rows_f32){m->residual32, m->weight32};
}

static inline struct rows_f64 rows_of_f64(const struct th_row_weights *m)
{
  return (struct rows_f64){m->residual, m->weight};
}

static inline struct rows_f32 rows_from_f32(struct rows_f32 rows, int row)
{
  return (struct rows_f32){rows.residual + row, rows.weight + row};
}

static inline struct rows_f64 rows_from_f64(struct rows_f64 rows, int row)
{
  return (struct rows_f64){rows.residual + row, rows.weight + row};
}

/* Whole steps of a band; `ahead` lies where it will be some pieces later. */
struct piece {
  const unsigned char *values;
  int64_t stride; /* bytes from one attribute to the next */
  const unsigned char *ahead;
  int steps;
};

/* Where the work will be some pieces later: whole bands, and pieces of a band.
 * It ends with the slab's last band, or those that follow the slab. */
struct ahead {
  const unsigned char *values;
  int64_t stride;      /* bytes, of a band */
  int64_t run;         /* bytes of an attribute's rows */
  int64_t piece;       /* bytes of an attribute's rows in a piece */
  int64_t pieces;      /* of a run that have whole steps; at least 1 */
  int64_t later_bands; /* how far ahead */
  int64_t later_pieces;
  int64_t last_band;
};

static inline int smaller(int a, int b)
{
  return a < b ? a : b;
}

static inline const unsigned char *ahead_of(const struct ahead *ahead,
                                            int64_t band, int64_t piece)
{
  piece += ahead->later_pieces;
  band += ahead->later_bands + (piece >= ahead->pieces);
  piece -= piece >= ahead->pieces ? ahead->pieces : 0;
  band = band < ahead->last_band ? band : ahead->last_band;
  return ahead->values + band * ahead->stride + piece * ahead->piece;
}

/* Attributes that are handled one by one are too few to look beyond them. */
static struct ahead look_ahead(const struct th_slab *slab, int64_t step,
                               int64_t rows)
{
  int64_t count = th_range_count(slab->attributes);
  int64_t bands = (count + (count < BAND ? 0 : slab->following)) / BAND;
  struct ahead ahead = {.values = slab->values,
                        .stride = BAND * slab->stride * step / TH_LANES,
                        .run = slab->rows * step / TH_LANES,
                        .piece = rows * step / TH_LANES,
                        .last_band = bands > 0 ? bands - 1 : 0};
  ahead.pieces = (slab->rows / TH_LANES * TH_LANES + rows - 1) / rows;
  ahead.pieces += ahead.pieces == 0;
  int64_t least = ahead.run < ahead.piece ? ahead.run : ahead.piece;
  int64_t later = (LOOK_AHEAD + least) / (least + 1);
  ahead.later_bands = later / ahead.pieces;
  ahead.later_pieces = later % ahead.pieces;
  return ahead;
}

/* Fetch the line in which each run of a band ends: pieces fetch those in which
 * their steps begin. Also the line in which it begins if it is no whole step.
 */
static inline void fetch_ends(const struct ahead *ahead, int64_t band,
                              int64_t stride, int wide, bool short_run)
{
  int64_t piece = ahead->pieces - 1;
  const unsigned char *at = ahead_of(ahead, band, piece);
  int64_t end = ahead->run - piece * ahead->piece - 1;
  for (int j = 0; j < wide; j++, at += stride) {
    __builtin_prefetch(at + end);
    if (short_run)
      __builtin_prefetch(at);
  }
}

/* What stands for the missing values of an attribute, or NULL. */
static inline const double *stand_in_of(const struct th_slab *slab, int64_t a)
{
  return slab->stand_in == NULL ? NULL : slab->stand_in + a;
}

/* Numbers in double, in vectors of 8, 4 and 2 whatever the instruction set. */
typedef double eight_f64 __attribute__((vector_size(64)));
typedef double four_f64 __attribute__((vector_size(32)));
typedef double two_f64 __attribute__((vector_size(16)));

/* Kept out of line, in memory: inlined where lanes lie in registers, compilers
 * take such loops apart number by number. */
#define DEFINE_GATHER(name, scalar)                                            \
  static __attribute__((noinline)) void name(const scalar *lanes, int count,   \
                                             double *sum)                      \
  {                                                                            \
    typedef scalar half_t __attribute__((vector_size(8 * sizeof(scalar))));    \
    for (int k = 0; k < count; k++, lanes += TH_LANES) {                       \
      half_t half[2];                                                          \
      four_f64 four[2];                                                        \
      two_f64 two[2];                                                          \
      memcpy(half, lanes, sizeof half);                                        \
      eight_f64 eight = __builtin_convertvector(half[0], eight_f64) +          \
                        __builtin_convertvector(half[1], eight_f64);           \
      memcpy(four, &eight, sizeof four);                                       \
      four[0] += four[1];                                                      \
      memcpy(two, four, sizeof two);                                           \
      two[0] += two[1];                                                        \
      sum[k] += two[0][0] + two[0][1];                                         \
    }                                                                          \
  }

/* sum[k] += the sum of sixteen lanes, for each of count sums. */
DEFINE_GATHER(gather_f32, float)
DEFINE_GATHER(gather_f64, double)

/* The instances: dense_body.h for every storage type. */
#define PASTE_TOKENS(a, b) a##_##b
#define PASTE(a, b) PASTE_TOKENS(a, b)
#define NAME(stem) PASTE(stem, STORED)
#define SCALAR PASTE(scalar, LANE)
#define VECTOR PASTE(th_vector, LANE)
#define PREPARED PASTE(th_prepared, STORED)
#define WIDTH PASTE(TH_WIDTH, LANE)
#define ROWS PASTE(rows, LANE)
#define GATHER PASTE(gather, LANE)
#define ROWS_OF PASTE(rows_of, LANE)
#define ROWS_FROM PASTE(rows_from, LANE)

#define STORED f32
#define LANE f32
#include "math/kernels/dense_body.h"

#define STORED f64
#define LANE f64
#include "math/kernels/dense_body.h"

#define STORED u8
#define LANE f32
#include "math/kernels/dense_body.h"

#define STORED i8
#define LANE f32
#include "math/kernels/dense_body.h"

#define STORED u8m
#define LANE f32
#include "math/kernels/dense_body.h"

#define STORED i8m
#define LANE f32
#include "math/kernels/dense_body.h"

#define STORED u2
#define LANE f32
#include "math/kernels/dense_body.h"

/* Nothing but loads: in as many streams as the kernels. */
static double stream_values(const float *values, int64_t count)
{
  float lane[BAND][TH_LANES] = {{0}};
  int64_t stream = count / BAND;
  double sum = 0;
  for (int64_t i = 0; i < stream; i += TH_LANES)
    for (int s = 0; s < BAND; s++) {
      const float *at = values + s * stream + i;
      __builtin_prefetch((const char *)at + READ_AHEAD);
      for (int l = 0; l < TH_LANES; l++)
        lane[s][l] += at[l];
    }
  for (int s = 0; s < BAND; s++)
    for (int l = 0; l < TH_LANES; l++)
      sum += (double)lane[s][l];
  return sum;
}

/* u8 and i8 with and without missing values. */
#define DEFINE_EITHER(some, type)                                              \
  static void gradient_##some##_or_not(const struct th_slab *slab,             \
                                       const struct th_row_weights *m,         \
                                       const double *centre, double *grad)     \
  {                                                                            \
    (slab->stand_in == NULL ? gradient_##type                                  \
                            : gradient_##some)(slab, m, centre, grad);         \
  }                                                                            \
  static void evidence_##some##_or_not(                                        \
      const struct th_slab *slab, const struct th_row_weights *m,              \
      const double *centre, const double *own, double *u, double *v,           \
      double *q)                                                               \
  {                                                                            \
    (slab->stand_in == NULL ? evidence_##type                                  \
                            : evidence_##some)(slab, m, centre, own, u, v, q); \
  }

DEFINE_EITHER(u8m, u8)
DEFINE_EITHER(i8m, i8)

const struct th_dense_kernels TH_DENSE_SET = {
    .read = stream_values,
    .gradient = {[TH_F32] = gradient_f32,
                 [TH_F64] = gradient_f64,
                 [TH_U8] = gradient_u8m_or_not,
                 [TH_I8] = gradient_i8m_or_not,
                 [TH_U2] = gradient_u2},
    .evidence = {[TH_F32] = evidence_f32,
                 [TH_F64] = evidence_f64,
                 [TH_U8] = evidence_u8m_or_not,
                 [TH_I8] = evidence_i8m_or_not,
                 [TH_U2] = evidence_u2}};
