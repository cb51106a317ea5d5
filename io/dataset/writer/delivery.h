/* delivery.h - what the writers of slices hand to the owners of shards: packed
 * tiles of sparse slices, and statistics at the end; internal to io/
 * SPDX-License-Identifier: MIT */
#ifndef TH_DELIVERY_H
#define TH_DELIVERY_H

#include "io/dataset/fingerprint.h"
#include "io/dataset/row_groups.h"
#include "io/dataset/running_stats.h"
#include "io/dataset/writer/slices.h"
#include "ranks/comm.h"

/* Tiles on their way. A rank owns at most one shard that others write, too: the
 * last of its own. */
struct th_delivery {
  struct th_comm *comm; /* borrowed */
  size_t size;          /* of a value */
  char *send;           /* tiles, by owner in ascending order */
  int64_t send_capacity;
  int64_t send_used;
  char *received;
  int64_t received_capacity;
  char *merged; /* a row group of all slices */
  int64_t merged_capacity;
  int64_t *send_bytes; /* per rank */
  int64_t *received_bytes;
  int64_t *cursor; /* per rank: how far its tiles have been used */
  int64_t *end;    /* per rank: how far they go */
};

/* comm and size are set. Local. */
th_status th_delivery_init(struct th_delivery *delivery, struct th_error *err);
void th_delivery_free(struct th_delivery *delivery);

/* Add a slice's tile for the owner of its shard; owners come in ascending
 * order, groups likewise for each. Local. */
th_status th_delivery_add(struct th_delivery *delivery, int owner,
                          int64_t group,
                          const struct th_shard_piece_parts *piece,
                          struct th_error *err);

/* Bring all tiles to their owners; rc: how this rank's work has gone so far.
 * Collective. */
th_status th_delivery_exchange(struct th_delivery *delivery, th_status rc,
                               struct th_error *err);

/* The next row group of this rank's shard that others write, too: its slices
 * one behind the other, until the next call. *group is -1 where no more has
 * come. Local. */
th_status th_delivery_next(struct th_delivery *delivery, int64_t *group,
                           struct th_shard_piece_parts *piece,
                           struct th_error *err);

/* Statistics of the attributes of a rank's own shards, as they are stored. */
struct th_delivered_stats {
  int64_t first; /* attribute */
  size_t size;   /* of an item */
  char *kind[TH_STATS_KINDS];
  int64_t *missing; /* values of each attribute; NULL: none can be */
  bool owned;       /* the memory is this record's */
  int64_t *bytes;   /* of exchanges; NULL where nothing is brought */
};

/* Room for those that come from others. Local. */
th_status th_delivery_stats_reserve(struct th_delivered_stats *delivered,
                                    const struct th_comm *comm,
                                    const struct th_slices *slices,
                                    const struct th_row_groups *row_groups,
                                    const struct th_running_stats *stats,
                                    struct th_error *err);

/* Finish a rank's statistics, which are replaced by what is stored, and bring
 * them to the owners. Free what was delivered before they are freed.
 * Collective. */
void th_delivery_stats(struct th_delivered_stats *delivered,
                       struct th_comm *comm, const struct th_slices *slices,
                       const struct th_row_groups *row_groups,
                       struct th_running_stats *stats);

/* Local. */
void th_delivery_stats_free(struct th_delivered_stats *delivered);

#endif
