/* prefetch_thread.h - carries out reads in order, in a thread of its own
 *
 * One thread pushes requests and pops results. The reading thread reads what
 * was pushed, in that order. It calls neither HDF5 nor MPI. Internal to io/,
 * local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PREFETCH_THREAD_H
#define TH_PREFETCH_THREAD_H

#include "io/dataset/run_fetch.h"

struct th_prefetch_thread;

/* Without `threaded`, reads are made when they are popped, which differs only
 * in time. Release with th_prefetch_thread_free, which waits for the read that
 * is under way and drops the others. The memory of fetches must live until
 * then. NULL is legal. TH_ENOMEM. */
th_status th_prefetch_thread_create(struct th_prefetch_thread **ahead,
                                    bool threaded, struct th_error *err);
void th_prefetch_thread_free(struct th_prefetch_thread *ahead);

/* Whether the queue has no place for another read; whether no read is left to
 * pop. */
bool th_prefetch_thread_full(const struct th_prefetch_thread *ahead);
bool th_prefetch_thread_empty(const struct th_prefetch_thread *ahead);

/* Queue a read. It begins at the next th_prefetch_thread_go at the latest. */
void th_prefetch_thread_push(struct th_prefetch_thread *ahead,
                             const struct th_fetch *fetch);
void th_prefetch_thread_go(struct th_prefetch_thread *ahead);

/* Wait for the oldest read. *fetch receives the request, *seconds its duration.
 * The cause of a failure is not reported, as the values are read again on
 * request. TH_EIO. */
th_status th_prefetch_thread_pop(struct th_prefetch_thread *ahead,
                                 struct th_fetch *fetch, double *seconds);

#endif
