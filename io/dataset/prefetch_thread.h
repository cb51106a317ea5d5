/* prefetch_thread.h - reads that are carried out in order, by a thread of their
 * own
 *
 * One thread pushes and pops; what it has pushed is read in that order,
 * whenever there is time. The reading thread calls neither HDF5 nor MPI.
 * Internal to io/, local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PREFETCH_THREAD_H
#define TH_PREFETCH_THREAD_H

#include "io/dataset/dense.h"

struct th_ahead;

/* threaded: false reads when something is popped: the same in all but time.
 * Release with th_ahead_free, which waits for the read that is under way and
 * leaves out the others; rooms of fetches must live until then. NULL is legal.
 */
th_status th_ahead_create(struct th_ahead **ahead, bool threaded,
                          struct th_error *err);
void th_ahead_free(struct th_ahead *ahead);

/* Whether there is a place for one more; nothing is left to pop. */
bool th_ahead_full(const struct th_ahead *ahead);
bool th_ahead_empty(const struct th_ahead *ahead);

/* Queue a read. It begins at the next th_ahead_go at the latest. */
void th_ahead_push(struct th_ahead *ahead, const struct th_fetch *fetch);
void th_ahead_go(struct th_ahead *ahead);

/* Wait for the oldest read; *fetch receives what it was, *seconds how long it
 * took. Why it failed is not told: who wants the values reads again. */
th_status th_ahead_pop(struct th_ahead *ahead, struct th_fetch *fetch,
                       double *seconds);

#endif
