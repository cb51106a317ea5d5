/* sparse_tile.h - a tile that is written to a sparse shard; internal to io/
 *
 * Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SPARSE_TILE_H
#define TH_SPARSE_TILE_H

#include "io/dataset/shard_write.h"

/* The caller gives group, rows, runs, entries and slab. The arrays lie in the
 * shard's scratch room. Rows and values are stored as they are in the slab. */
struct th_tile {
  int64_t group;
  int64_t rows;
  int64_t runs;
  int64_t entries;
  const struct th_slab *slab;
  uint32_t *attribute; /* counted from the shard's first */
  uint16_t *count;     /* entries of a run */
};

/* TH_EARG for a tile that breaks the order of groups, attributes or rows. */
th_status th_sparse_tile_check(const struct th_shard_write *shard,
                               const struct th_tile *tile,
                               struct th_error *err);

/* Make the arrays of the tile as stored, and add it to the shard's content and
 * statistics. TH_EDATA for a value that is not finite. Also TH_ENOMEM. */
th_status th_sparse_tile_fill(struct th_shard_write *shard,
                              struct th_tile *tile, struct th_error *err);

#endif
