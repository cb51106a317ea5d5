/* slice_write.c - what one rank does with its attributes of a shard
 * SPDX-License-Identifier: MIT */
#include "io/dataset/writer/slice_write.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/files/file.h"
#include "io/files/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tile of a sparse slice. The caller gives group, rows, runs,
 * entries and slab. The arrays lie in the scratch room. Rows and values
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

void th_slice_write_scratch_free(struct th_scratch *scratch)
{
  TH_FREE(scratch->bytes, scratch->values, scratch->weights);
  *scratch = (struct th_scratch){0};
}

/* --- Checks and packs a tile of a sparse slice ---------------------------- */

static th_status bad_tile(const struct th_slice_write *slice, int64_t group,
                          const char *what, struct th_error *err)
{
  return th_fail(err, TH_EARG, "%s: row group %lld: %s", slice->name,
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
static th_status sparse_tile_check(const struct th_slice_write *slice,
                                   const struct th_tile *tile,
                                   struct th_error *err)
{
  const struct th_slab *slab = tile->slab;
  int64_t before = slice->range.first - 1;
  if (tile->group != slice->next_group[0] ||
      tile->group >= slice->row_groups->groups)
    return bad_tile(slice, tile->group, "out of order", err);
  if (slab->layout != TH_SPARSE || slab->type != slice->row_groups->shape.type)
    return bad_tile(slice, tile->group, "a tile of another type", err);
  bool good = all_rows_good(tile);
  for (int64_t k = 0; k < tile->runs; k++) {
    int64_t attribute = slab->base + (int64_t)slab->attribute[k];
    int64_t first = (int64_t)slab->start[k] - slab->start[0];
    if (attribute <= before || attribute >= slice->range.last)
      return bad_tile(slice, tile->group, "attributes out of order", err);
    if (!good &&
        !rows_ascend(slab->row_in_group + first,
                     (int64_t)slab->start[k + 1] - slab->start[k], tile->rows))
      return bad_tile(slice, tile->group, "rows out of order", err);
    before = attribute;
  }
  return TH_OK;
}

static th_status reserve_runs(struct th_slice_write *slice,
                              struct th_tile *tile, struct th_error *err)
{
  int64_t run = sizeof *tile->attribute + sizeof *tile->count;
  /* never none, so that there is a place to point at */
  th_status rc = scratch_bytes(slice->scratch, (tile->runs + 1) * run, err);
  if (rc == TH_OK)
    rc = scratch_values(slice->scratch, tile->entries, err);
  if (rc == TH_OK && slice->weight != NULL)
    rc = TH_GROW(&slice->scratch->weights, &slice->scratch->weight_capacity,
                 tile->entries, "weights of values to be written", err);
  if (rc != TH_OK)
    return rc;
  tile->attribute = slice->scratch->bytes;
  tile->count = (uint16_t *)(tile->attribute + tile->runs);
  return TH_OK;
}

static th_status not_finite(const struct th_slice_write *slice,
                            const struct th_tile *tile, struct th_error *err)
{
  const double *values = slice->scratch->values;
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
                 (long long)(slice->all.first + tile->attribute[k]),
                 (long long)tile->group);
}

/* The weights of the entries of training examples, in the scratch; NULL: there
 * are none. */
static double *entry_weights(const struct th_slice_write *slice,
                             const struct th_tile *tile)
{
  if (slice->weight == NULL ||
      tile->group >= slice->row_groups->training_groups)
    return NULL;
  const double *weight =
      slice->weight + th_row_groups_group(slice->row_groups, tile->group).first;
  for (int64_t e = 0; e < tile->entries; e++)
    slice->scratch->weights[e] = weight[tile->slab->row_in_group[e]];
  return slice->scratch->weights;
}

/* Add a tile to content and statistics, from its values as doubles. False if
 * one is not finite and may not be missing. */
static bool sparse_tile_account(struct th_slice_write *slice,
                                const struct th_tile *tile, bool finite)
{
  const struct th_slab *slab = tile->slab;
  size_t size = th_type_size(slab->type);
  bool training = tile->group < slice->row_groups->training_groups;
  double *weight = entry_weights(slice, tile);
  bool good = true;
  int64_t skip = slice->all.first - slice->stats_first;
  int64_t e = 0;
  for (int64_t k = 0; k < tile->runs; k++) {
    int64_t count = tile->count[k];
    slice->content += th_fingerprint_run(
        slice->all.first + tile->attribute[k], tile->group,
        slab->row_in_group + e, (const char *)slab->values + (size_t)e * size,
        size, count);
    int64_t a = skip + tile->attribute[k];
    struct th_running_run run = {.values = slice->scratch->values + e,
                                 .weight = weight != NULL ? weight + e : NULL,
                                 .kept = weight != NULL ? weight + e : NULL,
                                 .count = count,
                                 .training = training};
    if (!finite)
      good = good && th_running_stats_add_some(slice->stats, a, &run);
    else if (training)
      th_running_stats_add(slice->stats, a, run.values, run.weight, count);
    e += count;
  }
  return good;
}

/* Make the arrays of the tile as stored, and add it to the slice's content and
 * statistics. TH_EDATA for a value that is not finite. */
static th_status sparse_tile_fill(struct th_slice_write *slice,
                                  struct th_tile *tile, struct th_error *err)
{
  const struct th_slab *slab = tile->slab;
  int64_t ignored = 0;
  th_status rc = reserve_runs(slice, tile, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < tile->runs; k++) {
    tile->attribute[k] =
        (uint32_t)(slab->base + (int64_t)slab->attribute[k] - slice->all.first);
    tile->count[k] = (uint16_t)(slab->start[k + 1] - slab->start[k]);
  }
  bool finite = th_running_stats_load(
      slab->type, slice->row_groups->shape.missing > 0, slab->values,
      tile->entries, slice->scratch->values, &ignored);
  if ((!finite && slice->row_groups->shape.missing == 0) ||
      !sparse_tile_account(slice, tile, finite))
    return not_finite(slice, tile, err);
  return TH_OK;
}

th_status th_slice_write_sparse(struct th_slice_write *slice, int64_t group,
                                const struct th_slab *slab,
                                struct th_shard_piece_parts *piece,
                                struct th_error *err)
{
  struct th_tile tile = {.group = group, .runs = slab->runs, .slab = slab};
  th_status rc = TH_OK;
  tile.rows = th_row_groups_group(slice->row_groups, group).count;
  tile.entries =
      slab->runs > 0 ? (int64_t)slab->start[slab->runs] - slab->start[0] : 0;
  TH_TRY(sparse_tile_check(slice, &tile, err));
  TH_TRY(sparse_tile_fill(slice, &tile, err));
  *piece =
      (struct th_shard_piece_parts){.runs = tile.runs,
                                    .entries = tile.entries,
                                    .attribute = tile.attribute,
                                    .count = tile.count,
                                    .row = slab->row_in_group,
                                    .values = slab->values,
                                    .value_size = th_type_size(slab->type)};
  slice->next_group[0]++;
  slice->nonzeros += tile.entries;
done:
  return rc;
}

/* --- Packs and writes a chunk of a dense slice ---------------------------- */

static th_status check_place(const struct th_slice_write *slice, int64_t group,
                             struct th_range range, struct th_error *err)
{
  int64_t chunk = slice->chunk;
  int64_t offset = range.first - slice->range.first;
  int64_t last = range.first + chunk;
  last = last < slice->range.last ? last : slice->range.last;
  if (range.first < slice->range.first || range.first >= slice->range.last ||
      offset % chunk != 0 || range.last != last)
    return th_fail(err, TH_EARG, "%s: attributes %lld..%lld are no chunk",
                   slice->name, (long long)range.first,
                   (long long)range.last - 1);
  if (group >= slice->row_groups->groups ||
      group != slice->next_group[offset / chunk])
    return th_fail(err, TH_EARG,
                   "%s: attributes %lld..%lld: row group %lld instead of %lld",
                   slice->name, (long long)range.first,
                   (long long)range.last - 1, (long long)group,
                   (long long)slice->next_group[offset / chunk]);
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
static th_status pack_chunk(const struct th_slice_write *slice, int64_t count,
                            int64_t rows, const void *values, int64_t stride,
                            struct th_error *err)
{
  const struct th_shape *shape = &slice->row_groups->shape;
  size_t run = th_type_bytes(shape->type, shape->row_group);
  size_t used = th_type_bytes(shape->type, rows);
  size_t from = th_type_bytes(shape->type, stride);
  int64_t sums = count * (int64_t)sizeof(uint64_t);
  th_status rc =
      scratch_bytes(slice->scratch, count * (int64_t)run + sums, err);
  if (rc != TH_OK)
    return rc;
  /* checksums come first, so that they are aligned */
  uint64_t *checksum = slice->scratch->bytes;
  char *to = (char *)slice->scratch->bytes + sums;
  for (int64_t a = 0; a < count; a++, to += run) {
    memcpy(to, (const char *)values + (size_t)a * from, used);
    memset(to + used, 0, run - used);
    clear_rest(shape->type, to, rows);
    checksum[a] = th_hash(to, used);
  }
  return TH_OK;
}

/* Add a stored run to the statistics; a: the attribute's place there. */
static bool dense_run_account(struct th_slice_write *slice, int64_t a,
                              const char *stored,
                              const struct th_running_run *run)
{
  const struct th_shape *shape = &slice->row_groups->shape;
  int64_t count[4];
  if (shape->type == TH_U2 && run->weight == NULL) {
    th_type_tally(stored, run->count, count);
    slice->nonzeros += run->count - count[0];
    th_running_stats_add_u2(slice->stats, a, count, run->training);
    return true;
  }
  bool finite =
      th_running_stats_load(shape->type, shape->missing > 0, stored, run->count,
                            run->values, &slice->nonzeros);
  if (!finite)
    return shape->missing > 0 &&
           th_running_stats_add_some(slice->stats, a, run);
  if (run->training)
    th_running_stats_add(slice->stats, a, run->values, run->weight, run->count);
  return true;
}

static th_status dense_account(struct th_slice_write *slice, int64_t group,
                               struct th_range range, int64_t rows,
                               struct th_error *err)
{
  const struct th_shape *shape = &slice->row_groups->shape;
  int64_t count = th_range_count(range);
  size_t run = th_type_bytes(shape->type, shape->row_group);
  const uint64_t *checksum = slice->scratch->bytes;
  const char *from = (const char *)(checksum + count);
  bool training = group < slice->row_groups->training_groups;
  const double *weight = slice->weight;
  if (weight != NULL && training)
    weight += th_row_groups_group(slice->row_groups, group).first;
  th_status rc = scratch_values(slice->scratch, rows, err);
  if (rc == TH_OK && weight != NULL && shape->missing > 0)
    rc = TH_GROW(&slice->scratch->weights, &slice->scratch->weight_capacity,
                 rows, "weights of values to be written", err);
  for (int64_t a = 0; rc == TH_OK && a < count; a++, from += run) {
    int64_t attribute = range.first + a;
    struct th_running_run values = {slice->scratch->values,
                                    training ? weight : NULL,
                                    slice->scratch->weights, rows, training};
    slice->content += th_fingerprint_share(attribute, group, checksum[a]);
    if (!dense_run_account(slice, attribute - slice->stats_first, from,
                           &values))
      rc = th_fail(err, TH_EDATA,
                   "attribute %lld, row group %lld: a value is not a finite "
                   "number",
                   (long long)attribute, (long long)group);
  }
  return rc;
}

/* Write a chunk's runs where they belong: those of one part that is stored
 * together follow one another. */
static th_status put_runs(const struct th_slice_write *slice, int64_t group,
                          struct th_range range, const char *runs,
                          struct th_error *err)
{
  const struct th_row_groups *g = slice->row_groups;
  int64_t stored = th_row_groups_stored(g, th_range_count(slice->all));
  int64_t run = (int64_t)th_type_bytes(g->shape.type, g->shape.row_group);
  th_status rc = TH_OK;
  for (int64_t a = range.first; rc == TH_OK && a < range.last;) {
    int64_t part = (a - slice->all.first) / stored;
    int64_t begin = slice->all.first + part * stored;
    int64_t end = th_min_i64(begin + stored, range.last);
    int64_t at = slice->places.values +
                 (part * g->groups + group) * stored * run + (a - begin) * run;
    rc = th_file_write_at(slice->file, slice->name,
                          runs + (size_t)(a - range.first) * (size_t)run,
                          (end - a) * run, at, slice->needed, err);
    a = end;
  }
  return rc;
}

static th_status put_checksums(const struct th_slice_write *slice,
                               int64_t group, struct th_range range,
                               const uint64_t *checksum, struct th_error *err)
{
  const int64_t size = sizeof *checksum;
  int64_t item =
      group * th_range_count(slice->all) + range.first - slice->all.first;
  return th_file_write_at(
      slice->file, slice->name, checksum, th_range_count(range) * size,
      slice->places.checksums + item * size, slice->needed, err);
}

th_status th_slice_write_dense(struct th_slice_write *slice, int64_t group,
                               struct th_range range, const void *values,
                               int64_t stride, struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(check_place(slice, group, range, err));
  int64_t count = th_range_count(range);
  int64_t rows = th_row_groups_group(slice->row_groups, group).count;
  TH_TRY(pack_chunk(slice, count, rows, values, stride, err));
  TH_TRY(dense_account(slice, group, range, rows, err));
  const uint64_t *checksum = slice->scratch->bytes;
  TH_TRY(put_runs(slice, group, range, (const char *)(checksum + count), err));
  TH_TRY(put_checksums(slice, group, range, checksum, err));
  slice->next_group[(range.first - slice->range.first) / slice->chunk]++;
done:
  return rc;
}

/* --- What both layouts share ---------------------------------------------- */

static int64_t slice_chunks(const struct th_slice_write *slice)
{
  return th_integer_ceil_divide(th_range_count(slice->range), slice->chunk);
}

th_status th_slice_write_begin(struct th_slice_write *slice,
                               struct th_error *err)
{
  int64_t count = th_range_count(slice->range);
  bool dense = slice->row_groups->shape.layout == TH_DENSE;
  slice->chunk = dense ? th_min_i64(slice->row_groups->chunk, count) : count;
  return TH_NEW(&slice->next_group, slice_chunks(slice), "the table of chunks",
                err);
}

th_status th_slice_write_end(const struct th_slice_write *slice,
                             struct th_error *err)
{
  int64_t groups = slice->row_groups->groups;
  for (int64_t k = 0; k < slice_chunks(slice); k++)
    if (slice->next_group[k] != groups)
      return th_fail(err, TH_EARG, "%s: only %lld of %lld row groups written",
                     slice->name, (long long)slice->next_group[k],
                     (long long)groups);
  return TH_OK;
}

void th_slice_write_free(struct th_slice_write *slice)
{
  free(slice->next_group);
  *slice = (struct th_slice_write){.file = -1};
}
