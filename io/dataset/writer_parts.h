/* writer_parts.h - a data set that is being written; internal to io/
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
  int64_t entries; /* sparse: expected */
  int64_t needed;  /* bytes, about */
  bool force;
  struct th_output output; /* the master; rank 0 */
  char *path;              /* of the master */
  char *place;             /* its folder, with a slash, or "" */
  int parent;              /* the same, open; -1: not yet */
  char *folder;            /* of the shards: final, being written, replaced */
  char *partial;
  char *old;
  int inside;   /* `partial`, open and registered; -1: not ours */
  int64_t mine; /* shards of this rank: rank, rank + size, ... */
  struct th_shard_write *shard;
  struct th_scratch scratch;
};

#endif
