/* shard_read_sparse.c - reads and verifies pieces of a sparse shard
 * SPDX-License-Identifier: MIT */
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/dataset/shard_read.h"

#include <string.h>

static th_status damaged(const struct th_shard_read *shard,
                         const struct th_piece *piece, int64_t group,
                         const char *what, struct th_error *err)
{
  return TH_DAMAGED(err, "%s: attributes %lld..%lld, row group %lld: %s",
                    shard->name, (long long)piece->attributes.first,
                    (long long)piece->attributes.last - 1, (long long)group,
                    what);
}

static size_t align(size_t bytes)
{
  return (bytes + 63) & ~(size_t)63;
}

/* Lay out the arrays one after the other, each aligned; room NULL: only count
 * bytes. */
static size_t place(struct th_piece *piece, size_t value_size, char *room)
{
  size_t runs = (size_t)piece->runs;
  size_t entries = (size_t)piece->entries;
  size_t attribute = align(sizeof *piece);
  size_t start = attribute + align(runs * sizeof *piece->attribute);
  size_t row = start + align((runs + 1) * sizeof *piece->start);
  size_t values = row + align(entries * sizeof *piece->row);
  if (room != NULL) {
    piece->attribute = (uint32_t *)(void *)(room + attribute);
    piece->start = (uint32_t *)(void *)(room + start);
    piece->row = (uint16_t *)(void *)(room + row);
    piece->values = room + values;
  }
  return values + align(entries * value_size);
}

int64_t th_shard_piece_size(const struct th_shard_read *shard, int64_t unit,
                            int64_t group, struct th_piece *piece)
{
  int64_t at = group * shard->pieces + unit;
  int64_t first = shard->row->range.first + unit * shard->unit;
  struct th_range all = {first, first + shard->unit};
  *piece = (struct th_piece){
      .runs = shard->piece[at + 1] - shard->piece[at],
      .entries = shard->piece_entry[at + 1] - shard->piece_entry[at],
      .attributes = th_range_intersect(all, shard->row->range)};
  return (int64_t)place(piece, th_type_size(shard->row_groups->shape.type),
                        NULL);
}

/* Counts are read to the end of the room for starts, so that they can be summed
 * in place from the front. */
static uint16_t *counts_of(const struct th_piece *piece)
{
  return (uint16_t *)(void *)(piece->start + piece->runs + 1) - piece->runs;
}

static th_status read_parts(struct th_shard_read *shard, struct th_piece *piece,
                            int64_t at, struct th_error *err)
{
  int64_t run = shard->piece[at];
  int64_t entry = shard->piece_entry[at];
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

th_status th_shard_piece_read(struct th_shard_read *shard, int64_t unit,
                              int64_t group, struct th_piece *piece, void *room,
                              struct th_error *err)
{
  size_t size = th_type_size(shard->row_groups->shape.type);
  int64_t at = group * shard->pieces + unit;
  place(piece, size, room);
  th_status rc = read_parts(shard, piece, at, err);
  if (rc != TH_OK)
    return rc;
  shard->bytes_read +=
      piece->runs * 6 + piece->entries * (int64_t)(size + sizeof *piece->row);
  struct th_shard_piece_parts parts = {.runs = piece->runs,
                                       .entries = piece->entries,
                                       .attribute = piece->attribute,
                                       .count = counts_of(piece),
                                       .row = piece->row,
                                       .values = piece->values,
                                       .value_size = size};
  if (th_fingerprint_piece(&parts) != shard->piece_checksum[at])
    return damaged(shard, piece, group, "checksum mismatch", err);
  if (!th_shard_piece_check(
          piece, parts.count, shard->row->range.first,
          th_row_groups_group(shard->row_groups, group).count))
    return damaged(shard, piece, group, "attributes or rows out of place", err);
  memcpy(room, piece, sizeof *piece);
  return TH_OK;
}
