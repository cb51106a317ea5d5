/* slice_write.h - what one rank does with its attributes of a shard that is
 * written; internal to io/
 *
 * A slice is some consecutive attributes of a shard, which one rank checks,
 * packs, sums up and, where they are dense, writes. The shard's owner makes the
 * file (io/dataset/writer/shard_write.h). Slices change no byte of it: a run is
 * whole in one slice, with all its row groups in their order.
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SLICE_WRITE_H
#define TH_SLICE_WRITE_H

#include "io/dataset/fingerprint.h"
#include "io/dataset/row_groups.h"
#include "io/dataset/running_stats.h"

/* Work arrays that all slices of a rank share. */
struct th_scratch {
  void *bytes;
  int64_t byte_capacity;
  double *values;
  int64_t value_capacity;
  double *weights; /* of the values of a run */
  int64_t weight_capacity;
};

/* Where the values and checksums of a dense shard lie in its file. The parts
 * that are stored together (th_row_groups_stored) follow one another, each with
 * its row groups. */
struct th_shard_places {
  int64_t values;
  int64_t checksums;
};

struct th_slice_write {
  const struct th_row_groups *row_groups; /* borrowed */
  const double *weight; /* of training examples, as stored; their mean is 1;
                           NULL: each counts once; borrowed */
  struct th_scratch *scratch;     /* borrowed */
  struct th_running_stats *stats; /* borrowed: of all attributes of the rank */
  int64_t stats_first;            /* the attribute that comes first there */
  int64_t shard;                  /* its number */
  struct th_range all;            /* attributes of the shard */
  struct th_range range;          /* of the slice */
  const char *name;               /* of the shard in messages; borrowed */
  int64_t needed;                /* bytes of the whole data set, for messages */
  int file;                      /* dense: the shard; borrowed */
  struct th_shard_places places; /* dense */
  uint64_t content;
  int64_t nonzeros;
  int64_t chunk;       /* dense: attributes */
  int64_t *next_group; /* of each chunk, or of all */
};

/* Begin a slice whose members up to `range` are set; file and places may come
 * later. */
th_status th_slice_write_begin(struct th_slice_write *slice,
                               struct th_error *err);

/* Write each chunk's next row group. An error out of order, or for values that
 * are not finite. */
th_status th_slice_write_dense(struct th_slice_write *slice, int64_t group,
                               struct th_range range, const void *values,
                               int64_t stride, struct th_error *err);

/* Take the next row group of a sparse slice. *piece receives its arrays as they
 * are stored, in the slab and in the scratch room, until the next call. */
th_status th_slice_write_sparse(struct th_slice_write *slice, int64_t group,
                                const struct th_slab *slab,
                                struct th_shard_piece_parts *piece,
                                struct th_error *err);

/* An error where row groups are missing. */
th_status th_slice_write_end(const struct th_slice_write *slice,
                             struct th_error *err);

void th_slice_write_free(struct th_slice_write *slice);
void th_slice_write_scratch_free(struct th_scratch *scratch);

#endif
