/* synthetic_store.c - a synthetic family as a store: computed, not read
 * SPDX-License-Identifier: MIT */
#include "synthetic/synthetic_store.h"

#include "base/integer.h"
#include "base/memory.h"
#include "data/source.h"
#include "model/origin.h"
#include "ranks/comm.h"
#include "ranks/partition.h"
#include "synthetic/families.h"
#include "synthetic/memo.h"
#include "synthetic/tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where a request lies. */
struct place {
  int64_t group;
  struct th_rows rows; /* of the group */
  int64_t row;         /* first wanted, counted from the group's first */
  int32_t count;
};

/* Dense values by cell and row group. shape is borrowed, and the law's truth.
 */
struct dense {
  struct th_synthetic_law law;
  const struct th_shape *shape;
  int64_t memory;       /* bytes of values to keep */
  struct th_memo cells; /* patches */
  struct th_memo alone; /* patches of single attributes */
  void *scratch;        /* what is not kept */
  int64_t scratch_bytes;
};

/* Sparse values by a few attributes on all rows. truth and shape are borrowed.
 */
struct sparse {
  const struct th_ground_truth *truth;
  const struct th_shape *shape;
  int64_t memory; /* bytes of values to keep */
  struct th_zipf law;
  uint8_t *width;        /* of each cell's units: its binary logarithm */
  struct th_memo units;  /* struct th_tiles */
  struct th_memo alone;  /* the same, of single attributes */
  struct th_tiles tiles; /* what is not kept */
  struct th_column column;
};

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
static void choose_widths(struct sparse *s, int64_t first, int log)
{
  const struct th_shape *shape = s->shape;
  if (first >= shape->attributes)
    return;
  double each =
      th_families_zipf_probability(&s->law, first) * (double)shape->examples;
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

static th_status sparse_init(struct sparse *sparse,
                             const struct th_ground_truth *truth,
                             const struct th_shape *shape, int64_t memory,
                             struct th_error *err)
{
  *sparse = (struct sparse){
      .truth = truth,
      .shape = shape,
      .memory = memory,
      .law = th_families_zipf(shape->attributes, truth->own.density),
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
static struct th_range attribute_unit(const struct sparse *s, int64_t attribute)
{
  int64_t width = (int64_t)1 << s->width[attribute / TH_CELL];
  int64_t first = attribute / width * width;
  return (struct th_range){first,
                           th_min_i64(first + width, s->shape->attributes)};
}

static th_status make_tiles(struct sparse *s, struct th_range unit,
                            struct th_tiles *tiles, struct th_error *err)
{
  const struct th_shape *shape = s->shape;
  struct th_column *column = &s->column;
  th_status rc = TH_OK;
  th_tiles_init(tiles, shape, unit);
  for (int64_t j = unit.first; j < unit.last; j++) {
    j = th_families_sparse_next(s->truth, shape->attributes,
                                (struct th_range){j, unit.last},
                                shape->examples, column);
    if (j == unit.last)
      break;
    TH_TRY(th_families_sparse(s->truth, shape->attributes, j, shape->examples,
                              column, err));
    TH_TRY(th_tiles_add(tiles, j, column->example, column->value, column->count,
                        err));
  }
  TH_TRY(th_tiles_cut(tiles, err));
done:
  return rc;
}

/* Move the tiles just made to the kept ones, where they fit. */
static th_status keep_tiles(struct sparse *s, struct th_memo *memo,
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
static const struct th_tiles *known_tiles(const struct sparse *s,
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
static th_status find_tiles(struct sparse *s, int64_t attribute, bool alone,
                            const struct th_tiles **tiles, struct th_error *err)
{
  struct th_memo *memo = alone ? &s->alone : &s->units;
  struct th_range one = {attribute, attribute + 1};
  struct th_range unit = attribute_unit(s, attribute);
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

static th_status compute_sparse(struct sparse *s, const struct place *place,
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

static void sparse_free(struct sparse *sparse)
{
  th_memo_free(&sparse->units);
  th_memo_free(&sparse->alone);
  th_tiles_free(&sparse->tiles);
  th_families_column_free(&sparse->column);
  free(sparse->width);
  sparse->width = NULL;
}

/* --- Dense values, computed in strips of a few rows, kept by cell
 *
 * A request computes the strips that it needs and that are not there yet:
 * longer ones would compute values that no draw observes, which costs more
 * than it saves unless there are many passes. */

enum {
  STRIP = 2,     /* rows of a strip, or a byte of them; even, as normals come
                    in pairs */
  CELL_SHARE = 4 /* cells leave 1 / CELL_SHARE to single attributes */
};

/* Begin with nothing kept; release with dense_free. */
static void dense_init(struct dense *dense, const struct th_ground_truth *truth,
                       const struct th_shape *shape, int64_t memory)
{
  *dense = (struct dense){.law = th_synthetic_law_of(truth, shape->attributes),
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

/* Rows of a strip: whole bytes. */
static int64_t strip_rows(const struct th_shape *shape)
{
  return th_type_whole(shape->type, STRIP);
}

static int64_t strips_of(const struct th_shape *shape)
{
  return th_integer_ceil_divide(shape->row_group, strip_rows(shape));
}

/* A new patch, kept under its key where memory allows; else NULL. */
static th_status make_patch(struct dense *d, struct th_memo *keep,
                            int64_t limit, int64_t key,
                            struct th_range attributes, struct patch **patch,
                            struct th_error *err)
{
  enum { ALIGNMENT = 64 };
  const struct th_shape *shape = d->shape;
  int64_t marks = (int64_t)sizeof **patch + strips_of(shape);
  marks = (marks + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  int64_t items = (attributes.last - attributes.first) * shape->row_group;
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
static th_status compute_strips(const struct dense *d, struct patch *patch,
                                const struct place *place,
                                struct th_range strips, struct th_error *err)
{
  const struct th_shape *shape = d->shape;
  int64_t first = strips.first * strip_rows(shape);
  int64_t last = th_min_i64(strips.last * strip_rows(shape), place->rows.count);
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
static th_status fill_patch(const struct dense *d, struct patch *patch,
                            const struct place *place, struct th_error *err)
{
  const int64_t strip = strip_rows(d->shape);
  int64_t end = th_integer_ceil_divide(place->row + place->count, strip);
  th_status rc = TH_OK;
  for (int64_t k = place->row / strip; k < end && rc == TH_OK;) {
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
                       const struct place *place, struct th_slab *slab)
{
  int64_t skip =
      (slab->attributes.first - patch->attributes.first) * shape->row_group +
      place->row;
  slab->values = patch->values + th_type_offset(shape->type, skip);
  slab->stride = shape->row_group;
}

/* Just what is wanted, from the beginning of a byte, not kept. */
static th_status compute_once(struct dense *d, const struct place *place,
                              struct th_slab *slab, struct th_error *err)
{
  const struct th_shape *shape = d->shape;
  int64_t attributes = slab->attributes.last - slab->attributes.first;
  int64_t skip = place->row % th_type_packed(shape->type);
  int64_t strip = strip_rows(shape);
  int64_t stride = th_integer_ceil_divide(skip + place->count, strip) * strip;
  int64_t bytes = (int64_t)th_type_bytes(shape->type, attributes * stride);
  th_status rc =
      th_grow(&d->scratch, &d->scratch_bytes, bytes, 1, "computed values", err);
  slab->values = d->scratch;
  slab->stride = stride;
  if (rc != TH_OK)
    return rc;
  struct th_synthetic_room room = {
      .attributes = slab->attributes,
      .examples = {place->rows.first + place->row - skip, skip + place->count},
      .type = shape->type,
      .values = d->scratch,
      .stride = stride};
  return th_synthetic_dense(&d->law, &room, err);
}

/* An attribute that is wanted alone costs a cell where it depends on those
 * before it: then the cell is kept instead. */
static th_status compute_dense(struct dense *d, const struct place *place,
                               bool keep, struct th_slab *slab,
                               struct th_error *err)
{
  const struct th_shape *shape = d->shape;
  int64_t cell = slab->attributes.first / TH_CELL * TH_CELL;
  struct th_range all = {cell, th_min_i64(cell + TH_CELL, shape->attributes)};
  const struct th_family_parameters *own = &d->law.truth->own;
  bool alone = keep && own->correlation == 0 && own->linkage == 0;
  struct th_memo *kept = alone ? &d->alone : &d->cells;
  int64_t limit = alone ? d->memory : d->memory - d->memory / CELL_SHARE;
  slab->attributes = th_range_intersect(slab->attributes, all);
  struct th_range attributes = alone ? slab->attributes : all;
  int64_t key = attributes.first * th_store_shape_groups(shape) + place->group;
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

static void dense_free(struct dense *dense)
{
  th_memo_free(&dense->cells);
  th_memo_free(&dense->alone);
  free(dense->scratch);
  dense->scratch = NULL;
}

enum { KEPT_TARGETS = 1 << 24 }; /* dense: kept up to this many examples */

struct th_synthetic_store {
  struct th_store store; /* first: the store is the synthetic store */
  const struct th_ground_truth *truth;
  struct th_synthetic_law law;
  double *target; /* of all examples, or NULL */
  struct dense dense;
  struct sparse sparse;
};

static struct place locate_rows(const struct th_shape *shape,
                                struct th_rows rows)
{
  struct place place = {.count = (int32_t)rows.count};
  place.group = th_store_shape_group_of(shape, rows.first, &place.row);
  place.rows = th_store_shape_group(shape, place.group);
  return place;
}

static th_status slab_of(struct th_store *store, struct th_rows rows,
                         struct th_range range, bool keep, struct th_slab *slab,
                         struct th_error *err)
{
  struct th_synthetic_store *s = (struct th_synthetic_store *)store;
  const struct th_shape *shape = &store->shape;
  double began = th_comm_clock();
  if (range.first < 0 || range.first >= range.last ||
      range.last > shape->attributes || rows.first < 0 || rows.count < 1 ||
      rows.first + rows.count > shape->examples)
    return th_fail(err, TH_EARG, "a request outside of the computed data");
  struct place place = locate_rows(shape, rows);
  if (place.row + place.count > place.rows.count)
    return th_fail(err, TH_EARG, "rows of more than one row group");
  *slab = (struct th_slab){.layout = shape->layout,
                           .type = shape->type,
                           .attributes = range,
                           .row = place.row,
                           .rows = place.count};
  th_status rc = shape->layout == TH_DENSE
                     ? compute_dense(&s->dense, &place, keep, slab, err)
                     : compute_sparse(&s->sparse, &place, keep, slab, err);
  store->seconds += th_comm_clock() - began;
  return rc;
}

static th_status targets_of(struct th_store *store, struct th_rows rows,
                            double *target, double *weight,
                            struct th_error *err)
{
  const struct th_synthetic_store *s = (struct th_synthetic_store *)store;
  const struct th_shape *shape = &store->shape;
  for (int64_t i = 0; weight != NULL && i < rows.count; i++)
    weight[i] = 1;
  if (target == NULL)
    return TH_OK;
  if (s->target == NULL)
    return th_synthetic_targets(s->truth, shape->attributes, shape->examples,
                                rows.first, rows.count, target, err);
  memcpy(target, s->target + rows.first, (size_t)rows.count * sizeof *target);
  return TH_OK;
}

static th_status statistics_of(struct th_store *store, struct th_range range,
                               struct th_statistics *statistics,
                               struct th_error *err)
{
  const struct th_synthetic_store *s = (struct th_synthetic_store *)store;
  if (range.first < 0 || range.last > store->shape.attributes)
    return th_fail(err, TH_EARG, "a request outside of the computed data");
  th_synthetic_statistics(&s->law, range, statistics);
  return TH_OK;
}

static const struct th_store_ops store_ops = {
    .slab = slab_of, .targets = targets_of, .statistics = statistics_of};

/* FNV-1a over the parameters that decide the content. */
static uint64_t family_fingerprint(const struct th_ground_truth *truth,
                                   const struct th_shape *shape)
{
  double reals[1 + TH_FAMILY_PARAMETERS_COUNT] = {truth->noise};
  size_t count = 1;
  const struct th_family_parameter *row;
  for (int k = 0; (row = th_origin_family_parameter(k)) != NULL; k++)
    if (th_origin_family_has(truth->family, k))
      reals[count++] = th_origin_family_get(&truth->own, row);
  const int64_t whole[] = {(int64_t)truth->seed, truth->support_size,
                           shape->examples,      shape->training,
                           shape->attributes,    shape->row_group,
                           (int64_t)shape->type};
  char bytes[TH_FAMILY_NAME + sizeof reals + sizeof whole] = "";
  memcpy(bytes, truth->family, strlen(truth->family));
  memcpy(bytes + TH_FAMILY_NAME, reals, count * sizeof *reals);
  size_t used = TH_FAMILY_NAME + count * sizeof *reals;
  memcpy(bytes + used, whole, sizeof whole);
  return th_integer_hash(TH_FNV_BASIS, bytes, used + sizeof whole);
}

/* A sparse target needs whole attributes: all are made at once. */
static th_status keep_targets(struct th_synthetic_store *s,
                              struct th_error *err)
{
  const struct th_shape *shape = &s->store.shape;
  if (shape->layout == TH_DENSE && shape->examples > KEPT_TARGETS)
    return TH_OK;
  th_status rc = TH_NEW(&s->target, shape->examples, "the targets", err);
  if (rc != TH_OK)
    return rc;
  return th_synthetic_targets(s->truth, shape->attributes, shape->examples, 0,
                              shape->examples, s->target, err);
}

th_status th_synthetic_store_create(struct th_synthetic_store **store,
                                    const struct th_ground_truth *truth,
                                    const struct th_shape *shape,
                                    int64_t memory, struct th_error *err)
{
  struct th_synthetic_store *s = NULL;
  th_status rc = TH_NEW(&s, 1, "the computed data", err);
  if (rc != TH_OK)
    return rc;
  s->truth = truth;
  s->law = th_synthetic_law_of(truth, shape->attributes);
  s->store.ops = &store_ops;
  s->store.shape = *shape;
  s->store.shape.computed = true;
  s->store.statistics = "family";
  s->store.fingerprint = family_fingerprint(truth, shape);
  s->store.shape.nonzeros = (int64_t)(s->law.share * (double)shape->examples *
                                      (double)shape->attributes);
  if (shape->layout == TH_DENSE)
    dense_init(&s->dense, truth, &s->store.shape, memory);
  else
    TH_TRY(sparse_init(&s->sparse, truth, &s->store.shape, memory, err));
  TH_TRY(keep_targets(s, err));
  *store = s;
  s = NULL;
done:
  th_synthetic_store_free(s);
  return rc;
}

void th_synthetic_store_free(struct th_synthetic_store *store)
{
  if (store == NULL)
    return;
  dense_free(&store->dense);
  sparse_free(&store->sparse);
  TH_FREE(store->target, store);
}

struct th_store *th_synthetic_store_of(struct th_synthetic_store *store)
{
  return &store->store;
}
