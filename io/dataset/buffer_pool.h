/* buffer_pool.h - memory for pieces of files, most of them of one size
 *
 * Rooms of the usual size lie side by side in blocks, on large pages; those of
 * another size are allocated one by one. Internal to io/, local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_BUFFER_POOL_H
#define TH_BUFFER_POOL_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: none. */
struct th_buffer_pool {
  int64_t usual; /* bytes of the rooms in blocks; 0: there are none */
  bool taken;    /* some room was: `usual` stays */
  char **block;
  int64_t blocks;
  int64_t capacity;
  int64_t untouched; /* rooms of the last block that nobody had */
  void *free;        /* rooms of blocks that nobody has: each names the next */
};

/* The bytes that a room for so many has. */
int64_t th_buffer_pool_bytes(int64_t bytes);

/* Most rooms are going to be for so many bytes; said before the first is taken,
 * and of no effect later, or where blocks are not worth while. */
void th_buffer_pool_expect(struct th_buffer_pool *pool, int64_t bytes);

/* A room of th_buffer_pool_bytes bytes, aligned to 64, not zeroed; NULL: there
 * is no memory. */
void *th_buffer_pool_take(struct th_buffer_pool *pool, int64_t bytes);

/* Give back a room of th_buffer_pool_bytes `size`; the system has the pages of
 * large ones back. NULL is legal. */
void th_buffer_pool_give(struct th_buffer_pool *pool, void *room, int64_t size);

/* All blocks, and with them every room of the usual size. */
void th_buffer_pool_free(struct th_buffer_pool *pool);

#endif
