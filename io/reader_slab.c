/* reader_slab.c - slabs from the cache, or read into it: the hot path
 *
 * A unit is what one read fetches: a chunk of a dense shard or a piece of a
 * sparse one, on one row group. Its key is (first attribute, row group).
 * SPDX-License-Identifier: MIT */
#include "io/reader.h"

struct th_shard_read *th_dataset_shard_of(struct th_dataset *dataset,
                                          int64_t attribute)
{
  int64_t low = 0;
  int64_t high = dataset->info.shards - 1;
  int64_t k = dataset->last_shard;
  const struct th_shard_row *rows = dataset->info.shard;
  if (attribute < rows[k].range.first || attribute >= rows[k].range.last) {
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (attribute >= rows[middle].range.last)
        low = middle + 1;
      else
        high = middle;
    }
    k = low;
  }
  dataset->last_shard = k;
  return &dataset->shard[k];
}

void th_dataset_count(struct th_dataset *dataset, struct th_shard_read *shard,
                      double began)
{
  dataset->store.bytes_read += shard->bytes_read;
  dataset->store.seconds += th_clock() - began;
  shard->bytes_read = 0;
}

/* Where a request lies. */
struct place {
  struct th_shard_read *shard;
  int64_t group;
  int64_t unit; /* of the shard */
  struct th_range attributes;
  int64_t row; /* in the group */
};

static th_status refuse(const struct th_dataset *d, const char *what,
                        struct th_error *err)
{
  th_fail(err, TH_EARG, "%s: %s", d->path, what);
  return TH_EARG;
}

static th_status find_place(struct th_dataset *d, struct th_rows rows,
                            struct th_range range, struct place *place,
                            struct th_error *err)
{
  const struct th_geometry *g = &d->info.geometry;
  if (range.first < 0 || range.first >= range.last ||
      range.last > g->shape.attributes || rows.first < 0 || rows.count < 1 ||
      rows.first + rows.count > g->shape.examples)
    return refuse(d, "a request outside of the data", err);
  place->shard = th_dataset_shard_of(d, range.first);
  place->group = th_geometry_group_of(g, rows.first);
  struct th_rows group = th_geometry_group(g, place->group);
  place->row = rows.first - group.first;
  if (place->row + rows.count > group.count)
    return refuse(d, "rows of more than one row group", err);
  if (!place->shard->open) {
    double began = th_clock();
    th_status rc = th_shard_open(place->shard, err);
    th_dataset_count(d, place->shard, began);
    if (rc != TH_OK)
      return rc;
  }
  struct th_range all = place->shard->row->range;
  place->unit = (range.first - all.first) / place->shard->unit;
  int64_t first = all.first + place->unit * place->shard->unit;
  place->attributes =
      th_range_meet((struct th_range){first, first + place->shard->unit}, all);
  return TH_OK;
}

static int64_t key_of(const struct th_dataset *d, int64_t attribute,
                      int64_t group)
{
  return attribute * d->info.geometry.groups + group;
}

/* Kept runs take at most half of the memory; blocks have the rest. */
static int64_t block_limit(const struct th_dataset *d)
{
  return d->memory - d->runs.used;
}

static void fill_dense(const struct th_dataset *d, const struct place *place,
                       struct th_range attributes, int32_t rows,
                       const char *values, int64_t stride, struct th_slab *slab)
{
  const struct th_shape *shape = &d->info.geometry.shape;
  *slab = (struct th_slab){.layout = TH_DENSE,
                           .type = shape->type,
                           .attributes = attributes,
                           .row = place->row,
                           .rows = rows,
                           .values = values + (size_t)place->row *
                                                  th_type_size(shape->type),
                           .stride = stride};
}

/* Attributes of one group into a cache, verified; forgotten when damaged. */
static th_status load_dense(struct th_dataset *d, struct th_cache *cache,
                            int64_t limit, const struct place *place,
                            struct th_range attributes, int64_t stride,
                            void **values, struct th_error *err)
{
  int64_t size = (int64_t)th_type_size(d->info.geometry.shape.type);
  int64_t key = key_of(d, attributes.first, place->group);
  int64_t count = attributes.last - attributes.first;
  double began = th_clock();
  th_status rc =
      th_cache_add(cache, key, count * stride * size, limit, values, err);
  if (rc != TH_OK)
    return rc;
  rc = th_dense_read(place->shard, attributes, place->group, stride, *values,
                     d->checksum, err);
  if (rc != TH_OK)
    th_cache_drop(cache, key);
  th_dataset_count(d, place->shard, began);
  return rc;
}

/* One attribute that will be wanted again: just its run. */
static th_status kept_run(struct th_dataset *d, const struct place *place,
                          int64_t attribute, int32_t rows, struct th_slab *slab,
                          struct th_error *err)
{
  int64_t stride = th_geometry_group(&d->info.geometry, place->group).count;
  struct th_range one = {attribute, attribute + 1};
  void *values = th_cache_find(&d->runs, key_of(d, attribute, place->group));
  th_status rc = TH_OK;
  if (values == NULL)
    rc = load_dense(d, &d->runs, d->memory / 2, place, one, stride, &values,
                    err);
  if (rc == TH_OK)
    fill_dense(d, place, one, rows, values, stride, slab);
  return rc;
}

static th_status dense_slab(struct th_dataset *d, const struct place *place,
                            struct th_range range, int32_t rows, bool keep,
                            struct th_slab *slab, struct th_error *err)
{
  const struct th_shape *shape = &d->info.geometry.shape;
  int64_t first = place->attributes.first;
  void *values = th_cache_find(&d->blocks, key_of(d, first, place->group));
  if (values == NULL && keep)
    return kept_run(d, place, range.first, rows, slab, err);
  if (values == NULL) {
    th_status rc =
        load_dense(d, &d->blocks, block_limit(d), place, place->attributes,
                   shape->row_group, &values, err);
    if (rc != TH_OK)
      return rc;
  }
  size_t skip = (size_t)((range.first - first) * shape->row_group) *
                th_type_size(shape->type);
  fill_dense(d, place, th_range_meet(range, place->attributes), rows,
             (const char *)values + skip, shape->row_group, slab);
  return TH_OK;
}

static th_status load_piece(struct th_dataset *d, const struct place *place,
                            void **room, struct th_error *err)
{
  struct th_piece piece;
  int64_t key = key_of(d, place->attributes.first, place->group);
  double began = th_clock();
  th_status rc = TH_OK;
  int64_t bytes =
      th_piece_size(place->shard, place->unit, place->group, &piece);
  TH_TRY(th_cache_add(&d->blocks, key, bytes, block_limit(d), room, err));
  rc = th_piece_read(place->shard, place->unit, place->group, &piece, *room,
                     err);
  if (rc != TH_OK)
    th_cache_drop(&d->blocks, key);
done:
  th_dataset_count(d, place->shard, began);
  return rc;
}

/* The first run of an attribute that is not below the given one. */
static int64_t first_run(const struct th_piece *piece, int64_t attribute)
{
  int64_t low = 0;
  int64_t high = piece->runs;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if ((int64_t)piece->attribute[middle] < attribute)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static th_status sparse_slab(struct th_dataset *d, const struct place *place,
                             struct th_range range, int32_t rows,
                             struct th_slab *slab, struct th_error *err)
{
  enum th_type type = d->info.geometry.shape.type;
  int64_t base = place->shard->row->range.first;
  void *room = th_cache_find(&d->blocks,
                             key_of(d, place->attributes.first, place->group));
  if (room == NULL) {
    th_status rc = load_piece(d, place, &room, err);
    if (rc != TH_OK)
      return rc;
  }
  const struct th_piece *piece = room;
  struct th_range met = th_range_meet(range, place->attributes);
  int64_t first = first_run(piece, met.first - base);
  int64_t last = first_run(piece, met.last - base);
  int64_t skip = piece->start[first];
  *slab = (struct th_slab){.layout = TH_SPARSE,
                           .type = type,
                           .attributes = met,
                           .row = place->row,
                           .rows = rows,
                           .values = (const char *)piece->values +
                                     (size_t)skip * th_type_size(type),
                           .runs = last - first,
                           .base = base,
                           .attribute = piece->attribute + first,
                           .start = piece->start + first,
                           .row_in_group = piece->row + skip};
  return TH_OK;
}

th_status th_dataset_slab(struct th_store *store, struct th_rows rows,
                          struct th_range range, bool keep,
                          struct th_slab *slab, struct th_error *err)
{
  struct th_dataset *d = (struct th_dataset *)store;
  struct place place = {0};
  th_status rc = find_place(d, rows, range, &place, err);
  if (rc != TH_OK)
    return rc;
  if (store->shape.layout == TH_DENSE)
    return dense_slab(d, &place, range, (int32_t)rows.count, keep, slab, err);
  return sparse_slab(d, &place, range, (int32_t)rows.count, slab, err);
}

th_status th_dataset_statistics(struct th_store *store, struct th_range range,
                                struct th_statistics *statistics,
                                struct th_error *err)
{
  struct th_dataset *d = (struct th_dataset *)store;
  double began = th_clock();
  th_status rc = TH_OK;
  if (range.first < 0 || range.last > store->shape.attributes)
    return refuse(d, "a request outside of the data", err);
  for (int64_t a = range.first; rc == TH_OK && a < range.last;) {
    struct th_shard_read *shard = th_dataset_shard_of(d, a);
    struct th_range part =
        th_range_meet((struct th_range){a, range.last}, shard->row->range);
    rc = th_shard_open(shard, err);
    if (rc == TH_OK)
      rc =
          th_shard_statistics(shard, part, statistics + (a - range.first), err);
    th_dataset_count(d, shard, began);
    began = th_clock();
    a = part.last;
  }
  return rc;
}
