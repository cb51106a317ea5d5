/* shard_read_dense.c - reads and verifies runs of a dense shard
 * SPDX-License-Identifier: MIT */
#include "io/dataset/shard_read.h"

struct th_fetch th_shard_dense_fetch(const struct th_shard_read *shard,
                                     struct th_range wanted, int64_t group)
{
  const struct th_row_groups *g = shard->row_groups;
  int64_t rows = th_row_groups_group(g, group).count;
  int64_t used = (int64_t)th_type_bytes(g->shape.type, rows);
  return (struct th_fetch){.shard = shard->name,
                           .map = &shard->map,
                           .wanted = wanted,
                           .group = group,
                           .used = used,
                           .last = used};
}

bool th_shard_dense_place(struct th_shard_read *shard, struct th_fetch *fetch)
{
  struct th_range all = shard->row->range;
  return th_run_fetch_place(fetch, &shard->map, &shard->values,
                            fetch->wanted.first - all.first,
                            all.last - all.first);
}

/* Read by HDF5, which decompresses. */
static th_status read_box(struct th_shard_read *shard,
                          const struct th_fetch *fetch, struct th_error *err)
{
  const struct th_row_groups *g = shard->row_groups;
  hsize_t count = (hsize_t)(fetch->wanted.last - fetch->wanted.first);
  hsize_t first = (hsize_t)(fetch->wanted.first - shard->row->range.first);
  hsize_t height = (hsize_t)th_row_groups_items(g, g->shape.row_group);
  hsize_t at[2] = {first, (hsize_t)fetch->group * height};
  hsize_t box[2] = {count, height};
  hsize_t sum_at[2] = {(hsize_t)fetch->group, first};
  hsize_t sum_box[2] = {1, count};
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_read(&shard->values, at, box, fetch->values, err));
  TH_TRY(
      th_h5_set_read(&shard->checksum, sum_at, sum_box, fetch->checksum, err));
  TH_TRY(th_run_fetch_verify(fetch, err));
done:
  return rc;
}

th_status th_shard_dense_read(struct th_shard_read *shard,
                              struct th_fetch *fetch, struct th_error *err)
{
  if (!th_shard_dense_place(shard, fetch))
    return read_box(shard, fetch, err);
  bool single = fetch->wanted.last - fetch->wanted.first == 1;
  return single ? th_run_fetch_single(fetch, &shard->sums, err)
                : th_run_fetch_read(fetch, err);
}
