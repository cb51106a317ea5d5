/* active_redistribute.h - active attributes change ranks
 *
 * After screening some ranks have more to do than others. Whole cells then
 * move, in order, with all vectors over their attributes. No number changes.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ACTIVE_REDISTRIBUTE_H
#define TH_ACTIVE_REDISTRIBUTE_H

#include "core/placement.h"
#include "solvers/data/active.h"

/* How places move: each rank gets a piece of every vector. */
struct th_active_redistribution {
  int ranks;
  int64_t *send; /* places, to each rank, in order */
  int64_t *receive;
  int64_t *send_bytes; /* work */
  int64_t *receive_bytes;
  int64_t before; /* places of this rank before the move */
  int64_t after;
};

/* Find out who sends what, so that the attributes come to lie as a placement
 * says. Collective. Release with th_active_redistribute_free. TH_ENOMEM. */
th_status
th_active_redistribute_plan(struct th_active_redistribution *redistribution,
                            const struct th_active *active,
                            const struct th_placement *placement,
                            struct th_comm *comm, struct th_error *err);
/* Local. */
void th_active_redistribute_free(
    struct th_active_redistribution *redistribution);

/* Move the attributes and all vectors over them; the source is told. The
 * vectors may be at other addresses afterwards. Collective. TH_EARG, TH_ENOMEM.
 */
th_status th_active_move(struct th_active *active, struct th_context *context,
                         struct th_active_redistribution *redistribution,
                         struct th_range owned, struct th_error *err);

#endif
