/* shard_write.c - writes one shard: the part that both layouts share
 * SPDX-License-Identifier: MIT */
#include "io/dataset/shard_write.h"

#include "core/integer.h"
#include "core/memory.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/hdf5/file.h"
#include "io/hdf5/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

th_status th_shard_scratch_bytes(struct th_scratch *scratch, int64_t bytes,
                                 struct th_error *err)
{
  return th_grow(&scratch->bytes, &scratch->byte_capacity, bytes, 1,
                 "values to be written", err);
}

th_status th_shard_scratch_values(struct th_scratch *scratch, int64_t count,
                                  struct th_error *err)
{
  return TH_GROW(&scratch->values, &scratch->value_capacity, count,
                 "values to be written", err);
}

void th_shard_scratch_free(struct th_scratch *scratch)
{
  TH_FREE(scratch->bytes, scratch->values, scratch->weights);
  *scratch = (struct th_scratch){0};
}

/* HDF5 cannot close a file if it cannot write its head. */
enum { HEAD_BYTES = 16 << 10 };

th_status th_shard_begin(struct th_shard_write *shard, int64_t piece_width,
                         struct th_error *err)
{
  th_status rc = TH_OK;
  int64_t count = shard->range.last - shard->range.first;
  if (th_file_limit() < HEAD_BYTES)
    return th_file_no_space(shard->name, shard->needed, err);
  TH_TRY(th_h5_create(&shard->h5, shard->path, shard->name, err));
  shard->file = fcntl(th_h5_descriptor(&shard->h5), F_DUPFD_CLOEXEC, 0);
  if (shard->file < 0)
    return th_fail(err, TH_EIO, "cannot write %s: %s", shard->name,
                   strerror(errno));
  TH_TRY(
      th_running_stats_init(&shard->stats, count, shard->weight != NULL, err));
  if (shard->row_groups->shape.layout == TH_DENSE)
    TH_TRY(th_shard_dense_begin(shard, err));
  else
    TH_TRY(th_shard_sparse_begin(shard, piece_width, err));
done:
  return rc;
}

static th_status put_header(const struct th_shard_write *shard,
                            struct th_error *err)
{
  const struct th_h5 *h5 = &shard->h5;
  const struct th_shape *shape = &shard->row_groups->shape;
  const struct {
    const char *name;
    int64_t value;
  } numbers[] = {
      {TH_A_MAJOR, TH_FORMAT_MAJOR},
      {TH_A_MINOR, TH_FORMAT_MINOR},
      {TH_A_SHARD, shard->index},
      {TH_A_FIRST, shard->range.first},
      {TH_A_COUNT, shard->range.last - shard->range.first},
      {TH_A_TRAINING, shape->training},
      {TH_A_ROW_GROUP, shape->row_group},
      {TH_A_GROUPS, shard->row_groups->groups},
      {TH_A_NONZEROS, shard->nonzeros},
  };
  th_status rc = TH_OK;
  TH_TRY(th_h5_put_text(h5, "/", TH_A_FORMAT, TH_FORMAT_SHARD, err));
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    TH_TRY(th_h5_put_i64(h5, "/", numbers[k].name, numbers[k].value, err));
  TH_TRY(th_h5_put_text(h5, "/", TH_A_LAYOUT,
                        th_type_layout_name(shape->layout), err));
  TH_TRY(th_h5_put_text(h5, "/", TH_A_TYPE, th_type_name(shape->type), err));
  TH_TRY(th_h5_put_u64(h5, "/", TH_A_CONTENT, shard->content, err));
done:
  return rc;
}

/* Convert doubles to floats, in place from the front. */
static void shorten(double *values, int64_t count)
{
  char *to = (char *)values;
  for (int64_t k = 0; k < count; k++) {
    float narrow = (float)values[k];
    memcpy(to + (size_t)k * sizeof narrow, &narrow, sizeof narrow);
  }
}

static th_status put_checksums(const struct th_shard_write *shard,
                               double *const kinds[TH_STATS_KINDS], size_t size,
                               struct th_error *err)
{
  int64_t count = shard->stats.attributes;
  int64_t pieces = th_integer_ceil_divide(count, TH_STATS_PIECE);
  uint64_t *checksum = NULL;
  th_status rc = TH_NEW(&checksum, pieces, "checksums", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < pieces; k++)
    checksum[k] =
        th_fingerprint_stats((const void *const *)kinds, count, k, size);
  rc = th_h5_put(&shard->h5, TH_D_STATS_CHECKSUM, H5T_NATIVE_UINT64, pieces,
                 checksum, err);
  free(checksum);
  return rc;
}

static th_status put_statistics(struct th_shard_write *shard,
                                struct th_error *err)
{
  static const char *const names[TH_STATS_KINDS] = {TH_D_MEAN, TH_D_DEVIATION,
                                                    TH_D_LOWEST, TH_D_HIGHEST};
  struct th_running_stats *m = &shard->stats;
  double *const kinds[TH_STATS_KINDS] = {m->mean, m->squares, m->lowest,
                                         m->highest};
  bool small = th_row_groups_short_stats(shard->row_groups);
  hid_t type = small ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  th_status rc = TH_OK;
  th_running_stats_finish(m, shard->row_groups->shape.training,
                          (double)shard->row_groups->shape.training);
  for (int k = 0; k < TH_STATS_KINDS; k++) {
    if (small)
      shorten(kinds[k], m->attributes);
    TH_TRY(th_h5_put(&shard->h5, names[k], type, m->attributes, kinds[k], err));
  }
  TH_TRY(
      put_checksums(shard, kinds, small ? sizeof(float) : sizeof(double), err));
done:
  return rc;
}

/* Cut off reserved bytes that were not used. */
static th_status trim(struct th_shard_write *shard, struct th_error *err)
{
  unsigned char head[TH_H5_HEAD] = {0};
  bool good = pread(shard->file, head, sizeof head, 0) == sizeof head;
  shard->bytes = th_h5_end(head);
  if (!good || ftruncate(shard->file, (off_t)shard->bytes) != 0)
    return th_fail(err, TH_EIO, "cannot write %s: %s", shard->name,
                   strerror(errno));
  return th_file_flush(shard->file, shard->name, err);
}

th_status th_shard_end(struct th_shard_write *shard, struct th_error *err)
{
  th_status rc = TH_OK;
  if (shard->row_groups->shape.layout == TH_DENSE)
    TH_TRY(th_shard_dense_end(shard, err));
  else
    TH_TRY(th_shard_sparse_end(shard, err));
  TH_TRY(put_statistics(shard, err));
  TH_TRY(put_header(shard, err));
  TH_TRY(th_h5_close(&shard->h5, err));
  TH_TRY(trim(shard, err));
  if (!th_hash_open(shard->file, &shard->hash))
    rc = th_fail(err, TH_EIO, "cannot read %s back: %s", shard->name,
                 strerror(errno));
done:
  return rc;
}

void th_shard_drop(struct th_shard_write *shard)
{
  struct th_error ignored = {0};
  th_shard_dense_free(&shard->dense);
  th_shard_sparse_free(&shard->sparse);
  th_running_stats_free(&shard->stats);
  th_h5_close(&shard->h5, &ignored);
  if (shard->file >= 0)
    close(shard->file);
  TH_FREE(shard->name, shard->path);
  *shard = (struct th_shard_write){.file = -1};
}
