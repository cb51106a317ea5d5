/* shard_write_sparse.c - writing a sparse shard, tile by tile
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "io/file.h"
#include "io/format.h"
#include "io/hash.h"
#include "io/shard_write.h"

#include <stdlib.h>
#include <string.h>

enum {
  STEP_BYTES = 16 << 20,    /* room is reserved in steps of at least this */
  METADATA_BYTES = 4 << 20, /* headers, chunk indices, chunks not yet full */
  MOST_ITEMS = 1 << 16,     /* items of a stored chunk */
  LEAST_ITEMS = 1 << 10
};

/* One tile on its way into the file; all in the scratch room. */
struct tile {
  int64_t group;
  int64_t rows;
  int64_t runs;
  int64_t entries;
  const struct th_slab *slab;
  int64_t *start; /* runs + 1, counted from the shard's first entry */
  uint64_t *checksum;
  uint32_t *attribute; /* counted from the shard's first */
  void *row;           /* as stored */
};

static th_status create(const struct th_shard_write *shard,
                        struct th_h5_set *set, const char *name, hid_t type,
                        struct th_error *err)
{
  /* Small shards get small chunks: a chunk is stored whole. */
  hsize_t items = LEAST_ITEMS;
  while (items < MOST_ITEMS && (int64_t)(items * 16) < shard->sparse.reserved)
    items *= 2;
  struct th_h5_plan plan = {.rank = 1, .chunk = {items}, .grows = true};
  return th_h5_set_create(set, &shard->h5, name, type, type, &plan, err);
}

static hid_t row_type(const struct th_geometry *geometry)
{
  return th_geometry_row_size(geometry) == sizeof(uint16_t) ? H5T_NATIVE_UINT16
                                                            : H5T_NATIVE_UINT32;
}

th_status th_sparse_begin(struct th_shard_write *shard, int64_t piece_width,
                          struct th_error *err)
{
  const struct th_geometry *g = shard->geometry;
  struct th_sparse_write *sparse = &shard->sparse;
  int64_t count = shard->range.last - shard->range.first;
  th_status rc = TH_OK;
  sparse->piece_width = piece_width < count ? piece_width : count;
  sparse->pieces = th_ceil_divide(count, sparse->piece_width);
  int64_t table = g->groups * sparse->pieces;
  sparse->reserved = (int64_t)((double)shard->needed * (double)count /
                               (double)g->shape.attributes);
  TH_TRY(TH_NEW(&sparse->piece, table + 1, "the piece table", err));
  TH_TRY(TH_NEW(&sparse->piece_checksum, table, "the piece table", err));
  TH_TRY(create(shard, &sparse->attribute, TH_D_ATTRIBUTE, H5T_NATIVE_UINT32,
                err));
  TH_TRY(create(shard, &sparse->start, TH_D_START, H5T_NATIVE_INT64, err));
  TH_TRY(
      create(shard, &sparse->checksum, TH_D_CHECKSUM, H5T_NATIVE_UINT64, err));
  TH_TRY(create(shard, &sparse->row, TH_D_ROW, row_type(g), err));
  TH_TRY(create(shard, &sparse->value, TH_D_VALUE, th_h5_type(g->shape.type),
                err));
  sparse->reserved += METADATA_BYTES;
  TH_TRY(th_reserve(shard->path, shard->name, sparse->reserved, shard->needed,
                    err));
done:
  return rc;
}

/* Room for a tile before it is written: a full disk shows here. */
static th_status reserve(struct th_shard_write *shard, const struct tile *tile,
                         struct th_error *err)
{
  struct th_sparse_write *sparse = &shard->sparse;
  int64_t entry = (int64_t)(th_type_size(shard->geometry->shape.type) +
                            th_geometry_row_size(shard->geometry));
  int64_t table = shard->geometry->groups * sparse->pieces * 16;
  int64_t statistics = (shard->range.last - shard->range.first) * 40;
  int64_t bytes = (sparse->runs + tile->runs) * 20 +
                  (sparse->entries + tile->entries) * entry + table +
                  statistics;
  int64_t needed = bytes + bytes / 64 + METADATA_BYTES;
  if (needed <= sparse->reserved)
    return TH_OK;
  int64_t step = needed / 4 > STEP_BYTES ? needed / 4 : STEP_BYTES;
  th_status rc =
      th_reserve(shard->path, shard->name, needed + step,
                 shard->needed > needed ? shard->needed : needed, err);
  if (rc == TH_OK)
    sparse->reserved = needed + step;
  return rc;
}

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

static th_status check_tile(const struct th_shard_write *shard,
                            const struct tile *tile, struct th_error *err)
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

static th_status make_room(struct th_shard_write *shard, struct tile *tile,
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

static void store_rows(const struct th_geometry *geometry, struct tile *tile)
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
static th_status account(struct th_shard_write *shard, struct tile *tile,
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

static th_status fill(struct th_shard_write *shard, struct tile *tile,
                      struct th_error *err)
{
  const struct th_slab *slab = tile->slab;
  th_status rc = TH_OK;
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

static void enter_pieces(struct th_sparse_write *sparse,
                         const struct tile *tile)
{
  int64_t k = 0;
  for (int64_t p = 0; p < sparse->pieces; p++) {
    int64_t at = tile->group * sparse->pieces + p;
    int64_t first = k;
    while (k < tile->runs && tile->attribute[k] < (p + 1) * sparse->piece_width)
      k++;
    sparse->piece[at] = sparse->runs + first;
    sparse->piece_checksum[at] =
        th_hash_piece(tile->attribute + first, tile->start + first,
                      tile->checksum + first, k - first);
  }
}

static th_status append(struct th_sparse_write *sparse, const struct tile *tile,
                        struct th_error *err)
{
  int64_t runs = sparse->runs;
  int64_t entries = sparse->entries;
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_append(&sparse->attribute, runs, tile->runs, tile->attribute,
                          err));
  TH_TRY(th_h5_set_append(&sparse->start, runs, tile->runs, tile->start, err));
  TH_TRY(th_h5_set_append(&sparse->checksum, runs, tile->runs, tile->checksum,
                          err));
  TH_TRY(
      th_h5_set_append(&sparse->row, entries, tile->entries, tile->row, err));
  TH_TRY(th_h5_set_append(&sparse->value, entries, tile->entries,
                          tile->slab->values, err));
done:
  return rc;
}

th_status th_shard_sparse(struct th_shard_write *shard, int64_t group,
                          const struct th_slab *slab, struct th_error *err)
{
  struct th_sparse_write *sparse = &shard->sparse;
  struct tile tile = {.group = group, .runs = slab->runs, .slab = slab};
  th_status rc = TH_OK;
  tile.rows = th_geometry_group(shard->geometry, group).count;
  tile.entries = slab->runs > 0 ? slab->start[slab->runs] - slab->start[0] : 0;
  TH_TRY(check_tile(shard, &tile, err));
  TH_TRY(reserve(shard, &tile, err));
  TH_TRY(make_room(shard, &tile, err));
  TH_TRY(fill(shard, &tile, err));
  TH_TRY(append(sparse, &tile, err));
  enter_pieces(sparse, &tile);
  sparse->runs += tile.runs;
  sparse->entries += tile.entries;
  sparse->next_group++;
  shard->nonzeros += tile.entries;
done:
  return rc;
}

static th_status close_sets(struct th_sparse_write *sparse,
                            struct th_error *err)
{
  struct th_h5_set *sets[] = {&sparse->attribute, &sparse->start,
                              &sparse->checksum, &sparse->row, &sparse->value};
  th_status rc = TH_OK;
  for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
    th_status closed = th_h5_set_close(sets[k], err);
    rc = rc == TH_OK ? closed : rc;
  }
  return rc;
}

th_status th_sparse_end(struct th_shard_write *shard, struct th_error *err)
{
  struct th_sparse_write *sparse = &shard->sparse;
  int64_t groups = shard->geometry->groups;
  int64_t table = groups * sparse->pieces;
  th_status rc = TH_OK;
  if (sparse->next_group != groups)
    return th_fail(err, TH_EARG, "%s: only %lld of %lld row groups written",
                   shard->name, (long long)sparse->next_group,
                   (long long)groups);
  sparse->piece[table] = sparse->runs;
  TH_TRY(
      th_h5_set_append(&sparse->start, sparse->runs, 1, &sparse->entries, err));
  TH_TRY(close_sets(sparse, err));
  TH_TRY(th_h5_put(&shard->h5, TH_D_PIECE, H5T_NATIVE_INT64, table + 1,
                   sparse->piece, err));
  TH_TRY(th_h5_put(&shard->h5, TH_D_PIECE_CHECKSUM, H5T_NATIVE_UINT64, table,
                   sparse->piece_checksum, err));
  TH_TRY(th_h5_put_i64(&shard->h5, "/", TH_A_PIECE, sparse->piece_width, err));
done:
  return rc;
}

void th_sparse_free(struct th_sparse_write *sparse)
{
  struct th_error ignored = {0};
  close_sets(sparse, &ignored);
  free(sparse->piece);
  free(sparse->piece_checksum);
  sparse->piece = NULL;
  sparse->piece_checksum = NULL;
}
