/* shard_read.h - reading one shard; internal to io/
 *
 * All functions are local; any number of ranks may read a shard.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SHARD_READ_H
#define TH_SHARD_READ_H

#include "io/dataset/master.h"
#include "io/dataset/row_groups.h"
#include "io/dataset/run_fetch.h"
#include "io/files/file.h"
#include "io/hdf5/h5.h"

struct th_shard_read {
  const struct th_row_groups *row_groups; /* borrowed */
  const struct th_shard_row *row;         /* borrowed: its row in the master */
  const char *master;                     /* borrowed: its path, for messages */
  int64_t index;
  int64_t shards; /* of the data set */
  char *path;
  char *name; /* "shard NAME.shards/00000.h5" */
  bool open;
  bool rewritten; /* by another program, for instance with filters */
  struct th_identity identity;
  struct th_h5 h5;
  int64_t unit; /* attributes kept together in memory; sparse: of a piece */
  struct th_dense_map map; /* dense */
  struct th_sums sums;
  struct th_h5_set checksum;
  struct th_h5_set values; /* dense: /X; sparse: /value */
  struct th_h5_set attribute;
  struct th_h5_set count;
  struct th_h5_set row_in_group;
  int64_t pieces;       /* sparse: per group */
  int64_t *piece;       /* first run of each, and the end */
  int64_t *piece_entry; /* first entry of each, and the end */
  uint64_t *piece_checksum;
  int64_t bytes_read;         /* since they were last counted */
  struct th_mapping *mapping; /* NULL: none; see in_place.h */
  bool mapping_tried;
};

/* Open it on first use and compare it with the master. */
th_status th_shard_open(struct th_shard_read *shard, struct th_error *err);
void th_shard_close(struct th_shard_read *shard);

/* Dense data: the mapping of the open shard, which is made when it is first
 * wanted; NULL: it can only be read. Borrowed. */
const struct th_mapping *th_shard_map(struct th_shard_read *shard);
/* Nothing of it is in use any more; it can be mapped again. */
void th_shard_unmap(struct th_shard_read *shard);

/* Fail and name the damaged run. */
th_status th_shard_damaged(const struct th_shard_read *shard, int64_t attribute,
                           int64_t group, struct th_error *err);

/* Dense data: the read of some attributes of one group, all within one unit.
 * The caller fills in where the values (R rows each) and checksums go. */
struct th_fetch th_shard_dense_fetch(const struct th_shard_read *shard,
                                     struct th_range wanted, int64_t group);

/* Find the place of a read in the file. False: only th_shard_dense_read can
 * carry it out. */
bool th_shard_dense_place(struct th_shard_read *shard, struct th_fetch *fetch);

/* Carry out and verify a read. */
th_status th_shard_dense_read(struct th_shard_read *shard,
                              struct th_fetch *fetch, struct th_error *err);

/* Sparse data: a piece in memory, in one allocation. */
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
int64_t th_shard_piece_size(const struct th_shard_read *shard, int64_t unit,
                            int64_t group, struct th_piece *piece);
/* Compute the starts of a piece's runs from their counts, which lie at the end
 * of the room for starts. base: what its attributes count from. Also check that
 * runs are not empty, that attributes are those of the piece, that rows are
 * below `rows`, and that both ascend. False: the piece must not be used. */
bool th_shard_piece_check(struct th_piece *piece, const uint16_t *count,
                          int64_t base, int64_t rows);
/* Lay out a piece in that room; read and verify its content. */
th_status th_shard_piece_read(struct th_shard_read *shard, int64_t unit,
                              int64_t group, struct th_piece *piece, void *room,
                              struct th_error *err);

/* statistics[range.last - range.first], verified. */
th_status th_shard_statistics(struct th_shard_read *shard,
                              struct th_range range,
                              struct th_statistics *statistics,
                              struct th_error *err);

/* Sums over a whole shard. */
struct th_shard_sum {
  uint64_t content;
  int64_t nonzeros;
};

/* Read and verify all of it. */
th_status th_shard_check(struct th_shard_read *shard, struct th_shard_sum *sum,
                         struct th_error *err);

#endif
