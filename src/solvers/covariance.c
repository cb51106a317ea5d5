/* covariance.c - products of gathered columns, tile by tile
 * SPDX-License-Identifier: MIT */
#include "solvers/covariance.h"

#include "core/integer.h"
#include "core/memory.h"
#include "math/linalg.h"

#include <stdlib.h>
#include <string.h>

enum {
  TILE = 128,     /* columns of a tile */
  TILE_ROWS = 256 /* examples that are unpacked at a time */
};

/* New columns against all up to the last of them: tile t has new chunk t /
 * across and chunk t % across; those above the diagonal are left out. */
struct tiling {
  const struct th_covariance *covariance;
  const struct th_columns *columns;
  const double *root_eta;
  int64_t first;  /* new columns begin here */
  int64_t last;   /* and end here */
  int64_t across; /* chunks of all columns: old ones first, then new ones */
  int64_t old;    /* chunks of old columns */
  int64_t down;   /* chunks of new columns */
  double *left;   /* TILE_ROWS x TILE each */
  double *right;
};

void th_covariance_free(struct th_covariance *covariance)
{
  free(covariance->product);
  free(covariance->mean);
  *covariance = (struct th_covariance){0};
}

static struct th_range new_chunk(const struct tiling *t, int64_t k)
{
  int64_t first = t->first + k * TILE;
  return (struct th_range){first, th_smaller(first + TILE, t->last)};
}

static struct th_range chunk(const struct tiling *t, int64_t k)
{
  if (k >= t->old)
    return new_chunk(t, k - t->old);
  return (struct th_range){k * TILE, th_smaller((k + 1) * TILE, t->first)};
}

static int64_t width(struct th_range range)
{
  return range.last - range.first;
}

/* The columns of tile k; false where it lies above the diagonal. */
static bool tile_at(const struct tiling *t, int64_t k, struct th_range *rows,
                    struct th_range *columns)
{
  int64_t row = k / t->across;
  int64_t column = k % t->across;
  *rows = new_chunk(t, row);
  *columns = chunk(t, column);
  return column - t->old <= row;
}

static void unpack(const struct tiling *t, struct th_range columns,
                   struct th_range examples, double *out)
{
  for (int64_t k = columns.first; k < columns.last; k++)
    th_vector_unpack(&t->columns->vector[k], examples.first, width(examples),
                     t->covariance->mean[k], t->root_eta + examples.first,
                     out + (k - columns.first) * TILE_ROWS);
}

/* out (rows x columns, column after column) = one tile. Local. */
static void form_tile(const struct tiling *t, struct th_range rows,
                      struct th_range columns, double *out)
{
  memset(out, 0, (size_t)(width(rows) * width(columns)) * sizeof *out);
  for (int64_t i = 0; i < t->columns->examples; i += TILE_ROWS) {
    struct th_range examples = {
        i, th_smaller(i + TILE_ROWS, t->columns->examples)};
    unpack(t, rows, examples, t->left);
    unpack(t, columns, examples, t->right);
    th_linalg_products(width(rows), width(columns), width(examples), TILE_ROWS,
                       t->left, t->right, out);
  }
}

static void store_tile(struct th_covariance *c, struct th_range rows,
                       struct th_range columns, const double *tile)
{
  for (int64_t k = columns.first; k < columns.last; k++)
    for (int64_t j = rows.first; j < rows.last; j++) {
      double value = tile[(k - columns.first) * width(rows) + j - rows.first];
      c->product[j * c->capacity + k] = value;
      c->product[k * c->capacity + j] = value;
    }
}

/* Entries of the tiles of one rank: every size-th. */
static int64_t tile_entries(const struct tiling *t, int rank, int size)
{
  int64_t entries = 0;
  int64_t turn = 0;
  struct th_range rows;
  struct th_range columns;
  for (int64_t k = 0; k < t->down * t->across; k++)
    if (tile_at(t, k, &rows, &columns) && turn++ % size == rank)
      entries += width(rows) * width(columns);
  return entries;
}

/* This rank's tiles, one after the other. Local. */
static th_status form_mine(const struct tiling *t, const struct th_comm *comm,
                           double **tiles, int64_t *entries,
                           struct th_error *err)
{
  int64_t turn = 0;
  struct th_range rows;
  struct th_range columns;
  *entries = tile_entries(t, comm->rank, comm->size);
  th_status rc = TH_NEW(tiles, *entries, "products of columns", err);
  if (rc != TH_OK)
    return rc;
  double *out = *tiles;
  for (int64_t k = 0; k < t->down * t->across; k++)
    if (tile_at(t, k, &rows, &columns) && turn++ % comm->size == comm->rank) {
      form_tile(t, rows, columns, out);
      out += width(rows) * width(columns);
    }
  return TH_OK;
}

/* The tiles of all ranks, in rank order, to their places. Local. */
static void store_all(struct th_covariance *covariance, const struct tiling *t,
                      int size, const double *tiles)
{
  struct th_range rows;
  struct th_range columns;
  for (int rank = 0; rank < size; rank++) {
    int64_t turn = 0;
    for (int64_t k = 0; k < t->down * t->across; k++)
      if (tile_at(t, k, &rows, &columns) && turn++ % size == rank) {
        store_tile(covariance, rows, columns, tiles);
        tiles += width(rows) * width(columns);
      }
  }
}

/* Room for `count` slots. Local. */
static th_status reserve(struct th_covariance *c, int64_t count,
                         struct th_error *err)
{
  double *product = NULL;
  double *mean = NULL;
  int64_t capacity = c->capacity;
  th_status rc = TH_OK;
  if (count <= capacity)
    return rc;
  capacity = th_ceil_divide(count + count / 2, 8) * 8;
  TH_TRY(TH_NEW(&product, capacity * capacity, "products of columns", err));
  TH_TRY(TH_NEW(&mean, capacity, "means of columns", err));
  for (int64_t j = 0; j < c->count; j++)
    memcpy(product + j * capacity, c->product + j * c->capacity,
           (size_t)c->count * sizeof *product);
  if (c->count > 0)
    memcpy(mean, c->mean, (size_t)c->count * sizeof *mean);
  free(c->product);
  free(c->mean);
  c->product = product;
  c->mean = mean;
  c->capacity = capacity;
  product = NULL;
  mean = NULL;
done:
  free(product);
  free(mean);
  return rc;
}

static th_status prepare(struct tiling *t, struct th_covariance *covariance,
                         const double *eta, bool centred, struct th_error *err)
{
  th_status rc;
  TH_TRY(reserve(covariance, t->last, err));
  TH_TRY(TH_NEW(&t->left, TILE * TILE_ROWS, "a tile", err));
  TH_TRY(TH_NEW(&t->right, TILE * TILE_ROWS, "a tile", err));
  for (int64_t k = t->first; k < t->last; k++)
    covariance->mean[k] =
        centred ? th_vector_dot(&t->columns->vector[k], eta) : 0;
done:
  return rc;
}

th_status th_covariance_grow(struct th_covariance *covariance,
                             const struct th_columns *columns,
                             struct th_comm *comm, const double *eta,
                             const double *root_eta, bool centred,
                             struct th_error *err)
{
  struct tiling t = {.covariance = covariance,
                     .columns = columns,
                     .root_eta = root_eta,
                     .first = covariance->count,
                     .last = columns->count};
  double *mine = NULL;
  void *all = NULL;
  int64_t *counts = NULL;
  int64_t entries = 0;
  th_status rc;
  t.old = th_ceil_divide(t.first, TILE);
  t.down = th_ceil_divide(t.last - t.first, TILE);
  t.across = t.old + t.down;
  if (t.down == 0)
    return TH_OK;
  rc = prepare(&t, covariance, eta, centred, err);
  if (rc == TH_OK)
    rc = TH_NEW(&counts, comm->size, "products of columns", err);
  if (rc == TH_OK)
    rc = form_mine(&t, comm, &mine, &entries, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_gather(comm, mine, entries * (int64_t)sizeof *mine, counts, &all,
                   err));
  store_all(covariance, &t, comm->size, all);
  covariance->count = t.last;
done:
  free(t.left);
  free(t.right);
  free(mine);
  free(counts);
  free(all);
  return rc;
}

void th_covariance_keep(struct th_covariance *c, const bool *keep)
{
  int64_t kept = 0;
  for (int64_t j = 0; j < c->count; j++) {
    if (!keep[j])
      continue;
    int64_t at = 0;
    for (int64_t k = 0; k < c->count; k++)
      if (keep[k])
        c->product[kept * c->capacity + at++] = c->product[j * c->capacity + k];
    c->mean[kept++] = c->mean[j];
  }
  c->count = kept;
}
