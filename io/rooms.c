/* rooms.c - memory for pieces of files, most of them of one size
 * SPDX-License-Identifier: MIT */
#include "io/rooms.h"

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

int64_t th_rooms_bytes(int64_t bytes)
{
  return (bytes / ALIGNMENT + 1) * ALIGNMENT;
}

void th_rooms_expect(struct th_rooms *rooms, int64_t bytes)
{
  int64_t size = th_rooms_bytes(bytes);
  if (!rooms->taken && rooms->usual == 0 && size >= LEAST && size <= MOST)
    rooms->usual = size;
}

/* NULL: there is no memory. */
static char *add_block(struct th_rooms *rooms)
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

static void *take_usual(struct th_rooms *rooms)
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

void *th_rooms_take(struct th_rooms *rooms, int64_t bytes)
{
  int64_t size = th_rooms_bytes(bytes);
  rooms->taken = true;
  return size == rooms->usual ? take_usual(rooms)
                              : aligned_alloc(ALIGNMENT, (size_t)size);
}

void th_rooms_give(struct th_rooms *rooms, void *room, int64_t size)
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

void th_rooms_free(struct th_rooms *rooms)
{
  for (int64_t k = 0; k < rooms->blocks; k++)
    free(rooms->block[k]);
  free(rooms->block);
  *rooms = (struct th_rooms){0};
}
