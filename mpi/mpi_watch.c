/* mpi_watch.c - what a rank does in its team: a note when it takes too long
 * SPDX-License-Identifier: MIT */
#include "mpi/mpi_watch.h"

#include "ranks/comm.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HOST = 64 };

/* The mutex guards all that changes. */
struct th_mpi_watch {
  int rank;
  double limit; /* seconds */
  char host[HOST];
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t news; /* end was set */
  bool end;
  bool inside;             /* the last operation goes on */
  struct th_mpi_call last; /* operation */
  double since;            /* th_comm_clock: it was entered or left */
};

static void print_waiting(const struct th_mpi_watch *watch, double seconds)
{
  const struct th_mpi_call *call = &watch->last;
  char text[TH_MPI_CALL_TEXT];
  th_mpi_call_describe(call, text);
  if (watch->inside)
    fprintf(
        stderr,
        "note: rank %d on %s has waited for %.0f s in %s, operation %" PRId64
        " of %d ranks\n",
        watch->rank, watch->host, seconds, text, call->number, call->ranks);
  else if (call->number == 0)
    fprintf(stderr,
            "note: rank %d on %s has been at work for %.0f s since the watch "
            "began\n",
            watch->rank, watch->host, seconds);
  else
    fprintf(stderr,
            "note: rank %d on %s has been at work for %.0f s since %s, "
            "operation %" PRId64 " of %d ranks\n",
            watch->rank, watch->host, seconds, text, call->number, call->ranks);
}

static struct timespec moment(double clock)
{
  return (struct timespec){.tv_sec = (time_t)clock,
                           .tv_nsec = (long)((clock - floor(clock)) * 1e9)};
}

/* Told again after each further limit. */
static void *watch_on(void *self)
{
  struct th_mpi_watch *watch = self;
  double told = 0;
  pthread_mutex_lock(&watch->mutex);
  while (!watch->end) {
    double now = th_comm_clock();
    if (now >= fmax(watch->since, told) + watch->limit) {
      print_waiting(watch, now - watch->since);
      told = now;
    }
    struct timespec next = moment(fmax(watch->since, told) + watch->limit);
    pthread_cond_timedwait(&watch->news, &watch->mutex, &next);
  }
  pthread_mutex_unlock(&watch->mutex);
  return NULL;
}

/* With signals blocked, since the main thread handles them. */
static bool start_watcher(struct th_mpi_watch *watch)
{
  pthread_condattr_t clock;
  sigset_t all;
  sigset_t before;
  pthread_mutex_init(&watch->mutex, NULL);
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&watch->news, &clock);
  pthread_condattr_destroy(&clock);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool good = pthread_create(&watch->thread, NULL, watch_on, watch) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return good;
}

struct th_mpi_watch *th_mpi_watch_start(int rank, double seconds)
{
  struct th_mpi_watch *watch = calloc(1, sizeof *watch);
  if (watch == NULL)
    return NULL;
  watch->rank = rank;
  watch->limit = seconds;
  watch->since = th_comm_clock();
  if (gethostname(watch->host, sizeof watch->host - 1) != 0)
    strcpy(watch->host, "this host");
  if (start_watcher(watch))
    return watch;
  free(watch);
  return NULL;
}

void th_mpi_watch_free(struct th_mpi_watch *watch)
{
  if (watch == NULL)
    return;
  pthread_mutex_lock(&watch->mutex);
  watch->end = true;
  pthread_cond_signal(&watch->news);
  pthread_mutex_unlock(&watch->mutex);
  pthread_join(watch->thread, NULL);
  pthread_cond_destroy(&watch->news);
  pthread_mutex_destroy(&watch->mutex);
  free(watch);
}

void th_mpi_watch_enter(struct th_mpi_watch *watch,
                        const struct th_mpi_call *call)
{
  if (watch == NULL)
    return;
  pthread_mutex_lock(&watch->mutex);
  watch->last = *call;
  watch->inside = true;
  watch->since = th_comm_clock();
  pthread_mutex_unlock(&watch->mutex);
}

void th_mpi_watch_leave(struct th_mpi_watch *watch)
{
  if (watch == NULL)
    return;
  pthread_mutex_lock(&watch->mutex);
  watch->inside = false;
  watch->since = th_comm_clock();
  pthread_mutex_unlock(&watch->mutex);
}
