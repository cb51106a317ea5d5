/* piece.h - a piece of a sparse shard in memory; internal to io/, local
 * SPDX-License-Identifier: MIT */
#ifndef TH_PIECE_H
#define TH_PIECE_H

#include "io/dataset/shard.h"

/* In one allocation. */
struct th_piece {
  int64_t runs;
  int64_t entries;
  struct th_range attributes;
  uint32_t *attribute; /* counted from the shard's first */
  uint32_t *start;     /* runs + 1, counted from the piece's first entry */
  uint16_t *row;
  void *values;
};

/* Fill in the sizes of a piece; returns the bytes that it needs in memory. */
int64_t th_piece_size(const struct th_shard *shard, int64_t unit, int64_t group,
                      struct th_piece *piece);
/* Compute the starts of a piece's runs from their counts, which lie at the end
 * of the room for starts. base: what its attributes count from. Also check that
 * runs are not empty, that attributes are those of the piece, that rows are
 * below `rows`, and that both ascend. False: the piece must not be used.
 * Shown for tests. */
bool th_piece_check(struct th_piece *piece, const uint16_t *count, int64_t base,
                    int64_t rows);
/* Lay out a piece in that room; read and verify its content. */
th_status th_piece_read(struct th_shard *shard, int64_t unit, int64_t group,
                        struct th_piece *piece, void *room,
                        struct th_error *err);

#endif
