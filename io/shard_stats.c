/* shard_stats.c - statistics of a shard's attributes, verified
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "io/format.h"
#include "io/hash.h"
#include "io/shard_read.h"

#include <stdlib.h>

enum { KINDS = 4 }; /* mean, deviation, lowest, highest */

static th_status read_kind(const struct th_shard_read *shard, const char *name,
                           struct th_range part, double *values,
                           struct th_error *err)
{
  struct th_h5_set set = {0};
  struct th_error ignored = {0};
  hsize_t size[2] = {0};
  th_status rc =
      th_h5_set_open(&set, &shard->h5, name, H5T_NATIVE_DOUBLE, 1, size, err);
  if (rc == TH_OK)
    rc = th_h5_set_range(&set, part.first, part.last - part.first, values, err);
  th_h5_set_close(&set, &ignored);
  return rc;
}

static th_status verify(const struct th_shard_read *shard, struct th_range part,
                        double *const values[KINDS], struct th_error *err)
{
  struct th_h5_set set = {0};
  struct th_error ignored = {0};
  hsize_t size[2] = {0};
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_open(&set, &shard->h5, TH_D_STATS_CHECKSUM,
                        H5T_NATIVE_UINT64, 1, size, err));
  for (int64_t a = part.first; a < part.last; a += TH_STATS_PIECE) {
    int64_t left = part.last - a;
    int64_t at = a - part.first;
    long long attribute = shard->row->range.first + a;
    uint64_t wanted = 0;
    TH_TRY(th_h5_set_range(&set, a / TH_STATS_PIECE, 1, &wanted, err));
    if (th_hash_stats(
            values[0] + at, values[1] + at, values[2] + at, values[3] + at,
            left < TH_STATS_PIECE ? left : TH_STATS_PIECE) != wanted) {
      rc = th_fail(err, TH_EFORMAT,
                   "%s: statistics of attribute %lld and following: checksum "
                   "mismatch; the file is damaged, import the data again",
                   shard->name, attribute);
      goto done;
    }
  }
done:
  th_h5_set_close(&set, &ignored);
  return rc;
}

/* The whole checksum pieces around a range, counted from the shard's first. */
static struct th_range around(const struct th_shard_read *shard,
                              struct th_range range)
{
  int64_t first = shard->row->range.first;
  int64_t count = shard->row->range.last - first;
  int64_t low = (range.first - first) / TH_STATS_PIECE * TH_STATS_PIECE;
  int64_t high =
      th_ceil_divide(range.last - first, TH_STATS_PIECE) * TH_STATS_PIECE;
  return (struct th_range){low, high < count ? high : count};
}

th_status th_shard_statistics(struct th_shard_read *shard,
                              struct th_range range,
                              struct th_statistics *statistics,
                              struct th_error *err)
{
  static const char *const names[KINDS] = {TH_D_MEAN, TH_D_DEVIATION,
                                           TH_D_LOWEST, TH_D_HIGHEST};
  struct th_range part = around(shard, range);
  int64_t count = part.last - part.first;
  double *room = NULL;
  double *values[KINDS];
  th_status rc = TH_NEW(&room, KINDS * count, "statistics", err);
  if (rc != TH_OK)
    return rc;
  for (int k = 0; k < KINDS; k++) {
    values[k] = room + k * count;
    TH_TRY(read_kind(shard, names[k], part, values[k], err));
  }
  shard->bytes_read += KINDS * count * 8;
  TH_TRY(verify(shard, part, values, err));
  int64_t skip = range.first - shard->row->range.first - part.first;
  for (int64_t a = 0; a < range.last - range.first; a++)
    statistics[a] =
        (struct th_statistics){values[0][skip + a], values[1][skip + a],
                               values[2][skip + a], values[3][skip + a]};
done:
  free(room);
  return rc;
}
