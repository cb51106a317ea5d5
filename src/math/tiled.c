/* tiled.c - a blocked Cholesky factor in a given order
 * SPDX-License-Identifier: MIT */
#include "math/tiled.h"

#include "base/integer.h"
#include "base/memory.h"
#include "math/kernels/dense.h"
#include "math/kernels/tiles_dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  TILE = TH_TILE,
  GROUP = 4,    /* tiles of columns that share what is read */
  STRETCH = 256 /* columns at a time: those of a group stay in a near cache */
};

static const struct th_tile_kernels *kernels(void)
{
  return th_dense_best()->tiles;
}

/* Numbers in the panels of tiles 0 .. tile - 1. */
static int64_t panels_before(int64_t tile)
{
  return tile * (tile + 1) / 2 * TH_TILE_SIZE;
}

/* Row k of L, by tiles of rows; column c of tile t is panel(f, t) + c TILE. */
static double *panel(const struct th_tiled *f, int64_t tile)
{
  return f->panel + panels_before(tile);
}

static double *tile_at(const struct th_tiled *f, int64_t row, int64_t column)
{
  return panel(f, row) + column * TH_TILE_SIZE;
}

void th_tiled_free(struct th_tiled *f)
{
  TH_FREE(f->panel, f->reciprocal);
  *f = (struct th_tiled){0};
}

/* Sixteen rows of the lower triangle, side by side. */
static void fill_panel(const struct th_tiled *f, const double *a, int64_t tile)
{
  double *to = panel(f, tile);
  for (int lane = 0; lane < TILE; lane++) {
    int64_t i = tile * TILE + lane;
    const double *row = a + i * f->n;
    for (int64_t k = 0; i < f->n && k <= i; k++)
      to[k * TILE + lane] = row[k];
  }
}

/* What columns first .. last - 1 take away from a group of tile columns. */
static void subtract_stretch(const struct th_tiled *f, int64_t group,
                             int64_t end, int64_t first, int64_t last)
{
  const struct th_tile_kernels *k = kernels();
  for (int64_t row = group; row < f->tiles; row++)
    for (int64_t column = group; column < end && column <= row; column++)
      k->subtract(last - first, panel(f, row) + first * TILE,
                  panel(f, column) + first * TILE, tile_at(f, row, column));
}

/* Pivots of a tile that are too small to be kept. */
static void least_pivots(const struct th_tiled *f, const double *a,
                         double tolerance, int64_t tile, double least[TILE])
{
  for (int lane = 0; lane < TILE; lane++) {
    int64_t i = tile * TILE + lane;
    double diagonal = i < f->n ? a[i + i * f->n] : 0;
    least[lane] = diagonal > 0 ? fmax(0, tolerance * diagonal) : INFINITY;
  }
}

/* A column of tiles from which all columns before its group are taken away. */
static void finish_column(const struct th_tiled *f, const double *a,
                          double tolerance, int64_t group, int64_t column)
{
  const struct th_tile_kernels *k = kernels();
  double *diagonal = tile_at(f, column, column);
  double *reciprocal = f->reciprocal + column * TILE;
  double least[TILE];
  subtract_stretch(f, column, column + 1, group * TILE, column * TILE);
  least_pivots(f, a, tolerance, column, least);
  k->factor(least, reciprocal, diagonal);
  for (int64_t row = column + 1; row < f->tiles; row++)
    k->solve(diagonal, reciprocal, tile_at(f, row, column));
}

/* Left-looking, a group of tile columns at a time. */
static void factor(const struct th_tiled *f, const double *a, double tolerance)
{
  for (int64_t group = 0; group < f->tiles; group += GROUP) {
    int64_t end = th_min_i64(group + GROUP, f->tiles);
    for (int64_t c = 0; c < group * TILE; c += STRETCH)
      subtract_stretch(f, group, end, c, th_min_i64(c + STRETCH, group * TILE));
    for (int64_t column = group; column < end; column++)
      finish_column(f, a, tolerance, group, column);
  }
}

th_status th_tiled_factor(struct th_tiled *f, int64_t n, const double *a,
                          double tolerance, bool *kept, int64_t *rank,
                          struct th_error *err)
{
  th_status rc;
  *f = (struct th_tiled){.n = n, .tiles = (n + TILE - 1) / TILE};
  *rank = 0;
  TH_TRY(TH_NEW(&f->panel, panels_before(f->tiles), "a linear system", err));
  TH_TRY(TH_NEW(&f->reciprocal, f->tiles * TILE, "a linear system", err));
  for (int64_t tile = 0; tile < f->tiles; tile++)
    fill_panel(f, a, tile);
  factor(f, a, tolerance);
  for (int64_t k = 0; k < n; k++) {
    kept[k] = f->reciprocal[k] > 0;
    *rank += kept[k];
  }
done:
  return rc;
}

double th_tiled_entry(const struct th_tiled *f, int64_t row, int64_t column)
{
  return panel(f, row / TILE)[column * TILE + row % TILE];
}

th_status th_tiled_solve(const struct th_tiled *f, const double *b, double *x,
                         struct th_error *err)
{
  double *y = NULL;
  th_status rc = TH_NEW(&y, f->tiles * TILE, "a linear system", err);
  if (rc != TH_OK)
    return rc;
  memcpy(y, b, (size_t)f->n * sizeof *y);
  for (int64_t tile = 0; tile < f->tiles; tile++) {
    double *at = y + tile * TILE;
    kernels()->multiply(tile * TILE, panel(f, tile), y, at);
    kernels()->forward(tile_at(f, tile, tile), f->reciprocal + tile * TILE, at);
  }
  for (int64_t tile = f->tiles - 1; tile >= 0; tile--) {
    double *at = y + tile * TILE;
    kernels()->back(tile_at(f, tile, tile), f->reciprocal + tile * TILE, at);
    kernels()->transposed(tile * TILE, panel(f, tile), at, y);
  }
  memcpy(x, y, (size_t)f->n * sizeof *x);
  free(y);
  return TH_OK;
}

/* inv(L) by tiles of columns: rows from the diagonal on, its columns the lanes.
 */
static double *inverse_panel(const struct th_tiled *f, double *inverse,
                             int64_t tile)
{
  return inverse + panels_before(f->tiles) - panels_before(f->tiles - tile);
}

/* Rows of tile `row` in a panel of inv(L), those above it being there. */
static void invert_rows(const struct th_tiled *f, double *columns, int64_t row,
                        int64_t column)
{
  double *c = columns + (row - column) * TH_TILE_SIZE;
  for (int j = 0; row == column && j < TILE; j++)
    c[j * TILE + j] = 1;
  kernels()->subtract((row - column) * TILE, columns,
                      panel(f, row) + column * TH_TILE_SIZE, c);
  kernels()->solve(tile_at(f, row, row), f->reciprocal + row * TILE, c);
}

static void invert_factor(const struct th_tiled *f, double *inverse)
{
  for (int64_t group = 0; group < f->tiles; group += GROUP) {
    int64_t end = th_min_i64(group + GROUP, f->tiles);
    for (int64_t column = 0; column < end; column++) {
      int64_t row = column > group ? column : group;
      for (; row < end; row++)
        invert_rows(f, inverse_panel(f, inverse, column), row, column);
    }
  }
}

/* A tile of the inverse of a, and its mirror image: c is minus the tile. */
static void write_tile(const struct th_tiled *f, const double *c, int64_t row,
                       int64_t column, double *out)
{
  for (int64_t j = 0; j < TILE && column * TILE + j < f->n; j++)
    for (int64_t l = 0; l < TILE && row * TILE + l < f->n; l++) {
      int64_t to = column * TILE + j;
      int64_t from = row * TILE + l;
      double value = 0 - c[j * TILE + l]; /* never -0 */
      out[from + to * f->n] = value;
      out[to + from * f->n] = value;
    }
}

static void multiply_tile(const struct th_tiled *f, double *inverse,
                          int64_t row, int64_t column, double *out)
{
  double c[TH_TILE_SIZE] = {0};
  kernels()->subtract(
      (f->tiles - row) * TILE, inverse_panel(f, inverse, row),
      inverse_panel(f, inverse, column) + (row - column) * TH_TILE_SIZE, c);
  write_tile(f, c, row, column, out);
}

/* inv(L)' inv(L). */
static void multiply_inverse(const struct th_tiled *f, double *inverse,
                             double *out)
{
  for (int64_t group = 0; group < f->tiles; group += GROUP) {
    int64_t end = th_min_i64(group + GROUP, f->tiles);
    for (int64_t row = group; row < f->tiles; row++)
      for (int64_t column = group; column < end && column <= row; column++)
        multiply_tile(f, inverse, row, column, out);
  }
}

th_status th_tiled_invert(const struct th_tiled *f, double *inverse,
                          struct th_error *err)
{
  double *columns = NULL;
  th_status rc =
      TH_NEW(&columns, panels_before(f->tiles), "a linear system", err);
  if (rc != TH_OK)
    return rc;
  invert_factor(f, columns);
  multiply_inverse(f, columns, inverse);
  free(columns);
  return TH_OK;
}
