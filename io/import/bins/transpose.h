/* transpose.h - rows of a row group to dense chunks or a sparse tile
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_TRANSPOSE_H
#define TH_TRANSPOSE_H

#include "io/dataset/residency/dataset.h"
#include "io/import/bins/bucket.h"

/* Where a tile that was made belongs. */
struct th_turned {
  int64_t shard;
  int64_t group;
  struct th_range range; /* of the attributes */
  int64_t stride;        /* dense */
  struct th_slab tile;   /* sparse */
};

/* Reused from group to group. */
struct th_transpose {
  struct th_writer *writer; /* borrowed */
  enum th_layout layout;
  enum th_type type;
  const bool *dropped; /* attributes that become 0; NULL: none; borrowed */
  int64_t listed;      /* of these */
  char *values;        /* as written */
  int64_t value_capacity;
  char *expanded; /* dense: rows that do not lie ready */
  int64_t expanded_capacity;
  uint64_t *keys; /* sparse: attribute and entry */
  uint64_t *other;
  uint16_t *row; /* sparse: per entry, as written and as found */
  uint16_t *found_row;
  char *found_value;
  int64_t found_value_capacity;
  uint32_t *attribute;
  uint32_t *start;
  int64_t entry_capacity; /* of keys, other, rows, attributes and starts */
  struct th_turned turned;
};

void th_transpose_free(struct th_transpose *transpose);

/* Make a tile of this rank's part of a shard on a row group, from attribute
 * `first` on; rows[k] is the record of its row k, or NULL. turned.range tells
 * how far it comes: a chunk of a dense part, all of a sparse one. Of a sparse
 * one, records hold attributes of that part only. Local. */
th_status th_transpose_make(struct th_transpose *transpose, int64_t shard,
                            int64_t group, int64_t first,
                            const struct th_record *const *rows, int64_t count,
                            struct th_error *err);

/* Write the tile that was made. Local. */
th_status th_transpose_write(const struct th_transpose *transpose,
                             struct th_error *err);

#endif
