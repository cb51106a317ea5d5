/* shard_write.h - writing one shard; internal to io/
 *
 * All functions are local; one rank writes a shard.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SHARD_WRITE_H
#define TH_SHARD_WRITE_H

#include "io/dataset/parts.h"
#include "io/dataset/row_groups.h"
#include "io/dataset/running_stats.h"
#include "io/hdf5/h5.h"

/* Work arrays that all shards of a rank share. */
struct th_scratch {
  void *bytes;
  int64_t byte_capacity;
  double *values;
  int64_t value_capacity;
  double *weights; /* of the values of a run */
  int64_t weight_capacity;
};

struct th_dense_write {
  struct th_h5_set values;
  struct th_h5_set checksum;
  int64_t chunk;       /* attributes */
  int64_t *next_group; /* of each chunk */
};

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
  const double *weight; /* of training examples, as stored; their mean is 1;
                           NULL: each counts once; borrowed */
  struct th_scratch *scratch; /* borrowed */
  int64_t index;
  struct th_range range;
  int64_t needed; /* bytes of the whole data set, for messages */
  int64_t bytes;  /* of the finished file */
  uint64_t hash;  /* of its bytes */
  char *name;     /* used by messages and the master */
  char *path;     /* the file that is being written */
  int file;       /* the same, open as long as it is written; -1: not yet */
  struct th_h5 h5;
  struct th_running_stats stats;
  uint64_t content;
  int64_t nonzeros;
  int64_t missing; /* of the finished shard */
  struct th_dense_write dense;
  struct th_sparse_write sparse;
};

/* Begin a shard, whose row_groups, scratch, index, range, needed, name and path
 * are set. */
th_status th_shard_write_begin(struct th_shard_write *shard,
                               struct th_error *err);

/* Append to each chunk its next row group; append a tile. An error out of
 * order, or for values that are not finite. */
th_status th_shard_write_dense(struct th_shard_write *shard, int64_t group,
                               struct th_range range, const void *values,
                               int64_t stride, struct th_error *err);
th_status th_shard_write_sparse(struct th_shard_write *shard, int64_t group,
                                const struct th_slab *tile,
                                struct th_error *err);

/* Write what is written last, close and flush. An error where row groups are
 * missing. */
th_status th_shard_write_end(struct th_shard_write *shard,
                             struct th_error *err);

/* Close the file and free memory. The owner of the folder removes the file. */
void th_shard_write_drop(struct th_shard_write *shard);
void th_shard_write_scratch_free(struct th_scratch *scratch);

#endif
