/* dataset_slab.c - finds slabs in the cache, or reads them into it: the hot
 * path
 * SPDX-License-Identifier: MIT */
#include "io/dataset/cache_block.h"

#include "core/search.h"
#include "io/dataset/dataset_parts.h"
#include "io/dataset/in_place.h"

static struct th_shard_read *shard_of(struct th_dataset *dataset,
                                      int64_t attribute)
{
  int64_t k = dataset->last_shard;
  const struct th_shard_row *rows = dataset->info.shard;
  if (attribute < rows[k].range.first || attribute >= rows[k].range.last)
    k = th_search_member(rows, sizeof *rows,
                         offsetof(struct th_shard_row, range.last),
                         dataset->info.shards - 1, attribute + 1);
  dataset->last_shard = k;
  return &dataset->shard[k];
}

void th_dataset_count(struct th_dataset *dataset, struct th_shard_read *shard,
                      double began)
{
  dataset->store.bytes_read += shard->bytes_read;
  dataset->store.seconds += th_comm_clock() - began;
  shard->bytes_read = 0;
}

static th_status refuse(const struct th_dataset *d, const char *what,
                        struct th_error *err)
{
  th_fail(err, TH_EARG, "%s: %s", d->path, what);
  return TH_EARG;
}

th_status th_dataset_request(const struct th_dataset *d, struct th_rows rows,
                             struct th_range range, struct th_error *err)
{
  const struct th_row_groups *g = &d->info.row_groups;
  if (range.first < 0 || range.first >= range.last ||
      range.last > g->shape.attributes || rows.first < 0 || rows.count < 1 ||
      rows.first + rows.count > g->shape.examples)
    return refuse(d, "a request outside of the data", err);
  struct th_rows group =
      th_row_groups_group(g, th_row_groups_group_of(g, rows.first));
  if (rows.first + rows.count > group.first + group.count)
    return refuse(d, "rows of more than one row group", err);
  return TH_OK;
}

int64_t th_dataset_key(const struct th_dataset *dataset, int64_t attribute,
                       int64_t group)
{
  return attribute * dataset->info.row_groups.groups + group;
}

int64_t th_dataset_run_bytes(const struct th_dataset *dataset)
{
  const struct th_shape *shape = &dataset->info.row_groups.shape;
  return (int64_t)th_type_bytes(shape->type, shape->row_group);
}

int64_t th_dataset_block_limit(const struct th_dataset *dataset)
{
  return dataset->memory - dataset->runs.used;
}

bool th_dataset_all_fit(const struct th_dataset *d)
{
  enum { UNIT = 512, ATTRIBUTE = 16 }; /* bytes beside the values */
  const struct th_row_groups *g = &d->info.row_groups;
  double owned = (double)th_store_most_owned(&d->store, d->ranks);
  double run = (double)th_dataset_run_bytes(d);
  double units = owned / (double)g->chunk + 2 + (double)d->info.shards;
  double bytes = (owned + 2 * (double)g->chunk) * (run + ATTRIBUTE);
  return (double)g->groups * (bytes + units * UNIT) <= (double)d->memory;
}

th_status th_dataset_place(struct th_dataset *dataset, int64_t attribute,
                           int64_t group, struct th_place *place,
                           struct th_error *err)
{
  struct th_shard_read *shard = shard_of(dataset, attribute);
  if (!shard->open) {
    double began = th_comm_clock();
    th_status rc = th_shard_open(shard, err);
    th_dataset_count(dataset, shard, began);
    if (rc != TH_OK)
      return rc;
  }
  struct th_range all = shard->row->range;
  int64_t unit = (attribute - all.first) / shard->unit;
  int64_t first = all.first + unit * shard->unit;
  struct th_range attributes = {first, first + shard->unit};
  *place = (struct th_place){.shard = shard,
                             .group = group,
                             .unit = unit,
                             .attributes = th_range_intersect(attributes, all),
                             .key = th_dataset_key(dataset, first, group)};
  return TH_OK;
}

static th_status load_piece(struct th_dataset *d, const struct th_place *place,
                            void **room, struct th_error *err)
{
  struct th_piece piece;
  int64_t before = place->shard->bytes_read;
  double began = th_comm_clock();
  th_status rc = TH_OK;
  int64_t bytes =
      th_shard_piece_size(place->shard, place->unit, place->group, &piece);
  TH_TRY(th_cache_add(&d->blocks, place->key, bytes, th_dataset_block_limit(d),
                      room, err));
  rc = th_shard_piece_read(place->shard, place->unit, place->group, &piece,
                           *room, err);
  if (rc != TH_OK)
    th_cache_drop(&d->blocks, place->key);
done:
  d->store.blocks.read += place->shard->bytes_read - before;
  th_dataset_count(d, place->shard, began);
  return rc;
}

/* A slab of a whole piece, on some rows of its row group. */
static struct th_slab whole_piece(const struct th_dataset *d,
                                  const struct th_place *place,
                                  const struct th_piece *piece,
                                  struct th_rows rows)
{
  const struct th_row_groups *g = &d->info.row_groups;
  return (struct th_slab){.layout = TH_SPARSE,
                          .type = g->shape.type,
                          .attributes = place->attributes,
                          .row = rows.first -
                                 th_row_groups_group(g, place->group).first,
                          .rows = (int32_t)rows.count,
                          .values = piece->values,
                          .runs = piece->runs,
                          .base = place->shard->row->range.first,
                          .attribute = piece->attribute,
                          .start = piece->start,
                          .row_in_group = piece->row};
}

static th_status sparse_slab(struct th_dataset *d, struct th_rows rows,
                             struct th_range range, struct th_slab *slab,
                             struct th_error *err)
{
  int64_t group = th_row_groups_group_of(&d->info.row_groups, rows.first);
  struct th_place place;
  void *room = NULL;
  th_status rc = TH_OK;
  TH_TRY(th_dataset_place(d, range.first, group, &place, err));
  room = th_cache_find(&d->blocks, place.key);
  if (room == NULL)
    TH_TRY(load_piece(d, &place, &room, err));
  struct th_slab all = whole_piece(d, &place, room, rows);
  *slab = th_slab_part(&all, th_range_intersect(range, place.attributes));
done:
  return rc;
}

th_status th_dataset_slab(struct th_store *store, struct th_rows rows,
                          struct th_range range, bool keep,
                          struct th_slab *slab, struct th_error *err)
{
  struct th_dataset *d = (struct th_dataset *)store;
  th_status rc = th_dataset_request(d, rows, range, err);
  if (rc == TH_OK)
    rc = th_in_place_check(d, err);
  if (rc != TH_OK)
    return rc;
  if (store->shape.layout == TH_DENSE)
    return th_cache_block_slab(d, rows, range, keep, slab, err);
  return sparse_slab(d, rows, range, slab, err);
}

th_status th_dataset_statistics(struct th_store *store, struct th_range range,
                                struct th_statistics *statistics,
                                struct th_error *err)
{
  struct th_dataset *d = (struct th_dataset *)store;
  double began = th_comm_clock();
  th_status rc = TH_OK;
  if (range.first < 0 || range.last > store->shape.attributes)
    return refuse(d, "a request outside of the data", err);
  for (int64_t a = range.first; rc == TH_OK && a < range.last;) {
    struct th_shard_read *shard = shard_of(d, a);
    struct th_range part =
        th_range_intersect((struct th_range){a, range.last}, shard->row->range);
    rc = th_shard_open(shard, err);
    if (rc == TH_OK)
      rc =
          th_shard_statistics(shard, part, statistics + (a - range.first), err);
    th_dataset_count(d, shard, began);
    began = th_comm_clock();
    a = part.last;
  }
  return rc;
}
