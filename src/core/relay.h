/* relay.h - pieces that several threads make and the first one uses, in order
 *
 * SPDX-License-Identifier: MIT */
#ifndef TH_RELAY_H
#define TH_RELAY_H

#include "core/comm.h"

/* The work of one rank. Piece k is made in place k mod places, which is its own
 * until it has been used. */
struct th_relay {
  int64_t count;
  int places; /* at least 1 */
  /* Make a piece in a place, on any thread. Local. */
  th_status (*make)(void *self, int64_t piece, int place, struct th_error *err);
  /* Use it, on the calling thread, which is the only one that uses pieces, in
   * ascending order. Local. */
  th_status (*use)(void *self, int64_t piece, int place, struct th_error *err);
  void *self; /* borrowed */
};

/* Make and use all pieces of every rank, on `threads` threads of each; see
 * th_team_run. What fails first in the order of pieces is what a rank fails
 * with; pieces behind it are not used. Collective. TH_ENOMEM, and whatever make
 * and use fail with. */
th_status th_relay_run(const struct th_relay *relay, struct th_comm *comm,
                       int threads, struct th_error *err);

#endif
