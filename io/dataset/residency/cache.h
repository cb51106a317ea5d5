/* cache.h - keeps pieces of files in memory; the least recently used leave
 * first
 *
 * Internal to io/, local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CACHE_H
#define TH_CACHE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct th_cache_item {
  int64_t key;
  void *data;
  int64_t bytes; /* that count: allocated, or more if it is light */
  int32_t next;  /* in the same bucket or in the free list; -1: the last */
  int32_t newer; /* neighbours in order of use; -1: none */
  int32_t older;
  int32_t pins;      /* above 0: not in the order of use */
  bool light;        /* the room is smaller: see th_cache_add_light */
  bool looked;       /* shown since the item was last made the newest */
  const void *shown; /* what th_cache_shown gives; NULL: it does not find it */
};

/* Zeroed: empty. */
struct th_buffer_pool {
  int64_t usual; /* bytes of a room in blocks; 0: no blocks */
  bool taken;    /* a room has been taken: `usual` no longer changes */
  char **block;
  int64_t blocks;
  int64_t capacity;
  int64_t untouched; /* rooms of the last block that were never used */
  void *free;        /* list of free rooms: each holds the next one's address */
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
  struct th_buffer_pool pool; /* rooms of the items */
  void *spare;                /* room of an evicted item, for the next one */
  int64_t spare_bytes;
};

/* The item of a key, which becomes the most recently used; NULL: none. */
void *th_cache_find(struct th_cache *cache, int64_t key);

/* Show something by the item of a key, if there is one; that lasts until it
 * leaves. What is shown by the item of a key, or NULL. Such an item is noted as
 * used, and becomes the most recently used one when it would have to leave:
 * quicker where many items are looked at in no order. */
void th_cache_show(struct th_cache *cache, int64_t key, const void *shown);
const void *th_cache_shown(struct th_cache *cache, int64_t key);

/* These keys are going to be looked at: bring what that needs near. */
void th_cache_prefetch(const struct th_cache *cache, const int64_t *key,
                       int64_t count);

/* Announce the size of most items: see th_cache_pool_expect. */
void th_cache_expect(struct th_cache *cache, int64_t bytes);

/* Add an item for a new key, and return its room. Others leave until all fit
 * into `limit` bytes; one item is kept whatever its size. The cache owns the
 * room. */
th_status th_cache_add(struct th_cache *cache, int64_t key, int64_t bytes,
                       int64_t limit, void **room, struct th_error *err);

/* Add an item whose room has only `head` bytes, and the rest lies elsewhere: it
 * counts and leaves as if all of it was here. */
th_status th_cache_add_light(struct th_cache *cache, int64_t key, int64_t bytes,
                             int64_t head, int64_t limit, void **room,
                             struct th_error *err);

/* Evict the least recently used items until the others fit into `limit` bytes.
 */
void th_cache_trim(struct th_cache *cache, int64_t limit);

/* An item with pins is not evicted. The key must be in the cache. */
void th_cache_pin(struct th_cache *cache, int64_t key);
void th_cache_unpin(struct th_cache *cache, int64_t key);

/* Drop the item of a key and its pins, if there is one. */
void th_cache_drop(struct th_cache *cache, int64_t key);

void th_cache_free(struct th_cache *cache);

/* --- Memory for pieces of files, most of them of one size
 *
 * Rooms of the usual size lie side by side in blocks, on large pages; those of
 * another size are allocated one by one. Internal to io/, local. */

/* The size of a room for so many bytes. Shown for tests. */
int64_t th_cache_pool_bytes(int64_t bytes);

/* Announce that most rooms are going to have so many bytes. It has no effect
 * after the first room was taken, or if blocks are not worth while. Shown for
 * tests. */
void th_cache_pool_expect(struct th_buffer_pool *pool, int64_t bytes);

/* Take a room of th_cache_pool_bytes bytes, aligned to 64, not zeroed; NULL
 * without memory. Shown for tests. */
void *th_cache_pool_acquire(struct th_buffer_pool *pool, int64_t bytes);

/* Give back a room; size: its th_cache_pool_bytes. The pages of large rooms go
 * back to the system. NULL is legal. Shown for tests. */
void th_cache_pool_give(struct th_buffer_pool *pool, void *room, int64_t size);

/* Free all blocks, and with them every room of the usual size. */
void th_cache_pool_free(struct th_buffer_pool *pool);

#endif
