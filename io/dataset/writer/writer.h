/* writer.h - writing a sharded HDF5 data set
 *
 * The format is described in io/dataset/format.h.
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_WRITER_H
#define TH_WRITER_H

#include "base/error.h"
#include "data/store.h"
#include "io/dataset/master.h"
#include "io/files/lock.h"
#include "ranks/comm.h"

#include <stdbool.h>
#include <stdint.h>

/* What is known of a data set before it is written; replicated. shape.nonzeros
 * is ignored: the writer counts them. Where shape.missing is above 0, NaN
 * stands for a missing value; these are counted, too. shards 0: ceil(bytes / 1
 * GiB), statistics included, at most 1024 (sparse: by expected_entries). */
struct th_dataset_plan {
  struct th_shape shape;
  int64_t shards;
  int64_t expected_entries; /* sparse: an estimate; dense: ignored */
  const double *weight;     /* of training examples as stored, mean 1, all above
                               0, for the statistics; NULL: each counts once.
                               Borrowed until the commit */
  int64_t writers; /* so many ranks may write one shard, or several; 0: each is
                      written by one */
  const int64_t *load; /* work on `loads` stretches of the attributes, as even
                          as th_range_part makes them, in any unit; NULL:
                          all alike. Borrowed by th_writer_create */
  int64_t loads;
};

struct th_writer;

/* Claim PATH and make a folder for its shards under a temporary name.
 * Collective. Ranks write consecutive attributes in ascending order
 * (io/dataset/writer/slices.h): whole shards unless the plan has writers. The
 * plan's shards, possibly chosen here, are in th_writer_shards. Always end with
 * th_writer_commit or th_writer_abort. */
th_status th_writer_create(struct th_writer **writer, struct th_comm *comm,
                           const char *path, const struct th_dataset_plan *plan,
                           bool force, struct th_error *err);

/* Bytes of memory that the rank with the most attributes needs for their
 * statistics while they are written, about. Local. */
th_status th_writer_statistics(const struct th_dataset_plan *plan, int ranks,
                               int64_t *bytes, struct th_error *err);

/* Check that PATH could be claimed now. Remove or put back what killed runs
 * have left. Local: rank 0. */
th_status th_writer_check(const char *path, bool force, struct th_error *err);

/* A note that the output's folder has no locks of the usual kind; empty: it
 * has, or this is not rank 0. Local. */
void th_writer_note(const struct th_writer *writer, char note[TH_LOCK_NOTE]);

int64_t th_writer_shards(const struct th_writer *writer);

/* True if this rank writes something of a shard: all of it, unless the plan
 * has writers. */
bool th_writer_owns(const struct th_writer *writer, int64_t shard);

struct th_range th_writer_shard(const struct th_writer *writer, int64_t shard);

/* Which attributes of a shard this rank writes. */
struct th_range th_writer_mine(const struct th_writer *writer, int64_t shard);

/* The shards that a rank writes something of, and which attributes of one. */
struct th_range th_writer_touched(const struct th_writer *writer, int rank);
struct th_range th_writer_part(const struct th_writer *writer, int rank,
                               int64_t shard);

/* The number of row groups, training groups first, then test groups; the rows
 * of one; its first stored row. */
int64_t th_writer_groups(const struct th_writer *writer);

struct th_rows th_writer_group(const struct th_writer *writer, int64_t group);

/* The attributes of a chunk of a dense shard. Values are written by chunks. */
int64_t th_writer_chunk(const struct th_writer *writer);

/* Write attributes [range.first, range.last) of this rank's part of a dense
 * shard on one row group, in the storage type, attribute-major; attribute a's
 * rows begin at values + (a - range.first) * stride. range is a whole chunk of
 * the part (or its short last one), counted from the part's first attribute;
 * the groups of one chunk come in ascending order, every group once. An error
 * for a value that is not finite. Local. */
th_status th_writer_dense(struct th_writer *writer, int64_t shard,
                          int64_t group, struct th_range range,
                          const void *values, int64_t stride,
                          struct th_error *err);

/* Write the tile of this rank's part of a sparse shard on one row group; groups
 * come in ascending order, every group once, also empty ones. The slab's
 * attributes are the part's, its runs ascending and not empty. Shards come in
 * ascending order, too, between two deliveries. Local. */
th_status th_writer_sparse(struct th_writer *writer, int64_t shard,
                           int64_t group, const struct th_slab *tile,
                           struct th_error *err);

/* Bring tiles of shards that several ranks write to those that own them; before
 * that, all ranks write the same row groups. rc: how this rank's work has gone
 * so far. Collective where the plan has writers, and else of no effect; the
 * status is that of this rank alone. */
th_status th_writer_deliver(struct th_writer *writer, th_status rc,
                            struct th_error *err);

/* Finish all shards, write the master, give everything its final name. rc: how
 * this rank's work has gone so far. Collective. Frees the writer, also on
 * failure (nothing is left then). */
th_status th_writer_commit(struct th_writer *writer,
                           const struct th_master *master, th_status rc,
                           struct th_error *err);

/* Remove what was written. Local; every rank calls it. NULL is legal. */
void th_writer_abort(struct th_writer *writer);

/* Remove the shards in a folder, and then the folder if it is empty. Names that
 * do not exist are no error. Local. */
void th_writer_folder_remove(int parent, const char *name);

#endif
