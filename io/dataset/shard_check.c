/* shard_check.c - reads and verifies all of a shard
 * SPDX-License-Identifier: MIT */
#include "io/dataset/shard_check.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/dataset/piece.h"
#include "io/dataset/running_stats.h"
#include "io/files/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* Values must be finite, since import refuses others. */
static th_status check_finite(const struct th_shard *shard,
                              const struct stored *stored, struct room *room,
                              struct th_shard_sum *sum, struct th_error *err)
{
  th_status rc = TH_GROW(&room->numbers, &room->capacity, stored->count,
                         "values to be checked", err);
  if (rc != TH_OK ||
      th_running_stats_load(shard->row_groups->shape.type, stored->values,
                            stored->count, room->numbers, &sum->nonzeros))
    return rc;
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
  fetch.values = room->values;
  fetch.checksum = room->checksum;
  TH_TRY(th_shard_dense_read(shard, &fetch, err));
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
  int64_t bytes = th_piece_size(shard, unit, group, &piece);
  int64_t entries = sum->nonzeros; /* stored entries, even if zero */
  th_status rc = TH_OK;
  TH_TRY(th_grow(&room->values, &room->bytes, bytes, 1, "values to be checked",
                 err));
  TH_TRY(th_piece_read(shard, unit, group, &piece, room->values, err));
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

th_status th_shard_check(struct th_shard *shard, struct th_shard_sum *sum,
                         struct th_error *err)
{
  struct room room = {0};
  bool dense = shard->row_groups->shape.layout == TH_DENSE;
  th_status rc = TH_OK;
  *sum = (struct th_shard_sum){0};
  TH_TRY(th_shard_open(shard, err));
  struct th_range all = shard->row->range;
  int64_t units = th_integer_ceil_divide(th_range_count(all), shard->unit);
  for (int64_t g = 0; g < shard->row_groups->groups; g++)
    for (int64_t u = 0; u < units; u++) {
      int64_t first = all.first + u * shard->unit;
      struct th_range unit = {first, first + shard->unit};
      unit = th_range_intersect(unit, all);
      if (dense)
        TH_TRY(check_chunk(shard, unit, g, &room, sum, err));
      else
        TH_TRY(check_piece(shard, u, g, &room, sum, err));
    }
  TH_TRY(check_statistics(shard, err));
  TH_TRY(compare(shard, sum, err));
done:
  TH_FREE(room.values, room.checksum, room.numbers);
  return rc;
}
