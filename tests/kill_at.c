/* kill_at.c - preloaded into a program (LD_PRELOAD), kills it as by SIGKILL
 * just before the KILL_AT-th call that changes a folder or waits for the disk;
 * with KILL_COUNT=FILE it appends the name of each such call to the file
 * SPDX-License-Identifier: MIT */
#include <dlfcn.h>
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
  long number = atomic_fetch_add(&calls, 1) + 1;
  if (last != NULL && number == strtol(last, NULL, 10))
    raise(SIGKILL);
  FILE *f = list != NULL ? fopen(list, "a") : NULL;
  if (f == NULL)
    return;
  fprintf(f, "%s\n", name);
  fclose(f);
}

/* The function of that name in the libraries behind this one: C has no cast
 * from the one kind of pointer to the other. */
static void find_next(void *function, const char *name)
{
  void *found = dlsym(RTLD_NEXT, name);
  memcpy(function, &found, sizeof found);
}

#define WATCH(name, arguments, given)                                          \
  int name arguments;                                                          \
  int name arguments                                                           \
  {                                                                            \
    come_to(#name);                                                            \
    int(*next) arguments;                                                      \
    find_next((void *)&next, #name);                                           \
    return next given;                                                         \
  }

WATCH(rename, (const char *from, const char *to), (from, to))
WATCH(renameat, (int a, const char *from, int b, const char *to),
      (a, from, b, to))
WATCH(renameat2,
      (int a, const char *from, int b, const char *to, unsigned int how),
      (a, from, b, to, how))
WATCH(link, (const char *from, const char *to), (from, to))
WATCH(linkat, (int a, const char *from, int b, const char *to, int how),
      (a, from, b, to, how))
WATCH(unlink, (const char *path), (path))
WATCH(unlinkat, (int folder, const char *path, int how), (folder, path, how))
WATCH(rmdir, (const char *path), (path))
WATCH(mkdir, (const char *path, mode_t mode), (path, mode))
WATCH(mkdirat, (int folder, const char *path, mode_t mode),
      (folder, path, mode))
WATCH(fsync, (int file), (file))
WATCH(fdatasync, (int file), (file))
WATCH(ftruncate, (int file, off_t bytes), (file, bytes))

/* Only where it may make a file. */
int openat(int folder, const char *path, int how, ...);
int openat(int folder, const char *path, int how, ...)
{
  va_list rest;
  va_start(rest, how);
  mode_t mode = (how & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if ((how & O_CREAT) != 0)
    come_to("openat");
  int (*next)(int, const char *, int, ...);
  find_next((void *)&next, "openat");
  return next(folder, path, how, mode);
}
