/* shard_write.h - making the file of one shard; internal to io/
 *
 * One rank, the owner, makes the file, and ends it when all slices of the shard
 * (io/dataset/writer/slice_write.h) are through. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SHARD_WRITE_H
#define TH_SHARD_WRITE_H

#include "io/dataset/parts.h"
#include "io/dataset/row_groups.h"
#include "io/dataset/writer/slice_write.h"
#include "io/hdf5/h5.h"

struct th_sparse_write {
  struct th_h5_set attribute;
  struct th_h5_set count;
  struct th_h5_set row;
  struct th_h5_set value;
  int64_t runs;    /* written so far */
  int64_t entries; /* written so far */
  int64_t next_group;
  struct th_parts_write parts;
  struct th_piece_tables whole; /* of row groups as a whole */
  int64_t items;                /* of a stored chunk */
  int64_t reserved;             /* bytes of the file */
};

struct th_shard_write {
  const struct th_row_groups *row_groups; /* borrowed */
  int64_t index;
  struct th_range range;
  int64_t needed;  /* bytes of the whole data set, for messages */
  int64_t bytes;   /* of the finished file */
  uint64_t hash;   /* of its bytes */
  int64_t missing; /* of the finished shard */
  char *name;      /* used by messages and the master */
  char *path;      /* the file that is being written */
  int file;        /* the same, open as long as it is written; -1: not yet */
  struct th_h5 h5;
  struct th_shard_places places; /* dense */
  struct th_sparse_write sparse;
};

/* What is known of a shard once all its row groups are written. */
struct th_shard_sums {
  uint64_t content;
  int64_t nonzeros;
  const void *kind[4];    /* TH_STATS_KINDS, of its attributes as stored: floats
                             where statistics are short */
  const int64_t *missing; /* values of each attribute; NULL: none can be */
};

/* Begin a shard, whose row_groups, index, range, needed, name and path are set.
 */
th_status th_shard_write_begin(struct th_shard_write *shard,
                               struct th_error *err);

/* Append the next row group of all slices of a sparse shard, one behind the
 * other. An error out of order. */
th_status th_shard_write_sparse(struct th_shard_write *shard, int64_t group,
                                const struct th_shard_piece_parts *tile,
                                struct th_error *err);

/* Write what is written last, close and flush. An error where row groups are
 * missing. */
th_status th_shard_write_end(struct th_shard_write *shard,
                             const struct th_shard_sums *sums,
                             struct th_error *err);

/* Close the file and free memory. The owner of the folder removes the file. */
void th_shard_write_drop(struct th_shard_write *shard);

#endif
