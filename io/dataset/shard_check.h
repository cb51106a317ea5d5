/* shard_check.h - reads and verifies all of a shard; internal to io/, local
 * SPDX-License-Identifier: MIT */
#ifndef TH_SHARD_CHECK_H
#define TH_SHARD_CHECK_H

#include "io/dataset/shard.h"

/* Sums over a whole shard. */
struct th_shard_sum {
  uint64_t content;
  int64_t nonzeros;
};

/* Read and verify all of it. */
th_status th_shard_check(struct th_shard *shard, struct th_shard_sum *sum,
                         struct th_error *err);

#endif
