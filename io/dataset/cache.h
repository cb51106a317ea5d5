/* cache.h - pieces of files kept in memory, the least recently used go first
 *
 * Internal to io/, local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CACHE_H
#define TH_CACHE_H

#include "core/error.h"
#include "io/dataset/buffer_pool.h"

#include <stdint.h>

struct th_cache_item {
  int64_t key;
  void *data;
  int64_t bytes; /* allocated */
  int32_t next;  /* of the same bucket, or of the free list; -1 ends */
  int32_t newer; /* in order of use; -1 ends */
  int32_t older;
  int32_t pins; /* more than 0: not in that order */
};

/* Zeroed: empty. */
struct th_cache {
  int64_t used;   /* bytes */
  int64_t count;  /* items in use */
  int64_t filled; /* items ever used */
  int64_t capacity;
  struct th_cache_item *items;
  int32_t *bucket; /* a power of two of them */
  int64_t buckets;
  int32_t newest;
  int32_t oldest;
  int32_t free;
  struct th_buffer_pool pool; /* that items have */
  void *spare;                /* room of an item that went, for the next */
  int64_t spare_bytes;
};

/* What is kept under a key, now the most recently used; NULL: nothing. */
void *th_cache_find(struct th_cache *cache, int64_t key);

/* Most items are going to have so many bytes: see th_buffer_pool_expect. */
void th_cache_expect(struct th_cache *cache, int64_t bytes);

/* Room for a new key. Others go until all fit into `limit` bytes; one item is
 * kept whatever its size. The room is the cache's. TH_ENOMEM. */
th_status th_cache_add(struct th_cache *cache, int64_t key, int64_t bytes,
                       int64_t limit, void **room, struct th_error *err);

/* Let the least recently used go until the others fit into `limit` bytes. */
void th_cache_trim(struct th_cache *cache, int64_t limit);

/* An item with pins is not pushed out. Both: of a key that is there. */
void th_cache_pin(struct th_cache *cache, int64_t key);
void th_cache_unpin(struct th_cache *cache, int64_t key);

/* Forget a key, if it is there; its pins with it. */
void th_cache_drop(struct th_cache *cache, int64_t key);

void th_cache_free(struct th_cache *cache);

#endif
