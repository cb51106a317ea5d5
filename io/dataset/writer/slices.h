/* slices.h - which rank writes which attributes of a data set; internal to io/
 *
 * The attributes are cut at edges, one range for each rank in ascending order;
 * where an edge falls into a shard, several ranks write that. A shard is owned
 * by the rank that writes its first attribute. No byte of the data set depends
 * on the edges. All functions are local; equal arguments give equal edges.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SLICES_H
#define TH_SLICES_H

#include "base/error.h"
#include "base/range.h"

#include <stdbool.h>
#include <stdint.h>

struct th_slices {
  int64_t attributes;
  int64_t shards;
  int ranks;
  int64_t *edge; /* ranks + 1: rank r writes [edge[r], edge[r + 1]) */
};

/* What the edges follow from. */
struct th_slices_plan {
  int64_t attributes;
  int64_t shards;
  int ranks;
  int64_t writers;     /* at most so many ranks write, if there are no more
                          shards; 0: edges lie on borders of shards */
  const int64_t *load; /* of `loads` equal stretches of the attributes, in any
                          unit; NULL: all alike. Borrowed */
  int64_t loads;
};

/* Ranks get about the same load; a border of shards near an edge takes its
 * place. Release with th_slices_free. */
th_status th_slices_make(struct th_slices *slices,
                         const struct th_slices_plan *plan,
                         struct th_error *err);
void th_slices_free(struct th_slices *slices);

/* The attributes that a rank writes; those of one shard; all of a shard. */
struct th_range th_slices_rank(const struct th_slices *slices, int rank);
struct th_range th_slices_part(const struct th_slices *slices, int rank,
                               int64_t shard);
struct th_range th_slices_shard(const struct th_slices *slices, int64_t shard);

/* The shards that a rank writes something of; those that it owns; the
 * attributes of these. */
struct th_range th_slices_touched(const struct th_slices *slices, int rank);
struct th_range th_slices_owned(const struct th_slices *slices, int rank);
struct th_range th_slices_owned_attributes(const struct th_slices *slices,
                                           int rank);

int th_slices_owner(const struct th_slices *slices, int64_t shard);

/* True if several ranks write one of the shards. */
bool th_slices_cut(const struct th_slices *slices);

#endif
