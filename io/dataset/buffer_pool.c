/* buffer_pool.c - memory for pieces of files, most of them of one size
 * SPDX-License-Identifier: MIT */
#include "io/dataset/buffer_pool.h"

#include "core/memory.h"
#include "core/pages.h"

#include <stdlib.h>

enum {
  ALIGNMENT = 64,
  BLOCK = 16 * TH_LARGE_PAGE,
  LEAST = 256,      /* smallest room, in bytes, that blocks are used for */
  WORTH = 16 << 10, /* smallest room whose pages are given back to the system */
  MOST = BLOCK / 8
};

int64_t th_buffer_pool_bytes(int64_t bytes)
{
  return (bytes / ALIGNMENT + 1) * ALIGNMENT;
}

void th_buffer_pool_expect(struct th_buffer_pool *pool, int64_t bytes)
{
  int64_t size = th_buffer_pool_bytes(bytes);
  if (!pool->taken && pool->usual == 0 && size >= LEAST && size <= MOST)
    pool->usual = size;
}

/* Allocate a block; NULL without memory. */
static char *add_block(struct th_buffer_pool *pool)
{
  struct th_error ignored = {0};
  if (th_grow((void **)&pool->block, &pool->capacity, pool->blocks + 1,
              sizeof *pool->block, "blocks of memory", &ignored) != TH_OK)
    return NULL;
  char *block = aligned_alloc(TH_LARGE_PAGE, BLOCK);
  if (block == NULL)
    return NULL;
  th_pages_large(block, BLOCK);
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
  if (pool->untouched == 0 && add_block(pool) == NULL)
    return NULL;
  int64_t place = BLOCK / pool->usual - pool->untouched--;
  return pool->block[pool->blocks - 1] + place * pool->usual;
}

void *th_buffer_pool_take(struct th_buffer_pool *pool, int64_t bytes)
{
  int64_t size = th_buffer_pool_bytes(bytes);
  pool->taken = true;
  return size == pool->usual ? take_usual(pool)
                             : aligned_alloc(ALIGNMENT, (size_t)size);
}

void th_buffer_pool_give(struct th_buffer_pool *pool, void *room, int64_t size)
{
  if (room == NULL || size != pool->usual) {
    free(room);
    return;
  }
  if (size >= WORTH)
    th_pages_release(room, (size_t)size);
  *(void **)room = pool->free;
  pool->free = room;
}

void th_buffer_pool_free(struct th_buffer_pool *pool)
{
  TH_FREE_LIST(pool->block, pool->blocks);
  *pool = (struct th_buffer_pool){0};
}
