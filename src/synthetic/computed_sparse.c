/* computed_sparse.c - sparse values, computed and kept by whole attributes
 *
 * The places of an attribute's non-zeros follow from each other, so that a unit
 * of attributes is made on all rows, and cut into row groups then.
 * SPDX-License-Identifier: MIT */
#include "core/partition.h"
#include "synthetic/computed.h"

#include "core/integer.h"
#include "core/memory.h"

#include <stdlib.h>

enum { UNIT_ENTRIES = 1 << 20 }; /* expected in attributes made together */

static void release_tiles(void *data)
{
  th_tiles_free(data);
  free(data);
}

void th_computed_sparse_init(struct th_computed_sparse *sparse,
                             const struct th_ground_truth *truth,
                             const struct th_shape *shape, int64_t memory)
{
  *sparse = (struct th_computed_sparse){
      .truth = truth,
      .shape = shape,
      .memory = memory,
      .law = th_zipf(shape->attributes, truth->own.density),
      .units = {.release = release_tiles}};
}

/* Attributes around one that are made together: as many of its cell as are
 * expected to have UNIT_ENTRIES non-zeros, a power of two. */
static struct th_range unit_of(const struct th_computed_sparse *s,
                               int64_t attribute)
{
  const struct th_shape *shape = s->shape;
  int64_t cell = attribute / TH_CELL * TH_CELL;
  double each = th_zipf_probability(&s->law, cell) * (double)shape->examples;
  int64_t width = TH_CELL;
  while (width > 1 && (double)width * each > UNIT_ENTRIES)
    width /= 2;
  int64_t first = attribute / width * width;
  return (struct th_range){first, th_min_i64(first + width, shape->attributes)};
}

static th_status make_tiles(struct th_computed_sparse *s, struct th_range unit,
                            struct th_tiles *tiles, struct th_error *err)
{
  const struct th_shape *shape = s->shape;
  struct th_column *column = &s->column;
  th_status rc = TH_OK;
  th_tiles_init(tiles, shape, unit);
  for (int64_t j = unit.first; j < unit.last; j++) {
    TH_TRY(th_synthetic_sparse(s->truth, shape->attributes, j, shape->examples,
                               column, err));
    TH_TRY(th_tiles_add(tiles, j, column->example, column->value, column->count,
                        err));
  }
  TH_TRY(th_tiles_cut(tiles, err));
done:
  return rc;
}

/* Move the tiles just made to the kept ones, where they fit. */
static th_status keep_tiles(struct th_computed_sparse *s,
                            const struct th_tiles **tiles, struct th_error *err)
{
  int64_t bytes = th_tiles_bytes(&s->tiles);
  struct th_tiles *kept = NULL;
  *tiles = &s->tiles;
  if (bytes > s->memory - s->units.used)
    return TH_OK;
  th_status rc = TH_NEW(&kept, 1, "computed values", err);
  if (rc == TH_OK)
    rc = th_memo_put(&s->units, s->tiles.range.first, kept, bytes, err);
  if (rc != TH_OK) {
    free(kept);
    return rc;
  }
  *kept = s->tiles;
  s->tiles = (struct th_tiles){0};
  *tiles = kept;
  return TH_OK;
}

static th_status find_tiles(struct th_computed_sparse *s, struct th_range unit,
                            const struct th_tiles **tiles, struct th_error *err)
{
  th_status rc = TH_OK;
  *tiles = th_memo_find(&s->units, unit.first);
  if (*tiles != NULL)
    return TH_OK;
  *tiles = &s->tiles;
  if (s->tiles.values != NULL && s->tiles.range.first == unit.first)
    return TH_OK;
  th_tiles_free(&s->tiles);
  TH_TRY(make_tiles(s, unit, &s->tiles, err));
  TH_TRY(keep_tiles(s, tiles, err));
done:
  return rc;
}

th_status th_computed_sparse_slab(struct th_computed_sparse *s,
                                  const struct th_computed_place *place,
                                  struct th_slab *slab, struct th_error *err)
{
  const struct th_tiles *tiles;
  struct th_range unit = unit_of(s, slab->attributes.first);
  th_status rc = find_tiles(s, unit, &tiles, err);
  if (rc != TH_OK)
    return rc;
  struct th_slab tile = th_tiles_group(tiles, place->group);
  tile.row = place->row;
  tile.rows = place->count;
  *slab = th_slab_part(&tile, th_range_intersect(slab->attributes, unit));
  return TH_OK;
}

void th_computed_sparse_free(struct th_computed_sparse *sparse)
{
  th_memo_free(&sparse->units);
  th_tiles_free(&sparse->tiles);
  th_synthetic_column_free(&sparse->column);
}
