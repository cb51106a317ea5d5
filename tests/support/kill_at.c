/* kill_at.c - preloaded into a program (LD_PRELOAD), ends or holds it at one of
 * its calls that change a folder or wait for the disk
 *
 * Just before the KILL_AT-th of them, or the first one of the name KILL_AT, or
 * just after a file got a name that ends in KILL_AFTER, the program is killed
 * as by SIGKILL. With HOLD=FILE it makes the file instead, and waits until a
 * signal has come for this thread or FILE.open is there. If FILE is there
 * already, it goes on: only one process is held, once. Before the STOP_AT-th
 * it is stopped as by SIGSTOP. With KILL_COUNT=FILE the name of each such call
 * is appended to the file.
 *
 * SPDX-License-Identifier: MIT */
#include "preload.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH = 4096 };

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { SIGNALS = sizeof signals / sizeof *signals };

static bool is_any_pending(void)
{
  sigset_t pending;
  bool any = false;
  sigpending(&pending);
  for (int k = 0; k < SIGNALS; k++)
    any = any || sigismember(&pending, signals[k]) == 1;
  return any;
}

/* Signals stay pending until here, so none is missed. */
static void hold(const char *path)
{
  const struct timespec some = {.tv_nsec = 10 * 1000 * 1000};
  char open_path[PATH];
  sigset_t set;
  sigset_t before;
  sigemptyset(&set);
  for (int k = 0; k < SIGNALS; k++)
    sigaddset(&set, signals[k]);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  snprintf(open_path, sizeof open_path, "%s.open", path);
  FILE *f = fopen(path, "wx");
  if (f != NULL) {
    fprintf(f, "%ld\n", (long)getpid());
    fclose(f);
    while (access(open_path, F_OK) != 0 && !is_any_pending())
      nanosleep(&some, NULL);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void end_or_hold(void)
{
  const char *path = getenv("HOLD");
  if (path == NULL)
    raise(SIGKILL);
  else
    hold(path);
}

static bool ends_in(const char *path, const char *end)
{
  size_t all = strlen(path);
  size_t some = end != NULL ? strlen(end) : 0;
  return some > 0 && all >= some && strcmp(path + all - some, end) == 0;
}

static void come_to(const char *name)
{
  static atomic_long calls;
  const char *list = getenv("KILL_COUNT");
  const char *last = getenv("KILL_AT");
  const char *pause = getenv("STOP_AT");
  long number = atomic_fetch_add(&calls, 1) + 1;
  if (pause != NULL && number == strtol(pause, NULL, 10))
    raise(SIGSTOP);
  if (last != NULL &&
      (number == strtol(last, NULL, 10) || strcmp(name, last) == 0))
    end_or_hold();
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
  int failed = next(from, name, to, final);
  if (failed == 0 && ends_in(final, getenv("KILL_AFTER")))
    end_or_hold();
  return failed;
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
