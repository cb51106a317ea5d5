/* groups.h - which attributes act together: a description, spread over ranks
 *
 * Every attribute is in exactly one group. A group is any set of attributes. It
 * is described by pieces, which are ranges of consecutive attributes of one
 * group, and is named after its lowest attribute. Every rank holds the pieces
 * of an even share of the attributes, whichever attributes it owns. A piece
 * takes 40 bytes, and nothing is replicated.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TH_GROUPS_H
#define TH_GROUPS_H

#include "ranks/comm.h"
#include "ranks/partition.h"

struct th_group_piece {
  struct th_range range;
  int64_t group; /* its lowest attribute */
  int64_t size;  /* attributes of the whole group */
  double weight; /* above 0; 0: the default of the penalty;
                    TH_GROUPS_UNPENALISED */
};

/* As a weight: the group has no penalty. Files say weight=0. */
#define TH_GROUPS_UNPENALISED (-1.0)

struct th_groups {
  int64_t attributes;           /* of the data */
  int64_t groups;               /* of all attributes */
  uint64_t fingerprint;         /* of all pieces */
  int64_t count;                /* pieces here */
  struct th_group_piece *piece; /* ascending, without gaps, of
                                   th_partition_rank(attributes, rank, size) */
};

/* Share out the pieces of all attributes, which rank 0 holds, ascending and
 * without gaps. count and piece are used on rank 0 alone. Collective. rc: rank
 * 0's status so far; a failure is given to all ranks. Release with
 * th_groups_free. */
th_status th_groups_share(struct th_groups *groups, struct th_comm *comm,
                          int64_t attributes,
                          const struct th_group_piece *piece, int64_t count,
                          th_status rc, struct th_error *err);

/* Get the pieces of any range of attributes, cut to it. *piece is allocated;
 * the caller owns it. Ranks may ask for different ranges, also for empty ones.
 * Collective. */
th_status th_groups_fetch(const struct th_groups *groups, struct th_comm *comm,
                          struct th_range range, struct th_group_piece **piece,
                          int64_t *count, struct th_error *err);

/* List the attributes of groups without a penalty, ascending, on every rank.
 * *attribute is allocated; the caller owns it. Collective. */
th_status th_groups_unpenalised(const struct th_groups *groups,
                                struct th_comm *comm, int64_t **attribute,
                                int64_t *count, struct th_error *err);

/* Local; legal on a zeroed record. */
void th_groups_free(struct th_groups *groups);

#endif
