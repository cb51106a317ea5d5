/* rows.c - kernels over the values of one example
 *
 * Products run in sixteen lanes of double, whatever the width of a vector.
 * SPDX-License-Identifier: MIT */
#include "math/rows.h"

#include <string.h>

enum { LANES = 16, WIDTH = 8 };

/* Compilers cut these into vectors of the instruction set. */
typedef double doubles __attribute__((vector_size(8 * WIDTH)));
typedef float floats __attribute__((vector_size(4 * WIDTH)));

/* WIDTH values of a row in double. */
#define LOAD_f32(to, from)                                                     \
  do {                                                                         \
    floats load;                                                               \
    memcpy(&load, from, sizeof load);                                          \
    (to) = __builtin_convertvector(load, doubles);                             \
  } while (0)
#define LOAD_f64(to, from) memcpy(&(to), from, sizeof(to))

/* A fixed tree over the lanes. */
static double gather(const double lane[LANES])
{
  double sum[LANES];
  memcpy(sum, lane, sizeof sum);
  for (int half = LANES / 2; half > 0; half /= 2)
    for (int k = 0; k < half; k++)
      sum[k] += sum[k + half];
  return sum[0];
}

/* The kernels of one type of values. */
#define ROW_KERNELS(name, ctype)                                               \
  static double dot_##name(const ctype *restrict x, const double *restrict v,  \
                           int64_t count)                                      \
  {                                                                            \
    doubles acc[2] = {{0}, {0}};                                               \
    double lane[LANES];                                                        \
    int64_t k = 0;                                                             \
    for (; k + LANES <= count; k += LANES)                                     \
      for (int half = 0; half < 2; half++) {                                   \
        doubles a;                                                             \
        doubles b;                                                             \
        LOAD_##name(a, x + k + half * WIDTH);                                  \
        LOAD_f64(b, v + k + half * WIDTH);                                     \
        acc[half] += a * b;                                                    \
      }                                                                        \
    memcpy(lane, acc, sizeof lane);                                            \
    for (int64_t rest = 0; k + rest < count; rest++)                           \
      lane[rest] += (double)x[k + rest] * v[k + rest];                         \
    return gather(lane);                                                       \
  }                                                                            \
  static void add_##name(const ctype *restrict x, double factor, double *v,    \
                         int64_t count)                                        \
  {                                                                            \
    for (int64_t k = 0; k < count; k++)                                        \
      v[k] += factor * (double)x[k];                                           \
  }                                                                            \
  static void step_##name(const ctype *restrict x, double factor, double t,    \
                          double *v, int64_t count)                            \
  {                                                                            \
    for (int64_t k = 0; k < count; k++)                                        \
      v[k] = th_soft(v[k] + factor * (double)x[k], t);                         \
  }

ROW_KERNELS(f32, float)
ROW_KERNELS(f64, double)

static double dot_cell(const struct th_row *row, const double *v, int64_t first,
                       int64_t last)
{
  if (row->type == TH_F32)
    return dot_f32((const float *)row->values + first, v + first, last - first);
  return dot_f64((const double *)row->values + first, v + first, last - first);
}

/* One more term; false when it is bad. */
static bool add_term(const struct th_fixed *fixed, double term, int64_t *sum)
{
  int64_t integer = th_fixed_from(fixed, term);
  if (integer == TH_FIXED_BAD)
    return false;
  *sum += integer;
  return true;
}

/* Entries of a cell lie together, since places ascend. */
static bool sparse_product(const struct th_row *row, const double *v,
                           const struct th_cells *cells,
                           const struct th_fixed *fixed, int64_t *sum)
{
  bool good = true;
  for (int64_t k = 0; k < row->count;) {
    int64_t cell = cells->attribute[row->place[k]] / TH_CELL;
    double term = 0;
    for (; k < row->count && cells->attribute[row->place[k]] / TH_CELL == cell;
         k++)
      term += th_row_value(row, k) * v[row->place[k]];
    good &= add_term(fixed, term, sum);
  }
  return good;
}

bool th_row_product(const struct th_row *row, const double *v,
                    const struct th_cells *cells, const struct th_fixed *fixed,
                    int64_t *sum)
{
  bool good = true;
  if (row->place != NULL)
    return sparse_product(row, v, cells, fixed, sum);
  for (int64_t k = 0; k < cells->count; k++)
    good &= add_term(fixed,
                     dot_cell(row, v, cells->edge[k], cells->edge[k + 1]), sum);
  return good;
}

bool th_cells_sum(const double *v, const struct th_cells *cells,
                  const struct th_fixed *fixed, int64_t *sum)
{
  bool good = true;
  for (int64_t c = 0; c < cells->count; c++) {
    double term = 0;
    for (int64_t k = cells->edge[c]; k < cells->edge[c + 1]; k++)
      term += v[k];
    good &= add_term(fixed, term, sum);
  }
  return good;
}

void th_row_add(const struct th_row *row, double factor, double *v)
{
  if (row->place != NULL)
    for (int64_t k = 0; k < row->count; k++)
      v[row->place[k]] += factor * th_row_value(row, k);
  else if (row->type == TH_F32)
    add_f32(row->values, factor, v, row->count);
  else
    add_f64(row->values, factor, v, row->count);
}

void th_row_add_squares(const struct th_row *row, double factor, double *v)
{
  for (int64_t k = 0; k < row->count; k++) {
    double x = th_row_value(row, k);
    v[row->place != NULL ? row->place[k] : k] += factor * (x * x);
  }
}

void th_row_step(const struct th_row *row, double factor, double t, double *v)
{
  if (row->type == TH_F32)
    step_f32(row->values, factor, t, v, row->count);
  else
    step_f64(row->values, factor, t, v, row->count);
}
