/* shard_stats.c - reads and verifies statistics of a shard's attributes
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/dataset/shard_read.h"

#include <stdlib.h>

static const char *const names[TH_STATS_KINDS] = {TH_D_MEAN, TH_D_DEVIATION,
                                                  TH_D_LOWEST, TH_D_HIGHEST};

/* Statistics as stored, for whole checksum pieces of attributes. */
struct stored {
  struct th_range part; /* counted from the shard's first */
  hid_t type;
  size_t size; /* of an item */
  void *kinds[TH_STATS_KINDS];
  uint64_t *checksum;
};

static th_status read_range(const struct th_shard_read *shard, const char *name,
                            hid_t type, int64_t first, int64_t count,
                            void *items, struct th_error *err)
{
  struct th_h5_set set = {0};
  struct th_error ignored = {0};
  hsize_t size[2] = {0};
  th_status rc = th_h5_set_open(&set, &shard->h5, name, type, 1, size, err);
  if (rc == TH_OK && size[0] < (hsize_t)(first + count))
    rc = th_shard_bad_size(shard, name, err);
  if (rc == TH_OK)
    rc = th_h5_set_range(&set, first, count, items, err);
  th_h5_set_close(&set, &ignored);
  return rc;
}

static th_status read_all(struct th_shard_read *shard, struct stored *stored,
                          struct th_error *err)
{
  int64_t count = stored->part.last - stored->part.first;
  int64_t pieces = th_integer_ceil_divide(count, TH_STATS_PIECE);
  th_status rc = TH_OK;
  for (int k = 0; k < TH_STATS_KINDS; k++) {
    TH_TRY(th_alloc(&stored->kinds[k], count, stored->size, "statistics", err));
    TH_TRY(read_range(shard, names[k], stored->type, stored->part.first, count,
                      stored->kinds[k], err));
  }
  TH_TRY(TH_NEW(&stored->checksum, pieces, "checksums", err));
  TH_TRY(read_range(shard, TH_D_STATS_CHECKSUM, H5T_NATIVE_UINT64,
                    stored->part.first / TH_STATS_PIECE, pieces,
                    stored->checksum, err));
  shard->bytes_read +=
      TH_STATS_KINDS * count * (int64_t)stored->size + pieces * 8;
done:
  return rc;
}

static th_status verify(const struct th_shard_read *shard,
                        const struct stored *stored, struct th_error *err)
{
  int64_t count = stored->part.last - stored->part.first;
  for (int64_t k = 0; k < th_integer_ceil_divide(count, TH_STATS_PIECE); k++)
    if (th_fingerprint_stats((const void *const *)stored->kinds, count, k,
                             stored->size) != stored->checksum[k])
      return TH_DAMAGED(
          err,
          "%s: statistics of attribute %lld and following: checksum mismatch",
          shard->name,
          (long long)(shard->row->range.first + stored->part.first +
                      k * TH_STATS_PIECE));
  return TH_OK;
}

static double item(const struct stored *stored, int kind, int64_t k)
{
  return stored->size == sizeof(float)
             ? (double)((const float *)stored->kinds[kind])[k]
             : ((const double *)stored->kinds[kind])[k];
}

/* The whole checksum pieces around a range, counted from the shard's first. */
static struct th_range around(const struct th_shard_read *shard,
                              struct th_range range)
{
  int64_t first = shard->row->range.first;
  int64_t count = shard->row->range.last - first;
  int64_t low = (range.first - first) / TH_STATS_PIECE * TH_STATS_PIECE;
  int64_t high = th_integer_ceil_divide(range.last - first, TH_STATS_PIECE) *
                 TH_STATS_PIECE;
  return (struct th_range){low, high < count ? high : count};
}

/* Of values near the largest doubles mean and deviation may be no numbers. */
static bool make_sense(const struct th_statistics *s)
{
  return !(s->deviation < 0) && s->lowest <= s->highest;
}

th_status th_shard_statistics(struct th_shard_read *shard,
                              struct th_range range,
                              struct th_statistics *statistics,
                              struct th_error *err)
{
  bool small = th_row_groups_short_stats(shard->row_groups);
  struct stored stored = {.part = around(shard, range),
                          .type = small ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE,
                          .size = small ? sizeof(float) : sizeof(double)};
  th_status rc = TH_OK;
  TH_TRY(read_all(shard, &stored, err));
  TH_TRY(verify(shard, &stored, err));
  int64_t skip = range.first - shard->row->range.first - stored.part.first;
  for (int64_t a = 0; a < range.last - range.first; a++)
    statistics[a] = (struct th_statistics){
        item(&stored, 0, skip + a), item(&stored, 1, skip + a),
        item(&stored, 2, skip + a), item(&stored, 3, skip + a)};
  for (int64_t a = 0; a < range.last - range.first && rc == TH_OK; a++)
    if (!make_sense(&statistics[a]))
      rc = TH_IMPORT_AGAIN(err,
                           "%s: statistics of attribute %lld: make no sense",
                           shard->name, (long long)(range.first + a));
done:
  for (int k = 0; k < TH_STATS_KINDS; k++)
    free(stored.kinds[k]);
  free(stored.checksum);
  return rc;
}
