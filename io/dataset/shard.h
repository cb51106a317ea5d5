/* shard.h - an open shard; internal to io/
 *
 * All functions are local; any number of ranks may read a shard.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SHARD_H
#define TH_SHARD_H

#include "io/dataset/master.h"
#include "io/dataset/parts.h"
#include "io/dataset/row_groups.h"
#include "io/dataset/stand_in.h"
#include "io/files/file.h"
#include "io/hdf5/h5.h"

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

/* What lies behind a single run whose forerunner was near: some of what is
 * asked for next. One for all shards. */
enum { TH_NEAR = 64 << 10 };
struct th_near {
  const struct th_shard *of; /* that had the last run; not looked at */
  int64_t last;              /* where that begins in its file */
  int64_t at;                /* what is there: bytes of that file */
  int64_t bytes;
  char *values; /* owned; NULL: nothing was near yet */
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
  const double *mean; /* of the attributes, which stands for values that are
                         missing; NULL: none is, or they stay NaN */
  enum th_type type;
  int64_t rows;
  struct th_shard *small; /* too small for the thread; the kernel is advised of
                             it: its shard. Or NULL */
  bool in_place;          /* nothing is to be done */
  bool kept;              /* for the account */
};

struct th_shard {
  const struct th_row_groups *row_groups; /* borrowed */
  const struct th_shard_row *row;         /* borrowed: its row in the master */
  const char *master;                     /* borrowed: its path, for messages */
  int64_t index;
  int64_t shards; /* of the data set */
  char *path;
  char *name; /* "shard NAME.shards/00000.h5" */
  bool open;
  bool rewritten; /* by another program, for instance with filters */
  struct th_identity identity;
  struct th_h5 h5;
  int64_t unit; /* dense: attributes kept together in memory; sparse: 0 */
  struct th_dense_map map; /* dense */
  struct th_sums sums;
  struct th_h5_set checksum;
  struct th_h5_set values; /* dense: /X; sparse: /value */
  struct th_h5_set attribute;
  struct th_h5_set count;
  struct th_h5_set row_in_group;
  struct th_parts parts; /* sparse */
  struct th_stand_in stand_in;
  int64_t bytes_read;         /* since they were last counted */
  struct th_mapping *mapping; /* NULL: none (io/files/mapping.h) */
  bool mapping_tried;
};

/* Open it on first use and compare it with the master. */
th_status th_shard_open(struct th_shard *shard, struct th_error *err);
void th_shard_close(struct th_shard *shard);

/* Dense data: the mapping of the open shard, which is made when it is first
 * wanted; NULL: it can only be read. Borrowed. */
const struct th_mapping *th_shard_map(struct th_shard *shard);
/* Nothing of it is in use any more; it can be mapped again. */
void th_shard_unmap(struct th_shard *shard);

/* Fail and name the damaged run of a shard of that name. */
th_status th_shard_damaged(const char *shard, int64_t attribute, int64_t group,
                           struct th_error *err);

/* Dense data: the read of some attributes of one group, all within one unit.
 * The caller fills in where the values (R rows each) and checksums go. */
struct th_fetch th_shard_dense_fetch(const struct th_shard *shard,
                                     struct th_range wanted, int64_t group);

/* Find the place of a read in the file. False: only th_shard_dense_read can
 * carry it out. */
bool th_shard_dense_place(struct th_shard *shard, struct th_fetch *fetch);

/* Carry out and verify a read. Single runs that lie near each other are read
 * together; near: NULL, or where these are kept. */
th_status th_shard_dense_read(struct th_shard *shard, struct th_near *near,
                              struct th_fetch *fetch, struct th_error *err);

/* --- Reads that another thread may carry out; they do not call HDF5 ------- */

/* Compare the runs that a fetch has read with their checksums. Values that are
 * missing stay NaN. */
th_status th_shard_fetch_verify(const struct th_fetch *fetch,
                                struct th_error *err);

/* Bytes that a fetch reads from the file. */
int64_t th_shard_fetch_bytes(const struct th_fetch *fetch);

/* Carry out and verify a read with a place. */
th_status th_shard_fetch_read(const struct th_fetch *fetch,
                              struct th_error *err);

/* Tell the kernel that a fetch is going to be read. */
void th_shard_fetch_advise(const struct th_fetch *fetch);

/* statistics[range.last - range.first], verified. */
th_status th_shard_statistics(struct th_shard *shard, struct th_range range,
                              struct th_statistics *statistics,
                              struct th_error *err);

#endif
