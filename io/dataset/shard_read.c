/* shard_read.c - a piece of a sparse shard in memory
 *
 * A checksum says that a file is as it was written, not who wrote it. Kernels
 * use rows and attributes as places in memory, so every piece is checked when
 * it is read. No loop branches on the values, so compilers vectorise all of
 * them but the one over starts. Each costs about as much as the checksum
 * (tests/bench/piece.sh).
 * SPDX-License-Identifier: MIT */
#include "io/dataset/shard_read.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/dataset/running_stats.h"
#include "io/dataset/shard.h"
#include "io/files/hash.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Items of a loop whose sums fit 16 or 32 bits, so that a vector holds more of
 * them. */
enum { STRIP = 1 << 14 };

/* No count is zero, and they sum up to the entries. */
static bool counts_good(const uint16_t *count, int64_t runs, int64_t entries)
{
  int64_t sum = 0;
  uint16_t empty = 0;
  for (int64_t done = 0; done < runs; done += STRIP) {
    int64_t items = th_min_i64(runs - done, STRIP);
    uint32_t part = 0;
    for (int64_t k = 0; k < items; k++) {
      part += count[done + k];
      empty |= count[done + k] == 0;
    }
    sum += part;
  }
  return empty == 0 && sum == entries;
}

/* The attributes ascend and lie in the piece. */
static bool attributes_good(const struct th_piece *piece, int64_t base)
{
  const uint32_t *attribute = piece->attribute;
  unsigned bad = 0;
  for (int64_t k = 1; k < piece->runs; k++)
    bad |= attribute[k] <= attribute[k - 1];
  return bad == 0 && base + attribute[0] >= piece->attributes.first &&
         base + attribute[piece->runs - 1] < piece->attributes.last;
}

/* Compute starts from counts, which lie at the end of the same memory and are
 * overwritten. Returns how many runs begin with a row that is not above the row
 * before. */
static int64_t fill_starts(struct th_piece *piece, const uint16_t *count)
{
  const char *next = (const char *)count; /* the same memory */
  const uint16_t *row = piece->row;
  int64_t falls = 0;
  uint16_t here;
  memcpy(&here, next, sizeof here);
  uint32_t sum = here;
  piece->start[0] = 0;
  for (int64_t k = 1; k < piece->runs; k++) {
    memcpy(&here, next + 2 * k, sizeof here);
    piece->start[k] = sum;
    falls += row[sum] <= row[sum - 1];
    sum += here;
  }
  piece->start[piece->runs] = sum;
  return falls;
}

/* All rows are below `rows`, and exactly `falls` of them are not above the one
 * before. Then falls are only at the beginnings of runs, so rows ascend within
 * runs. */
static bool runs_ascend(const uint16_t *row, int64_t entries, int64_t rows,
                        int64_t falls)
{
  int64_t found = 0;
  uint16_t most = row[0];
  for (int64_t done = 1; done < entries; done += STRIP) {
    int64_t items = th_min_i64(entries - done, STRIP);
    const uint16_t *now = row + done;
    uint16_t part = 0;
    for (int64_t k = 0; k < items; k++) {
      part = (uint16_t)(part + (now[k] <= now[k - 1]));
      most = now[k] > most ? now[k] : most;
    }
    found += part;
  }
  return most < rows && found == falls;
}

bool th_shard_read_piece_check(struct th_piece *piece, const uint16_t *count,
                               int64_t base, int64_t rows)
{
  if (piece->runs == 0) {
    piece->start[0] = 0;
    return piece->entries == 0;
  }
  if (!counts_good(count, piece->runs, piece->entries) ||
      !attributes_good(piece, base))
    return false;
  int64_t falls = fill_starts(piece, count);
  return runs_ascend(piece->row, piece->entries, rows, falls);
}

static th_status piece_damaged(const struct th_shard *shard,
                               const struct th_piece *piece, int64_t group,
                               const char *what, struct th_error *err)
{
  return TH_DAMAGED(err, "%s: attributes %lld..%lld, row group %lld: %s",
                    shard->name, (long long)piece->attributes.first,
                    (long long)piece->attributes.last - 1, (long long)group,
                    what);
}

static size_t to_cache_line(size_t bytes)
{
  return (bytes + 63) & ~(size_t)63;
}

/* Where the arrays begin, one after the other, each aligned. */
struct layout {
  size_t attribute;
  size_t start;
  size_t row;
  size_t values;
  size_t bytes; /* of all */
};

static struct layout piece_layout(const struct th_piece *piece,
                                  size_t value_size)
{
  size_t runs = (size_t)piece->runs;
  size_t entries = (size_t)piece->entries;
  struct layout at;
  at.attribute = to_cache_line(sizeof *piece);
  at.start = at.attribute + to_cache_line(runs * sizeof *piece->attribute);
  at.row = at.start + to_cache_line((runs + 1) * sizeof *piece->start);
  at.values = at.row + to_cache_line(entries * sizeof *piece->row);
  at.bytes = at.values + to_cache_line(entries * value_size);
  return at;
}

static void place(struct th_piece *piece, size_t value_size, char *room)
{
  struct layout at = piece_layout(piece, value_size);
  piece->attribute = (uint32_t *)(void *)(room + at.attribute);
  piece->start = (uint32_t *)(void *)(room + at.start);
  piece->row = (uint16_t *)(void *)(room + at.row);
  piece->values = room + at.values;
}

/* Where a part of a bundle begins on a row group, in the tables of the
 * bundle. */
static int64_t table_place(const struct th_shard *shard,
                           const struct th_bundle *bundle, int64_t part,
                           int64_t group)
{
  return (part - bundle->parts.first) * shard->row_groups->groups + group;
}

int64_t th_shard_read_piece_size(const struct th_shard *shard, int64_t unit,
                                 int64_t group, struct th_piece *piece)
{
  const struct th_bundle *bundle = &shard->parts.bundle[unit];
  const struct th_piece_tables *at = &bundle->piece;
  int64_t end = table_place(shard, bundle, bundle->parts.last, group);
  *piece = (struct th_piece){.runs = at->run[end] - at->run[group],
                             .entries = at->entry[end] - at->entry[group],
                             .attributes = bundle->attributes};
  size_t size = th_type_size(shard->row_groups->shape.type);
  return (int64_t)piece_layout(piece, size).bytes;
}

/* Counts are read to the end of the room for starts, so that they can be summed
 * in place from the front. */
static uint16_t *counts_of(const struct th_piece *piece)
{
  return (uint16_t *)(void *)(piece->start + piece->runs + 1) - piece->runs;
}

static th_status read_arrays(struct th_shard *shard, struct th_piece *piece,
                             int64_t run, int64_t entry, struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_range(&shard->attribute, run, piece->runs, piece->attribute,
                         err));
  TH_TRY(
      th_h5_set_range(&shard->count, run, piece->runs, counts_of(piece), err));
  TH_TRY(th_h5_set_range(&shard->row_in_group, entry, piece->entries,
                         piece->row, err));
  TH_TRY(th_h5_set_range(&shard->values, entry, piece->entries, piece->values,
                         err));
done:
  return rc;
}

/* True if each part has the content that it was written with. */
static bool parts_good(const struct th_shard *shard,
                       const struct th_bundle *bundle, int64_t group,
                       const struct th_piece *piece)
{
  size_t size = th_type_size(shard->row_groups->shape.type);
  for (int64_t p = bundle->parts.first; p < bundle->parts.last; p++) {
    int64_t at = table_place(shard, bundle, p, group);
    int64_t behind = at + shard->row_groups->groups;
    int64_t run = bundle->piece.run[at] - bundle->piece.run[group];
    int64_t entry = bundle->piece.entry[at] - bundle->piece.entry[group];
    struct th_shard_piece_parts arrays = {
        .runs = bundle->piece.run[behind] - bundle->piece.run[at],
        .entries = bundle->piece.entry[behind] - bundle->piece.entry[at],
        .attribute = piece->attribute + run,
        .count = counts_of(piece) + run,
        .row = piece->row + entry,
        .values = (const char *)piece->values + (size_t)entry * size,
        .value_size = size};
    if (th_fingerprint_piece(&arrays) != bundle->piece.checksum[at])
      return false;
  }
  return true;
}

th_status th_shard_read_piece(struct th_shard *shard, int64_t unit,
                              int64_t group, struct th_piece *piece, void *room,
                              struct th_error *err)
{
  const struct th_bundle *bundle = &shard->parts.bundle[unit];
  size_t size = th_type_size(shard->row_groups->shape.type);
  place(piece, size, room);
  th_status rc = read_arrays(shard, piece, bundle->piece.run[group],
                             bundle->piece.entry[group], err);
  if (rc != TH_OK)
    return rc;
  shard->bytes_read +=
      piece->runs * 6 + piece->entries * (int64_t)(size + sizeof *piece->row);
  if (!parts_good(shard, bundle, group, piece))
    return piece_damaged(shard, piece, group, "checksum mismatch", err);
  if (!th_shard_read_piece_check(
          piece, counts_of(piece), shard->row->range.first,
          th_row_groups_group(shard->row_groups, group).count))
    return piece_damaged(shard, piece, group, "attributes or rows out of place",
                         err);
  memcpy(room, piece, sizeof *piece);
  return TH_OK;
}

/* --- All of a shard ------------------------------------------------------- */

struct room {
  void *values; /* as they are stored */
  int64_t bytes;
  uint64_t *checksum;
  int64_t checksums;
  double *numbers; /* the values in double */
  int64_t capacity;
};

static bool all_zero(const char *bytes, size_t count)
{
  for (size_t k = 0; k < count; k++)
    if (bytes[k] != 0)
      return false;
  return true;
}

/* The padding after a short group's rows must be zero, since readers of whole
 * chunks see it. */
static th_status check_padding(const struct th_shard *shard,
                               struct th_range range, int64_t group,
                               const void *values, struct th_error *err)
{
  const struct th_shape *shape = &shard->row_groups->shape;
  int64_t rows = th_row_groups_group(shard->row_groups, group).count;
  size_t stride = th_type_bytes(shape->type, shape->row_group);
  size_t used = th_type_bytes(shape->type, rows);
  const char *run = values;
  for (int64_t a = range.first; a < range.last; a++, run += stride)
    if (!all_zero(run + used, stride - used))
      return th_shard_damaged(shard->name, a, group, err);
  return TH_OK;
}

/* Stored values of some attributes on a row group. */
struct stored {
  struct th_range attributes;
  int64_t group;
  const void *values;
  int64_t count;
};

static bool only_missing(const double *values, int64_t count)
{
  bool good = true;
  for (int64_t i = 0; i < count; i++)
    good = good && !isinf(values[i]);
  return good;
}

/* Values must be finite, or missing, since import refuses others. */
static th_status check_finite(const struct th_shard *shard,
                              const struct stored *stored, struct room *room,
                              struct th_shard_sum *sum, struct th_error *err)
{
  th_status rc = TH_GROW(&room->numbers, &room->capacity, stored->count,
                         "values to be checked", err);
  if (rc != TH_OK ||
      th_running_stats_load(shard->row_groups->shape.type,
                            shard->stand_in.missing != NULL, stored->values,
                            stored->count, room->numbers, &sum->nonzeros))
    return rc;
  if (only_missing(room->numbers, stored->count) &&
      shard->stand_in.missing != NULL) {
    sum->missing += th_stand_in_count(room->numbers, stored->count);
    return TH_OK;
  }
  return TH_IMPORT_AGAIN(err,
                         "%s: attributes %lld..%lld, row group %lld: a value "
                         "is not a finite number",
                         shard->name, (long long)stored->attributes.first,
                         (long long)stored->attributes.last - 1,
                         (long long)stored->group);
}

static th_status check_chunk(struct th_shard *shard, struct th_range range,
                             int64_t group, struct room *room,
                             struct th_shard_sum *sum, struct th_error *err)
{
  const struct th_shape *shape = &shard->row_groups->shape;
  int64_t count = th_range_count(range);
  int64_t bytes = count * (int64_t)th_type_bytes(shape->type, shape->row_group);
  th_status rc = TH_OK;
  TH_TRY(th_grow(&room->values, &room->bytes, bytes, 1, "values to be checked",
                 err));
  TH_TRY(TH_GROW(&room->checksum, &room->checksums, count, "checksums", err));
  struct th_fetch fetch = th_shard_dense_fetch(shard, range, group);
  fetch.last = shard->map.run; /* with its padding */
  fetch.mean = NULL;           /* values that are missing are to be seen */
  fetch.values = room->values;
  fetch.checksum = room->checksum;
  TH_TRY(th_shard_dense_read(shard, NULL, &fetch, err));
  shard->bytes_read += th_shard_fetch_bytes(&fetch);
  TH_TRY(check_padding(shard, range, group, room->values, err));
  struct stored stored = {.attributes = range,
                          .group = group,
                          .values = room->values,
                          .count = count * shape->row_group};
  TH_TRY(check_finite(shard, &stored, room, sum, err));
  for (int64_t a = 0; a < count; a++)
    sum->content +=
        th_fingerprint_share(range.first + a, group, room->checksum[a]);
done:
  return rc;
}

static uint64_t piece_content(const struct th_shard *shard,
                              const struct th_piece *piece, int64_t group)
{
  size_t size = th_type_size(shard->row_groups->shape.type);
  uint64_t content = 0;
  for (int64_t k = 0; k < piece->runs; k++) {
    uint32_t first = piece->start[k];
    content += th_fingerprint_run(shard->row->range.first + piece->attribute[k],
                                  group, piece->row + first,
                                  (const char *)piece->values + first * size,
                                  size, piece->start[k + 1] - first);
  }
  return content;
}

static th_status check_piece(struct th_shard *shard, int64_t unit,
                             int64_t group, struct room *room,
                             struct th_shard_sum *sum, struct th_error *err)
{
  struct th_piece piece;
  int64_t bytes = th_shard_read_piece_size(shard, unit, group, &piece);
  int64_t entries = sum->nonzeros; /* stored entries, even if zero */
  th_status rc = TH_OK;
  TH_TRY(th_grow(&room->values, &room->bytes, bytes, 1, "values to be checked",
                 err));
  TH_TRY(th_shard_read_piece(shard, unit, group, &piece, room->values, err));
  struct stored stored = {.attributes = piece.attributes,
                          .group = group,
                          .values = piece.values,
                          .count = piece.entries};
  TH_TRY(check_finite(shard, &stored, room, sum, err));
  sum->nonzeros = entries + piece.entries;
  sum->content += piece_content(shard, &piece, group);
done:
  return rc;
}

static th_status check_statistics(struct th_shard *shard, struct th_error *err)
{
  struct th_range range = shard->row->range;
  struct th_statistics *statistics = NULL;
  th_status rc = TH_NEW(&statistics, th_range_count(range), "statistics", err);
  if (rc == TH_OK)
    rc = th_shard_statistics(shard, range, statistics, err);
  free(statistics);
  return rc;
}

/* Compare the sums with what the file says. */
static th_status compare(const struct th_shard *shard,
                         const struct th_shard_sum *sum, struct th_error *err)
{
  int64_t nonzeros = 0;
  int64_t missing = 0;
  /* covers HDF5's own structures, too, which no checksum covers */
  uint64_t hash = 0;
  th_status rc = th_h5_get_i64(&shard->h5, "/", TH_A_NONZEROS, &nonzeros, err);
  if (rc != TH_OK)
    return rc;
  if (sum->content != shard->row->content)
    return TH_IMPORT_AGAIN(
        err, "%s: its checksums are not those it was written with",
        shard->name);
  if (sum->nonzeros != nonzeros)
    return TH_IMPORT_AGAIN(
        err, "%s: %lld values are not zero, and not %lld as it says",
        shard->name, (long long)sum->nonzeros, (long long)nonzeros);
  for (int64_t a = 0;
       shard->stand_in.missing != NULL && a < th_range_count(shard->row->range);
       a++)
    missing += shard->stand_in.missing[a];
  if (sum->missing != missing)
    return TH_IMPORT_AGAIN(
        err, "%s: %lld values are missing, and not %lld as it says",
        shard->name, (long long)sum->missing, (long long)missing);
  if (shard->rewritten)
    return TH_OK;
  if (!th_hash_file(shard->path, &hash))
    return th_fail(err, TH_EIO, "%s cannot be read: %s", shard->name,
                   strerror(errno));
  if (hash != shard->row->hash)
    return TH_IMPORT_AGAIN(err, "%s: its bytes are not those that were written",
                           shard->name);
  return TH_OK;
}

static th_status check_dense(struct th_shard *shard, struct room *room,
                             struct th_shard_sum *sum, struct th_error *err)
{
  struct th_range all = shard->row->range;
  int64_t units = th_integer_ceil_divide(th_range_count(all), shard->unit);
  th_status rc = TH_OK;
  for (int64_t g = 0; g < shard->row_groups->groups && rc == TH_OK; g++)
    for (int64_t u = 0; u < units && rc == TH_OK; u++) {
      int64_t first = all.first + u * shard->unit;
      struct th_range unit = {first, first + shard->unit};
      rc = check_chunk(shard, th_range_intersect(unit, all), g, room, sum, err);
    }
  return rc;
}

static th_status check_sparse(struct th_shard *shard, struct room *room,
                              struct th_shard_sum *sum, struct th_error *err)
{
  struct th_range all = shard->row->range;
  struct th_parts *parts = &shard->parts;
  int64_t bundle = 0;
  th_status rc = TH_OK;
  for (int64_t g = 0; g < shard->row_groups->groups; g++)
    for (int64_t a = all.first; a < all.last;
         a = parts->bundle[bundle].attributes.last) {
      TH_TRY(th_parts_find(parts, all, a, &bundle, err));
      TH_TRY(check_piece(shard, bundle, g, room, sum, err));
    }
done:
  return rc;
}

th_status th_shard_read_all(struct th_shard *shard, struct th_shard_sum *sum,
                            struct th_error *err)
{
  struct room room = {0};
  bool dense = shard->row_groups->shape.layout == TH_DENSE;
  th_status rc = TH_OK;
  *sum = (struct th_shard_sum){0};
  TH_TRY(th_shard_open(shard, err));
  if (dense)
    TH_TRY(check_dense(shard, &room, sum, err));
  else
    TH_TRY(check_sparse(shard, &room, sum, err));
  TH_TRY(check_statistics(shard, err));
  TH_TRY(compare(shard, sum, err));
done:
  TH_FREE(room.values, room.checksum, room.numbers);
  return rc;
}
