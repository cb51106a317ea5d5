/* partition.h - attribute ranges: cells on ranks, also by their cost, blocks
 * J_i, storage sizes
 *
 * All functions are local and pure; every rank gets the same answer.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PARTITION_H
#define TH_PARTITION_H

#include "base/error.h"
#include "base/range.h"

#include <stdint.h>

enum { TH_CELL = 256 }; /* attributes; rank borders lie on cell borders */

/* The attributes that a rank owns: whole cells, as even as cells allow. A rank
 * beyond the number of cells owns nothing. */
struct th_range th_partition_rank(int64_t attributes, int rank, int size);

/* The attributes of a shard: whole cells where there are at least as many
 * cells as shards, else as even as attributes allow. 1 <= shards <=
 * attributes. */
struct th_range th_partition_shard(int64_t attributes, int64_t shard,
                                   int64_t shards);

/* The blocks J_1..J_d' of one update, in ascending order, without gaps. */
struct th_blocks {
  int64_t count;    /* d' */
  int64_t capacity; /* of edges, in items */
  int64_t *edges;   /* count + 1: block i is [edges[i], edges[i + 1]) */
};

/* Blocks of `width` consecutive attributes (Murata & Suzuki, Algorithm 1, line
 * 1, with width = s' - s); the last may be short. Reuses the memory. */
th_status th_partition_blocks_even(struct th_blocks *blocks, int64_t attributes,
                                   int64_t width, struct th_error *err);

void th_partition_blocks_free(struct th_blocks *blocks);

/* The end of the block that begins at attribute `first` and holds `width`
 * attributes outside the support, or fewer at the end of the attributes. Local.
 */
int64_t th_partition_block_end(int64_t attributes, int64_t first, int64_t width,
                               const int64_t *support, int64_t support_size);

/* Rows in a row group: the largest power of two <= n / 256, within 64..16384.
 */
int64_t th_partition_row_group_size(int64_t examples);

/* Rows in a deal unit: the largest power of two u <= row_group with
 * training >= 8 u consumers, else 1. */
int64_t th_partition_deal_unit_size(int64_t row_group, int64_t training,
                                    int64_t consumers);

/* --- Cells placed on ranks by their cost ----------------------------------
 *
 * A rank owns one contiguous range of whole cells, so that few ranks read the
 * same shard. If all cells cost the same, the ranges are even. If a store
 * knows what its cells cost, all ranks bear about the same cost. Models do not
 * depend on the placement. */

/* Zeroed: even ranges for any number of ranks. */
struct th_placement {
  int size;      /* ranks that it was made for; 0: none */
  int64_t *edge; /* size + 1: rank r owns [edge[r], edge[r + 1]) */
  int64_t most;  /* what the rank bears that bears most; 0: not known */
};

/* The costs of the cells of a data set, in any unit. */
struct th_cost {
  int64_t attributes;
  int64_t shards; /* their borders (th_partition_shard) are preferred as long as
                     that moves less than 1 % of a rank's share; 0: none */
  int64_t cells;
  int64_t *cost; /* of each cell, at least 0 */
};

/* Place cells so that ranks bear about the same cost. No rank bears more than 2
 * % beyond its share and the cost of one cell. Local; equal arguments give
 * equal placements. Release with th_partition_placement_free. */
th_status th_partition_by_cost(struct th_placement *placement,
                               const struct th_cost *cost, int size,
                               struct th_error *err);
void th_partition_placement_free(struct th_placement *placement);

/* What a rank owns; even ranges unless the placement was made for `size`
 * ranks. Local. */
struct th_range th_partition_owned(const struct th_placement *placement,
                                   int64_t attributes, int rank, int size);

/* Attributes of the rank that owns the most. Local. */
int64_t th_partition_most_owned(const struct th_placement *placement,
                                int64_t attributes, int size);

#endif
