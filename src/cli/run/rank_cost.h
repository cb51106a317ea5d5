/* rank_cost.h - what a run costs one rank, and all of them together
 * SPDX-License-Identifier: MIT */
#ifndef TH_RANK_COST_H
#define TH_RANK_COST_H

#include "data/source.h"
#include "ranks/comm.h"
#include "state/state.h"

/* What a run cost one rank. */
struct th_rank_cost {
  double seconds;
  double waiting; /* of them inside collective operations */
  double reading; /* of them reading files */
  int64_t operations;
  int64_t bytes_sent;
  int64_t bytes_exchanged; /* of them, by exchange */
  int64_t bytes_read;
  int64_t bytes_in_place;   /* of them, not copied */
  struct th_traffic blocks; /* parts of bytes_read */
  struct th_traffic support;
  int64_t peak_memory; /* bytes, without files that are used in place; of what
                          ranks share, an equal part for each of them */
  struct th_phase_cost phase[TH_PHASE_COUNT]; /* these are all of it */
};

/* Over the ranks. Both records hold numbers of 8 bytes alone. */
struct th_rank_total {
  struct th_rank_cost sum;  /* but for: */
  struct th_rank_cost most; /* the largest of any rank, traffic apart */
};

/* The accounts of this rank as they stand; `began` by th_comm_clock. Local. */
struct th_rank_cost th_rank_cost_now(const struct th_comm *comm,
                                     const struct th_profile *profile,
                                     const struct th_store *store,
                                     double began);

/* Add what came after: sums and largest values of both parts of a run. Local.
 */
void th_rank_cost_append(struct th_rank_total *total,
                         const struct th_rank_total *later);

/* Gather the accounts of all ranks: *all, one per rank, owned by the caller, or
 * NULL if only the total is wanted. Collective. */
th_status th_rank_cost_gather(struct th_rank_total *total,
                              struct th_rank_cost **all, struct th_comm *comm,
                              const struct th_rank_cost *mine,
                              struct th_error *err);

/* List a total with the state of a run. Local. */
void th_rank_cost_describe(struct th_rank_total *total, struct th_state *state);

#endif
