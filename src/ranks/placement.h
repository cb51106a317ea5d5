/* placement.h - which rank owns which attributes: cells placed by their cost
 *
 * A rank owns one contiguous range of whole cells, so that few ranks read the
 * same shard. If all cells cost the same, the ranges are even. If a store knows
 * what its cells cost, all ranks bear about the same cost. Models do not depend
 * on the placement.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PLACEMENT_H
#define TH_PLACEMENT_H

#include "ranks/partition.h"

/* Zeroed: even ranges for any number of ranks. */
struct th_placement {
  int size;      /* ranks that it was made for; 0: none */
  int64_t *edge; /* size + 1: rank r owns [edge[r], edge[r + 1]) */
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
 * equal placements. Release with th_placement_free. */
th_status th_placement_by_cost(struct th_placement *placement,
                               const struct th_cost *cost, int size,
                               struct th_error *err);
void th_placement_free(struct th_placement *placement);

/* What a rank owns; even ranges unless the placement was made for `size`
 * ranks. Local. */
struct th_range th_placement_rank(const struct th_placement *placement,
                                  int64_t attributes, int rank, int size);

/* Attributes of the rank that owns the most. Local. */
int64_t th_placement_most(const struct th_placement *placement,
                          int64_t attributes, int size);

#endif
