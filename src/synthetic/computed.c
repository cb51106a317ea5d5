/* computed.c - what a store that computes keeps; internal to src/synthetic
 * SPDX-License-Identifier: MIT */
#include "synthetic/computed.h"

#include "base/integer.h"
#include "base/memory.h"
#include "ranks/partition.h"

#include <math.h>
#include <stdlib.h>

/* --- Sparse values, computed and kept by whole attributes
 *
 * The places of an attribute's non-zeros follow from each other, so that a unit
 * of attributes is made on all rows, and cut into row groups then. */

enum {
  UNIT_ENTRIES = 1 << 20, /* expected in attributes made together */
  UNIT_LOG = 15,
  UNIT_ATTRIBUTES = 1 << UNIT_LOG /* in them, at most */
};

static void release_tiles(void *data)
{
  th_tiles_free(data);
  free(data);
}

/* Cut attributes into units, halving those that are expected to have more than
 * UNIT_ENTRIES non-zeros; all units of a cell are of one width. */
static void choose_widths(struct th_computed_sparse *s, int64_t first, int log)
{
  const struct th_shape *shape = s->shape;
  if (first >= shape->attributes)
    return;
  double each = th_zipf_probability(&s->law, first) * (double)shape->examples;
  bool fits = ldexp(each, log) <= UNIT_ENTRIES;
  int64_t width = (int64_t)1 << log;
  if (!fits && width > TH_CELL) {
    choose_widths(s, first, log - 1);
    choose_widths(s, first + width / 2, log - 1);
    return;
  }
  int64_t last = th_min_i64(first + width, shape->attributes);
  while (log > 0 && ldexp(each, log) > UNIT_ENTRIES)
    log--;
  for (int64_t j = first; j < last; j += TH_CELL)
    s->width[j / TH_CELL] = (uint8_t)log;
}

th_status th_computed_sparse_init(struct th_computed_sparse *sparse,
                                  const struct th_ground_truth *truth,
                                  const struct th_shape *shape, int64_t memory,
                                  struct th_error *err)
{
  *sparse = (struct th_computed_sparse){
      .truth = truth,
      .shape = shape,
      .memory = memory,
      .law = th_zipf(shape->attributes, truth->own.density),
      .units = {.release = release_tiles},
      .alone = {.release = release_tiles}};
  th_status rc =
      TH_NEW(&sparse->width, th_integer_ceil_divide(shape->attributes, TH_CELL),
             "computed values", err);
  for (int64_t j = 0; rc == TH_OK && j < shape->attributes;
       j += UNIT_ATTRIBUTES)
    choose_widths(sparse, j, UNIT_LOG);
  return rc;
}

/* Attributes around one that are made together. */
static struct th_range unit_of(const struct th_computed_sparse *s,
                               int64_t attribute)
{
  int64_t width = (int64_t)1 << s->width[attribute / TH_CELL];
  int64_t first = attribute / width * width;
  return (struct th_range){first,
                           th_min_i64(first + width, s->shape->attributes)};
}

static th_status make_tiles(struct th_computed_sparse *s, struct th_range unit,
                            struct th_tiles *tiles, struct th_error *err)
{
  const struct th_shape *shape = s->shape;
  struct th_column *column = &s->column;
  th_status rc = TH_OK;
  th_tiles_init(tiles, shape, unit);
  for (int64_t j = unit.first; j < unit.last; j++) {
    j = th_synthetic_sparse_next(s->truth, shape->attributes,
                                 (struct th_range){j, unit.last},
                                 shape->examples, column);
    if (j == unit.last)
      break;
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
static th_status keep_tiles(struct th_computed_sparse *s, struct th_memo *memo,
                            const struct th_tiles **tiles, struct th_error *err)
{
  int64_t bytes = th_tiles_bytes(&s->tiles);
  struct th_tiles *kept = NULL;
  *tiles = &s->tiles;
  if (bytes > s->memory - s->units.used - s->alone.used)
    return TH_OK;
  th_status rc = TH_NEW(&kept, 1, "computed values", err);
  if (rc == TH_OK)
    rc = th_memo_put(memo, s->tiles.range.first, kept, bytes, err);
  if (rc != TH_OK) {
    free(kept);
    return rc;
  }
  *kept = s->tiles;
  s->tiles = (struct th_tiles){0};
  *tiles = kept;
  return TH_OK;
}

/* The tiles of a unit if they are there, or NULL. */
static const struct th_tiles *known_tiles(const struct th_computed_sparse *s,
                                          const struct th_memo *memo,
                                          struct th_range unit)
{
  const struct th_range *last = &s->tiles.range;
  if (s->tiles.first_run != NULL && last->first == unit.first &&
      last->last == unit.last)
    return &s->tiles;
  return th_memo_find(memo, unit.first);
}

/* An attribute that is wanted alone is made alone, unless its unit is there. */
static th_status find_tiles(struct th_computed_sparse *s, int64_t attribute,
                            bool alone, const struct th_tiles **tiles,
                            struct th_error *err)
{
  struct th_memo *memo = alone ? &s->alone : &s->units;
  struct th_range one = {attribute, attribute + 1};
  struct th_range unit = unit_of(s, attribute);
  th_status rc = TH_OK;
  *tiles = known_tiles(s, &s->units, unit);
  if (*tiles == NULL && alone)
    *tiles = known_tiles(s, memo, one);
  if (*tiles != NULL)
    return TH_OK;
  th_tiles_free(&s->tiles);
  TH_TRY(make_tiles(s, alone ? one : unit, &s->tiles, err));
  TH_TRY(keep_tiles(s, memo, tiles, err));
done:
  return rc;
}

th_status th_computed_sparse_slab(struct th_computed_sparse *s,
                                  const struct th_computed_place *place,
                                  bool keep, struct th_slab *slab,
                                  struct th_error *err)
{
  const struct th_tiles *tiles;
  th_status rc = find_tiles(s, slab->attributes.first, keep, &tiles, err);
  if (rc != TH_OK)
    return rc;
  struct th_slab tile = th_tiles_group(tiles, place->group);
  tile.row = place->row;
  tile.rows = place->count;
  *slab =
      th_slab_part(&tile, th_range_intersect(slab->attributes, tiles->range));
  return TH_OK;
}

void th_computed_sparse_free(struct th_computed_sparse *sparse)
{
  th_memo_free(&sparse->units);
  th_memo_free(&sparse->alone);
  th_tiles_free(&sparse->tiles);
  th_synthetic_column_free(&sparse->column);
  free(sparse->width);
  sparse->width = NULL;
}

/* --- Dense values, computed in strips of two rows, kept by cell
 *
 * A request computes the strips that it needs and that are not there yet:
 * longer ones would compute values that no draw observes, which costs more
 * than it saves unless there are many passes. */

enum {
  STRIP = 2,     /* rows of a strip; even, as normals come in pairs */
  CELL_SHARE = 4 /* cells leave 1 / CELL_SHARE to single attributes */
};

void th_computed_dense_init(struct th_computed_dense *dense,
                            const struct th_ground_truth *truth,
                            const struct th_shape *shape, int64_t memory)
{
  *dense = (struct th_computed_dense){
      .law = th_synthetic_law(truth, shape->attributes),
      .shape = shape,
      .memory = memory};
}

/* Attributes on one row group; attribute a's rows begin at item
 * a * row_group of the values, which lie behind the marks. */
struct patch {
  struct th_range attributes;
  char *values;
  bool ready[]; /* by strip */
};

static int64_t strips_of(const struct th_shape *shape)
{
  return (shape->row_group + STRIP - 1) / STRIP;
}

/* A new patch, kept under its key where memory allows; else NULL. */
static th_status make_patch(struct th_computed_dense *d, struct th_memo *keep,
                            int64_t limit, int64_t key,
                            struct th_range attributes, struct patch **patch,
                            struct th_error *err)
{
  enum { ALIGNMENT = 64 };
  const struct th_shape *shape = d->shape;
  int64_t marks = (int64_t)sizeof **patch + strips_of(shape);
  marks = (marks + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  int64_t items = th_range_count(attributes) * shape->row_group;
  int64_t bytes = marks + (int64_t)th_type_bytes(shape->type, items);
  void *room = NULL;
  *patch = NULL;
  if (bytes > limit - d->cells.used - d->alone.used)
    return TH_OK;
  th_status rc = th_alloc(&room, bytes, 1, "computed values", err);
  if (rc == TH_OK)
    rc = th_memo_put(keep, key, room, bytes, err);
  if (rc != TH_OK) {
    free(room);
    return rc;
  }
  *patch = room;
  (*patch)->attributes = attributes;
  (*patch)->values = (char *)room + marks;
  return TH_OK;
}

/* Compute the strips [first, last) of a patch. */
static th_status compute_strips(const struct th_computed_dense *d,
                                struct patch *patch,
                                const struct th_computed_place *place,
                                struct th_range strips, struct th_error *err)
{
  const struct th_shape *shape = d->shape;
  int64_t first = strips.first * STRIP;
  int64_t last = th_min_i64(strips.last * STRIP, place->rows.count);
  struct th_synthetic_room room = {
      .attributes = patch->attributes,
      .examples = {place->rows.first + first, last - first},
      .type = shape->type,
      .values = patch->values + th_type_bytes(shape->type, first),
      .stride = shape->row_group};
  th_status rc = th_synthetic_dense(&d->law, &room, err);
  for (int64_t k = strips.first; k < strips.last && rc == TH_OK; k++)
    patch->ready[k] = true;
  return rc;
}

/* See that the wanted rows are there. */
static th_status fill_patch(const struct th_computed_dense *d,
                            struct patch *patch,
                            const struct th_computed_place *place,
                            struct th_error *err)
{
  int64_t end = (place->row + place->count + STRIP - 1) / STRIP;
  th_status rc = TH_OK;
  for (int64_t k = place->row / STRIP; k < end && rc == TH_OK;) {
    struct th_range strips = {k, k};
    while (strips.last < end && !patch->ready[strips.last])
      strips.last++;
    if (strips.last > strips.first)
      rc = compute_strips(d, patch, place, strips, err);
    k = strips.last + 1;
  }
  return rc;
}

static void show_patch(const struct th_shape *shape, const struct patch *patch,
                       const struct th_computed_place *place,
                       struct th_slab *slab)
{
  int64_t skip =
      (slab->attributes.first - patch->attributes.first) * shape->row_group +
      place->row;
  slab->values = patch->values + th_type_bytes(shape->type, skip);
  slab->stride = shape->row_group;
}

/* Just what is wanted, not kept. */
static th_status compute_once(struct th_computed_dense *d,
                              const struct th_computed_place *place,
                              struct th_slab *slab, struct th_error *err)
{
  const struct th_shape *shape = d->shape;
  int64_t attributes = th_range_count(slab->attributes);
  int64_t stride = (place->count + STRIP - 1) / STRIP * STRIP;
  int64_t bytes = (int64_t)th_type_bytes(shape->type, attributes * stride);
  th_status rc =
      th_grow(&d->scratch, &d->scratch_bytes, bytes, 1, "computed values", err);
  slab->values = d->scratch;
  slab->stride = stride;
  if (rc != TH_OK)
    return rc;
  struct th_synthetic_room room = {
      .attributes = slab->attributes,
      .examples = {place->rows.first + place->row, place->count},
      .type = shape->type,
      .values = d->scratch,
      .stride = stride};
  return th_synthetic_dense(&d->law, &room, err);
}

/* An attribute that is wanted alone costs a cell where it depends on those
 * before it: then the cell is kept instead. */
th_status th_computed_dense_slab(struct th_computed_dense *d,
                                 const struct th_computed_place *place,
                                 bool keep, struct th_slab *slab,
                                 struct th_error *err)
{
  const struct th_shape *shape = d->shape;
  int64_t cell = slab->attributes.first / TH_CELL * TH_CELL;
  struct th_range all = {cell, th_min_i64(cell + TH_CELL, shape->attributes)};
  bool alone = keep && d->law.truth->own.correlation == 0;
  struct th_memo *kept = alone ? &d->alone : &d->cells;
  int64_t limit = alone ? d->memory : d->memory - d->memory / CELL_SHARE;
  slab->attributes = th_range_intersect(slab->attributes, all);
  struct th_range attributes = alone ? slab->attributes : all;
  int64_t key = attributes.first * th_shape_groups(shape) + place->group;
  struct patch *patch = th_memo_find(kept, key);
  th_status rc = TH_OK;
  if (patch == NULL)
    rc = make_patch(d, kept, limit, key, attributes, &patch, err);
  if (rc != TH_OK)
    return rc;
  if (patch == NULL)
    return compute_once(d, place, slab, err);
  show_patch(shape, patch, place, slab);
  return fill_patch(d, patch, place, err);
}

void th_computed_dense_free(struct th_computed_dense *dense)
{
  th_memo_free(&dense->cells);
  th_memo_free(&dense->alone);
  free(dense->scratch);
  dense->scratch = NULL;
}
