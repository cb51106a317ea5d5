/* no_room.c - preloaded, from the NO_ROOM_AFTER-th write on a disk has no room
 * for the files whose path has NO_ROOM_IN in it
 * SPDX-License-Identifier: MIT */
#include "preload.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_full(int file)
{
  static atomic_long writes;
  char link[64];
  char path[4096];
  const char *last = getenv("NO_ROOM_AFTER");
  const char *part = getenv("NO_ROOM_IN");
  if (last == NULL || part == NULL)
    return false;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  return strstr(path, part) != NULL &&
         atomic_fetch_add(&writes, 1) >= strtol(last, NULL, 10);
}

/* Where offsets have 64 bits, pwrite in a source is pwrite64 in a library. Some
 * libraries call the one and some the other. */
ssize_t write_at(int file, const void *data, size_t bytes,
                 off_t at) __asm__("pwrite");

ssize_t write_at(int file, const void *data, size_t bytes, off_t at)
{
  ssize_t (*next)(int, const void *, size_t, off_t);
  preload_next((void *)&next, "pwrite64");
  if (is_full(file)) {
    errno = ENOSPC;
    return -1;
  }
  return next(file, data, bytes, at);
}

ssize_t pwrite(int file, const void *data, size_t bytes, off_t at)
{
  return write_at(file, data, bytes, at);
}
