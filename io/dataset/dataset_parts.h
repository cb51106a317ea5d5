/* dataset_parts.h - what an open data set is made of; internal to io/
 * SPDX-License-Identifier: MIT */
#ifndef TH_DATASET_PARTS_H
#define TH_DATASET_PARTS_H

#include "io/dataset/cache.h"
#include "io/dataset/dataset.h"
#include "io/dataset/examples.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/master.h"
#include "io/dataset/prefetch.h"
#include "io/dataset/shard_read.h"

/* Kept runs that were not in memory when they were asked for. */
struct th_missed {
  int64_t group;     /* of the last ones */
  int64_t count;     /* of that group, one after the other */
  int64_t run;       /* key of the last one; -1: none */
  int64_t elsewhere; /* key of the unit that was last not all in place; or -1 */
};

struct th_dataset {
  struct th_store store; /* first: the store is the data set */
  struct th_master_info info;
  char *path;
  struct th_identity identity;
  struct th_shard_read *shard;
  int64_t last_shard; /* where the last slab was found */
  int64_t memory;
  enum th_mapped mapped;
  bool once; /* hardly any value is asked for in two updates */
  struct th_missed missed;
  int ranks;              /* that opened it */
  struct th_cache blocks; /* units and pieces */
  struct th_cache runs;   /* single attributes that are kept */
  struct th_prefetch prefetch;
  struct th_examples examples;
};

/* The operations of the store. Local. */
th_status th_dataset_slab(struct th_store *store, struct th_rows rows,
                          struct th_range range, bool keep,
                          struct th_slab *slab, struct th_error *err);
th_status th_dataset_entries(struct th_store *store,
                             const struct th_entries *entries, double *value,
                             struct th_error *err);
int64_t th_dataset_copy(struct th_store *store, struct th_rows rows,
                        const int64_t *attribute, int64_t count, void *to,
                        const struct th_packing *packing);
th_status th_dataset_targets(struct th_store *store, struct th_rows rows,
                             double *target, double *weight,
                             struct th_error *err);
th_status th_dataset_statistics(struct th_store *store, struct th_range range,
                                struct th_statistics *statistics,
                                struct th_error *err);

void th_dataset_announce(struct th_store *store, struct th_rows rows,
                         struct th_range range, bool keep);
void th_dataset_forget(struct th_store *store);

/* Where an attribute lies on a row group: in a unit of its shard. A unit of
 * dense data has one room in memory; a unit of sparse data is a piece. */
struct th_place {
  struct th_shard_read *shard; /* open */
  int64_t group;
  int64_t unit;               /* of the shard */
  struct th_range attributes; /* of the unit */
  int64_t key;                /* in a cache */
};

/* Find the place of an attribute; opens the shard. Local. */
th_status th_dataset_place(struct th_dataset *dataset, int64_t attribute,
                           int64_t group, struct th_place *place,
                           struct th_error *err);
int64_t th_dataset_key(const struct th_dataset *dataset, int64_t attribute,
                       int64_t group);

/* Bytes of an attribute on a row group, of dense data. Local. */
int64_t th_dataset_run_bytes(const struct th_dataset *dataset);

/* True if the values of every rank fit its memory, with what units take beside
 * them; of dense data. Local. */
bool th_dataset_all_fit(const struct th_dataset *dataset);

/* Bytes of memory for blocks. Kept runs take at most half of the memory, and
 * blocks have the rest. Local. */
int64_t th_dataset_block_limit(const struct th_dataset *dataset);

/* Add what a shard has read since to the store's account. Local. */
void th_dataset_count(struct th_dataset *dataset, struct th_shard_read *shard,
                      double began);

#endif
