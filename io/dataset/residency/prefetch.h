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

#include "io/dataset/residency/residency.h"

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

/* Read ahead from now on, with `threaded` by a thread of its own; else reads
 * are made when they are waited for, which differs only in time. */
th_status th_prefetch_begin(struct th_prefetch *prefetch, int64_t window,
                            bool threaded, struct th_error *err);

/* A slab is going to be asked for. Nothing happens without th_prefetch_begin.
 */
void th_prefetch_announce(struct th_prefetch *prefetch,
                          struct th_residency *residency,
                          const struct th_wanted *wanted);

/* Wait for reads and queue more, until no read of a range is under way. It
 * ends, since what is announced once is queued once. */
void th_prefetch_wait(struct th_prefetch *prefetch,
                      struct th_residency *residency,
                      const struct th_wanted *wanted);

/* Wait for all reads that are under way, and forget what was announced. */
void th_prefetch_forget(struct th_prefetch *prefetch,
                        struct th_residency *residency);

/* Waits for the read that is under way and drops the others. The memory of
 * units must live until then. */
void th_prefetch_free(struct th_prefetch *prefetch);

#endif
