/* tiles.h - sparse columns, cut into the tiles of their row groups
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_TILES_H
#define TH_TILES_H

#include "data/source.h"

/* An entry as it was added. */
struct th_entry {
  uint32_t attribute; /* counted from the range's first */
  uint16_t row;       /* counted from the row group's first */
  double value;
};

struct th_tiles {
  struct th_shape shape;
  struct th_range range; /* attributes */
  int64_t entries;
  /* until they are cut: by attribute, then example */
  int64_t capacity;
  struct th_entry *added;
  int64_t *group_of; /* aligned with added */
  int64_t group_capacity;
  /* then: by row group, attribute, row */
  int64_t *first_entry; /* of a group; groups + 1 */
  int64_t *first_run;
  uint32_t *attribute; /* of a run */
  uint32_t *start;     /* where a run's entries begin, counted from the group's
                          first; one more than runs in each group */
  uint16_t *row;
  void *values;
};

void th_tiles_init(struct th_tiles *tiles, const struct th_shape *shape,
                   struct th_range range);
void th_tiles_free(struct th_tiles *tiles);

/* Add the entries of one attribute, examples ascending; attributes come in
 * ascending order. */
th_status th_tiles_add(struct th_tiles *tiles, int64_t attribute,
                       const int64_t *example, const double *value,
                       int64_t count, struct th_error *err);

/* Sort the entries by row group, in linear time, once all attributes are added.
 * An error for a value that its type cannot hold. */
th_status th_tiles_cut(struct th_tiles *tiles, struct th_error *err);

/* Return the bytes that the cut tiles take. */
int64_t th_tiles_bytes(const struct th_tiles *tiles);

/* Return the tile of a row group, borrowed from the tiles. */
struct th_slab th_tiles_group(const struct th_tiles *tiles, int64_t group);

#endif
