/* shard_read_sparse.c - verified pieces of a sparse shard
 * SPDX-License-Identifier: MIT */
#include "io/hash.h"
#include "io/shard_read.h"

#include <string.h>

static th_status damaged(const struct th_shard_read *shard,
                         const struct th_piece *piece, int64_t group,
                         struct th_error *err)
{
  return th_fail(err, TH_EFORMAT,
                 "%s: attributes %lld..%lld, row group %lld: checksum mismatch "
                 "of the index; the file is damaged, import the data again",
                 shard->name, (long long)piece->attributes.first,
                 (long long)piece->attributes.last - 1, (long long)group);
}

static size_t align(size_t bytes)
{
  return (bytes + 63) & ~(size_t)63;
}

/* Places one behind the other, each aligned; room NULL: just count. */
static size_t place(struct th_piece *piece, size_t value_size, char *room)
{
  size_t runs = (size_t)piece->runs;
  size_t entries = (size_t)piece->entries;
  size_t start = align(sizeof *piece);
  size_t checksum = start + align((runs + 1) * sizeof *piece->start);
  size_t attribute = checksum + align(runs * sizeof *piece->checksum);
  size_t row = attribute + align(runs * sizeof *piece->attribute);
  size_t values = row + align(entries * sizeof *piece->row);
  if (room != NULL) {
    piece->start = (int64_t *)(void *)(room + start);
    piece->checksum = (uint64_t *)(void *)(room + checksum);
    piece->attribute = (uint32_t *)(void *)(room + attribute);
    piece->row = (uint32_t *)(void *)(room + row);
    piece->values = room + values;
  }
  return values + align(entries * value_size);
}

th_status th_piece_size(struct th_shard_read *shard, int64_t unit,
                        int64_t group, struct th_piece *piece, int64_t *bytes,
                        struct th_error *err)
{
  int64_t at = group * shard->pieces + unit;
  int64_t first = shard->piece[at];
  int64_t last = shard->piece[at + 1];
  int64_t start = 0;
  int64_t end = 0;
  th_status rc = TH_OK;
  *piece = (struct th_piece){.runs = last - first};
  piece->attributes.first = shard->row->range.first + unit * shard->unit;
  piece->attributes.last = piece->attributes.first + shard->unit;
  if (piece->attributes.last > shard->row->range.last)
    piece->attributes.last = shard->row->range.last;
  TH_TRY(th_h5_set_range(&shard->start, first, 1, &start, err));
  TH_TRY(th_h5_set_range(&shard->start, last, 1, &end, err));
  shard->bytes_read += 16;
  piece->entries = end - start;
  int64_t most = piece->runs * th_geometry_group(shard->geometry, group).count;
  if (start < 0 || piece->entries < piece->runs || piece->entries > most)
    return damaged(shard, piece, group, err);
  *bytes =
      (int64_t)place(piece, th_type_size(shard->geometry->shape.type), NULL);
done:
  return rc;
}

static th_status read_index(struct th_shard_read *shard, struct th_piece *piece,
                            int64_t at, int64_t group, struct th_error *err)
{
  int64_t first = shard->piece[at];
  int64_t runs = piece->runs;
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_range(&shard->start, first, runs + 1, piece->start, err));
  TH_TRY(
      th_h5_set_range(&shard->attribute, first, runs, piece->attribute, err));
  TH_TRY(th_h5_set_range(&shard->checksum, first, runs, piece->checksum, err));
  shard->bytes_read += runs * 20 + 8;
  if (th_hash_piece(piece->attribute, piece->start, piece->checksum, runs) !=
          shard->piece_checksum[at] ||
      piece->start[runs] - piece->start[0] != piece->entries)
    rc = damaged(shard, piece, group, err);
done:
  return rc;
}

/* Rows arrive in the upper half of their room when they are stored as u16, so
 * that they can be widened in place from the front. */
static char *narrow_rows(const struct th_geometry *geometry,
                         const struct th_piece *piece)
{
  size_t unused = sizeof *piece->row - th_geometry_row_size(geometry);
  return (char *)piece->row + (size_t)piece->entries * unused;
}

static void widen_rows(const struct th_geometry *geometry,
                       struct th_piece *piece)
{
  if (th_geometry_row_size(geometry) == sizeof *piece->row)
    return;
  const char *from = narrow_rows(geometry, piece);
  for (int64_t k = 0; k < piece->entries; k++) {
    uint16_t row;
    memcpy(&row, from + 2 * k, sizeof row);
    piece->row[k] = row;
  }
}

static th_status verify_runs(const struct th_shard_read *shard,
                             const struct th_piece *piece, int64_t group,
                             struct th_error *err)
{
  const struct th_geometry *g = shard->geometry;
  size_t row_size = th_geometry_row_size(g);
  size_t size = th_type_size(g->shape.type);
  const char *rows = narrow_rows(g, piece);
  const char *values = piece->values;
  for (int64_t k = 0; k < piece->runs; k++) {
    size_t count = (size_t)(piece->start[k + 1] - piece->start[k]);
    if (th_hash_run(rows, count * row_size, values, count * size) !=
        piece->checksum[k])
      return th_shard_damaged(
          shard, shard->row->range.first + piece->attribute[k], group, err);
    rows += count * row_size;
    values += count * size;
  }
  return TH_OK;
}

th_status th_piece_read(struct th_shard_read *shard, int64_t unit,
                        int64_t group, struct th_piece *piece, void *room,
                        struct th_error *err)
{
  const struct th_geometry *g = shard->geometry;
  size_t size = th_type_size(g->shape.type);
  th_status rc = TH_OK;
  place(piece, size, room);
  TH_TRY(read_index(shard, piece, group * shard->pieces + unit, group, err));
  int64_t first = piece->start[0];
  TH_TRY(th_h5_set_range(&shard->row_in_group, first, piece->entries,
                         narrow_rows(g, piece), err));
  TH_TRY(th_h5_set_range(&shard->values, first, piece->entries, piece->values,
                         err));
  shard->bytes_read +=
      piece->entries * (int64_t)(size + th_geometry_row_size(g));
  TH_TRY(verify_runs(shard, piece, group, err));
  widen_rows(g, piece);
  memcpy(room, piece, sizeof *piece);
done:
  return rc;
}
