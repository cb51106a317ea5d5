/* spread.c - a symmetric matrix spread over the ranks, block by block
 * SPDX-License-Identifier: MIT */
#include "ranks/spread.h"

#include "base/integer.h"
#include "base/memory.h"
#include "ranks/comm.h"

#include <stdlib.h>

enum { BLOCK = TH_SPREAD_BLOCK, TILE = TH_SPREAD_TILE };

struct th_spread_grid th_spread_grid_of(const struct th_comm *comm, bool flat)
{
  struct th_spread_grid grid = {.rows = 1};
  for (int r = 2; r * r <= comm->size && !flat; r++)
    grid.rows = comm->size % r == 0 ? r : grid.rows;
  grid.columns = comm->size / grid.rows;
  grid.row = comm->rank / grid.columns;
  grid.column = comm->rank % grid.columns;
  return grid;
}

/* How many of n rows the rank at `place` of `places` has. */
static int64_t rows_at(int64_t n, int place, int places)
{
  int64_t whole = n / BLOCK;
  int64_t blocks = whole / places + (place < whole % places);
  return blocks * BLOCK + (place == whole % places ? n % BLOCK : 0);
}

static int64_t in_tiles(int64_t items)
{
  return th_integer_ceil_divide(items, TILE) * TILE;
}

void th_spread_init(struct th_spread *s, int64_t n, struct th_spread_grid grid)
{
  *s = (struct th_spread){.n = n,
                          .grid = grid,
                          .rows = rows_at(n, grid.row, grid.rows),
                          .columns = rows_at(n, grid.column, grid.columns)};
  s->lead = in_tiles(s->rows);
  s->room = s->lead * in_tiles(s->columns);
}

th_status th_spread_reserve(struct th_spread *s, struct th_error *err)
{
  return TH_NEW(&s->a, s->room, "the Gram matrix", err);
}

void th_spread_free(struct th_spread *s)
{
  free(s->a);
  s->a = NULL;
}

static int64_t global(int64_t local, int place, int places)
{
  return (local / BLOCK * places + place) * BLOCK + local % BLOCK;
}

int64_t th_spread_row(const struct th_spread *s, int64_t local)
{
  return global(local, s->grid.row, s->grid.rows);
}

int64_t th_spread_column(const struct th_spread *s, int64_t local)
{
  return global(local, s->grid.column, s->grid.columns);
}

int64_t th_spread_below(const struct th_spread *s, int64_t block)
{
  int64_t behind = block - s->grid.row;
  return behind > 0 ? th_integer_ceil_divide(behind, s->grid.rows) * BLOCK : 0;
}

bool th_spread_diagonal(const struct th_spread *s, int64_t k, int64_t *at)
{
  int64_t block = k / BLOCK;
  int64_t row = block / s->grid.rows * BLOCK + k % BLOCK;
  int64_t column = block / s->grid.columns * BLOCK + k % BLOCK;
  *at = row + column * s->lead;
  return block % s->grid.rows == s->grid.row &&
         block % s->grid.columns == s->grid.column;
}
