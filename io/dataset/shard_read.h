/* shard_read.h - reads and verifies a bundle of a sparse shard on a row group,
 * or all of a shard; internal to io/, local
 * SPDX-License-Identifier: MIT */
#ifndef TH_SHARD_READ_H
#define TH_SHARD_READ_H

#include "io/dataset/shard.h"

/* Pieces of a sparse shard that follow one another on a row group, in memory,
 * in one allocation. */
struct th_piece {
  int64_t runs;
  int64_t entries;
  struct th_range attributes;
  uint32_t *attribute; /* counted from the shard's first */
  uint32_t *start;     /* runs + 1, counted from the piece's first entry */
  uint16_t *row;
  void *values;
};

/* Fill in the sizes of the pieces of a bundle that was found, on a row group;
 * returns the bytes that they need in memory. */
int64_t th_shard_read_piece_size(const struct th_shard *shard, int64_t bundle,
                                 int64_t group, struct th_piece *piece);

/* Compute the starts of a piece's runs from their counts, which lie at the end
 * of the room for starts. base: what its attributes count from. Also check that
 * runs are not empty, that attributes are those of the piece, that rows are
 * below `rows`, and that both ascend. False: the piece must not be used.
 * Shown for tests. */
bool th_shard_read_piece_check(struct th_piece *piece, const uint16_t *count,
                               int64_t base, int64_t rows);

/* Lay out the pieces in that room; read and verify their content. */
th_status th_shard_read_piece(struct th_shard *shard, int64_t bundle,
                              int64_t group, struct th_piece *piece, void *room,
                              struct th_error *err);

/* Sums over a whole shard. */
struct th_shard_sum {
  uint64_t content;
  int64_t nonzeros;
  int64_t missing;
};

th_status th_shard_read_all(struct th_shard *shard, struct th_shard_sum *sum,
                            struct th_error *err);

#endif
