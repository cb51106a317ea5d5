/* shard_read_dense.c - verified runs of a dense shard
 * SPDX-License-Identifier: MIT */
#include "io/hash.h"
#include "io/shard_read.h"

th_status th_dense_read(struct th_shard_read *shard, struct th_range range,
                        int64_t group, int64_t stride, void *values,
                        uint64_t *checksum, struct th_error *err)
{
  const struct th_geometry *g = shard->geometry;
  size_t run_bytes = th_type_bytes(g->shape.type, stride);
  int64_t count = range.last - range.first;
  size_t used = th_type_bytes(g->shape.type, th_geometry_group(g, group).count);
  hsize_t offset = (hsize_t)(range.first - shard->row->range.first);
  hsize_t at[2] = {offset,
                   (hsize_t)(group * th_geometry_items(g, g->shape.row_group))};
  hsize_t box[2] = {(hsize_t)count, (hsize_t)th_geometry_items(g, stride)};
  hsize_t sum_at[2] = {(hsize_t)group, offset};
  hsize_t sum_box[2] = {1, (hsize_t)count};
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_read(&shard->values, at, box, values, err));
  TH_TRY(th_h5_set_read(&shard->checksum, sum_at, sum_box, checksum, err));
  shard->bytes_read += count * ((int64_t)run_bytes + 8);
  const char *run = values;
  for (int64_t a = 0; a < count; a++, run += run_bytes)
    if (th_hash(run, used) != checksum[a])
      return th_shard_damaged(shard, range.first + a, group, err);
done:
  return rc;
}
