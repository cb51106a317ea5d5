/* partition.c - attribute ranges: cells on ranks, blocks J_i, storage sizes
 * SPDX-License-Identifier: MIT */
#include "ranks/partition.h"

#include "base/integer.h"
#include "base/memory.h"

#include <stdlib.h>

static struct th_range cells_to_attributes(struct th_range cells,
                                           int64_t attributes)
{
  return (struct th_range){th_min_i64(cells.first * TH_CELL, attributes),
                           th_min_i64(cells.last * TH_CELL, attributes)};
}

struct th_range th_partition_rank(int64_t attributes, int rank, int size)
{
  int64_t cells = th_integer_ceil_divide(attributes, TH_CELL);
  return cells_to_attributes(th_range_part(cells, rank, size), attributes);
}

struct th_range th_partition_shard(int64_t attributes, int64_t shard,
                                   int64_t shards)
{
  int64_t cells = th_integer_ceil_divide(attributes, TH_CELL);
  if (cells < shards)
    return th_range_part(attributes, shard, shards);
  return cells_to_attributes(th_range_part(cells, shard, shards), attributes);
}

static th_status reserve_edges(struct th_blocks *blocks, int64_t count,
                               struct th_error *err)
{
  return TH_GROW(&blocks->edges, &blocks->capacity, count,
                 "blocks of attributes", err);
}

th_status th_partition_blocks_even(struct th_blocks *blocks, int64_t attributes,
                                   int64_t width, struct th_error *err)
{
  if (width < 1)
    return th_fail(err, TH_EARG, "a block needs at least one attribute");
  int64_t count = th_integer_ceil_divide(attributes, width);
  th_status rc = reserve_edges(blocks, count + 1, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t i = 0; i <= count; i++)
    blocks->edges[i] = th_min_i64(i * width, attributes);
  blocks->count = count;
  return TH_OK;
}

int64_t th_partition_block_end(int64_t attributes, int64_t first, int64_t width,
                               const int64_t *support, int64_t support_size)
{
  struct th_range below = {0, first};
  int64_t k = th_range_members(support, support_size, below).last;
  int64_t edge = first + width;
  /* One more attribute in place of each member; a member right behind the
   * block joins it, so that no block consists of members alone. */
  while (k < support_size && support[k] <= edge) {
    edge++;
    k++;
  }
  return th_min_i64(edge, attributes);
}

void th_partition_blocks_free(struct th_blocks *blocks)
{
  free(blocks->edges);
  *blocks = (struct th_blocks){0};
}

int64_t th_partition_row_group_size(int64_t examples)
{
  int64_t size = 64;
  while (size < 16384 && 2 * size <= examples / 256)
    size *= 2;
  return size;
}

int64_t th_partition_deal_unit_size(int64_t row_group, int64_t training,
                                    int64_t consumers)
{
  int64_t size = 1;
  while (2 * size <= row_group && training >= 8 * 2 * size * consumers)
    size *= 2;
  return size;
}
