/* residency.h - which values of a data set are in memory, and where they lie
 *
 * Values lie in the rooms of two caches, from which the least recently used
 * leave: units, and single attributes that are kept. A unit holds some
 * consecutive attributes on one row group. Only the attributes that are asked
 * for are read into it. A single run that is kept has a unit of its own, unless
 * it is used in place. A unit of sparse data is a bundle (io/dataset/parts.h).
 *
 * A shard whose bytes the system has in memory is mapped, and the values of a
 * unit are used where they lie, without a copy. They count in the data set's
 * memory as copies of their unit do, so that units leave when they would have
 * left as copies. Where that leaves no room for runs that are kept, these are
 * copied alone. A run is verified when it is first handed out, in parts that
 * stay in the processor's cache until the caller has used them.
 *
 * Internal to io/, local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_RESIDENCY_H
#define TH_RESIDENCY_H

#include "data/store.h"
#include "io/dataset/residency/cache.h"
#include "io/dataset/shard.h"
#include "io/files/mapping.h"

/* Kept runs that were not in memory when they were asked for. */
struct th_missed {
  int64_t group;     /* of the last ones */
  int64_t count;     /* of that group, one after the other */
  int64_t run;       /* key of the last one; -1: none */
  int64_t elsewhere; /* key of the unit that was last not all in place; or -1 */
};

struct th_residency {
  const struct th_master_info *info; /* borrowed */
  struct th_store *store;            /* its account of what is read; borrowed */
  struct th_shard *shard;
  int64_t last_shard; /* where the last attribute was found */
  int64_t memory;     /* bytes, for both caches */
  int ranks;          /* that opened the data set */
  int rank;           /* which of them this is */
  enum th_mapped mapped;
  bool once;   /* hardly any value is asked for in two updates */
  bool whole;  /* dense: what lies around a single value is read, too */
  bool by_row; /* sparse: examples are asked for one by one, and there is memory
                  for all pieces row by row as well */
  struct th_missed missed;
  struct th_near near;
  struct th_cache blocks; /* units and pieces */
  struct th_cache runs;   /* single attributes that are kept; sparse: pieces row
                             by row */
};

/* In place: it can be looked at, but is not verified. */
enum th_presence { TH_ABSENT, TH_QUEUED, TH_PRESENT, TH_IN_PLACE };

/* A unit in memory. This struct lies at the beginning of its room. */
struct th_unit {
  struct th_range attributes;
  struct th_cache *cache; /* that the unit is in */
  int64_t key;
  int64_t bytes;        /* of the room */
  int64_t reads;        /* that are under way */
  bool mapped;          /* the values are in the file, and not to be changed */
  bool resident;        /* all of them were in the system's memory then */
  char *values;         /* R rows of each attribute */
  uint64_t *checksum;   /* of each; mapped: NULL */
  unsigned char *state; /* of each: enum th_presence */
};

/* Where an attribute lies on a row group: in a unit of its shard. */
struct th_place {
  struct th_shard *shard; /* open */
  int64_t group;
  int64_t unit;               /* of the shard; sparse: a bundle */
  struct th_range attributes; /* of the unit */
  int64_t key;                /* in a cache */
};

/* Where the unit of a request is, or would be. */
struct th_unit_place {
  struct th_place at;
  struct th_range attributes; /* that the unit has room for */
  struct th_cache *cache;
  int64_t key;
  int64_t bytes;        /* of its room */
  bool kept;            /* its values are asked for to stay */
  struct th_unit *unit; /* NULL: not in memory */
};

/* Forget all values. */
void th_residency_drop(struct th_residency *residency);

/* The shard of an attribute; it may not be open yet. */
struct th_shard *th_residency_shard(struct th_residency *residency,
                                    int64_t attribute);

/* Find the place of an attribute; opens the shard. */
th_status th_residency_place(struct th_residency *residency, int64_t attribute,
                             int64_t group, struct th_place *place,
                             struct th_error *err);
int64_t th_residency_key(const struct th_residency *residency,
                         int64_t attribute, int64_t group);

/* Bytes of an attribute on a row group, of dense data. */
int64_t th_residency_run_bytes(const struct th_residency *residency);

/* True if the values of every rank fit its memory, with what units take beside
 * them; of dense data. */
bool th_residency_all_fit(const struct th_residency *residency);
/* True if those of so many row groups do. */
bool th_residency_groups_fit(const struct th_residency *residency,
                             int64_t groups);

/* Bytes of memory for blocks. Kept runs take at most half of the memory, and
 * blocks have the rest. */
int64_t th_residency_block_limit(const struct th_residency *residency);

/* Add what a shard has read since to the store's account. */
void th_residency_count(struct th_residency *residency, struct th_shard *shard,
                        double began);

/* Find the unit of a request. keep: a unit of the run alone, unless the run is
 * in another unit, or that unit is used in place for many kept runs. */
th_status th_residency_find(struct th_residency *residency, int64_t attribute,
                            int64_t group, bool keep,
                            struct th_unit_place *place, struct th_error *err);

/* Make an empty unit in the cache; wanted: what is asked for of it. */
th_status th_residency_make(struct th_residency *residency,
                            struct th_unit_place *place, struct th_range wanted,
                            struct th_error *err);

/* The first consecutive attributes of a range that are in a state; may be
 * empty. */
struct th_range th_residency_part(const struct th_unit *unit,
                                  struct th_range range,
                                  enum th_presence state);
void th_residency_mark(struct th_unit *unit, struct th_range range,
                       enum th_presence state);

/* The read that fetches a part of the unit. */
struct th_fetch th_residency_fetch(const struct th_unit_place *place,
                                   struct th_range part);

/* Add a read that was carried out to the store's account. */
void th_residency_account(struct th_residency *residency,
                          const struct th_fetch *fetch);

/* Values in the file are going to be used: ask for those that the system does
 * not have in memory. fetch: with its place. */
void th_residency_advise(const struct th_unit_place *place,
                         const struct th_fetch *fetch);

/* Used in place: count the absent attributes of a range as read, from now on
 * TH_IN_PLACE. Cut the range to a part that is verified. The caller counts the
 * time. */
th_status th_residency_take(struct th_residency *residency,
                            const struct th_unit_place *place,
                            struct th_range *range, struct th_error *err);

/* Have the values of a range that is not queued: read those that are absent, or
 * cut the range to a part that can be used in place. */
th_status th_residency_have(struct th_residency *residency,
                            struct th_unit_place *place, struct th_range *range,
                            struct th_error *err);

/* An error if a mapped shard has become shorter or cannot be read any more:
 * then values that were handed out may have been zeros. Quick if all is
 * well. */
th_status th_residency_check(const struct th_residency *residency,
                             struct th_error *err);

#endif
