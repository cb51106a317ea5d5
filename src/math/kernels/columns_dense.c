/* columns_dense.c - one dense attribute on all examples, for the instruction
 * set that it is compiled for
 *
 * Compiled once per set (src/math/kernels/CMakeLists.txt), which names its
 * table in TH_COLUMNS_SET. Sums run in eight lanes, row i in lane i % 8.
 * SPDX-License-Identifier: MIT */
#include "math/kernels/dense.h"

#include "math/kernels/simd.h"

enum { LANES = 8, WIDTH = TH_WIDTH_f64, PARTS = LANES / WIDTH };

typedef th_vector_f64 vector;

TH_INLINE vector load_float(const float *x)
{
  return th_widen_f32(x);
}

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

/* The four operations on values of type T. */
#define DEFINE_DENSE(T)                                                        \
  static double dot_##T(const void *values, int64_t n, double c,               \
                        const double *u)                                       \
  {                                                                            \
    const T *x = values;                                                       \
    vector sum[PARTS] = {{0}};                                                 \
    double lane[LANES];                                                        \
    int64_t i = 0;                                                             \
    for (; i + LANES <= n; i += LANES)                                         \
      for (int p = 0; p < PARTS; p++)                                          \
        sum[p] += (load_##T(x + i + p * WIDTH) - c) *                          \
                  load_double(u + i + p * WIDTH);                              \
    memcpy(lane, sum, sizeof lane);                                            \
    for (int k = 0; i < n; i++, k++)                                           \
      lane[k] += ((double)x[i] - c) * u[i];                                    \
    return sum_lanes(lane);                                                    \
  }                                                                            \
                                                                               \
  static double square_##T(const void *values, int64_t n, double c,            \
                           const double *h)                                    \
  {                                                                            \
    const T *x = values;                                                       \
    vector sum[PARTS] = {{0}};                                                 \
    double lane[LANES];                                                        \
    int64_t i = 0;                                                             \
    for (; i + LANES <= n; i += LANES)                                         \
      for (int p = 0; p < PARTS; p++) {                                        \
        vector value = load_##T(x + i + p * WIDTH) - c;                        \
        sum[p] += value * value * load_double(h + i + p * WIDTH);              \
      }                                                                        \
    memcpy(lane, sum, sizeof lane);                                            \
    for (int k = 0; i < n; i++, k++)                                           \
      lane[k] += ((double)x[i] - c) * ((double)x[i] - c) * h[i];               \
    return sum_lanes(lane);                                                    \
  }                                                                            \
                                                                               \
  static void add_##T(const void *values, int64_t n, double c, double factor,  \
                      double *restrict u)                                      \
  {                                                                            \
    const T *x = values;                                                       \
    int64_t i = 0;                                                             \
    for (; i + WIDTH <= n; i += WIDTH) {                                       \
      vector sum = load_double(u + i) + (load_##T(x + i) - c) * factor;        \
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
    int64_t i = 0;                                                             \
    for (; i + WIDTH <= n; i += WIDTH) {                                       \
      vector sum = load_double(u + i) +                                        \
                   (load_##T(x + i) - c) * factor * load_double(h + i);        \
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
