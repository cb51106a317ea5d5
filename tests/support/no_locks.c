/* no_locks.c - preloaded, on file systems without locks: flock(2) fails with
 * the number NO_FLOCK, an OFD lock of fcntl(2) with NO_OFD, where these are set
 * SPDX-License-Identifier: MIT */
#include "preload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/file.h>

static bool fails(const char *name)
{
  const char *number = getenv(name);
  if (number != NULL)
    errno = (int)strtol(number, NULL, 10);
  return number != NULL;
}

int flock(int file, int how)
{
  int (*next)(int, int);
  preload_next((void *)&next, "flock");
  return fails("NO_FLOCK") ? -1 : next(file, how);
}

/* What is called fcntl in a source where offsets have 64 bits; every third
 * argument is as wide as a pointer or narrower. */
int fcntl64(int file, int what, ...)
{
  int (*next)(int, int, ...);
  va_list rest;
  va_start(rest, what);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  preload_next((void *)&next, "fcntl64");
  return what == F_OFD_SETLK && fails("NO_OFD") ? -1
                                                : next(file, what, argument);
}
