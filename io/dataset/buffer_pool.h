/* buffer_pool.h - memory for pieces of files, most of them of one size
 *
 * Rooms of the usual size lie side by side in blocks, on large pages; those of
 * another size are allocated one by one. Internal to io/, local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_BUFFER_POOL_H
#define TH_BUFFER_POOL_H

#include <stdbool.h>
#include <stdint.h>

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

/* The size of a room for so many bytes. */
int64_t th_buffer_pool_bytes(int64_t bytes);

/* Announce that most rooms are going to have so many bytes. It has no effect
 * after the first room was taken, or if blocks are not worth while. */
void th_buffer_pool_expect(struct th_buffer_pool *pool, int64_t bytes);

/* Take a room of th_buffer_pool_bytes bytes, aligned to 64, not zeroed; NULL
 * without memory. */
void *th_buffer_pool_take(struct th_buffer_pool *pool, int64_t bytes);

/* Give back a room; size: its th_buffer_pool_bytes. The pages of large rooms go
 * back to the system. NULL is legal. */
void th_buffer_pool_give(struct th_buffer_pool *pool, void *room, int64_t size);

/* Free all blocks, and with them every room of the usual size. */
void th_buffer_pool_free(struct th_buffer_pool *pool);

#endif
