/* shard_check.c - reading and verifying all of a shard
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "io/hash.h"
#include "io/shard_read.h"

#include <stdlib.h>

struct room {
  void *values;
  int64_t bytes;
  uint64_t *checksum;
  int64_t checksums;
};

static bool all_zero(const char *bytes, size_t count)
{
  for (size_t k = 0; k < count; k++)
    if (bytes[k] != 0)
      return false;
  return true;
}

/* What follows a short group's rows is no run, but must be zero all the same:
 * readers of whole chunks see it. */
static th_status check_padding(const struct th_shard_read *shard,
                               struct th_range range, int64_t group,
                               const void *values, struct th_error *err)
{
  const struct th_shape *shape = &shard->geometry->shape;
  int64_t rows = th_geometry_group(shard->geometry, group).count;
  size_t stride = th_type_bytes(shape->type, shape->row_group);
  size_t used = th_type_bytes(shape->type, rows);
  const char *run = values;
  for (int64_t a = range.first; a < range.last; a++, run += stride)
    if (!all_zero(run + used, stride - used))
      return th_shard_damaged(shard, a, group, err);
  return TH_OK;
}

static th_status check_chunk(struct th_shard_read *shard, struct th_range range,
                             int64_t group, struct room *room,
                             uint64_t *content, struct th_error *err)
{
  const struct th_shape *shape = &shard->geometry->shape;
  int64_t count = range.last - range.first;
  int64_t bytes = count * (int64_t)th_type_bytes(shape->type, shape->row_group);
  th_status rc = TH_OK;
  TH_TRY(th_grow(&room->values, &room->bytes, bytes, 1, "a chunk", err));
  TH_TRY(th_grow((void **)&room->checksum, &room->checksums, count,
                 sizeof *room->checksum, "checksums", err));
  struct th_fetch fetch = th_dense_fetch(shard, range, group);
  fetch.last = shard->map.run; /* with its padding */
  fetch.values = room->values;
  fetch.checksum = room->checksum;
  TH_TRY(th_dense_read(shard, &fetch, err));
  shard->bytes_read += th_fetch_bytes(&fetch);
  TH_TRY(check_padding(shard, range, group, room->values, err));
  for (int64_t a = 0; a < count; a++)
    *content += th_hash_share(range.first + a, group, room->checksum[a]);
done:
  return rc;
}

static bool piece_good(const struct th_shard_read *shard,
                       const struct th_piece *piece, int64_t rows)
{
  int64_t before = piece->attributes.first - 1;
  for (int64_t k = 0; k < piece->runs; k++) {
    int64_t attribute = shard->row->range.first + piece->attribute[k];
    if (attribute <= before || attribute >= piece->attributes.last)
      return false;
    before = attribute;
    uint32_t first = piece->start[k];
    if (first == piece->start[k + 1])
      return false;
    for (uint32_t e = first; e < piece->start[k + 1]; e++)
      if (piece->row[e] >= rows ||
          (e > first && piece->row[e] <= piece->row[e - 1]))
        return false;
  }
  return true;
}

static uint64_t piece_content(const struct th_shard_read *shard,
                              const struct th_piece *piece, int64_t group)
{
  size_t size = th_type_size(shard->geometry->shape.type);
  uint64_t content = 0;
  for (int64_t k = 0; k < piece->runs; k++) {
    uint32_t first = piece->start[k];
    content += th_hash_run(shard->row->range.first + piece->attribute[k], group,
                           piece->row + first,
                           (const char *)piece->values + first * size, size,
                           piece->start[k + 1] - first);
  }
  return content;
}

static th_status check_piece(struct th_shard_read *shard, int64_t unit,
                             int64_t group, struct room *room,
                             uint64_t *content, struct th_error *err)
{
  struct th_piece piece;
  int64_t bytes = th_piece_size(shard, unit, group, &piece);
  th_status rc = TH_OK;
  TH_TRY(th_grow(&room->values, &room->bytes, bytes, 1, "a piece", err));
  TH_TRY(th_piece_read(shard, unit, group, &piece, room->values, err));
  if (!piece_good(shard, &piece,
                  th_geometry_group(shard->geometry, group).count))
    return th_fail(err, TH_EFORMAT,
                   "%s: row group %lld: attributes or rows out of order; the "
                   "file is damaged, import the data again",
                   shard->name, (long long)group);
  *content += piece_content(shard, &piece, group);
done:
  return rc;
}

static th_status check_statistics(struct th_shard_read *shard,
                                  struct th_error *err)
{
  struct th_range range = shard->row->range;
  struct th_statistics *statistics = NULL;
  th_status rc =
      TH_NEW(&statistics, range.last - range.first, "statistics", err);
  if (rc == TH_OK)
    rc = th_shard_statistics(shard, range, statistics, err);
  free(statistics);
  return rc;
}

th_status th_shard_check(struct th_shard_read *shard, uint64_t *content,
                         struct th_error *err)
{
  struct room room = {0};
  bool dense = shard->geometry->shape.layout == TH_DENSE;
  th_status rc = TH_OK;
  *content = 0;
  TH_TRY(th_shard_open(shard, err));
  struct th_range all = shard->row->range;
  int64_t units = th_ceil_divide(all.last - all.first, shard->unit);
  for (int64_t g = 0; g < shard->geometry->groups; g++)
    for (int64_t u = 0; u < units; u++) {
      int64_t first = all.first + u * shard->unit;
      struct th_range unit = {first, first + shard->unit};
      unit = th_range_meet(unit, all);
      if (dense)
        TH_TRY(check_chunk(shard, unit, g, &room, content, err));
      else
        TH_TRY(check_piece(shard, u, g, &room, content, err));
    }
  TH_TRY(check_statistics(shard, err));
  if (*content != shard->row->content)
    rc = th_fail(err, TH_EFORMAT,
                 "%s: its checksums are not those it was written with; import "
                 "the data again",
                 shard->name);
  uint64_t hash = 0; /* what no checksum covers: HDF5's own structures */
  if (rc == TH_OK && !shard->rewritten &&
      (!th_hash_file(shard->path, &hash) || hash != shard->row->hash))
    rc = th_fail(err, TH_EFORMAT,
                 "%s: its bytes are not those that were written; import the "
                 "data again",
                 shard->name);
done:
  free(room.values);
  free(room.checksum);
  return rc;
}
