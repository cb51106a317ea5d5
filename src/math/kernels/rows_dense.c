/* rows_dense.c - kernels over dense rows, once per instruction set
 *
 * Products run in lanes of double, in a fixed order, whatever the width of a
 * vector.
 * SPDX-License-Identifier: MIT */
#include "math/kernels/dense.h"
#include "math/kernels/rows.h"

#include <string.h>

enum { WIDTH = 8, VECTORS = 4, LANES = WIDTH * VECTORS };

/* Compilers cut these into vectors of the instruction set. */
typedef double doubles __attribute__((vector_size(8 * WIDTH)));
typedef float floats __attribute__((vector_size(4 * WIDTH)));

/* WIDTH values in double. */
#define LOAD_f32(to, from)                                                     \
  do {                                                                         \
    floats load;                                                               \
    memcpy(&load, from, sizeof load);                                          \
    (to) = __builtin_convertvector(load, doubles);                             \
  } while (0)
#define LOAD_f64(to, from) memcpy(&(to), from, sizeof(to))

/* A fixed tree over the lanes that are left. */
#define GATHER(sum)                                                            \
  (((sum)[0] + (sum)[4]) + ((sum)[2] + (sum)[6]) +                             \
   (((sum)[1] + (sum)[5]) + ((sum)[3] + (sum)[7])))

/* The kernels of one type of values; a cell of few attributes is added up one
 * by one. */
#define ROW_KERNELS(name, ctype)                                               \
  static double long_##name(const ctype *restrict x, const double *restrict v, \
                            int64_t count)                                     \
  {                                                                            \
    doubles acc[VECTORS] = {{0}, {0}, {0}, {0}};                               \
    doubles a;                                                                 \
    doubles b;                                                                 \
    int64_t k = 0;                                                             \
    for (; k + LANES <= count; k += LANES)                                     \
      for (int part = 0; part < VECTORS; part++) {                             \
        LOAD_##name(a, x + k + part * WIDTH);                                  \
        LOAD_f64(b, v + k + part * WIDTH);                                     \
        acc[part] += a * b;                                                    \
      }                                                                        \
    for (; k + WIDTH <= count; k += WIDTH) {                                   \
      LOAD_##name(a, x + k);                                                   \
      LOAD_f64(b, v + k);                                                      \
      acc[0] += a * b;                                                         \
    }                                                                          \
    double rest = 0;                                                           \
    for (; k < count; k++)                                                     \
      rest += (double)x[k] * v[k];                                             \
    acc[0] = (acc[0] + acc[1]) + (acc[2] + acc[3]);                            \
    return GATHER(acc[0]) + rest;                                              \
  }                                                                            \
  static double dot_##name(const void *values, int64_t first, int64_t last,    \
                           const double *v)                                    \
  {                                                                            \
    const ctype *x = values;                                                   \
    double sum = 0;                                                            \
    if (last - first >= WIDTH)                                                 \
      return long_##name(x + first, v + first, last - first);                  \
    for (int64_t k = first; k < last; k++)                                     \
      sum += (double)x[k] * v[k];                                              \
    return sum;                                                                \
  }                                                                            \
  static void add_##name(const void *values, double factor, double *v,         \
                         int64_t count)                                        \
  {                                                                            \
    const ctype *x = values;                                                   \
    for (int64_t k = 0; k < count; k++)                                        \
      v[k] += factor * (double)x[k];                                           \
  }                                                                            \
  static void moments_##name(const void *values, double factor,                \
                             double *restrict v, double square,                \
                             double *restrict w, int64_t count)                \
  {                                                                            \
    const ctype *x = values;                                                   \
    for (int64_t k = 0; k < count; k++) {                                      \
      double a = x[k];                                                         \
      v[k] += factor * a;                                                      \
      w[k] += square * (a * a);                                                \
    }                                                                          \
  }                                                                            \
  static void step_##name(const void *values, double factor, double t,         \
                          double *v, int64_t count)                            \
  {                                                                            \
    const ctype *x = values;                                                   \
    for (int64_t k = 0; k < count; k++)                                        \
      v[k] = th_row_soft(v[k] + factor * (double)x[k], t);                     \
  }

ROW_KERNELS(f32, float)
ROW_KERNELS(f64, double)

static void soft(double t, double *v, int64_t count)
{
  for (int64_t k = 0; k < count; k++)
    v[k] = th_row_soft(v[k], t);
}

const struct th_row_kernels TH_ROWS_SET = {
    .dot = {[TH_F32] = dot_f32, [TH_F64] = dot_f64},
    .add = {[TH_F32] = add_f32, [TH_F64] = add_f64},
    .moments = {[TH_F32] = moments_f32, [TH_F64] = moments_f64},
    .step = {[TH_F32] = step_f32, [TH_F64] = step_f64},
    .soft = soft};
