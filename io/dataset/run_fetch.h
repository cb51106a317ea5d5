/* run_fetch.h - finds and reads the runs of a dense shard
 *
 * Internal to io/, local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_RUN_FETCH_H
#define TH_RUN_FETCH_H

#include "base/error.h"
#include "io/dataset/row_groups.h"
#include "io/hdf5/h5.h"
#include "ranks/partition.h"

#include <stdbool.h>
#include <stdint.h>

/* Where runs lie in the file. Attributes count from the shard's first. */
struct th_dense_map {
  int file;       /* descriptor, borrowed; -1: only HDF5 can read the values */
  int64_t run;    /* bytes of a run with its padding to R rows */
  int64_t pitch;  /* bytes from an attribute's run to the next one's */
  int64_t stored; /* attributes of a stored chunk; 0: no chunks */
  int64_t chunks; /* stored chunks of a row group */
  int64_t groups;
  int64_t *chunk;    /* where each begins, group by group; 0: not known yet */
  int64_t values;    /* no chunks: where the first run begins */
  int64_t checksums; /* where the first run's checksum lies */
  int64_t end;       /* end of the last checksum */
};

/* Checksums of single runs are read by pages if the runs lie near one another.
 */
enum { TH_SUMS = 512 };
struct th_sums {
  int64_t at; /* place of the first in the file */
  int64_t count;
  uint64_t checksum[TH_SUMS];
};

/* One read: consecutive attributes on one row group, within one stored chunk,
 * and their checksums. It holds all that another thread needs to carry it out.
 */
struct th_fetch {
  const struct th_dense_map *map;
  const char *shard;      /* its name, for messages */
  struct th_range wanted; /* attributes of the data set */
  int64_t group;
  int64_t at;         /* place of the first run in the file */
  int64_t sums;       /* place of its checksum */
  int64_t used;       /* bytes of a run's rows */
  int64_t last;       /* bytes to read of the last run: used, or all of it */
  char *values;       /* map->run bytes each */
  uint64_t *checksum; /* one each */
  void *unit;         /* the caller's; not looked at */
  bool small;    /* too small for the thread; the kernel is advised of it */
  bool in_place; /* nothing is to be done */
  bool kept;     /* for the account */
};

/* Fail and name the damaged run. */
th_status th_run_fetch_damaged(const char *shard, int64_t attribute,
                               int64_t group, struct th_error *err);

/* Compare the runs that a fetch has read with their checksums. */
th_status th_run_fetch_verify(const struct th_fetch *fetch,
                              struct th_error *err);

/* Find out how /X and /checksum of `count` attributes lie in their file. Free
 * the map also after a failure. */
th_status th_run_fetch_map_open(struct th_dense_map *map,
                                const struct th_row_groups *row_groups,
                                int64_t count, const struct th_h5_set *values,
                                const struct th_h5_set *checksum,
                                struct th_error *err);
void th_run_fetch_map_free(struct th_dense_map *map);

/* Fill in fetch->at and fetch->sums; attribute: fetch->wanted.first counted
 * from the shard's first. False: the place is not known, and HDF5 has to read
 * it. Calls HDF5. */
bool th_run_fetch_place(struct th_fetch *fetch, struct th_dense_map *map,
                        const struct th_h5_set *values, int64_t attribute,
                        int64_t count);

/* Bytes that a fetch reads from the file. */
int64_t th_run_fetch_bytes(const struct th_fetch *fetch);

/* Carry out and verify a read. For any thread; does not call HDF5. */
th_status th_run_fetch_read(const struct th_fetch *fetch, struct th_error *err);

/* Carry out and verify the read of one run, with the kept checksums of its
 * shard. */
th_status th_run_fetch_single(const struct th_fetch *fetch,
                              struct th_sums *sums, struct th_error *err);

/* Tell the kernel that a fetch is going to be read. */
void th_run_fetch_advise(const struct th_fetch *fetch);

#endif
