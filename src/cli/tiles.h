/* tiles.h - columns of a sparse shard, cut into the tiles of its row groups
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_TILES_H
#define TH_TILES_H

#include "core/source.h"

struct th_entry {
  uint32_t attribute; /* counted from the shard's first */
  uint32_t row;       /* counted from the row group's first */
  double value;
};

struct th_tiles {
  struct th_shape shape;
  struct th_range range; /* the shard's attributes */
  int64_t entries;
  int64_t capacity;
  struct th_entry *added; /* by attribute, then example */
  int64_t *group_of;      /* aligned with added */
  int64_t group_capacity;
  struct th_entry *sorted; /* by row group, attribute, row */
  int64_t *first;          /* of a group in sorted; groups + 1 */
  /* the tile that was asked for last */
  uint32_t *attribute;
  int64_t *start;
  uint32_t *row;
  void *values;
};

void th_tiles_init(struct th_tiles *tiles, const struct th_shape *shape,
                   struct th_range range);
void th_tiles_free(struct th_tiles *tiles);

/* The entries of one attribute, examples ascending; attributes come in
 * ascending order. */
th_status th_tiles_add(struct th_tiles *tiles, int64_t attribute,
                       const int64_t *example, const double *value,
                       int64_t count, struct th_error *err);

/* All attributes are there: sort by row group, in linear time. */
th_status th_tiles_cut(struct th_tiles *tiles, int64_t groups,
                       struct th_error *err);

/* The tile of a row group of `rows` rows, valid until the next is asked for.
 * TH_EDATA for a value that its type cannot hold. */
th_status th_tiles_group(struct th_tiles *tiles, int64_t group, int32_t rows,
                         struct th_slab *tile, struct th_error *err);

#endif
