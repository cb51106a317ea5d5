/* sparse_tile.c - a tile on its way into a sparse shard: checked, then packed
 * SPDX-License-Identifier: MIT */
#include "io/sparse_tile.h"

#include "io/hash.h"

#include <string.h>

static th_status bad_tile(const struct th_shard_write *shard, int64_t group,
                          const char *what, struct th_error *err)
{
  return th_fail(err, TH_EARG, "%s: row group %lld: %s", shard->name,
                 (long long)group, what);
}

static bool rows_good(const uint32_t *row, int64_t count, int64_t rows)
{
  for (int64_t k = 1; k < count; k++)
    if (row[k] <= row[k - 1])
      return false;
  return count > 0 && (int64_t)row[count - 1] < rows;
}

th_status th_tile_check(const struct th_shard_write *shard,
                        const struct th_tile *tile, struct th_error *err)
{
  const struct th_slab *slab = tile->slab;
  int64_t before = shard->range.first - 1;
  if (tile->group != shard->sparse.next_group ||
      tile->group >= shard->geometry->groups)
    return bad_tile(shard, tile->group, "out of order", err);
  if (slab->layout != TH_SPARSE || slab->type != shard->geometry->shape.type)
    return bad_tile(shard, tile->group, "a tile of another type", err);
  for (int64_t k = 0; k < tile->runs; k++) {
    int64_t attribute = slab->base + (int64_t)slab->attribute[k];
    int64_t first = slab->start[k] - slab->start[0];
    if (attribute <= before || attribute >= shard->range.last)
      return bad_tile(shard, tile->group, "attributes out of order", err);
    if (!rows_good(slab->row_in_group + first,
                   slab->start[k + 1] - slab->start[k], tile->rows))
      return bad_tile(shard, tile->group, "rows out of order", err);
    before = attribute;
  }
  return TH_OK;
}

static th_status make_room(struct th_shard_write *shard, struct th_tile *tile,
                           struct th_error *err)
{
  size_t runs = (size_t)tile->runs;
  size_t rows = (size_t)tile->entries * th_geometry_row_size(shard->geometry);
  size_t bytes = (runs + 1) * sizeof *tile->start +
                 runs * (sizeof *tile->checksum + sizeof *tile->attribute) +
                 rows;
  th_status rc = th_scratch_bytes(shard->scratch, (int64_t)bytes, err);
  if (rc != TH_OK)
    return rc;
  tile->start = shard->scratch->bytes;
  tile->checksum = (uint64_t *)(tile->start + runs + 1);
  tile->attribute = (uint32_t *)(tile->checksum + runs);
  tile->row = tile->attribute + runs;
  return TH_OK;
}

static void store_rows(const struct th_geometry *geometry, struct th_tile *tile)
{
  const uint32_t *from = tile->slab->row_in_group;
  if (th_geometry_row_size(geometry) == sizeof(uint32_t)) {
    memcpy(tile->row, from, (size_t)tile->entries * sizeof *from);
    return;
  }
  uint16_t *to = tile->row;
  for (int64_t k = 0; k < tile->entries; k++)
    to[k] = (uint16_t)from[k];
}

/* Checksum, content and statistics of run k. */
static th_status account(struct th_shard_write *shard, struct th_tile *tile,
                         int64_t k, struct th_error *err)
{
  enum th_type type = shard->geometry->shape.type;
  size_t row_size = th_geometry_row_size(shard->geometry);
  size_t size = th_type_size(type);
  size_t first = (size_t)(tile->start[k] - tile->start[0]);
  int64_t count = tile->start[k + 1] - tile->start[k];
  const char *values = (const char *)tile->slab->values + first * size;
  int64_t attribute = shard->range.first + tile->attribute[k];
  int64_t ignored = 0;
  tile->checksum[k] =
      th_hash_run((char *)tile->row + first * row_size,
                  (size_t)count * row_size, values, (size_t)count * size);
  shard->content += th_hash_share(attribute, tile->group, tile->checksum[k]);
  th_status rc = th_scratch_values(shard->scratch, count, err);
  if (rc != TH_OK)
    return rc;
  if (!th_values_load(type, values, count, shard->scratch->values, &ignored))
    return th_fail(err, TH_EDATA,
                   "attribute %lld, row group %lld: a value is not a finite "
                   "number",
                   (long long)attribute, (long long)tile->group);
  if (tile->group < shard->geometry->training_groups)
    th_moments_add(&shard->moments, tile->attribute[k], shard->scratch->values,
                   count);
  return TH_OK;
}

th_status th_tile_fill(struct th_shard_write *shard, struct th_tile *tile,
                       struct th_error *err)
{
  const struct th_slab *slab = tile->slab;
  th_status rc = make_room(shard, tile, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < tile->runs; k++) {
    tile->attribute[k] = (uint32_t)(slab->base + (int64_t)slab->attribute[k] -
                                    shard->range.first);
    tile->start[k] = shard->sparse.entries + slab->start[k] - slab->start[0];
  }
  tile->start[tile->runs] = shard->sparse.entries + tile->entries;
  store_rows(shard->geometry, tile);
  for (int64_t k = 0; rc == TH_OK && k < tile->runs; k++)
    rc = account(shard, tile, k, err);
  return rc;
}
