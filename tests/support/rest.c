/* rest.c - preloaded, it lets ranks that wait for others sleep where the
 * machine is busy
 *
 * An MPI library that waits asks again and again, and gives its core away by
 * sched_yield in between. Where other programs compute, each of these calls
 * costs it a turn of all of them, and a sum over the ranks milliseconds. Who
 * sleeps for a moment is next when it wakes. So calls that follow one that took
 * long sleep in place of it.
 * SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LONG = 1000000, NAP = 20000, SLACK = 1000 }; /* nanoseconds */
enum { NAPS = 300 };

int sched_yield(void);

static _Thread_local int naps;

static int64_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000 + t.tv_nsec;
}

int sched_yield(void)
{
  const struct timespec nap = {.tv_nsec = NAP};
  if (naps > 0) {
    naps--;
    return nanosleep(&nap, NULL);
  }
  int64_t began = now();
  long rc = syscall(SYS_sched_yield);
  if (now() - began > LONG) {
    prctl(PR_SET_TIMERSLACK, SLACK, 0, 0, 0);
    naps = NAPS;
  }
  return (int)rc;
}
