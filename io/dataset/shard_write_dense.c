/* shard_write_dense.c - writes a dense shard, chunk by chunk
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/dataset/shard_write.h"
#include "io/hdf5/file.h"
#include "io/hdf5/hash.h"

#include <stdlib.h>
#include <string.h>

enum { METADATA_BYTES = 256 << 10 }; /* headers and the like, with a reserve */

static int64_t attributes_of(const struct th_shard_write *shard)
{
  return shard->range.last - shard->range.first;
}

/* Reserve room for the whole file, so that a full disk is noticed now. */
static th_status reserve(const struct th_shard_write *shard, int64_t stored,
                         struct th_error *err)
{
  const struct th_row_groups *g = shard->row_groups;
  int64_t count = attributes_of(shard);
  int64_t run = (int64_t)th_type_bytes(g->shape.type, g->shape.row_group);
  int64_t values =
      th_integer_ceil_divide(count, stored) * stored * g->groups * run;
  int64_t checksums = count * g->groups * (int64_t)sizeof(uint64_t);
  int64_t statistics = count * 5 * (int64_t)sizeof(double);
  return th_file_reserve(shard->file, shard->name,
                         values + checksums + statistics + METADATA_BYTES,
                         shard->needed, err);
}

th_status th_shard_dense_begin(struct th_shard_write *shard,
                               struct th_error *err)
{
  const struct th_row_groups *g = shard->row_groups;
  struct th_dense_write *dense = &shard->dense;
  int64_t count = attributes_of(shard);
  hid_t type = th_h5_type(g->shape.type);
  hsize_t height = (hsize_t)th_row_groups_items(g, g->shape.row_group);
  dense->chunk = g->chunk < count ? g->chunk : count;
  int64_t chunks = th_integer_ceil_divide(count, dense->chunk);
  int64_t stored = th_row_groups_stored(g, count);
  struct th_h5_plan values = {
      .rank = 2,
      .size = {(hsize_t)count, (hsize_t)g->groups * height},
      .chunk = {(hsize_t)stored, height}};
  struct th_h5_plan checksums = {.rank = 2,
                                 .size = {(hsize_t)g->groups, (hsize_t)count}};
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&dense->next_group, chunks, "the table of chunks", err));
  TH_TRY(reserve(shard, stored, err));
  TH_TRY(th_h5_set_create(&dense->values, &shard->h5, TH_D_X, type, type,
                          &values, err));
  TH_TRY(th_h5_set_create(&dense->checksum, &shard->h5, TH_D_CHECKSUM,
                          H5T_NATIVE_UINT64, H5T_NATIVE_UINT64, &checksums,
                          err));
done:
  return rc;
}

static th_status check_place(const struct th_shard_write *shard, int64_t group,
                             struct th_range range, struct th_error *err)
{
  int64_t chunk = shard->dense.chunk;
  int64_t offset = range.first - shard->range.first;
  int64_t last = range.first + chunk;
  last = last < shard->range.last ? last : shard->range.last;
  if (range.first < shard->range.first || range.first >= shard->range.last ||
      offset % chunk != 0 || range.last != last)
    return th_fail(err, TH_EARG, "%s: attributes %lld..%lld are no chunk",
                   shard->name, (long long)range.first,
                   (long long)range.last - 1);
  if (group >= shard->row_groups->groups ||
      group != shard->dense.next_group[offset / chunk])
    return th_fail(err, TH_EARG,
                   "%s: attributes %lld..%lld: row group %lld instead of %lld",
                   shard->name, (long long)range.first,
                   (long long)range.last - 1, (long long)group,
                   (long long)shard->dense.next_group[offset / chunk]);
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
static th_status pack(const struct th_shard_write *shard, int64_t count,
                      int64_t rows, const void *values, int64_t stride,
                      struct th_error *err)
{
  const struct th_shape *shape = &shard->row_groups->shape;
  size_t run = th_type_bytes(shape->type, shape->row_group);
  size_t used = th_type_bytes(shape->type, rows);
  size_t from = th_type_bytes(shape->type, stride);
  int64_t sums = count * (int64_t)sizeof(uint64_t);
  th_status rc =
      th_shard_scratch_bytes(shard->scratch, count * (int64_t)run + sums, err);
  if (rc != TH_OK)
    return rc;
  /* checksums come first, so that they are aligned */
  uint64_t *checksum = shard->scratch->bytes;
  char *to = (char *)shard->scratch->bytes + sums;
  for (int64_t a = 0; a < count; a++, to += run) {
    memcpy(to, (const char *)values + (size_t)a * from, used);
    memset(to + used, 0, run - used);
    clear_rest(shape->type, to, rows);
    checksum[a] = th_hash(to, used);
  }
  return TH_OK;
}

static th_status account(struct th_shard_write *shard, int64_t group,
                         struct th_range range, int64_t rows,
                         struct th_error *err)
{
  const struct th_shape *shape = &shard->row_groups->shape;
  int64_t count = range.last - range.first;
  size_t run = th_type_bytes(shape->type, shape->row_group);
  const uint64_t *checksum = shard->scratch->bytes;
  const char *from = (const char *)(checksum + count);
  bool training = group < shard->row_groups->training_groups;
  const double *weight = shard->weight;
  if (weight != NULL && training)
    weight += th_row_groups_group(shard->row_groups, group).first;
  th_status rc = th_shard_scratch_values(shard->scratch, rows, err);
  for (int64_t a = 0; rc == TH_OK && a < count; a++, from += run) {
    int64_t attribute = range.first + a;
    shard->content += th_fingerprint_share(attribute, group, checksum[a]);
    if (!th_running_stats_load(shape->type, from, rows, shard->scratch->values,
                               &shard->nonzeros))
      rc = th_fail(err, TH_EDATA,
                   "attribute %lld, row group %lld: a value is not a finite "
                   "number",
                   (long long)attribute, (long long)group);
    else if (training)
      th_running_stats_add(&shard->stats, attribute - shard->range.first,
                           shard->scratch->values, weight, rows);
  }
  return rc;
}

th_status th_shard_dense(struct th_shard_write *shard, int64_t group,
                         struct th_range range, const void *values,
                         int64_t stride, struct th_error *err)
{
  struct th_dense_write *dense = &shard->dense;
  th_status rc = TH_OK;
  TH_TRY(check_place(shard, group, range, err));
  int64_t count = range.last - range.first;
  int64_t rows = th_row_groups_group(shard->row_groups, group).count;
  int64_t offset = range.first - shard->range.first;
  hsize_t height = (hsize_t)th_row_groups_items(
      shard->row_groups, shard->row_groups->shape.row_group);
  hsize_t at[2] = {(hsize_t)offset, (hsize_t)group * height};
  hsize_t box[2] = {(hsize_t)count, height};
  hsize_t sum_at[2] = {(hsize_t)group, (hsize_t)offset};
  hsize_t sum_box[2] = {1, (hsize_t)count};
  TH_TRY(pack(shard, count, rows, values, stride, err));
  TH_TRY(account(shard, group, range, rows, err));
  const uint64_t *checksum = shard->scratch->bytes;
  TH_TRY(th_h5_set_write(&dense->values, at, box, checksum + count, err));
  TH_TRY(th_h5_set_write(&dense->checksum, sum_at, sum_box, checksum, err));
  dense->next_group[offset / dense->chunk]++;
done:
  return rc;
}

th_status th_shard_dense_end(struct th_shard_write *shard, struct th_error *err)
{
  struct th_dense_write *dense = &shard->dense;
  int64_t chunks = th_integer_ceil_divide(attributes_of(shard), dense->chunk);
  for (int64_t k = 0; k < chunks; k++)
    if (dense->next_group[k] != shard->row_groups->groups)
      return th_fail(err, TH_EARG, "%s: only %lld of %lld row groups written",
                     shard->name, (long long)dense->next_group[k],
                     (long long)shard->row_groups->groups);
  th_status rc = th_h5_set_close(&dense->checksum, err);
  return rc == TH_OK ? th_h5_set_close(&dense->values, err) : rc;
}

void th_shard_dense_free(struct th_dense_write *dense)
{
  struct th_error ignored = {0};
  th_h5_set_close(&dense->checksum, &ignored);
  th_h5_set_close(&dense->values, &ignored);
  free(dense->next_group);
  dense->next_group = NULL;
}
