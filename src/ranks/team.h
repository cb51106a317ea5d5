/* team.h - threads as ranks: work written for ranks, on several cores of one;
 * what each rank has of its machine
 *
 * Threads communicate through the operations of a team, as ranks do. On several
 * ranks, the threads of all of them are one team, those of a rank one after the
 * other. So work that gives the same answer for any number of ranks gives it
 * for any number of threads, too.
 * SPDX-License-Identifier: MIT */
#ifndef TH_TEAM_H
#define TH_TEAM_H

#include "ranks/comm.h"

/* How many threads to take: at most as many as are wanted, as are worth it, and
 * as there is room for, also within the limit on addresses (ulimit -v); with
 * minus a number wanted, so many even where they are not worth it. At least 1.
 * Local. */
int th_team_size(int wanted, int64_t worth, int64_t room);

/* One thread's work: collective over the team, with a record of its own in
 * self. What it fails with is agreed on by all. It may use sums, those of lower
 * ranks, maxima, broadcasts, joins and barriers of comm, and no other
 * operations. */
typedef th_status (*th_team_work)(struct th_comm *comm, void *self,
                                  struct th_error *err);

/* Do the work on `threads` threads of each rank, of which the calling one is
 * the first; on fewer where threads cannot be made, but on as many on every
 * rank. The record of this rank's thread k lies k times `each` bytes behind
 * self; with 0 they have one in common. Signals are blocked in all others, and
 * only the calling one uses comm. *made receives the number of threads of a
 * rank. Collective; the failure is that of the lowest thread, as that of a
 * rank. */
th_status th_team_run(struct th_comm *comm, int threads, th_team_work work,
                      void *self, size_t each, int *made, struct th_error *err);

/* Bytes of main memory there are for each rank: the smallest share over all
 * machines of the job. Collective. */
int64_t th_team_memory_share(struct th_comm *comm);

/* The ranks of a machine, of that with the fewest of the job. *room: bytes of
 * memory that ranks of a machine can share (/dev/shm), where it is least.
 * Collective. */
int th_team_together(struct th_comm *comm, int64_t *room);

/* The cores that this rank may use, divided by the ranks of its machine that
 * may use the same ones; at least 1. Collective. */
int th_team_core_share(struct th_comm *comm);

/* --- Pieces that several threads make and the first one uses, in order ---- */

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
 * with; pieces behind it are not used. Collective. */
th_status th_team_relay_run(const struct th_relay *relay, struct th_comm *comm,
                            int threads, struct th_error *err);

#endif
