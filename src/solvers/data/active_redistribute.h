/* active_redistribute.h - active attributes change ranks
 *
 * Screening leaves ranks with more and with less to do. Whole cells move, in
 * order, with everything that is known of their attributes; no number changes.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ACTIVE_REDISTRIBUTE_H
#define TH_ACTIVE_REDISTRIBUTE_H

#include "core/placement.h"
#include "solvers/data/active.h"

/* How places travel: what goes to each rank is a piece of every vector. */
struct th_active_redistribution {
  int ranks;
  int64_t *send; /* places, to each rank, in order */
  int64_t *receive;
  int64_t *send_bytes; /* work */
  int64_t *receive_bytes;
  int64_t before; /* places here */
  int64_t after;
};

/* Who sends what, for the attributes to lie as in a placement for all ranks.
 * Collective. Release with th_active_redistribute_free. TH_ENOMEM. */
th_status
th_active_redistribute_plan(struct th_active_redistribution *redistribution,
                            const struct th_active *active,
                            const struct th_placement *placement,
                            struct th_comm *comm, struct th_error *err);
/* Local. */
void th_active_redistribute_free(
    struct th_active_redistribution *redistribution);

/* Attributes and all vectors over them travel; the source is told. Vectors may
 * lie elsewhere afterwards. Collective. TH_EARG, TH_ENOMEM. */
th_status th_active_move(struct th_active *active, struct th_context *context,
                         struct th_active_redistribution *redistribution,
                         struct th_range owned, struct th_error *err);

#endif
