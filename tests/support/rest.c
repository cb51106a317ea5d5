/* rest.c - preloaded, it lets ranks that wait for others sleep where the
 * machine is busy, and where the wait is long
 *
 * An MPI library that waits asks again and again, and gives its core away by
 * sched_yield in between. Where other programs compute, each of these calls
 * costs it a turn of all of them, and a sum over the ranks milliseconds. Who
 * sleeps for a moment is next when it wakes. So calls that follow one that took
 * long sleep in place of it. So do those of a wait that has lasted long, since
 * one rank at work, or held, would keep the cores of all others busy: each for
 * a part of that time. A wait is calls with nothing between them but a look.
 * SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LONG = 1000000, NAP = 50000, SLACK = 1000 }; /* nanoseconds */
enum { PATIENCE = 100000, LOOK = 5000, LONGEST = 1000000 };
enum { NAPS = 300, PART = 20 };

int sched_yield(void);

static _Thread_local int naps;
static _Thread_local int64_t began; /* the wait */
static _Thread_local int64_t ended; /* its last call */

static int64_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000 + t.tv_nsec;
}

static int sleep_for(int64_t time)
{
  time = time < NAP ? NAP : time > LONGEST ? LONGEST : time;
  const struct timespec nap = {.tv_nsec = (long)time};
  static _Thread_local int is_exact;
  if (!is_exact)
    is_exact = prctl(PR_SET_TIMERSLACK, SLACK, 0, 0, 0) == 0;
  return nanosleep(&nap, NULL);
}

int sched_yield(void)
{
  int64_t start = now();
  int rc = 0;
  if (start - ended > LOOK)
    began = start;
  if (naps > 0 || start - began > PATIENCE) {
    naps -= naps > 0;
    rc = sleep_for((start - began) / PART);
    ended = now();
  } else {
    rc = (int)syscall(SYS_sched_yield);
    ended = now();
    naps = ended - start > LONG ? NAPS : 0;
  }
  return rc;
}
