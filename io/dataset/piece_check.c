/* piece_check.c - checks what kernels rely on in a sparse piece
 *
 * A checksum says that a file is as it was written, not who wrote it. Kernels
 * use rows and attributes as places in memory, so every piece is checked when
 * it is read. No loop branches on the values, so compilers vectorise all of
 * them but the one over starts. Each costs about as much as the checksum
 * (tests/bench/piece.sh).
 * SPDX-License-Identifier: MIT */
#include "io/dataset/shard_read.h"

#include "core/integer.h"

#include <string.h>

/* Items of a loop whose sums fit 16 or 32 bits, so that a vector holds more of
 * them. */
enum { STRIP = 1 << 14 };

/* Whether no count is zero, and they sum up to the entries. */
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

/* Whether the attributes ascend and lie in the piece. */
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

/* Whether all rows are below `rows`, and exactly `falls` of them are not above
 * the one before. Then falls are only at the beginnings of runs, so rows ascend
 * within runs. */
static bool rows_good(const uint16_t *row, int64_t entries, int64_t rows,
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

bool th_shard_piece_check(struct th_piece *piece, const uint16_t *count,
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
  return rows_good(piece->row, piece->entries, rows, falls);
}
