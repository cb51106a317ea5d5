/* prefetch.h - reads announced values before they are asked for
 *
 * Announced slabs are queued in their order, up to the size of a window. They
 * are read into the cache, where they will be looked for. What is queued when,
 * and what must leave the cache for it, depends only on the calls and not on
 * the speed of the disk. So every byte count is the same on every run. Internal
 * to io/, local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PREFETCH_H
#define TH_PREFETCH_H

#include "io/dataset/run_fetch.h"
#include "ranks/partition.h"

struct th_dataset;

/* A slab that is going to be asked for. */
struct th_wanted {
  int64_t group;
  struct th_range range;
  bool keep;
};

struct th_prefetch {
  struct th_prefetch_thread *ahead; /* NULL: no reading ahead */
  struct th_wanted *wanted;
  int64_t count;
  int64_t capacity;
  int64_t next;      /* the first that is not queued yet */
  int64_t attribute; /* the attribute in it to go on with */
  int64_t window;    /* most bytes of memory for reads under way */
  int64_t bytes;     /* bytes that they take now */
};

/* Wait for reads and queue more, until no read of a range is under way. It
 * ends, since what is announced once is queued once. */
void th_prefetch_wait(struct th_dataset *dataset, struct th_range range,
                      int64_t group, bool keep);

void th_prefetch_free(struct th_prefetch *prefetch);

/* --- Carries out reads in order, in a thread of its own
 *
 * One thread pushes requests and pops results. The reading thread reads what
 * was pushed, in that order. It calls neither HDF5 nor MPI. Internal to io/,
 * local. */

struct th_prefetch_thread;

/* Without `threaded`, reads are made when they are popped, which differs only
 * in time. Release with prefetch_thread_free, which waits for the read that is
 * under way and drops the others. The memory of fetches must live until then.
 * NULL is legal. */
th_status th_prefetch_thread_create(struct th_prefetch_thread **ahead,
                                    bool threaded, struct th_error *err);

#endif
