/* kill_at.c - preloaded into a program (LD_PRELOAD), kills it as by SIGKILL
 * just before the KILL_AT-th call that changes a folder or waits for the disk,
 * or stops it there as by SIGSTOP, with STOP_AT in place of KILL_AT; with
 * KILL_COUNT=FILE it appends the name of each such call to the file
 * SPDX-License-Identifier: MIT */
#include "preload.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void come_to(const char *name)
{
  static atomic_long calls;
  const char *list = getenv("KILL_COUNT");
  const char *last = getenv("KILL_AT");
  const char *pause = getenv("STOP_AT");
  long number = atomic_fetch_add(&calls, 1) + 1;
  if (pause != NULL && number == strtol(pause, NULL, 10))
    raise(SIGSTOP);
  if (last != NULL && number == strtol(last, NULL, 10))
    raise(SIGKILL);
  FILE *f = list != NULL ? fopen(list, "a") : NULL;
  if (f == NULL)
    return;
  fprintf(f, "%s\n", name);
  fclose(f);
}

/* Count the call, and find the function that it was meant for. */
static void reach(void *function, const char *name)
{
  come_to(name);
  preload_next(function, name);
}

int renameat(int from, const char *name, int to, const char *final)
{
  int (*next)(int, const char *, int, const char *);
  reach((void *)&next, "renameat");
  return next(from, name, to, final);
}

int unlinkat(int folder, const char *name, int how)
{
  int (*next)(int, const char *, int);
  reach((void *)&next, "unlinkat");
  return next(folder, name, how);
}

int symlinkat(const char *text, int folder, const char *name)
{
  int (*next)(const char *, int, const char *);
  reach((void *)&next, "symlinkat");
  return next(text, folder, name);
}

int mkdirat(int folder, const char *name, mode_t mode)
{
  int (*next)(int, const char *, mode_t);
  reach((void *)&next, "mkdirat");
  return next(folder, name, mode);
}

int mkdir(const char *path, mode_t mode)
{
  int (*next)(const char *, mode_t);
  reach((void *)&next, "mkdir");
  return next(path, mode);
}

static int with_path(const char *function, const char *path)
{
  int (*next)(const char *);
  reach((void *)&next, function);
  return next(path);
}

int unlink(const char *path)
{
  return with_path("unlink", path);
}

int rmdir(const char *path)
{
  return with_path("rmdir", path);
}

int fsync(int file)
{
  int (*next)(int);
  reach((void *)&next, "fsync");
  return next(file);
}

int ftruncate(int file, off_t bytes)
{
  int (*next)(int, off_t);
  reach((void *)&next, "ftruncate");
  return next(file, bytes);
}

/* Counts only where it may make a file. */
int openat(int folder, const char *path, int how, ...)
{
  int (*next)(int, const char *, int, ...);
  void *found = dlsym(RTLD_NEXT, "openat");
  va_list rest;
  va_start(rest, how);
  mode_t mode = (how & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if ((how & O_CREAT) != 0)
    come_to("openat");
  memcpy((void *)&next, &found, sizeof found);
  return next(folder, path, how, mode);
}
