/* cache_block.h - units of dense shards in memory
 *
 * A unit holds some consecutive attributes on one row group and has one place
 * in the cache. Only the attributes that are asked for are read into it. A
 * single run that is kept has a unit of its own. Internal to io/, local.
 *
 * Where a comment names no code, a status is one of TH_EFORMAT, TH_EIO,
 * TH_ENOMEM.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CACHE_BLOCK_H
#define TH_CACHE_BLOCK_H

#include "io/dataset/dataset_parts.h"

enum th_presence { TH_ABSENT, TH_QUEUED, TH_PRESENT };

/* Lies at the beginning of its room. */
struct th_cache_block {
  struct th_range attributes;
  struct th_cache *cache; /* that it is kept in */
  int64_t key;
  int64_t bytes;        /* of the room */
  int64_t reads;        /* under way */
  char *values;         /* R rows of each attribute */
  uint64_t *checksum;   /* of each */
  unsigned char *state; /* of each: enum th_presence */
};

/* A request's unit. */
struct th_cache_block_place {
  struct th_place at;
  struct th_range attributes; /* that the unit has, or would have, room for */
  struct th_cache *cache;
  int64_t key;
  int64_t bytes;               /* of its room */
  struct th_cache_block *unit; /* NULL: there is none yet */
};

/* keep: the run alone, unless it is there with others. */
th_status th_cache_block_find(struct th_dataset *dataset, int64_t attribute,
                              int64_t group, bool keep,
                              struct th_cache_block_place *place,
                              struct th_error *err);

/* Room for it in the cache, with nothing in it. TH_ENOMEM. */
th_status th_cache_block_make(struct th_dataset *dataset,
                              struct th_cache_block_place *place,
                              struct th_error *err);

/* The first attributes of a range, next to one another, that are in a state;
 * empty where there are none. */
struct th_range th_cache_block_part(const struct th_cache_block *unit,
                                    struct th_range range,
                                    enum th_presence state);
void th_cache_block_mark(struct th_cache_block *unit, struct th_range range,
                         enum th_presence state);

/* The read of a part of the unit. */
struct th_fetch th_cache_block_fetch(const struct th_cache_block_place *place,
                                     struct th_range part);

/* Add a read that was carried out to the store's account. */
void th_cache_block_count(struct th_dataset *dataset,
                          const struct th_cache_block *unit,
                          const struct th_fetch *fetch);

/* A dense slab. */
th_status th_cache_block_slab(struct th_dataset *dataset, struct th_rows rows,
                              struct th_range range, bool keep,
                              struct th_slab *slab, struct th_error *err);

#endif
