/* shard_write_sparse.c - writes a sparse shard, tile by tile
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/dataset/sparse_tile.h"
#include "io/hdf5/file.h"

enum {
  STEP_BYTES = 16 << 20,      /* room is reserved in steps of at most this */
  METADATA_BYTES = 256 << 10, /* headers and chunk indices */
  RUN_BYTES = 6,              /* of /attribute and /count */
  PIECE_BYTES = 24,           /* of the piece table */
  SETS_BYTES = 16,            /* per item of the four data sets together */
  MOST_ITEMS = 1 << 16,       /* items of a stored chunk */
  LEAST_ITEMS = 1 << 10
};

/* Reserve room for that many bytes besides what every shard needs, before they
 * are written, so that a full disk is noticed here. */
static th_status reserve(struct th_shard_write *shard, int64_t bytes,
                         struct th_error *err)
{
  struct th_sparse_write *sparse = &shard->sparse;
  int64_t table = shard->row_groups->groups * sparse->pieces * PIECE_BYTES;
  int64_t statistics = (shard->range.last - shard->range.first) * 40;
  int64_t needed = bytes + bytes / 64 + table + statistics + METADATA_BYTES +
                   sparse->items * SETS_BYTES;
  if (needed <= sparse->reserved)
    return TH_OK;
  int64_t step = sparse->reserved / 4;
  int64_t wanted = needed + (step < STEP_BYTES ? step : STEP_BYTES);
  th_status rc =
      th_file_reserve(shard->file, shard->name, wanted,
                      shard->needed > wanted ? shard->needed : wanted, err);
  if (rc == TH_OK)
    sparse->reserved = wanted;
  return rc;
}

static th_status reserve_tile(struct th_shard_write *shard,
                              const struct th_tile *tile, struct th_error *err)
{
  const struct th_sparse_write *sparse = &shard->sparse;
  int64_t entry = (int64_t)(th_type_size(shard->row_groups->shape.type) +
                            sizeof *tile->slab->row_in_group);
  return reserve(shard,
                 (sparse->runs + tile->runs) * RUN_BYTES +
                     (sparse->entries + tile->entries) * entry,
                 err);
}

static th_status create(const struct th_shard_write *shard,
                        struct th_h5_set *set, const char *name, hid_t type,
                        struct th_error *err)
{
  struct th_h5_plan plan = {
      .rank = 1, .chunk = {(hsize_t)shard->sparse.items}, .grows = true};
  return th_h5_set_create(set, &shard->h5, name, type, type, &plan, err);
}

th_status th_shard_sparse_begin(struct th_shard_write *shard,
                                int64_t piece_width, struct th_error *err)
{
  const struct th_row_groups *g = shard->row_groups;
  struct th_sparse_write *sparse = &shard->sparse;
  int64_t count = shard->range.last - shard->range.first;
  th_status rc = TH_OK;
  sparse->piece_width = piece_width < count ? piece_width : count;
  sparse->pieces = th_integer_ceil_divide(count, sparse->piece_width);
  int64_t table = g->groups * sparse->pieces;
  int64_t share = (int64_t)((double)shard->needed * (double)count /
                            (double)g->shape.attributes);
  /* Small shards get small chunks, since a chunk is stored whole. */
  sparse->items = LEAST_ITEMS;
  while (sparse->items < MOST_ITEMS && sparse->items * 16 < share)
    sparse->items *= 2;
  TH_TRY(TH_NEW(&sparse->piece, table + 1, "the table of pieces", err));
  TH_TRY(TH_NEW(&sparse->piece_entry, table + 1, "the table of pieces", err));
  TH_TRY(TH_NEW(&sparse->piece_checksum, table, "the table of pieces", err));
  TH_TRY(create(shard, &sparse->attribute, TH_D_ATTRIBUTE, H5T_NATIVE_UINT32,
                err));
  TH_TRY(create(shard, &sparse->count, TH_D_COUNT, H5T_NATIVE_UINT16, err));
  TH_TRY(create(shard, &sparse->row, TH_D_ROW, H5T_NATIVE_UINT16, err));
  TH_TRY(create(shard, &sparse->value, TH_D_VALUE, th_h5_type(g->shape.type),
                err));
  TH_TRY(reserve(shard, share, err));
done:
  return rc;
}

/* Cut the next piece from a tile: its attributes end below `end`. Advances
 * parts beyond it. */
static uint64_t cut_piece(struct th_shard_piece_parts *parts, int64_t runs_left,
                          int64_t end)
{
  parts->runs = 0;
  parts->entries = 0;
  while (parts->runs < runs_left && parts->attribute[parts->runs] < end)
    parts->entries += parts->count[parts->runs++];
  uint64_t checksum = th_fingerprint_piece(parts);
  parts->attribute += parts->runs;
  parts->count += parts->runs;
  if (parts->entries == 0) /* there may be no room at all */
    return checksum;
  parts->row += parts->entries;
  parts->values =
      (const char *)parts->values + (size_t)parts->entries * parts->value_size;
  return checksum;
}

static void enter_pieces(struct th_sparse_write *sparse,
                         const struct th_tile *tile)
{
  struct th_shard_piece_parts parts = {.attribute = tile->attribute,
                                       .count = tile->count,
                                       .row = tile->slab->row_in_group,
                                       .values = tile->slab->values,
                                       .value_size =
                                           th_type_size(tile->slab->type)};
  int64_t run = 0;
  int64_t entry = 0;
  for (int64_t p = 0; p < sparse->pieces; p++) {
    int64_t at = tile->group * sparse->pieces + p;
    sparse->piece[at] = sparse->runs + run;
    sparse->piece_entry[at] = sparse->entries + entry;
    sparse->piece_checksum[at] =
        cut_piece(&parts, tile->runs - run, (p + 1) * sparse->piece_width);
    run += parts.runs;
    entry += parts.entries;
  }
}

static th_status append(struct th_sparse_write *sparse,
                        const struct th_tile *tile, struct th_error *err)
{
  int64_t runs = sparse->runs;
  int64_t entries = sparse->entries;
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_append(&sparse->attribute, runs, tile->runs, tile->attribute,
                          err));
  TH_TRY(th_h5_set_append(&sparse->count, runs, tile->runs, tile->count, err));
  TH_TRY(th_h5_set_append(&sparse->row, entries, tile->entries,
                          tile->slab->row_in_group, err));
  TH_TRY(th_h5_set_append(&sparse->value, entries, tile->entries,
                          tile->slab->values, err));
done:
  return rc;
}

th_status th_shard_sparse(struct th_shard_write *shard, int64_t group,
                          const struct th_slab *slab, struct th_error *err)
{
  struct th_sparse_write *sparse = &shard->sparse;
  struct th_tile tile = {.group = group, .runs = slab->runs, .slab = slab};
  th_status rc = TH_OK;
  tile.rows = th_row_groups_group(shard->row_groups, group).count;
  tile.entries =
      slab->runs > 0 ? (int64_t)slab->start[slab->runs] - slab->start[0] : 0;
  TH_TRY(th_sparse_tile_check(shard, &tile, err));
  TH_TRY(reserve_tile(shard, &tile, err));
  TH_TRY(th_sparse_tile_fill(shard, &tile, err));
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
  enum { SETS = 4 };
  struct th_h5_set *sets[SETS] = {&sparse->attribute, &sparse->count,
                                  &sparse->row, &sparse->value};
  th_status rc = TH_OK;
  for (int k = 0; k < SETS; k++) {
    th_status closed = th_h5_set_close(sets[k], err);
    rc = rc == TH_OK ? closed : rc;
  }
  return rc;
}

th_status th_shard_sparse_end(struct th_shard_write *shard,
                              struct th_error *err)
{
  struct th_sparse_write *sparse = &shard->sparse;
  int64_t groups = shard->row_groups->groups;
  int64_t table = groups * sparse->pieces;
  th_status rc = TH_OK;
  if (sparse->next_group != groups)
    return th_fail(err, TH_EARG, "%s: only %lld of %lld row groups written",
                   shard->name, (long long)sparse->next_group,
                   (long long)groups);
  sparse->piece[table] = sparse->runs;
  sparse->piece_entry[table] = sparse->entries;
  TH_TRY(close_sets(sparse, err));
  TH_TRY(th_h5_put(&shard->h5, TH_D_PIECE, H5T_NATIVE_INT64, table + 1,
                   sparse->piece, err));
  TH_TRY(th_h5_put(&shard->h5, TH_D_PIECE_ENTRY, H5T_NATIVE_INT64, table + 1,
                   sparse->piece_entry, err));
  TH_TRY(th_h5_put(&shard->h5, TH_D_PIECE_CHECKSUM, H5T_NATIVE_UINT64, table,
                   sparse->piece_checksum, err));
  TH_TRY(th_h5_put_i64(&shard->h5, "/", TH_A_PIECE, sparse->piece_width, err));
done:
  return rc;
}

void th_shard_sparse_free(struct th_sparse_write *sparse)
{
  struct th_error ignored = {0};
  close_sets(sparse, &ignored);
  TH_FREE(sparse->piece, sparse->piece_entry, sparse->piece_checksum);
  sparse->piece = NULL;
  sparse->piece_entry = NULL;
  sparse->piece_checksum = NULL;
}
