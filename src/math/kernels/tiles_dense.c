/* tiles_dense.c - the loops of a blocked Cholesky factor, for the instruction
 * set that it is compiled for
 *
 * Compiled once per set (src/math/kernels/CMakeLists.txt), which names its
 * table in TH_TILES_SET. The sums of a part of a tile stay in registers over
 * the columns.
 * SPDX-License-Identifier: MIT */
#include "math/kernels/dense.h"

#include "math/kernels/simd.h"

#include <math.h>
#include <stdbool.h>

enum {
  TILE = TH_TILE,
  WIDTH = TH_WIDTH_f64,
  VECTORS = TILE / WIDTH,
  COLUMNS = TH_VECTOR == 64 ? 8 : 4, /* of a part */
  PAIR = 2,                          /* vectors of a part */
  AHEAD = 12                         /* rows of what comes next */
};

TH_INLINE th_vector_f64 load(const double *x)
{
  th_vector_f64 vector;
  memcpy(&vector, x, sizeof vector);
  return vector;
}

TH_INLINE void store(th_vector_f64 vector, double *x)
{
  memcpy(x, &vector, sizeof vector);
}

TH_INLINE th_vector_f64 spread(double x)
{
  return x - (th_vector_f64){0};
}

/* COLUMNS columns of PAIR vectors. */
TH_INLINE void subtract_part(int64_t count, const double *lanes,
                             const double *with, double *c)
{
  th_vector_f64 sum[COLUMNS][PAIR];
  for (int j = 0; j < COLUMNS; j++)
    for (int v = 0; v < PAIR; v++)
      sum[j][v] = load(c + j * TILE + v * WIDTH);
  for (int64_t k = 0; k < count; k++, lanes += TILE, with += TILE) {
    th_vector_f64 value[PAIR];
    __builtin_prefetch(with + AHEAD * TILE);
    __builtin_prefetch(lanes + AHEAD * TILE);
    __builtin_prefetch(lanes + AHEAD * TILE + WIDTH);
    for (int v = 0; v < PAIR; v++)
      value[v] = load(lanes + v * WIDTH);
    for (int j = 0; j < COLUMNS; j++) {
      th_vector_f64 factor = spread(with[j]);
      for (int v = 0; v < PAIR; v++)
        sum[j][v] = th_subtract_product(sum[j][v], value[v], factor);
    }
  }
  for (int j = 0; j < COLUMNS; j++)
    for (int v = 0; v < PAIR; v++)
      store(sum[j][v], c + j * TILE + v * WIDTH);
}

static void subtract(int64_t count, const double *lanes, const double *with,
                     double *c)
{
  for (int j = 0; j < TILE; j += COLUMNS)
    for (int lane = 0; lane < TILE; lane += PAIR * WIDTH)
      subtract_part(count, lanes + lane, with + j, c + j * TILE + lane);
}

/* c -= factor x, all lanes of a column. */
TH_INLINE void subtract_column(const double *x, double factor, double *c)
{
  for (int v = 0; v < VECTORS; v++)
    store(th_subtract_product(load(c + v * WIDTH), load(x + v * WIDTH),
                              spread(factor)),
          c + v * WIDTH);
}

TH_INLINE void scale_column(double factor, double *c)
{
  for (int l = 0; l < TILE; l++)
    c[l] *= factor;
}

static void solve(const double *diagonal, const double *reciprocal, double *c)
{
  for (int j = 0; j < TILE; j++) {
    scale_column(reciprocal[j], c + j * TILE);
    for (int k = j + 1; k < TILE; k++)
      subtract_column(c + j * TILE, diagonal[j * TILE + k], c + k * TILE);
  }
}

static void factor_tile(const double *least, double *reciprocal, double *c)
{
  for (int j = 0; j < TILE; j++) {
    double *column = c + j * TILE;
    double pivot = column[j];
    bool kept = pivot > least[j];
    double root = kept ? sqrt(pivot) : 1;
    reciprocal[j] = kept ? 1 / root : 0;
    scale_column(reciprocal[j], column);
    column[j] = root;
    for (int k = j + 1; k < TILE; k++)
      subtract_column(column, kept ? column[k] : 0, c + k * TILE);
  }
}

/* y: L z = y within a tile, in its place. */
static void forward(const double *diagonal, const double *reciprocal, double *y)
{
  for (int j = 0; j < TILE; j++) {
    y[j] *= reciprocal[j];
    for (int k = j + 1; k < TILE; k++)
      y[k] = __builtin_fma(-diagonal[j * TILE + k], y[j], y[k]);
  }
}

/* y: L' x = y within a tile, in its place. */
static void back(const double *diagonal, const double *reciprocal, double *y)
{
  for (int j = TILE - 1; j >= 0; j--) {
    for (int k = j + 1; k < TILE; k++)
      y[j] = __builtin_fma(-diagonal[j * TILE + k], y[k], y[j]);
    y[j] *= reciprocal[j];
  }
}

static void subtract_tile(int64_t count, const double *lanes, const double *x,
                          double *y)
{
  th_vector_f64 sum[VECTORS];
  for (int v = 0; v < VECTORS; v++)
    sum[v] = load(y + v * WIDTH);
  for (int64_t k = 0; k < count; k++)
    for (int v = 0; v < VECTORS; v++)
      sum[v] = th_subtract_product(sum[v], load(lanes + k * TILE + v * WIDTH),
                                   spread(x[k]));
  for (int v = 0; v < VECTORS; v++)
    store(sum[v], y + v * WIDTH);
}

static void transposed(int64_t count, const double *lanes, const double *x,
                       double *y)
{
  for (int64_t k = 0; k < count; k++, lanes += TILE) {
    double term[TILE];
    for (int l = 0; l < TILE; l++)
      term[l] = lanes[l] * x[l];
    for (int half = TILE / 2; half > 0; half /= 2)
      for (int l = 0; l < half; l++)
        term[l] += term[l + half];
    y[k] -= term[0];
  }
}

const struct th_tile_kernels TH_TILES_SET = {
    subtract, solve, factor_tile, forward, back, subtract_tile, transposed};
