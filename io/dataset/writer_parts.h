/* writer_parts.h - the record of a data set that is being written; internal to
 * io/
 *
 * writer.c makes the record in th_writer_create: rank 0 claims the names and
 * makes the folder of shards under a temporary name, and every rank enters it.
 * writer_commit.c ends it: it writes the master and gives the final names. Both
 * use th_writer_owns and the members below; users of a writer see writer.h
 * alone.
 * SPDX-License-Identifier: MIT */
#ifndef TH_WRITER_PARTS_H
#define TH_WRITER_PARTS_H

#include "io/dataset/master.h"
#include "io/dataset/shard_write.h"
#include "io/dataset/writer.h"
#include "io/hdf5/output.h"

struct th_writer {
  struct th_comm *comm; /* borrowed */
  struct th_row_groups row_groups;
  int64_t shards;
  int64_t entries;      /* sparse: expected */
  const double *weight; /* of training examples; borrowed */
  int64_t needed;       /* bytes, about */
  bool force;
  struct th_output output; /* the master; rank 0 */
  char *path;              /* of the master */
  char *place;             /* its folder, with a slash, or "" */
  int parent;              /* descriptor of that folder; -1: not open yet */
  char *folder; /* of the shards: final name, then while it is written, then of
                   a replaced one */
  char *partial;
  char *old;
  int inside;   /* descriptor of `partial`, registered; -1: not ours */
  int64_t mine; /* shards of this rank: rank, rank + size, ... */
  struct th_shard_write *shard;
  struct th_scratch scratch;
};

/* Whether the shards under their final name are of a run that was killed before
 * its master got one: the master is there as a partial file, and belongs to
 * them. To be asked before the output is claimed, which removes that file.
 * Local. */
bool th_writer_is_headless(const struct th_writer *writer);

/* After a run that was killed while it renamed files: put back the shards that
 * it was replacing, or remove them if the new master has its final name. TH_EIO
 * if the master belongs to neither. Local; with the output claimed. */
th_status th_writer_recover(const struct th_writer *writer,
                            struct th_error *err);

#endif
