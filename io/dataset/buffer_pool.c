/* buffer_pool.c - memory for pieces of files, most of them of one size
 * SPDX-License-Identifier: MIT */
#include "io/dataset/buffer_pool.h"

#include "core/memory.h"
#include "core/pages.h"

#include <stdlib.h>

enum {
  ALIGNMENT = 64,
  BLOCK = 16 * TH_LARGE_PAGE,
  LEAST = 256,      /* bytes of rooms that are worth a block */
  WORTH = 16 << 10, /* bytes that are worth a call to give their pages back */
  MOST = BLOCK / 8
};

int64_t th_buffer_pool_bytes(int64_t bytes)
{
  return (bytes / ALIGNMENT + 1) * ALIGNMENT;
}

void th_buffer_pool_expect(struct th_buffer_pool *rooms, int64_t bytes)
{
  int64_t size = th_buffer_pool_bytes(bytes);
  if (!rooms->taken && rooms->usual == 0 && size >= LEAST && size <= MOST)
    rooms->usual = size;
}

/* NULL: there is no memory. */
static char *add_block(struct th_buffer_pool *rooms)
{
  struct th_error ignored = {0};
  if (th_grow((void **)&rooms->block, &rooms->capacity, rooms->blocks + 1,
              sizeof *rooms->block, "blocks of memory", &ignored) != TH_OK)
    return NULL;
  char *block = aligned_alloc(TH_LARGE_PAGE, BLOCK);
  if (block == NULL)
    return NULL;
  th_pages_large(block, BLOCK);
  rooms->block[rooms->blocks++] = block;
  rooms->untouched = BLOCK / rooms->usual;
  return block;
}

static void *take_usual(struct th_buffer_pool *rooms)
{
  if (rooms->free != NULL) {
    void *room = rooms->free;
    rooms->free = *(void **)room;
    return room;
  }
  if (rooms->untouched == 0 && add_block(rooms) == NULL)
    return NULL;
  int64_t place = BLOCK / rooms->usual - rooms->untouched--;
  return rooms->block[rooms->blocks - 1] + place * rooms->usual;
}

void *th_buffer_pool_take(struct th_buffer_pool *rooms, int64_t bytes)
{
  int64_t size = th_buffer_pool_bytes(bytes);
  rooms->taken = true;
  return size == rooms->usual ? take_usual(rooms)
                              : aligned_alloc(ALIGNMENT, (size_t)size);
}

void th_buffer_pool_give(struct th_buffer_pool *rooms, void *room, int64_t size)
{
  if (room == NULL || size != rooms->usual) {
    free(room);
    return;
  }
  if (size >= WORTH)
    th_pages_release(room, (size_t)size);
  *(void **)room = rooms->free;
  rooms->free = room;
}

void th_buffer_pool_free(struct th_buffer_pool *rooms)
{
  for (int64_t k = 0; k < rooms->blocks; k++)
    free(rooms->block[k]);
  free(rooms->block);
  *rooms = (struct th_buffer_pool){0};
}
