/* row_groups.h - the sizes of row groups, chunks and shards
 *
 * Pure functions, shared by writer and reader. Internal to io/.
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ROW_GROUPS_H
#define TH_ROW_GROUPS_H

#include "data/source.h"
#include "ranks/partition.h"

#include <stdbool.h>

enum {
  TH_STATS_KINDS = 4,         /* mean, deviation, lowest, highest */
  TH_STATS_PIECE = 256,       /* attributes under one statistics checksum */
  TH_MOST_SHARDS = 1024,      /* chosen by default */
  TH_MOST_ROW_GROUP = 1 << 24 /* R of dense data */
};

/* Limits with which sums and products of sizes do not overflow. */
#define TH_MOST_EXAMPLES ((int64_t)1 << 40)
#define TH_MOST_ATTRIBUTES                                                     \
  ((int64_t)UINT32_MAX) /* a shard numbers them by u32 */

struct th_row_groups {
  struct th_shape shape;
  int64_t training_groups;
  int64_t groups;
  int64_t chunk; /* dense: attributes written and kept together, 1..256 */
};

/* An error for sizes that cannot be stored. */
th_status th_row_groups_init(struct th_row_groups *row_groups,
                             const struct th_shape *shape,
                             struct th_error *err);

/* The rows of a group; the group of a row. */
struct th_rows th_row_groups_group(const struct th_row_groups *row_groups,
                                   int64_t group);
int64_t th_row_groups_group_of(const struct th_row_groups *row_groups,
                               int64_t row);

/* Bytes of stored values (dense) or of entries (sparse). */
int64_t th_row_groups_bytes(const struct th_row_groups *row_groups,
                            int64_t entries);

/* Attributes of a stored chunk of a dense shard with `count` attributes: all of
 * them up to 4 MiB, else a multiple of row_groups->chunk. */
int64_t th_row_groups_stored(const struct th_row_groups *row_groups,
                             int64_t count);

/* True if statistics are stored as f32. Those of sparse data are, unless the
 * values are f64, since there are many statistics beside few values. Bounds are
 * exact in any case. */
bool th_row_groups_short_stats(const struct th_row_groups *row_groups);

/* Items of a dense shard's /X, along a run, that hold that many rows. */
int64_t th_row_groups_items(const struct th_row_groups *row_groups,
                            int64_t rows);

#endif
