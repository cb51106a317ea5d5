/* row_groups.h - where things lie in a data set: row groups, chunks, shards
 *
 * Pure functions, shared by writer and reader. Internal to io/.
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ROW_GROUPS_H
#define TH_ROW_GROUPS_H

#include "core/partition.h"
#include "core/source.h"

#include <stdbool.h>

enum {
  TH_STATS_KINDS = 4,         /* mean, deviation, lowest, highest */
  TH_STATS_PIECE = 256,       /* attributes under one statistics checksum */
  TH_MOST_SHARDS = 1024,      /* chosen by default */
  TH_MOST_ROW_GROUP = 1 << 24 /* R of dense data */
};

/* What sums and products of sizes are safe with. */
#define TH_MOST_EXAMPLES ((int64_t)1 << 40)
#define TH_MOST_ATTRIBUTES                                                     \
  ((int64_t)UINT32_MAX) /* numbered by u32 in a shard */

struct th_row_groups {
  struct th_shape shape;
  int64_t training_groups;
  int64_t groups;
  int64_t chunk; /* dense: attributes written and kept together, 1..256 */
};

/* TH_EDATA for sizes that cannot be stored. Also TH_EUSAGE. */
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
 * them up to 4 MiB, else a multiple of geometry->chunk. */
int64_t th_row_groups_stored(const struct th_row_groups *row_groups,
                             int64_t count);

/* Attributes of a sparse piece: a power of two, at least 256, so that a piece
 * holds about 16384 entries. */
int64_t th_row_groups_piece(const struct th_row_groups *row_groups,
                            int64_t entries);

/* Whether statistics are stored as f32: those of sparse data, of which there
 * are many beside few values, unless the values themselves are f64. Bounds are
 * exact all the same. */
bool th_row_groups_short_stats(const struct th_row_groups *row_groups);

/* Items of a dense shard's /X, along a run, that hold that many rows. */
int64_t th_row_groups_items(const struct th_row_groups *row_groups,
                            int64_t rows);

#endif
