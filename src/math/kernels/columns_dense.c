/* columns_dense.c - one dense attribute on all examples, for the instruction
 * set that it is compiled for
 *
 * Compiled once per set (src/math/kernels/CMakeLists.txt), which names its
 * table in TH_COLUMNS_SET. Sums run in eight lanes, row i in lane i % 8.
 * SPDX-License-Identifier: MIT */
#include "math/kernels/columns_dense.h"

#include "math/kernels/simd.h"

enum { LANES = 8 };

typedef double lanes_f64 __attribute__((vector_size(LANES * 8)));
typedef float lanes_f32 __attribute__((vector_size(LANES * 4)));

TH_INLINE double sum_lanes(const lanes_f64 *sum)
{
  double a = ((*sum)[0] + (*sum)[4]) + ((*sum)[2] + (*sum)[6]);
  double b = ((*sum)[1] + (*sum)[5]) + ((*sum)[3] + (*sum)[7]);
  return a + b;
}

TH_INLINE void load_float(const float *x, lanes_f64 *wide)
{
  lanes_f32 narrow;
  memcpy(&narrow, x, sizeof narrow);
  *wide = __builtin_convertvector(narrow, lanes_f64);
}

TH_INLINE void load_double(const double *x, lanes_f64 *wide)
{
  memcpy(wide, x, sizeof *wide);
}

/* The four operations on values of type T. */
#define DEFINE_DENSE(T)                                                        \
  static double dot_##T(const void *values, int64_t n, double c,               \
                        const double *u)                                       \
  {                                                                            \
    const T *x = values;                                                       \
    lanes_f64 sum = {0};                                                       \
    lanes_f64 value;                                                           \
    lanes_f64 with;                                                            \
    int64_t i = 0;                                                             \
    for (; i + LANES <= n; i += LANES) {                                       \
      load_##T(x + i, &value);                                                 \
      load_double(u + i, &with);                                               \
      sum += (value - c) * with;                                               \
    }                                                                          \
    for (int k = 0; i < n; i++, k++)                                           \
      sum[k] += ((double)x[i] - c) * u[i];                                     \
    return sum_lanes(&sum);                                                    \
  }                                                                            \
                                                                               \
  static double square_##T(const void *values, int64_t n, double c,            \
                           const double *h)                                    \
  {                                                                            \
    const T *x = values;                                                       \
    lanes_f64 sum = {0};                                                       \
    lanes_f64 value;                                                           \
    lanes_f64 with;                                                            \
    int64_t i = 0;                                                             \
    for (; i + LANES <= n; i += LANES) {                                       \
      load_##T(x + i, &value);                                                 \
      load_double(h + i, &with);                                               \
      value -= c;                                                              \
      sum += value * value * with;                                             \
    }                                                                          \
    for (int k = 0; i < n; i++, k++)                                           \
      sum[k] += ((double)x[i] - c) * ((double)x[i] - c) * h[i];                \
    return sum_lanes(&sum);                                                    \
  }                                                                            \
                                                                               \
  static void add_##T(const void *values, int64_t n, double c, double factor,  \
                      double *restrict u)                                      \
  {                                                                            \
    const T *x = values;                                                       \
    lanes_f64 value;                                                           \
    lanes_f64 sum;                                                             \
    int64_t i = 0;                                                             \
    for (; i + LANES <= n; i += LANES) {                                       \
      load_##T(x + i, &value);                                                 \
      load_double(u + i, &sum);                                                \
      sum += (value - c) * factor;                                             \
      memcpy(u + i, &sum, sizeof sum);                                         \
    }                                                                          \
    for (; i < n; i++)                                                         \
      u[i] += ((double)x[i] - c) * factor;                                     \
  }                                                                            \
                                                                               \
  static void add_weighted_##T(const void *values, int64_t n, double c,        \
                               double factor, const double *h,                 \
                               double *restrict u)                             \
  {                                                                            \
    const T *x = values;                                                       \
    lanes_f64 value;                                                           \
    lanes_f64 with;                                                            \
    lanes_f64 sum;                                                             \
    int64_t i = 0;                                                             \
    for (; i + LANES <= n; i += LANES) {                                       \
      load_##T(x + i, &value);                                                 \
      load_double(h + i, &with);                                               \
      load_double(u + i, &sum);                                                \
      sum += (value - c) * factor * with;                                      \
      memcpy(u + i, &sum, sizeof sum);                                         \
    }                                                                          \
    for (; i < n; i++)                                                         \
      u[i] += ((double)x[i] - c) * factor * h[i];                              \
  }                                                                            \
                                                                               \
  static void unpack_##T(const void *values, int64_t count, double c,          \
                         double scale, double mean, const double *weight,      \
                         double *restrict out)                                 \
  {                                                                            \
    const T *x = values;                                                       \
    for (int64_t i = 0; i < count; i++)                                        \
      out[i] = (((double)x[i] - c) * scale - mean) * weight[i];                \
  }

DEFINE_DENSE(float)
DEFINE_DENSE(double)
#undef DEFINE_DENSE

/* By form: single, double. */
const struct th_column_kernels TH_COLUMNS_SET = {
    {dot_float, dot_double},
    {square_float, square_double},
    {add_float, add_double},
    {add_weighted_float, add_weighted_double},
    {unpack_float, unpack_double}};
