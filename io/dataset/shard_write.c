/* shard_write.c - writes one shard, dense or sparse
 * SPDX-License-Identifier: MIT */
#include "io/dataset/shard_write.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/files/file.h"
#include "io/files/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A tile that is written to a sparse shard. The caller gives group, rows, runs,
 * entries and slab. The arrays lie in the shard's scratch room. Rows and values
 * are stored as they are in the slab. */
struct th_tile {
  int64_t group;
  int64_t rows;
  int64_t runs;
  int64_t entries;
  const struct th_slab *slab;
  uint32_t *attribute; /* counted from the shard's first */
  uint16_t *count;     /* entries of a run */
};

static th_status scratch_bytes(struct th_scratch *scratch, int64_t bytes,
                               struct th_error *err);
static th_status scratch_values(struct th_scratch *scratch, int64_t count,
                                struct th_error *err);
static th_status dense_begin(struct th_shard_write *shard,
                             struct th_error *err);
static th_status dense_end(struct th_shard_write *shard, struct th_error *err);
static void shard_dense_free(struct th_dense_write *dense);

/* --- Checks and packs a tile of a sparse shard ---------------------------- */

static th_status bad_tile(const struct th_shard_write *shard, int64_t group,
                          const char *what, struct th_error *err)
{
  return th_fail(err, TH_EARG, "%s: row group %lld: %s", shard->name,
                 (long long)group, what);
}

static bool rows_ascend(const uint16_t *row, int64_t count, int64_t rows)
{
  for (int64_t k = 1; k < count; k++)
    if (row[k] <= row[k - 1])
      return false;
  return count > 0 && row[count - 1] < rows;
}

/* True if rows ascend within all runs, without a branch for each entry: as many
 * rows that do not ascend as runs that begin with one, and none too large. */
static bool all_rows_good(const struct th_tile *tile)
{
  const struct th_slab *slab = tile->slab;
  const uint16_t *row = slab->row_in_group;
  int64_t falls = 0;
  uint16_t highest = tile->entries > 0 ? row[0] : 0;
  for (int64_t i = 1; i < tile->entries; i++) {
    falls += row[i] <= row[i - 1];
    highest = row[i] > highest ? row[i] : highest;
  }
  for (int64_t k = 0; k < tile->runs; k++) {
    int64_t first = (int64_t)slab->start[k] - slab->start[0];
    if (slab->start[k + 1] <= slab->start[k])
      return false;
    falls -= k > 0 && row[first] <= row[first - 1];
  }
  return falls == 0 && highest < tile->rows;
}

/* TH_EARG for a tile that breaks the order of groups, attributes or rows. */
static th_status sparse_tile_check(const struct th_shard_write *shard,
                                   const struct th_tile *tile,
                                   struct th_error *err)
{
  const struct th_slab *slab = tile->slab;
  int64_t before = shard->range.first - 1;
  if (tile->group != shard->sparse.next_group ||
      tile->group >= shard->row_groups->groups)
    return bad_tile(shard, tile->group, "out of order", err);
  if (slab->layout != TH_SPARSE || slab->type != shard->row_groups->shape.type)
    return bad_tile(shard, tile->group, "a tile of another type", err);
  bool good = all_rows_good(tile);
  for (int64_t k = 0; k < tile->runs; k++) {
    int64_t attribute = slab->base + (int64_t)slab->attribute[k];
    int64_t first = (int64_t)slab->start[k] - slab->start[0];
    if (attribute <= before || attribute >= shard->range.last)
      return bad_tile(shard, tile->group, "attributes out of order", err);
    if (!good &&
        !rows_ascend(slab->row_in_group + first,
                     (int64_t)slab->start[k + 1] - slab->start[k], tile->rows))
      return bad_tile(shard, tile->group, "rows out of order", err);
    before = attribute;
  }
  return TH_OK;
}

static th_status reserve_runs(struct th_shard_write *shard,
                              struct th_tile *tile, struct th_error *err)
{
  int64_t run = sizeof *tile->attribute + sizeof *tile->count;
  /* never none, so that there is a place to point at */
  th_status rc = scratch_bytes(shard->scratch, (tile->runs + 1) * run, err);
  if (rc == TH_OK)
    rc = scratch_values(shard->scratch, tile->entries, err);
  if (rc == TH_OK && shard->weight != NULL)
    rc = TH_GROW(&shard->scratch->weights, &shard->scratch->weight_capacity,
                 tile->entries, "weights of values to be written", err);
  if (rc != TH_OK)
    return rc;
  tile->attribute = shard->scratch->bytes;
  tile->count = (uint16_t *)(tile->attribute + tile->runs);
  return TH_OK;
}

static th_status not_finite(const struct th_shard_write *shard,
                            const struct th_tile *tile, struct th_error *err)
{
  const double *values = shard->scratch->values;
  int64_t k = 0;
  for (int64_t e = 0; k + 1 < tile->runs; e += tile->count[k++]) {
    bool good = true;
    for (int64_t i = 0; i < tile->count[k]; i++)
      good = good && isfinite(values[e + i]);
    if (!good)
      break;
  }
  return th_fail(err, TH_EDATA,
                 "attribute %lld, row group %lld: a value is not a finite "
                 "number",
                 (long long)(shard->range.first + tile->attribute[k]),
                 (long long)tile->group);
}

/* The weights of the entries of training examples, in the scratch; NULL: there
 * are none. */
static double *entry_weights(const struct th_shard_write *shard,
                             const struct th_tile *tile)
{
  if (shard->weight == NULL ||
      tile->group >= shard->row_groups->training_groups)
    return NULL;
  const double *weight =
      shard->weight + th_row_groups_group(shard->row_groups, tile->group).first;
  for (int64_t e = 0; e < tile->entries; e++)
    shard->scratch->weights[e] = weight[tile->slab->row_in_group[e]];
  return shard->scratch->weights;
}

/* Add a tile to content and statistics, from its values as doubles. False if
 * one is not finite and may not be missing. */
static bool sparse_tile_account(struct th_shard_write *shard,
                                const struct th_tile *tile, bool finite)
{
  const struct th_slab *slab = tile->slab;
  size_t size = th_type_size(slab->type);
  bool training = tile->group < shard->row_groups->training_groups;
  double *weight = entry_weights(shard, tile);
  bool good = true;
  int64_t e = 0;
  for (int64_t k = 0; k < tile->runs; k++) {
    int64_t count = tile->count[k];
    shard->content += th_fingerprint_run(
        shard->range.first + tile->attribute[k], tile->group,
        slab->row_in_group + e, (const char *)slab->values + (size_t)e * size,
        size, count);
    struct th_running_run run = {.values = shard->scratch->values + e,
                                 .weight = weight != NULL ? weight + e : NULL,
                                 .kept = weight != NULL ? weight + e : NULL,
                                 .count = count,
                                 .training = training};
    if (!finite)
      good = good &&
             th_running_stats_add_some(&shard->stats, tile->attribute[k], &run);
    else if (training)
      th_running_stats_add(&shard->stats, tile->attribute[k], run.values,
                           run.weight, count);
    e += count;
  }
  return good;
}

/* Make the arrays of the tile as stored, and add it to the shard's content and
 * statistics. TH_EDATA for a value that is not finite. */
static th_status sparse_tile_fill(struct th_shard_write *shard,
                                  struct th_tile *tile, struct th_error *err)
{
  const struct th_slab *slab = tile->slab;
  int64_t ignored = 0;
  th_status rc = reserve_runs(shard, tile, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < tile->runs; k++) {
    tile->attribute[k] = (uint32_t)(slab->base + (int64_t)slab->attribute[k] -
                                    shard->range.first);
    tile->count[k] = (uint16_t)(slab->start[k + 1] - slab->start[k]);
  }
  bool finite = th_running_stats_load(slab->type, slab->values, tile->entries,
                                      shard->scratch->values, &ignored);
  if ((!finite && shard->row_groups->shape.missing == 0) ||
      !sparse_tile_account(shard, tile, finite))
    return not_finite(shard, tile, err);
  return TH_OK;
}

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
                              const struct th_tile *tile, struct th_error *err)
{
  const struct th_sparse_write *sparse = &shard->sparse;
  int64_t entry = (int64_t)(th_type_size(shard->row_groups->shape.type) +
                            sizeof *tile->slab->row_in_group);
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

/* The arrays of a tile, as they are stored. */
static struct th_shard_piece_parts arrays_of(const struct th_tile *tile)
{
  return (struct th_shard_piece_parts){.runs = tile->runs,
                                       .entries = tile->entries,
                                       .attribute = tile->attribute,
                                       .count = tile->count,
                                       .row = tile->slab->row_in_group,
                                       .values = tile->slab->values,
                                       .value_size =
                                           th_type_size(tile->slab->type)};
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
                        const struct th_tile *tile)
{
  struct th_shard_piece_parts arrays = arrays_of(tile);
  int64_t g = tile->group;
  sparse->whole.run[g] = sparse->runs;
  sparse->whole.entry[g] = sparse->entries;
  sparse->whole.checksum[g] = th_fingerprint_piece(&arrays);
}

static th_status append_tile(struct th_sparse_write *sparse,
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

th_status th_shard_write_sparse(struct th_shard_write *shard, int64_t group,
                                const struct th_slab *slab,
                                struct th_error *err)
{
  struct th_sparse_write *sparse = &shard->sparse;
  struct th_tile tile = {.group = group, .runs = slab->runs, .slab = slab};
  th_status rc = TH_OK;
  tile.rows = th_row_groups_group(shard->row_groups, group).count;
  tile.entries =
      slab->runs > 0 ? (int64_t)slab->start[slab->runs] - slab->start[0] : 0;
  TH_TRY(sparse_tile_check(shard, &tile, err));
  TH_TRY(reserve_tile(shard, &tile, err));
  TH_TRY(sparse_tile_fill(shard, &tile, err));
  TH_TRY(append_tile(sparse, &tile, err));
  enter_whole(sparse, &tile);
  struct th_shard_piece_parts arrays = arrays_of(&tile);
  TH_TRY(th_parts_enter(&sparse->parts, group, &arrays, sparse->runs,
                        sparse->entries, err));
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

/* Room for so many bytes, or numbers. */
static th_status scratch_bytes(struct th_scratch *scratch, int64_t bytes,
                               struct th_error *err)
{
  return th_grow(&scratch->bytes, &scratch->byte_capacity, bytes, 1,
                 "values to be written", err);
}

static th_status scratch_values(struct th_scratch *scratch, int64_t count,
                                struct th_error *err)
{
  return TH_GROW(&scratch->values, &scratch->value_capacity, count,
                 "values to be written", err);
}

void th_shard_write_scratch_free(struct th_scratch *scratch)
{
  TH_FREE(scratch->bytes, scratch->values, scratch->weights);
  *scratch = (struct th_scratch){0};
}

/* HDF5 cannot close a file if it cannot write its head. */
enum { HEAD_BYTES = 16 << 10 };

th_status th_shard_write_begin(struct th_shard_write *shard,
                               struct th_error *err)
{
  th_status rc = TH_OK;
  int64_t count = th_range_count(shard->range);
  if (th_file_limit() < HEAD_BYTES)
    return th_file_no_space(shard->name, shard->needed, err);
  TH_TRY(th_h5_create(&shard->h5, shard->path, shard->name, err));
  shard->file = fcntl(th_h5_descriptor(&shard->h5), F_DUPFD_CLOEXEC, 0);
  if (shard->file < 0)
    return th_fail(err, TH_EIO, "cannot write %s: %s", shard->name,
                   strerror(errno));
  TH_TRY(
      th_running_stats_init(&shard->stats, count, shard->weight != NULL, err));
  if (shard->row_groups->shape.missing > 0)
    TH_TRY(th_running_stats_allow_missing(&shard->stats, shard->weight != NULL,
                                          err));
  if (shard->row_groups->shape.layout == TH_DENSE)
    TH_TRY(dense_begin(shard, err));
  else
    TH_TRY(sparse_begin(shard, err));
done:
  return rc;
}

static th_status put_header(const struct th_shard_write *shard,
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
      {TH_A_NONZEROS, shard->nonzeros},
  };
  th_status rc = TH_OK;
  TH_TRY(th_h5_put_text(h5, "/", TH_A_FORMAT, TH_FORMAT_SHARD, err));
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    TH_TRY(th_h5_put_i64(h5, "/", numbers[k].name, numbers[k].value, err));
  TH_TRY(th_h5_put_text(h5, "/", TH_A_LAYOUT,
                        th_type_layout_name(shape->layout), err));
  TH_TRY(th_h5_put_text(h5, "/", TH_A_TYPE, th_type_name(shape->type), err));
  TH_TRY(th_h5_put_u64(h5, "/", TH_A_CONTENT, shard->content, err));
done:
  return rc;
}

/* Convert doubles to floats, in place from the front. */
static void narrow_to_floats(double *values, int64_t count)
{
  char *to = (char *)values;
  for (int64_t k = 0; k < count; k++) {
    float narrow = (float)values[k];
    memcpy(to + (size_t)k * sizeof narrow, &narrow, sizeof narrow);
  }
}

static th_status put_stats_checksums(const struct th_shard_write *shard,
                                     double *const kinds[TH_STATS_KINDS],
                                     size_t size, struct th_error *err)
{
  int64_t count = shard->stats.attributes;
  int64_t pieces = th_integer_ceil_divide(count, TH_STATS_PIECE);
  uint64_t *checksum = NULL;
  th_status rc = TH_NEW(&checksum, pieces, "checksums", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < pieces; k++)
    checksum[k] =
        th_fingerprint_stats((const void *const *)kinds, count, k, size);
  rc = th_h5_set_put(&shard->h5, TH_D_STATS_CHECKSUM, H5T_NATIVE_UINT64, pieces,
                     checksum, err);
  free(checksum);
  return rc;
}

/* How many values of each attribute are missing, where some are. */
static th_status put_missing(struct th_shard_write *shard, struct th_error *err)
{
  const struct th_running_stats *m = &shard->stats;
  th_status rc = TH_OK;
  shard->missing = 0;
  for (int64_t a = 0; m->missing != NULL && a < m->attributes; a++)
    shard->missing += m->missing[a];
  if (shard->missing == 0)
    return TH_OK;
  TH_TRY(th_h5_put_i64(&shard->h5, "/", TH_A_MISSING, shard->missing, err));
  TH_TRY(th_h5_set_put(&shard->h5, TH_D_MISSING, H5T_NATIVE_INT64,
                       m->attributes, m->missing, err));
done:
  return rc;
}

static th_status put_statistics(struct th_shard_write *shard,
                                struct th_error *err)
{
  static const char *const names[TH_STATS_KINDS] = {TH_D_MEAN, TH_D_DEVIATION,
                                                    TH_D_LOWEST, TH_D_HIGHEST};
  struct th_running_stats *m = &shard->stats;
  double *const kinds[TH_STATS_KINDS] = {m->mean, m->squares, m->lowest,
                                         m->highest};
  bool small = th_row_groups_short_stats(shard->row_groups);
  hid_t type = small ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  th_status rc = TH_OK;
  th_running_stats_finish(m, shard->row_groups->shape.training,
                          (double)shard->row_groups->shape.training);
  for (int k = 0; k < TH_STATS_KINDS; k++) {
    if (small)
      narrow_to_floats(kinds[k], m->attributes);
    TH_TRY(th_h5_set_put(&shard->h5, names[k], type, m->attributes, kinds[k],
                         err));
  }
  TH_TRY(put_stats_checksums(shard, kinds,
                             small ? sizeof(float) : sizeof(double), err));
  TH_TRY(put_missing(shard, err));
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

th_status th_shard_write_end(struct th_shard_write *shard, struct th_error *err)
{
  th_status rc = TH_OK;
  if (shard->row_groups->shape.layout == TH_DENSE)
    TH_TRY(dense_end(shard, err));
  else
    TH_TRY(sparse_end(shard, err));
  TH_TRY(put_statistics(shard, err));
  TH_TRY(put_header(shard, err));
  TH_TRY(th_h5_close(&shard->h5, err));
  TH_TRY(trim(shard, err));
  if (!th_hash_open(shard->file, &shard->hash))
    rc = th_fail(err, TH_EIO, "cannot read %s back: %s", shard->name,
                 strerror(errno));
done:
  return rc;
}

void th_shard_write_drop(struct th_shard_write *shard)
{
  struct th_error ignored = {0};
  shard_dense_free(&shard->dense);
  shard_sparse_free(&shard->sparse);
  th_running_stats_free(&shard->stats);
  th_h5_close(&shard->h5, &ignored);
  if (shard->file >= 0)
    close(shard->file);
  TH_FREE(shard->name, shard->path);
  *shard = (struct th_shard_write){.file = -1};
}

/* --- Writes a dense shard, chunk by chunk --------------------------------- */

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

/* Parts of begin for one layout. */
static th_status dense_begin(struct th_shard_write *shard, struct th_error *err)
{
  const struct th_row_groups *g = shard->row_groups;
  struct th_dense_write *dense = &shard->dense;
  int64_t count = th_range_count(shard->range);
  hid_t type = th_h5_type(g->shape.type);
  hsize_t height = (hsize_t)th_row_groups_items(g, g->shape.row_group);
  dense->chunk = g->chunk < count ? g->chunk : count;
  int64_t chunks = th_integer_ceil_divide(count, dense->chunk);
  int64_t stored = th_row_groups_stored(g, count);
  struct th_h5_plan values = {
      .rank = 2,
      .size = {(hsize_t)count, (hsize_t)g->groups * height},
      .chunk = {(hsize_t)stored, height}};
  struct th_h5_plan checksums = {.rank = 2,
                                 .size = {(hsize_t)g->groups, (hsize_t)count}};
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&dense->next_group, chunks, "the table of chunks", err));
  TH_TRY(dense_reserve(shard, stored, err));
  TH_TRY(th_h5_set_create(&dense->values, &shard->h5, TH_D_X, type, type,
                          &values, err));
  TH_TRY(th_h5_set_create(&dense->checksum, &shard->h5, TH_D_CHECKSUM,
                          H5T_NATIVE_UINT64, H5T_NATIVE_UINT64, &checksums,
                          err));
done:
  return rc;
}

static th_status check_place(const struct th_shard_write *shard, int64_t group,
                             struct th_range range, struct th_error *err)
{
  int64_t chunk = shard->dense.chunk;
  int64_t offset = range.first - shard->range.first;
  int64_t last = range.first + chunk;
  last = last < shard->range.last ? last : shard->range.last;
  if (range.first < shard->range.first || range.first >= shard->range.last ||
      offset % chunk != 0 || range.last != last)
    return th_fail(err, TH_EARG, "%s: attributes %lld..%lld are no chunk",
                   shard->name, (long long)range.first,
                   (long long)range.last - 1);
  if (group >= shard->row_groups->groups ||
      group != shard->dense.next_group[offset / chunk])
    return th_fail(err, TH_EARG,
                   "%s: attributes %lld..%lld: row group %lld instead of %lld",
                   shard->name, (long long)range.first,
                   (long long)range.last - 1, (long long)group,
                   (long long)shard->dense.next_group[offset / chunk]);
  return TH_OK;
}

/* Clear the unused bits of the last byte, so that files are the same. */
static void clear_rest(enum th_type type, char *run, int64_t rows)
{
  for (int64_t k = rows; k < th_type_whole(type, rows); k++)
    th_type_store(type, run, k, 0.0);
}

/* Pack a chunk as it is stored, with runs padded with zeros to R, and compute
 * its checksums. */
static th_status pack_chunk(const struct th_shard_write *shard, int64_t count,
                            int64_t rows, const void *values, int64_t stride,
                            struct th_error *err)
{
  const struct th_shape *shape = &shard->row_groups->shape;
  size_t run = th_type_bytes(shape->type, shape->row_group);
  size_t used = th_type_bytes(shape->type, rows);
  size_t from = th_type_bytes(shape->type, stride);
  int64_t sums = count * (int64_t)sizeof(uint64_t);
  th_status rc =
      scratch_bytes(shard->scratch, count * (int64_t)run + sums, err);
  if (rc != TH_OK)
    return rc;
  /* checksums come first, so that they are aligned */
  uint64_t *checksum = shard->scratch->bytes;
  char *to = (char *)shard->scratch->bytes + sums;
  for (int64_t a = 0; a < count; a++, to += run) {
    memcpy(to, (const char *)values + (size_t)a * from, used);
    memset(to + used, 0, run - used);
    clear_rest(shape->type, to, rows);
    checksum[a] = th_hash(to, used);
  }
  return TH_OK;
}

/* Add a stored run of the shard's attribute a to the statistics. */
static bool dense_run_account(struct th_shard_write *shard, int64_t a,
                              const char *stored,
                              const struct th_running_run *run)
{
  const struct th_shape *shape = &shard->row_groups->shape;
  bool finite = th_running_stats_load(shape->type, stored, run->count,
                                      run->values, &shard->nonzeros);
  if (!finite)
    return shape->missing > 0 &&
           th_running_stats_add_some(&shard->stats, a, run);
  if (run->training)
    th_running_stats_add(&shard->stats, a, run->values, run->weight,
                         run->count);
  return true;
}

static th_status dense_account(struct th_shard_write *shard, int64_t group,
                               struct th_range range, int64_t rows,
                               struct th_error *err)
{
  const struct th_shape *shape = &shard->row_groups->shape;
  int64_t count = th_range_count(range);
  size_t run = th_type_bytes(shape->type, shape->row_group);
  const uint64_t *checksum = shard->scratch->bytes;
  const char *from = (const char *)(checksum + count);
  bool training = group < shard->row_groups->training_groups;
  const double *weight = shard->weight;
  if (weight != NULL && training)
    weight += th_row_groups_group(shard->row_groups, group).first;
  th_status rc = scratch_values(shard->scratch, rows, err);
  if (rc == TH_OK && weight != NULL && shape->missing > 0)
    rc = TH_GROW(&shard->scratch->weights, &shard->scratch->weight_capacity,
                 rows, "weights of values to be written", err);
  for (int64_t a = 0; rc == TH_OK && a < count; a++, from += run) {
    int64_t attribute = range.first + a;
    struct th_running_run values = {shard->scratch->values,
                                    training ? weight : NULL,
                                    shard->scratch->weights, rows, training};
    shard->content += th_fingerprint_share(attribute, group, checksum[a]);
    if (!dense_run_account(shard, attribute - shard->range.first, from,
                           &values))
      rc = th_fail(err, TH_EDATA,
                   "attribute %lld, row group %lld: a value is not a finite "
                   "number",
                   (long long)attribute, (long long)group);
  }
  return rc;
}

th_status th_shard_write_dense(struct th_shard_write *shard, int64_t group,
                               struct th_range range, const void *values,
                               int64_t stride, struct th_error *err)
{
  struct th_dense_write *dense = &shard->dense;
  th_status rc = TH_OK;
  TH_TRY(check_place(shard, group, range, err));
  int64_t count = th_range_count(range);
  int64_t rows = th_row_groups_group(shard->row_groups, group).count;
  int64_t offset = range.first - shard->range.first;
  hsize_t height = (hsize_t)th_row_groups_items(
      shard->row_groups, shard->row_groups->shape.row_group);
  hsize_t at[2] = {(hsize_t)offset, (hsize_t)group * height};
  hsize_t box[2] = {(hsize_t)count, height};
  hsize_t sum_at[2] = {(hsize_t)group, (hsize_t)offset};
  hsize_t sum_box[2] = {1, (hsize_t)count};
  TH_TRY(pack_chunk(shard, count, rows, values, stride, err));
  TH_TRY(dense_account(shard, group, range, rows, err));
  const uint64_t *checksum = shard->scratch->bytes;
  TH_TRY(th_h5_set_write(&dense->values, at, box, checksum + count, err));
  TH_TRY(th_h5_set_write(&dense->checksum, sum_at, sum_box, checksum, err));
  dense->next_group[offset / dense->chunk]++;
done:
  return rc;
}

/* Parts of end. TH_EARG where row groups are missing. */
static th_status dense_end(struct th_shard_write *shard, struct th_error *err)
{
  struct th_dense_write *dense = &shard->dense;
  int64_t chunks =
      th_integer_ceil_divide(th_range_count(shard->range), dense->chunk);
  for (int64_t k = 0; k < chunks; k++)
    if (dense->next_group[k] != shard->row_groups->groups)
      return th_fail(err, TH_EARG, "%s: only %lld of %lld row groups written",
                     shard->name, (long long)dense->next_group[k],
                     (long long)shard->row_groups->groups);
  th_status rc = th_h5_set_close(&dense->checksum, err);
  return rc == TH_OK ? th_h5_set_close(&dense->values, err) : rc;
}

static void shard_dense_free(struct th_dense_write *dense)
{
  struct th_error ignored = {0};
  th_h5_set_close(&dense->checksum, &ignored);
  th_h5_set_close(&dense->values, &ignored);
  free(dense->next_group);
  dense->next_group = NULL;
}
