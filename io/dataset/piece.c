/* piece.c - a piece of a sparse shard in memory
 *
 * A checksum says that a file is as it was written, not who wrote it. Kernels
 * use rows and attributes as places in memory, so every piece is checked when
 * it is read. No loop branches on the values, so compilers vectorise all of
 * them but the one over starts. Each costs about as much as the checksum
 * (tests/bench/piece.sh).
 * SPDX-License-Identifier: MIT */
#include "io/dataset/piece.h"

#include "base/integer.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"

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

bool th_piece_check(struct th_piece *piece, const uint16_t *count, int64_t base,
                    int64_t rows)
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

/* Lay out the arrays one after the other, each aligned; room NULL: only count
 * bytes. */
static size_t place(struct th_piece *piece, size_t value_size, char *room)
{
  size_t runs = (size_t)piece->runs;
  size_t entries = (size_t)piece->entries;
  size_t attribute = to_cache_line(sizeof *piece);
  size_t start = attribute + to_cache_line(runs * sizeof *piece->attribute);
  size_t row = start + to_cache_line((runs + 1) * sizeof *piece->start);
  size_t values = row + to_cache_line(entries * sizeof *piece->row);
  if (room != NULL) {
    piece->attribute = (uint32_t *)(void *)(room + attribute);
    piece->start = (uint32_t *)(void *)(room + start);
    piece->row = (uint16_t *)(void *)(room + row);
    piece->values = room + values;
  }
  return values + to_cache_line(entries * value_size);
}

int64_t th_piece_size(const struct th_shard *shard, int64_t unit, int64_t group,
                      struct th_piece *piece)
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

static th_status read_parts(struct th_shard *shard, struct th_piece *piece,
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

th_status th_piece_read(struct th_shard *shard, int64_t unit, int64_t group,
                        struct th_piece *piece, void *room,
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
    return piece_damaged(shard, piece, group, "checksum mismatch", err);
  if (!th_piece_check(piece, parts.count, shard->row->range.first,
                      th_row_groups_group(shard->row_groups, group).count))
    return piece_damaged(shard, piece, group, "attributes or rows out of place",
                         err);
  memcpy(room, piece, sizeof *piece);
  return TH_OK;
}
