/* column_kernels.c - one attribute on all examples: sums and updates in double
 * SPDX-License-Identifier: MIT */
#include "math/kernels/column_kernels.h"

#include "math/kernels/every_set.h"

#include <string.h>

enum { LANES = 8, ENTRY_LANES = 4 };

typedef double lanes_f64 __attribute__((vector_size(LANES * 8)));
typedef float lanes_f32 __attribute__((vector_size(LANES * 4)));

ALWAYS_INLINE double sum_lanes(const lanes_f64 *sum)
{
  double a = ((*sum)[0] + (*sum)[4]) + ((*sum)[2] + (*sum)[6]);
  double b = ((*sum)[1] + (*sum)[5]) + ((*sum)[3] + (*sum)[7]);
  return a + b;
}

ALWAYS_INLINE void load_float(const float *x, lanes_f64 *wide)
{
  lanes_f32 narrow;
  memcpy(&narrow, x, sizeof narrow);
  *wide = __builtin_convertvector(narrow, lanes_f64);
}

ALWAYS_INLINE void load_double(const double *x, lanes_f64 *wide)
{
  memcpy(wide, x, sizeof *wide);
}

/* The four operations on values of type T. */
#define DEFINE_DENSE(T)                                                        \
  FOR_EVERY_SET static double dot_##T(const T *x, int64_t n, double c,         \
                                      const double *u)                         \
  {                                                                            \
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
  FOR_EVERY_SET static double square_##T(const T *x, int64_t n, double c,      \
                                         const double *h)                      \
  {                                                                            \
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
  FOR_EVERY_SET static void add_##T(const T *x, int64_t n, double c,           \
                                    double factor, double *restrict u)         \
  {                                                                            \
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
  FOR_EVERY_SET static void add_weighted_##T(const T *x, int64_t n, double c,  \
                                             double factor, const double *h,   \
                                             double *restrict u)               \
  {                                                                            \
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
  FOR_EVERY_SET static void unpack_##T(                                        \
      const T *x, int64_t count, double c, double scale, double mean,          \
      const double *weight, double *restrict out)                              \
  {                                                                            \
    for (int64_t i = 0; i < count; i++)                                        \
      out[i] = (((double)x[i] - c) * scale - mean) * weight[i];                \
  }

DEFINE_DENSE(float)
DEFINE_DENSE(double)
#undef DEFINE_DENSE

/* sum of value_e u at row_e; in lanes, since a sum waits for the one before. */
static double dot_entries(const double *value, const int32_t *row, int64_t n,
                          const double *u)
{
  double sum[ENTRY_LANES] = {0};
  int64_t e = 0;
  for (; e + ENTRY_LANES <= n; e += ENTRY_LANES)
    for (int k = 0; k < ENTRY_LANES; k++)
      sum[k] += value[e + k] * u[row[e + k]];
  for (int k = 0; e < n; e++, k++)
    sum[k] += value[e] * u[row[e]];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

double th_column_dot(const struct th_vector *x, const double *u)
{
  if (x->form == TH_VECTOR_SINGLE)
    return x->scale * dot_float(x->values, x->items, x->centre, u);
  if (x->form == TH_VECTOR_DOUBLE)
    return x->scale * dot_double(x->values, x->items, x->centre, u);
  return x->scale * dot_entries(x->values, x->row, x->items, u);
}

double th_column_square(const struct th_vector *x, const double *h)
{
  const double *entry = x->values;
  double scale = x->scale * x->scale;
  double sum = 0;
  if (x->form == TH_VECTOR_SINGLE)
    return scale * square_float(x->values, x->items, x->centre, h);
  if (x->form == TH_VECTOR_DOUBLE)
    return scale * square_double(x->values, x->items, x->centre, h);
  for (int64_t e = 0; e < x->items; e++)
    sum += entry[e] * entry[e] * h[x->row[e]];
  return scale * sum;
}

void th_column_add(const struct th_vector *x, double factor, double *u)
{
  const double *entry = x->values;
  double f = factor * x->scale;
  if (x->form == TH_VECTOR_SINGLE)
    add_float(x->values, x->items, x->centre, f, u);
  else if (x->form == TH_VECTOR_DOUBLE)
    add_double(x->values, x->items, x->centre, f, u);
  else
    for (int64_t e = 0; e < x->items; e++)
      u[x->row[e]] += entry[e] * f;
}

void th_column_add_weighted(const struct th_vector *x, double factor,
                            const double *h, double *u)
{
  const double *entry = x->values;
  double f = factor * x->scale;
  if (x->form == TH_VECTOR_SINGLE)
    add_weighted_float(x->values, x->items, x->centre, f, h, u);
  else if (x->form == TH_VECTOR_DOUBLE)
    add_weighted_double(x->values, x->items, x->centre, f, h, u);
  else
    for (int64_t e = 0; e < x->items; e++)
      u[x->row[e]] += entry[e] * f * h[x->row[e]];
}

void th_column_unpack(const struct th_vector *x, int64_t first, int64_t count,
                      double mean, const double *weight, double *out)
{
  if (x->form == TH_VECTOR_SINGLE)
    unpack_float((const float *)x->values + first, count, x->centre, x->scale,
                 mean, weight, out);
  else
    unpack_double((const double *)x->values + first, count, x->centre, x->scale,
                  mean, weight, out);
}
