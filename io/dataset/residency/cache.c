/* cache.c - keeps pieces of files in memory; the least recently used leave
 * first
 * SPDX-License-Identifier: MIT */
#include "io/dataset/residency/cache.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* --- Memory for pieces of files, most of them of one size ----------------- */

enum {
  ALIGNMENT = 64,
  BLOCK = 16 * TH_LARGE_PAGE,
  LEAST = 256,      /* smallest room, in bytes, that blocks are used for */
  WORTH = 16 << 10, /* smallest room whose pages are given back to the system */
  MOST = BLOCK / 8
};

int64_t th_cache_pool_bytes(int64_t bytes)
{
  return (bytes / ALIGNMENT + 1) * ALIGNMENT;
}

void th_cache_pool_expect(struct th_buffer_pool *pool, int64_t bytes)
{
  int64_t size = th_cache_pool_bytes(bytes);
  if (!pool->taken && pool->usual == 0 && size >= LEAST && size <= MOST)
    pool->usual = size;
}

/* Allocate a block; NULL without memory. */
static char *pool_add_block(struct th_buffer_pool *pool)
{
  struct th_error ignored = {0};
  if (th_grow((void **)&pool->block, &pool->capacity, pool->blocks + 1,
              sizeof *pool->block, "blocks of memory", &ignored) != TH_OK)
    return NULL;
  char *block = aligned_alloc(TH_LARGE_PAGE, BLOCK);
  if (block == NULL)
    return NULL;
  th_memory_large_pages(block, BLOCK);
  pool->block[pool->blocks++] = block;
  pool->untouched = BLOCK / pool->usual;
  return block;
}

static void *take_usual(struct th_buffer_pool *pool)
{
  if (pool->free != NULL) {
    void *room = pool->free;
    pool->free = *(void **)room;
    return room;
  }
  if (pool->untouched == 0 && pool_add_block(pool) == NULL)
    return NULL;
  int64_t place = BLOCK / pool->usual - pool->untouched--;
  return pool->block[pool->blocks - 1] + place * pool->usual;
}

void *th_cache_pool_acquire(struct th_buffer_pool *pool, int64_t bytes)
{
  int64_t size = th_cache_pool_bytes(bytes);
  pool->taken = true;
  return size == pool->usual ? take_usual(pool)
                             : aligned_alloc(ALIGNMENT, (size_t)size);
}

void th_cache_pool_give(struct th_buffer_pool *pool, void *room, int64_t size)
{
  if (room == NULL || size != pool->usual) {
    free(room);
    return;
  }
  if (size >= WORTH)
    th_memory_release_pages(room, (size_t)size);
  *(void **)room = pool->free;
  pool->free = room;
}

void th_cache_pool_free(struct th_buffer_pool *pool)
{
  TH_FREE_LIST(pool->block, pool->blocks);
  *pool = (struct th_buffer_pool){0};
}

/* --- Pieces by their keys, and in the order of use ------------------------ */

enum { NONE = -1, FIRST_BUCKETS = 64 };

static int64_t bucket_of(const struct th_cache *cache, int64_t key)
{
  uint64_t mixed = (uint64_t)key * UINT64_C(0x9E3779B97F4A7C15);
  return (int64_t)((mixed >> 32) & (uint64_t)(cache->buckets - 1));
}

static void unlink_use(struct th_cache *cache, int32_t k)
{
  struct th_cache_item *item = &cache->items[k];
  if (item->newer != NONE)
    cache->items[item->newer].older = item->older;
  else
    cache->newest = item->older;
  if (item->older != NONE)
    cache->items[item->older].newer = item->newer;
  else
    cache->oldest = item->newer;
}

static void link_newest(struct th_cache *cache, int32_t k)
{
  struct th_cache_item *item = &cache->items[k];
  item->newer = NONE;
  item->older = cache->newest;
  if (cache->newest != NONE)
    cache->items[cache->newest].newer = k;
  else
    cache->oldest = k;
  cache->newest = k;
}

/* Find a key. Most requests repeat the last one. */
static int32_t find_item(const struct th_cache *cache, int64_t key)
{
  if (cache->count == 0)
    return NONE;
  if (cache->newest != NONE && cache->items[cache->newest].key == key)
    return cache->newest;
  int32_t k = cache->bucket[bucket_of(cache, key)];
  while (k != NONE && cache->items[k].key != key)
    k = cache->items[k].next;
  return k;
}

void *th_cache_find(struct th_cache *cache, int64_t key)
{
  int32_t k = find_item(cache, key);
  if (k == NONE)
    return NULL;
  if (k != cache->newest && cache->items[k].pins == 0) {
    unlink_use(cache, k);
    link_newest(cache, k);
  }
  return cache->items[k].data;
}

void th_cache_show(struct th_cache *cache, int64_t key, const void *shown)
{
  int32_t k = find_item(cache, key);
  if (k != NONE)
    cache->items[k].shown = shown;
}

const void *th_cache_shown(struct th_cache *cache, int64_t key)
{
  if (cache->count == 0)
    return NULL;
  int32_t k = cache->bucket[bucket_of(cache, key)];
  while (k != NONE && cache->items[k].key != key)
    k = cache->items[k].next;
  if (k == NONE || cache->items[k].shown == NULL)
    return NULL;
  if (!cache->items[k].looked)
    cache->items[k].looked = true;
  return cache->items[k].shown;
}

void th_cache_prefetch(const struct th_cache *cache, const int64_t *key,
                       int64_t count)
{
  if (cache->count == 0)
    return;
  for (int64_t k = 0; k < count; k++)
    __builtin_prefetch(&cache->bucket[bucket_of(cache, key[k])]);
  for (int64_t k = 0; k < count; k++) {
    int32_t item = cache->bucket[bucket_of(cache, key[k])];
    if (item != NONE)
      __builtin_prefetch(&cache->items[item]);
  }
}

static void unlink_bucket(struct th_cache *cache, int32_t k)
{
  int32_t *link = &cache->bucket[bucket_of(cache, cache->items[k].key)];
  while (*link != k)
    link = &cache->items[*link].next;
  *link = cache->items[k].next;
}

/* Take an item out. Its room becomes the spare one if it is larger than that.
 */
static void evict(struct th_cache *cache, int32_t k)
{
  struct th_cache_item *item = &cache->items[k];
  if (item->pins == 0)
    unlink_use(cache, k);
  unlink_bucket(cache, k);
  cache->used -= item->bytes;
  cache->count--;
  if (item->light) {
    free(item->data);
  } else if (item->bytes > cache->spare_bytes) {
    th_cache_pool_give(&cache->pool, cache->spare, cache->spare_bytes);
    cache->spare = item->data;
    cache->spare_bytes = item->bytes;
  } else {
    th_cache_pool_give(&cache->pool, item->data, item->bytes);
  }
  item->data = NULL;
  item->next = cache->free;
  cache->free = k;
}

static th_status grow_buckets(struct th_cache *cache, struct th_error *err)
{
  int64_t buckets = cache->buckets > 0 ? 2 * cache->buckets : FIRST_BUCKETS;
  int32_t *bucket = NULL;
  th_status rc = TH_NEW(&bucket, buckets, "the cache of the data set", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t b = 0; b < buckets; b++)
    bucket[b] = NONE;
  if (cache->buckets == 0) {
    cache->newest = NONE;
    cache->oldest = NONE;
    cache->free = NONE;
  }
  free(cache->bucket);
  cache->bucket = bucket;
  cache->buckets = buckets;
  for (int32_t k = 0; k < cache->filled; k++) {
    if (cache->items[k].data == NULL)
      continue;
    int64_t b = bucket_of(cache, cache->items[k].key);
    cache->items[k].next = bucket[b];
    bucket[b] = k;
  }
  return TH_OK;
}

static th_status acquire_slot(struct th_cache *cache, int32_t *slot,
                              struct th_error *err)
{
  if (cache->free != NONE) {
    *slot = cache->free;
    cache->free = cache->items[*slot].next;
    return TH_OK;
  }
  if (cache->filled >= INT32_MAX)
    return th_fail(
        err, TH_ENOMEM,
        "the cache of the data set has too many entries; lower {memory}");
  th_status rc = TH_GROW(&cache->items, &cache->capacity, cache->filled + 1,
                         "the cache of the data set", err);
  if (rc == TH_OK)
    *slot = (int32_t)cache->filled++;
  return rc;
}

/* True if the spare room fits and is not far too large. Where most rooms have
 * one size it is exact, such that the count of bytes is that of light items. */
static bool spare_fits(const struct th_cache *cache, int64_t bytes)
{
  if (cache->spare == NULL)
    return false;
  if (cache->pool.usual > 0)
    return cache->spare_bytes == th_cache_pool_bytes(bytes);
  return cache->spare_bytes >= bytes && cache->spare_bytes / 2 <= bytes;
}

/* Take the spare room if it fits, else a new room. It is not zeroed, since it
 * is filled from a file next. */
static th_status take_room(struct th_cache *cache, int64_t bytes, void **room,
                           int64_t *got, struct th_error *err)
{
  bool fits = spare_fits(cache, bytes);
  if (!fits) {
    /* the old spare room is not counted in used */
    th_cache_pool_give(&cache->pool, cache->spare, cache->spare_bytes);
    cache->spare_bytes = th_cache_pool_bytes(bytes);
    cache->spare = th_cache_pool_acquire(&cache->pool, bytes);
  }
  *room = cache->spare;
  *got = cache->spare_bytes;
  cache->spare = NULL;
  cache->spare_bytes = 0;
  if (*room == NULL)
    return th_memory_fail("stored values", *got, err);
  return TH_OK;
}

void th_cache_trim(struct th_cache *cache, int64_t limit)
{
  while (cache->count > 0 && cache->oldest != NONE && cache->used > limit) {
    int32_t k = cache->oldest;
    if (!cache->items[k].looked) {
      evict(cache, k);
      continue;
    }
    cache->items[k].looked = false;
    unlink_use(cache, k);
    link_newest(cache, k);
  }
}

void th_cache_expect(struct th_cache *cache, int64_t bytes)
{
  th_cache_pool_expect(&cache->pool, bytes);
}

/* Add an item without a room to a cache that has place for it. */
static th_status add_item(struct th_cache *cache, int64_t key, int32_t *slot,
                          struct th_error *err)
{
  th_status rc = acquire_slot(cache, slot, err);
  if (rc != TH_OK)
    return rc;
  int64_t b = bucket_of(cache, key);
  cache->items[*slot] =
      (struct th_cache_item){.key = key, .next = cache->bucket[b]};
  cache->bucket[b] = *slot;
  link_newest(cache, *slot);
  cache->count++;
  return TH_OK;
}

static th_status make_place(struct th_cache *cache, int64_t bytes,
                            int64_t limit, struct th_error *err)
{
  th_status rc =
      cache->count >= cache->buckets ? grow_buckets(cache, err) : TH_OK;
  if (rc == TH_OK)
    th_cache_trim(cache, limit - bytes);
  return rc;
}

static void fill_item(struct th_cache *cache, int32_t slot, void *data,
                      int64_t bytes)
{
  cache->items[slot].data = data;
  cache->items[slot].bytes = bytes;
  cache->used += bytes;
}

th_status th_cache_add(struct th_cache *cache, int64_t key, int64_t bytes,
                       int64_t limit, void **room, struct th_error *err)
{
  int32_t slot = NONE;
  int64_t got = 0;
  void *data = NULL;
  th_status rc = TH_OK;
  TH_TRY(make_place(cache, bytes, limit, err));
  TH_TRY(take_room(cache, bytes, &data, &got, err));
  TH_TRY(add_item(cache, key, &slot, err));
  fill_item(cache, slot, data, got);
  *room = data;
  data = NULL;
done:
  th_cache_pool_give(&cache->pool, data, got);
  return rc;
}

th_status th_cache_add_light(struct th_cache *cache, int64_t key, int64_t bytes,
                             int64_t head, int64_t limit, void **room,
                             struct th_error *err)
{
  int32_t slot = NONE;
  void *data = NULL;
  th_status rc = TH_OK;
  TH_TRY(make_place(cache, bytes, limit, err));
  TH_TRY(th_alloc(&data, head, 1, "stored values", err));
  TH_TRY(add_item(cache, key, &slot, err));
  fill_item(cache, slot, data, th_cache_pool_bytes(bytes));
  cache->items[slot].light = true;
  *room = data;
  data = NULL;
done:
  free(data);
  return rc;
}

void th_cache_pin(struct th_cache *cache, int64_t key)
{
  int32_t k = find_item(cache, key);
  if (cache->items[k].pins++ == 0)
    unlink_use(cache, k);
}

void th_cache_unpin(struct th_cache *cache, int64_t key)
{
  int32_t k = find_item(cache, key);
  if (--cache->items[k].pins == 0)
    link_newest(cache, k);
}

void th_cache_drop(struct th_cache *cache, int64_t key)
{
  int32_t k = find_item(cache, key);
  if (k != NONE)
    evict(cache, k);
}

void th_cache_free(struct th_cache *cache)
{
  for (int32_t k = 0; k < cache->filled; k++)
    if (cache->items[k].data != NULL)
      evict(cache, k);
  th_cache_pool_give(&cache->pool, cache->spare, cache->spare_bytes);
  th_cache_pool_free(&cache->pool);
  TH_FREE(cache->items, cache->bucket);
  *cache = (struct th_cache){0};
}
