/* shard_set.h - all shards of a data set that is written: this rank's files and
 * slices; internal to io/
 *
 * The owner of a shard makes its file. Ranks that write a slice of a dense one
 * write their runs into it themselves; slices of a sparse one, whose places are
 * not known before, are packed by their ranks and appended by the owner.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SHARD_SET_H
#define TH_SHARD_SET_H

#include "io/dataset/writer/delivery.h"
#include "io/dataset/writer/shard_write.h"
#include "io/dataset/writer/slice_write.h"
#include "io/dataset/writer/slices.h"
#include "ranks/comm.h"

/* What is known of a shard that is written. */
struct th_shard_told {
  uint64_t content;
  int64_t nonzeros;
  int64_t missing; /* values */
  int64_t bytes;   /* of the file */
  uint64_t hash;   /* of these */
};

/* The shard of another rank that this one writes a slice of: the first that it
 * touches, if any. */
struct th_shard_guest {
  char *name; /* as messages call it */
  char *path;
  int file; /* dense; -1: not open */
};

struct th_shard_set {
  struct th_comm *comm;                   /* borrowed */
  const struct th_row_groups *row_groups; /* borrowed */
  const double *weight;    /* of training examples; NULL: none; borrowed */
  int64_t needed;          /* bytes of the whole data set, for messages */
  struct th_slices slices; /* made */
  struct th_range owned;   /* shards whose files this rank makes */
  struct th_shard_write *shard;
  struct th_range touched; /* shards of which this rank writes something */
  struct th_slice_write *slice;
  struct th_shard_guest guest;
  struct th_running_stats stats; /* of the attributes that this rank writes */
  struct th_scratch scratch;
  struct th_delivery delivery; /* of sparse slices; unused where each shard is
                                  written by one rank */
  struct th_shard_told *told;  /* of all shards of the data set; of those that
                                  this rank owns, until they are shared */
  int64_t *number;             /* of all shards, to be summed over ranks */
};

/* Members up to slices are set. Local. */
th_status th_shard_set_init(struct th_shard_set *set, struct th_error *err);

/* Make the files in the folder PARTIAL; messages tell of FINAL. rc: how this
 * rank's work has gone so far. Collective. */
th_status th_shard_set_begin(struct th_shard_set *set, const char *partial,
                             const char *final, th_status rc,
                             struct th_error *err);

/* Write this rank's part of a shard, as th_writer_dense and th_writer_sparse
 * do. Local. */
th_status th_shard_set_dense(struct th_shard_set *set, int64_t shard,
                             int64_t group, struct th_range range,
                             const void *values, int64_t stride,
                             struct th_error *err);
th_status th_shard_set_sparse(struct th_shard_set *set, int64_t shard,
                              int64_t group, const struct th_slab *tile,
                              struct th_error *err);

/* Bring tiles to owners, as th_writer_deliver does. Collective where a sparse
 * shard is cut. */
th_status th_shard_set_deliver(struct th_shard_set *set, th_status rc,
                               struct th_error *err);

/* Finish all files. rc: how this rank's work has gone so far. Collective; the
 * status is this rank's own. */
th_status th_shard_set_end(struct th_shard_set *set, th_status rc,
                           struct th_error *err);

/* Let all ranks know all of `told`; rc likewise. Collective. */
th_status th_shard_set_share(struct th_shard_set *set, th_status rc,
                             struct th_error *err);

/* Close the files and free memory. Local; legal on a zeroed record whose
 * guest.file is -1. */
void th_shard_set_free(struct th_shard_set *set);

#endif
