/* columns_dense.c - one dense attribute on all examples, for the instruction
 * set that it is compiled for
 *
 * Compiled once per set (src/math/kernels/CMakeLists.txt), which names its
 * table in TH_COLUMNS_SET. Sums run in eight lanes, row i in lane i % 8. Values
 * of one byte and less are widened as they are read, so that they give the bits
 * that doubles of the same values would give.
 * SPDX-License-Identifier: MIT */
#include "math/kernels/dense.h"

#include "math/kernels/simd.h"

#include <math.h>

enum { LANES = 8, WIDTH = TH_WIDTH_f64, PARTS = LANES / WIDTH };

typedef th_vector_f64 vector;

TH_INLINE vector load_double(const double *x)
{
  vector v;
  memcpy(&v, x, sizeof v);
  return v;
}

TH_INLINE double sum_lanes(const double lane[LANES])
{
  double a = (lane[0] + lane[4]) + (lane[2] + lane[6]);
  double b = (lane[1] + lane[5]) + (lane[3] + lane[7]);
  return a + b;
}

/* --- Values less the centre, by form --------------------------------------
 *
 * For each form: what is prepared for an attribute; `less`, a vector of the
 * values from example i on, a multiple of WIDTH; `one`, that of example i. */

struct real {
  double centre;
};

TH_INLINE struct real real_of(const struct th_vector *x)
{
  return (struct real){x->centre};
}

TH_INLINE vector less_single(const void *values, int64_t i, struct real with)
{
  return th_widen_f32((const float *)values + i) - with.centre;
}

TH_INLINE double one_single(const void *values, int64_t i, struct real with)
{
  return (double)((const float *)values)[i] - with.centre;
}

TH_INLINE vector less_double(const void *values, int64_t i, struct real with)
{
  return load_double((const double *)values + i) - with.centre;
}

TH_INLINE double one_double(const void *values, int64_t i, struct real with)
{
  return ((const double *)values)[i] - with.centre;
}

/* Bytes: of those that are set aside, `other` is the value less the centre. */
struct some {
  double centre;
  double aside; /* no byte, if none is missing */
  double other;
};

enum { NO_BYTE = 1000 };

TH_INLINE struct some some_of(const struct th_vector *x, double aside)
{
  bool all = isnan(x->stand_in);
  return (struct some){x->centre, all ? NO_BYTE : aside,
                       x->stand_in - x->centre};
}

TH_INLINE vector choose(vector value, struct some with)
{
  typedef __typeof__(value == with.aside) mask;
  mask away = value == with.aside;
  vector other = with.other - (vector){0};
  vector known = value - with.centre;
  return (vector)(((mask)other & away) | ((mask)known & ~away));
}

TH_INLINE double choose_one(double value, struct some with)
{
  return value == with.aside ? with.other : value - with.centre;
}

TH_INLINE vector less_u8(const void *values, int64_t i, struct some with)
{
  return choose(th_double_u8((const unsigned char *)values + i), with);
}

TH_INLINE double one_u8(const void *values, int64_t i, struct some with)
{
  return choose_one(((const unsigned char *)values)[i], with);
}

TH_INLINE vector less_i8(const void *values, int64_t i, struct some with)
{
  return choose(th_double_i8((const unsigned char *)values + i), with);
}

TH_INLINE double one_i8(const void *values, int64_t i, struct some with)
{
  return choose_one(((const int8_t *)values)[i], with);
}

/* The four values less the centre. */
struct four {
  double value[4];
  th_table_f64 table;
};

TH_INLINE struct four four_of(const struct th_vector *x)
{
  struct four with;
  for (int k = 0; k < 4; k++)
    with.value[k] = k - x->centre;
  if (!isnan(x->stand_in))
    with.value[MISSING_u2] = x->stand_in - x->centre;
  with.table = th_table_of(with.value);
  return with;
}

TH_INLINE vector less_u2(const void *values, int64_t i, struct four with)
{
  return th_look_up_double((const unsigned char *)values + i / 4, (int)(i % 4),
                           with.table);
}

TH_INLINE double one_u2(const void *values, int64_t i, struct four with)
{
  return with.value[((const unsigned char *)values)[i / 4] >> 2 * (i % 4) & 3];
}

/* --- What is done with them ----------------------------------------------- */

/* Values of a form, and how they are prepared. */
#define DEFINE_DENSE(form, prepared, with_of)                                  \
  static double dot_##form(const struct th_vector *x, const double *u)         \
  {                                                                            \
    const void *values = x->values;                                            \
    prepared with = with_of;                                                   \
    vector sum[PARTS] = {{0}};                                                 \
    double lane[LANES];                                                        \
    int64_t i = 0;                                                             \
    for (; i + LANES <= x->items; i += LANES)                                  \
      for (int p = 0; p < PARTS; p++)                                          \
        sum[p] += less_##form(values, i + p * WIDTH, with) *                   \
                  load_double(u + i + p * WIDTH);                              \
    memcpy(lane, sum, sizeof lane);                                            \
    for (int k = 0; i < x->items; i++, k++)                                    \
      lane[k] += one_##form(values, i, with) * u[i];                           \
    return sum_lanes(lane);                                                    \
  }                                                                            \
                                                                               \
  static double square_##form(const struct th_vector *x, const double *h)      \
  {                                                                            \
    const void *values = x->values;                                            \
    prepared with = with_of;                                                   \
    vector sum[PARTS] = {{0}};                                                 \
    double lane[LANES];                                                        \
    int64_t i = 0;                                                             \
    for (; i + LANES <= x->items; i += LANES)                                  \
      for (int p = 0; p < PARTS; p++) {                                        \
        vector value = less_##form(values, i + p * WIDTH, with);               \
        sum[p] += value * value * load_double(h + i + p * WIDTH);              \
      }                                                                        \
    memcpy(lane, sum, sizeof lane);                                            \
    for (int k = 0; i < x->items; i++, k++) {                                  \
      double value = one_##form(values, i, with);                              \
      lane[k] += value * value * h[i];                                         \
    }                                                                          \
    return sum_lanes(lane);                                                    \
  }                                                                            \
                                                                               \
  static void add_##form(const struct th_vector *x, double factor,             \
                         double *restrict u)                                   \
  {                                                                            \
    const void *values = x->values;                                            \
    prepared with = with_of;                                                   \
    int64_t i = 0;                                                             \
    for (; i + WIDTH <= x->items; i += WIDTH) {                                \
      vector sum = load_double(u + i) + less_##form(values, i, with) * factor; \
      memcpy(u + i, &sum, sizeof sum);                                         \
    }                                                                          \
    for (; i < x->items; i++)                                                  \
      u[i] += one_##form(values, i, with) * factor;                            \
  }                                                                            \
                                                                               \
  static void add_weighted_##form(const struct th_vector *x, double factor,    \
                                  const double *h, double *restrict u)         \
  {                                                                            \
    const void *values = x->values;                                            \
    prepared with = with_of;                                                   \
    int64_t i = 0;                                                             \
    for (; i + WIDTH <= x->items; i += WIDTH) {                                \
      vector sum = load_double(u + i) +                                        \
                   less_##form(values, i, with) * factor * load_double(h + i); \
      memcpy(u + i, &sum, sizeof sum);                                         \
    }                                                                          \
    for (; i < x->items; i++)                                                  \
      u[i] += one_##form(values, i, with) * factor * h[i];                     \
  }                                                                            \
                                                                               \
  static void unpack_##form(const struct th_vector *x, int64_t first,          \
                            int64_t count, double mean, const double *weight,  \
                            double *restrict out)                              \
  {                                                                            \
    const void *values = x->values;                                            \
    prepared with = with_of;                                                   \
    int64_t i = 0;                                                             \
    for (; i + WIDTH <= count; i += WIDTH) {                                   \
      vector value =                                                           \
          (less_##form(values, first + i, with) * x->scale - mean) *           \
          load_double(weight + i);                                             \
      memcpy(out + i, &value, sizeof value);                                   \
    }                                                                          \
    for (; i < count; i++)                                                     \
      out[i] =                                                                 \
          (one_##form(values, first + i, with) * x->scale - mean) * weight[i]; \
  }

DEFINE_DENSE(single, const struct real, real_of(x))
DEFINE_DENSE(double, const struct real, real_of(x))
DEFINE_DENSE(u8, const struct some, some_of(x, MISSING_u8))
DEFINE_DENSE(i8, const struct some, some_of(x, MISSING_i8))
DEFINE_DENSE(u2, const struct four, four_of(x))
#undef DEFINE_DENSE

static void lanes(const double *const *x, const double *u, int64_t count,
                  double (*lane)[LANES])
{
  vector sum[TH_COLUMN_DOTS][PARTS];
  memcpy(sum, lane, sizeof sum);
  for (int64_t i = 0; i < count; i += LANES)
    for (int p = 0; p < PARTS; p++) {
      vector at = load_double(u + i + p * WIDTH);
      for (int k = 0; k < TH_COLUMN_DOTS; k++)
        sum[k][p] += load_double(x[k] + i + p * WIDTH) * at;
    }
  memcpy(lane, sum, sizeof sum);
}

/* Part after part, since one part of all sums fits the registers. */
static void tile(const double *const *x, const double *const *u, int64_t count,
                 double (*lane)[TH_COLUMN_DOTS][LANES])
{
  enum { DOTS = TH_COLUMN_DOTS };
  for (int p = 0; p < LANES; p += WIDTH) {
    vector sum[DOTS][DOTS];
    for (int j = 0; j < DOTS; j++)
      for (int k = 0; k < DOTS; k++)
        sum[j][k] = load_double(lane[j][k] + p);
    for (int64_t i = p; i < count; i += LANES) {
      vector at[DOTS];
      for (int k = 0; k < DOTS; k++)
        at[k] = load_double(u[k] + i);
      for (int j = 0; j < DOTS; j++) {
        vector one = load_double(x[j] + i);
        for (int k = 0; k < DOTS; k++)
          sum[j][k] += one * at[k];
      }
    }
    for (int j = 0; j < DOTS; j++)
      for (int k = 0; k < DOTS; k++)
        memcpy(lane[j][k] + p, &sum[j][k], sizeof sum[j][k]);
  }
}

static void several(const double *const *x, const double *factor, int64_t count,
                    double *u)
{
  int64_t i = 0;
  for (; i + WIDTH <= count; i += WIDTH) {
    vector sum = load_double(u + i);
    for (int k = 0; k < TH_COLUMN_DOTS; k++)
      sum += load_double(x[k] + i) * factor[k];
    memcpy(u + i, &sum, sizeof sum);
  }
  for (; i < count; i++)
    for (int k = 0; k < TH_COLUMN_DOTS; k++)
      u[i] += x[k][i] * factor[k];
}

#define ALL(what)                                                              \
  {                                                                            \
    [TH_VECTOR_SINGLE] = what##_single, [TH_VECTOR_DOUBLE] = what##_double,    \
    [TH_VECTOR_U8] = what##_u8, [TH_VECTOR_I8] = what##_i8,                    \
    [TH_VECTOR_U2] = what##_u2                                                 \
  }

const struct th_column_kernels TH_COLUMNS_SET = {
    ALL(dot),    ALL(square), ALL(add), ALL(add_weighted),
    ALL(unpack), lanes,       tile,     several};
