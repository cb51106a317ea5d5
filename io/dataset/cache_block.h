/* cache_block.h - units of dense shards in memory
 *
 * A unit holds some consecutive attributes on one row group and has one place
 * in the cache. Only the attributes that are asked for are read into it. A
 * single run that is kept has a unit of its own, unless it is used in place.
 * Internal to io/, local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CACHE_BLOCK_H
#define TH_CACHE_BLOCK_H

#include "io/dataset/dataset_parts.h"

/* In place: it can be looked at, but is not verified. */
enum th_presence { TH_ABSENT, TH_QUEUED, TH_PRESENT, TH_IN_PLACE };

/* A unit in memory. This struct lies at the beginning of its room. */
struct th_cache_block {
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

/* Where the unit of a request is, or would be. */
struct th_cache_block_place {
  struct th_place at;
  struct th_range attributes; /* that the unit has room for */
  struct th_cache *cache;
  int64_t key;
  int64_t bytes;               /* of its room */
  bool kept;                   /* its values are asked for to stay */
  struct th_cache_block *unit; /* NULL: not in memory */
};

/* Find the unit of a request. keep: a unit of the run alone, unless the run is
 * in another unit, or that unit is used in place for many kept runs. */
th_status th_cache_block_find(struct th_dataset *dataset, int64_t attribute,
                              int64_t group, bool keep,
                              struct th_cache_block_place *place,
                              struct th_error *err);

/* Make an empty unit in the cache; wanted: what is asked for of it. */
th_status th_cache_block_make(struct th_dataset *dataset,
                              struct th_cache_block_place *place,
                              struct th_range wanted, struct th_error *err);

/* The first consecutive attributes of a range that are in a state; may be
 * empty. */
struct th_range th_cache_block_part(const struct th_cache_block *unit,
                                    struct th_range range,
                                    enum th_presence state);
void th_cache_block_mark(struct th_cache_block *unit, struct th_range range,
                         enum th_presence state);

/* The read that fetches a part of the unit. */
struct th_fetch th_cache_block_fetch(const struct th_cache_block_place *place,
                                     struct th_range part);

/* Add a read that was carried out to the store's account. */
void th_cache_block_count(struct th_dataset *dataset,
                          const struct th_fetch *fetch);

/* A dense slab. */
th_status th_cache_block_slab(struct th_dataset *dataset, struct th_rows rows,
                              struct th_range range, bool keep,
                              struct th_slab *slab, struct th_error *err);

#endif
