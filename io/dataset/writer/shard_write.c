/* shard_write.c - makes the file of one shard, dense or sparse
 * SPDX-License-Identifier: MIT */
#include "io/dataset/writer/shard_write.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/files/file.h"
#include "io/files/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static th_status dense_begin(struct th_shard_write *shard,
                             struct th_error *err);

/* --- Writes a sparse shard, tile by tile ---------------------------------- */

enum {
  STEP_BYTES = 16 << 20, /* room is reserved in steps of at most this */
  SPARSE_METADATA_BYTES = 256 << 10, /* headers and chunk indices */
  RUN_BYTES = 6,                     /* of /attribute and /count */
  PIECE_BYTES = 24,                  /* of the tables of pieces */
  SETS_BYTES = 16,      /* per item of the four data sets together */
  MOST_ITEMS = 1 << 16, /* items of a stored chunk */
  LEAST_ITEMS = 1 << 10
};

/* Reserve room for that many bytes besides what every shard needs, before they
 * are written, so that a full disk is noticed here. */
static th_status sparse_reserve(struct th_shard_write *shard, int64_t bytes,
                                struct th_error *err)
{
  struct th_sparse_write *sparse = &shard->sparse;
  int64_t table =
      shard->row_groups->groups * (sparse->parts.count + 2) * PIECE_BYTES;
  int64_t statistics = th_range_count(shard->range) * 40;
  int64_t needed = bytes + bytes / 64 + table + statistics +
                   SPARSE_METADATA_BYTES + sparse->items * SETS_BYTES;
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
                              const struct th_shard_piece_parts *tile,
                              struct th_error *err)
{
  const struct th_sparse_write *sparse = &shard->sparse;
  int64_t entry = (int64_t)(th_type_size(shard->row_groups->shape.type) +
                            sizeof *tile->row);
  return sparse_reserve(shard,
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

static th_status sparse_begin(struct th_shard_write *shard,
                              struct th_error *err)
{
  const struct th_row_groups *g = shard->row_groups;
  struct th_sparse_write *sparse = &shard->sparse;
  int64_t count = th_range_count(shard->range);
  th_status rc = TH_OK;
  int64_t share = (int64_t)((double)shard->needed * (double)count /
                            (double)g->shape.attributes);
  /* Small shards get small chunks, since a chunk is stored whole. */
  sparse->items = LEAST_ITEMS;
  while (sparse->items < MOST_ITEMS && sparse->items * 16 < share)
    sparse->items *= 2;
  sparse->parts =
      (struct th_parts_write){.row_groups = g, .range = shard->range};
  TH_TRY(th_parts_tables_init(&sparse->whole, g->groups, err));
  TH_TRY(create(shard, &sparse->attribute, TH_D_ATTRIBUTE, H5T_NATIVE_UINT32,
                err));
  TH_TRY(create(shard, &sparse->count, TH_D_COUNT, H5T_NATIVE_UINT16, err));
  TH_TRY(create(shard, &sparse->row, TH_D_ROW, H5T_NATIVE_UINT16, err));
  TH_TRY(create(shard, &sparse->value, TH_D_VALUE, th_h5_type(g->shape.type),
                err));
  TH_TRY(sparse_reserve(shard, share, err));
done:
  return rc;
}

static void enter_whole(struct th_sparse_write *sparse,
                        const struct th_shard_piece_parts *tile)
{
  int64_t g = sparse->next_group;
  sparse->whole.run[g] = sparse->runs;
  sparse->whole.entry[g] = sparse->entries;
  sparse->whole.checksum[g] = th_fingerprint_piece(tile);
}

static th_status append_tile(struct th_sparse_write *sparse,
                             const struct th_shard_piece_parts *tile,
                             struct th_error *err)
{
  int64_t runs = sparse->runs;
  int64_t entries = sparse->entries;
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_append(&sparse->attribute, runs, tile->runs, tile->attribute,
                          err));
  TH_TRY(th_h5_set_append(&sparse->count, runs, tile->runs, tile->count, err));
  TH_TRY(
      th_h5_set_append(&sparse->row, entries, tile->entries, tile->row, err));
  TH_TRY(th_h5_set_append(&sparse->value, entries, tile->entries, tile->values,
                          err));
done:
  return rc;
}

th_status th_shard_write_sparse(struct th_shard_write *shard, int64_t group,
                                const struct th_shard_piece_parts *tile,
                                struct th_error *err)
{
  struct th_sparse_write *sparse = &shard->sparse;
  th_status rc = TH_OK;
  if (group != sparse->next_group || group >= shard->row_groups->groups)
    return th_fail(err, TH_EARG, "%s: row group %lld: out of order",
                   shard->name, (long long)group);
  TH_TRY(reserve_tile(shard, tile, err));
  TH_TRY(append_tile(sparse, tile, err));
  enter_whole(sparse, tile);
  TH_TRY(th_parts_enter(&sparse->parts, group, tile, sparse->runs,
                        sparse->entries, err));
  sparse->runs += tile->runs;
  sparse->entries += tile->entries;
  sparse->next_group++;
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

static th_status sparse_end(struct th_shard_write *shard, struct th_error *err)
{
  struct th_sparse_write *sparse = &shard->sparse;
  struct th_piece_tables *whole = &sparse->whole;
  int64_t groups = shard->row_groups->groups;
  th_status rc = TH_OK;
  if (sparse->next_group != groups)
    return th_fail(err, TH_EARG, "%s: only %lld of %lld row groups written",
                   shard->name, (long long)sparse->next_group,
                   (long long)groups);
  whole->run[groups] = sparse->runs;
  whole->entry[groups] = sparse->entries;
  TH_TRY(close_sets(sparse, err));
  TH_TRY(th_h5_set_put(&shard->h5, TH_D_PIECE, H5T_NATIVE_INT64, groups + 1,
                       whole->run, err));
  TH_TRY(th_h5_set_put(&shard->h5, TH_D_PIECE_ENTRY, H5T_NATIVE_INT64,
                       groups + 1, whole->entry, err));
  TH_TRY(th_h5_set_put(&shard->h5, TH_D_PIECE_CHECKSUM, H5T_NATIVE_UINT64,
                       groups, whole->checksum, err));
  TH_TRY(th_h5_put_i64(&shard->h5, "/", TH_A_PIECE,
                       th_range_count(shard->range), err));
  TH_TRY(th_parts_put(&sparse->parts, &shard->h5, sparse->runs, sparse->entries,
                      err));
done:
  return rc;
}

static void shard_sparse_free(struct th_sparse_write *sparse)
{
  struct th_error ignored = {0};
  close_sets(sparse, &ignored);
  th_parts_write_free(&sparse->parts);
  th_parts_tables_free(&sparse->whole);
}

/* --- What both layouts share ---------------------------------------------- */

/* HDF5 cannot close a file if it cannot write its head. */
enum { HEAD_BYTES = 16 << 10 };

th_status th_shard_write_begin(struct th_shard_write *shard,
                               struct th_error *err)
{
  th_status rc = TH_OK;
  if (th_file_limit() < HEAD_BYTES)
    return th_file_no_space(shard->name, shard->needed, err);
  TH_TRY(th_h5_create(&shard->h5, shard->path, shard->name, err));
  shard->file = fcntl(th_h5_descriptor(&shard->h5), F_DUPFD_CLOEXEC, 0);
  if (shard->file < 0)
    return th_fail(err, TH_EIO, "cannot write %s: %s", shard->name,
                   strerror(errno));
  if (shard->row_groups->shape.layout == TH_DENSE)
    TH_TRY(dense_begin(shard, err));
  else
    TH_TRY(sparse_begin(shard, err));
done:
  return rc;
}

static th_status put_header(const struct th_shard_write *shard,
                            const struct th_shard_sums *sums,
                            struct th_error *err)
{
  const struct th_h5 *h5 = &shard->h5;
  const struct th_shape *shape = &shard->row_groups->shape;
  const struct {
    const char *name;
    int64_t value;
  } numbers[] = {
      {TH_A_MAJOR, TH_FORMAT_MAJOR},
      {TH_A_MINOR,
       shape->layout == TH_SPARSE ? TH_FORMAT_MINOR_PARTS : TH_FORMAT_MINOR},
      {TH_A_SHARD, shard->index},
      {TH_A_FIRST, shard->range.first},
      {TH_A_COUNT, th_range_count(shard->range)},
      {TH_A_TRAINING, shape->training},
      {TH_A_ROW_GROUP, shape->row_group},
      {TH_A_GROUPS, shard->row_groups->groups},
      {TH_A_NONZEROS, sums->nonzeros},
  };
  th_status rc = TH_OK;
  TH_TRY(th_h5_put_text(h5, "/", TH_A_FORMAT, TH_FORMAT_SHARD, err));
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    TH_TRY(th_h5_put_i64(h5, "/", numbers[k].name, numbers[k].value, err));
  TH_TRY(th_h5_put_text(h5, "/", TH_A_LAYOUT,
                        th_type_layout_name(shape->layout), err));
  TH_TRY(th_h5_put_text(h5, "/", TH_A_TYPE, th_type_name(shape->type), err));
  TH_TRY(th_h5_put_u64(h5, "/", TH_A_CONTENT, sums->content, err));
done:
  return rc;
}

static th_status put_stats_checksums(const struct th_shard_write *shard,
                                     const struct th_shard_sums *sums,
                                     size_t size, struct th_error *err)
{
  int64_t count = th_range_count(shard->range);
  int64_t pieces = th_integer_ceil_divide(count, TH_STATS_PIECE);
  uint64_t *checksum = NULL;
  th_status rc = TH_NEW(&checksum, pieces, "checksums", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < pieces; k++)
    checksum[k] = th_fingerprint_stats(sums->kind, count, k, size);
  rc = th_h5_set_put(&shard->h5, TH_D_STATS_CHECKSUM, H5T_NATIVE_UINT64, pieces,
                     checksum, err);
  free(checksum);
  return rc;
}

/* How many values of each attribute are missing, where some are. */
static th_status put_missing(struct th_shard_write *shard,
                             const struct th_shard_sums *sums,
                             struct th_error *err)
{
  int64_t count = th_range_count(shard->range);
  th_status rc = TH_OK;
  shard->missing = 0;
  for (int64_t a = 0; sums->missing != NULL && a < count; a++)
    shard->missing += sums->missing[a];
  if (shard->missing == 0)
    return TH_OK;
  TH_TRY(th_h5_put_i64(&shard->h5, "/", TH_A_MISSING, shard->missing, err));
  TH_TRY(th_h5_set_put(&shard->h5, TH_D_MISSING, H5T_NATIVE_INT64, count,
                       sums->missing, err));
done:
  return rc;
}

static th_status put_statistics(struct th_shard_write *shard,
                                const struct th_shard_sums *sums,
                                struct th_error *err)
{
  static const char *const names[TH_STATS_KINDS] = {TH_D_MEAN, TH_D_DEVIATION,
                                                    TH_D_LOWEST, TH_D_HIGHEST};
  bool small = th_row_groups_short_stats(shard->row_groups);
  hid_t type = small ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  th_status rc = TH_OK;
  for (int k = 0; k < TH_STATS_KINDS; k++)
    TH_TRY(th_h5_set_put(&shard->h5, names[k], type,
                         th_range_count(shard->range), sums->kind[k], err));
  TH_TRY(put_stats_checksums(shard, sums,
                             small ? sizeof(float) : sizeof(double), err));
  TH_TRY(put_missing(shard, sums, err));
done:
  return rc;
}

/* Cut off reserved bytes that were not used. */
static th_status trim(struct th_shard_write *shard, struct th_error *err)
{
  unsigned char head[TH_H5_HEAD] = {0};
  bool good = pread(shard->file, head, sizeof head, 0) == sizeof head;
  shard->bytes = th_h5_end(head);
  if (!good || ftruncate(shard->file, (off_t)shard->bytes) != 0)
    return th_fail(err, TH_EIO, "cannot write %s: %s", shard->name,
                   strerror(errno));
  return th_file_flush(shard->file, shard->name, err);
}

/* The hash of all bytes, by a descriptor of its own: a file system over the
 * network shows what others have written where a file is opened anew. */
static th_status hash_written(struct th_shard_write *shard,
                              struct th_error *err)
{
  int file = open(shard->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  bool good = file >= 0 && th_hash_open(file, &shard->hash);
  if (!good)
    th_fail(err, TH_EIO, "cannot read %s back: %s", shard->name,
            strerror(errno));
  if (file >= 0)
    close(file);
  return good ? TH_OK : TH_EIO;
}

th_status th_shard_write_end(struct th_shard_write *shard,
                             const struct th_shard_sums *sums,
                             struct th_error *err)
{
  th_status rc = TH_OK;
  if (shard->row_groups->shape.layout == TH_SPARSE)
    TH_TRY(sparse_end(shard, err));
  TH_TRY(put_statistics(shard, sums, err));
  TH_TRY(put_header(shard, sums, err));
  TH_TRY(th_h5_close(&shard->h5, err));
  TH_TRY(trim(shard, err));
  TH_TRY(hash_written(shard, err));
done:
  return rc;
}

void th_shard_write_drop(struct th_shard_write *shard)
{
  struct th_error ignored = {0};
  shard_sparse_free(&shard->sparse);
  th_h5_close(&shard->h5, &ignored);
  if (shard->file >= 0)
    close(shard->file);
  TH_FREE(shard->name, shard->path);
  *shard = (struct th_shard_write){.file = -1};
}

/* --- Makes a dense shard, whose values are written past HDF5 -------------- */

enum {
  DENSE_METADATA_BYTES = 256 << 10
}; /* headers and the like, with a reserve */

/* Reserve room for the whole file, so that a full disk is noticed now. */
static th_status dense_reserve(const struct th_shard_write *shard,
                               int64_t stored, struct th_error *err)
{
  const struct th_row_groups *g = shard->row_groups;
  int64_t count = th_range_count(shard->range);
  int64_t run = (int64_t)th_type_bytes(g->shape.type, g->shape.row_group);
  int64_t values =
      th_integer_ceil_divide(count, stored) * stored * g->groups * run;
  int64_t checksums = count * g->groups * (int64_t)sizeof(uint64_t);
  int64_t statistics = count * 5 * (int64_t)sizeof(double);
  return th_file_reserve(shard->file, shard->name,
                         values + checksums + statistics + DENSE_METADATA_BYTES,
                         shard->needed, err);
}

/* Parts follow one another, each with its row groups, as they get their room
 * at once and have no filter. */
static th_status find_places(struct th_shard_write *shard,
                             const struct th_h5_set *values,
                             const struct th_h5_set *checksum,
                             const struct th_h5_plan *plan,
                             struct th_error *err)
{
  const struct th_row_groups *g = shard->row_groups;
  struct th_h5_layout x;
  struct th_h5_layout sums;
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_layout(values, &x, err));
  TH_TRY(th_h5_set_layout(checksum, &sums, err));
  hsize_t first[2] = {0, 0};
  hsize_t parts = (plan->size[0] - 1) / plan->chunk[0];
  hsize_t last[2] = {parts * plan->chunk[0], plan->size[1] - plan->chunk[1]};
  int64_t bytes = (int64_t)(plan->chunk[0]) *
                  (int64_t)th_type_bytes(g->shape.type, g->shape.row_group);
  int64_t behind = ((int64_t)parts + 1) * g->groups - 1;
  shard->places = (struct th_shard_places){
      .values = th_h5_set_chunk(values, first), .checksums = sums.offset};
  if (!x.plain || !sums.plain || shard->places.values < 0 ||
      th_h5_set_chunk(values, last) != shard->places.values + behind * bytes)
    rc = th_fail(err, TH_EIO,
                 "cannot write %s: this HDF5 library stores chunks elsewhere; "
                 "take 1.10 to 1.14",
                 shard->name);
done:
  return rc;
}

/* Parts of begin for one layout. */
static th_status dense_begin(struct th_shard_write *shard, struct th_error *err)
{
  const struct th_row_groups *g = shard->row_groups;
  int64_t count = th_range_count(shard->range);
  hid_t type = th_h5_type(g->shape.type);
  hsize_t height = (hsize_t)th_row_groups_items(g, g->shape.row_group);
  int64_t stored = th_row_groups_stored(g, count);
  struct th_h5_set values = {0};
  struct th_h5_set checksum = {0};
  struct th_h5_plan plan = {
      .rank = 2,
      .size = {(hsize_t)count, (hsize_t)g->groups * height},
      .chunk = {(hsize_t)stored, height}};
  struct th_h5_plan checksums = {.rank = 2,
                                 .size = {(hsize_t)g->groups, (hsize_t)count}};
  struct th_error ignored = {0};
  th_status rc = TH_OK;
  TH_TRY(dense_reserve(shard, stored, err));
  TH_TRY(th_h5_set_create(&values, &shard->h5, TH_D_X, type, type, &plan, err));
  TH_TRY(th_h5_set_create(&checksum, &shard->h5, TH_D_CHECKSUM,
                          H5T_NATIVE_UINT64, H5T_NATIVE_UINT64, &checksums,
                          err));
  TH_TRY(find_places(shard, &values, &checksum, &plan, err));
done:
  th_h5_set_close(&checksum, rc == TH_OK ? err : &ignored);
  th_h5_set_close(&values, rc == TH_OK ? err : &ignored);
  return rc;
}
