/* mpi_call.c - an operation of a team: that MPI did it, that rank 0 is in the
 * same one, a note when it takes too long
 * SPDX-License-Identifier: MIT */
#include "mpi/mpi_call.h"

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

enum { TEXT = 128 };

struct kind {
  const char *name;
  const char *unit; /* NULL: it has no count */
};

static const struct kind kinds[] = {
    [TH_MPI_SUM] = {"a sum", "numbers"},
    [TH_MPI_MAX] = {"a maximum", "numbers"},
    [TH_MPI_PREFIX] = {"a sum over lower ranks", "numbers"},
    [TH_MPI_BCAST] = {"a broadcast", "bytes"},
    [TH_MPI_ALLTOALL] = {"one number from every rank to each", "ranks"},
    [TH_MPI_EXCHANGE] = {"an exchange between all ranks", NULL},
    [TH_MPI_JOIN] = {"a collection of the parts of all ranks", "bytes"},
    [TH_MPI_COLLECT] = {"a collection on rank 0", "bytes"},
    [TH_MPI_SUM_START] = {"the start of a sum", "numbers"},
    [TH_MPI_SUM_FINISH] = {"the end of a sum", NULL},
    [TH_MPI_BARRIER] = {"a barrier", NULL},
    [TH_MPI_SHARE] = {"shared memory", "bytes"},
    [TH_MPI_SPLIT] = {"a split into teams", NULL},
    [TH_MPI_SOLVE] = {"a dense solution", NULL},
};

/* "a sum of 8 numbers" */
static void describe(const struct th_mpi_call *call, char text[TEXT])
{
  const struct kind *kind = &kinds[call->kind];
  if (kind->unit == NULL)
    snprintf(text, TEXT, "%s", kind->name);
  else
    snprintf(text, TEXT, "%s of %" PRId64 " %s", kind->name, call->count,
             kind->unit);
}

_Noreturn void th_mpi_call_fail(const char *what, int code)
{
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  fprintf(stderr, "thresher: %s failed: %s\n", what, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
  abort();
}

void th_mpi_call_must(int code, const char *what)
{
  if (code != MPI_SUCCESS)
    th_mpi_call_fail(what, code);
}

/* Exchanges have other sizes on every rank, and count 0. */
void th_mpi_call_compare(MPI_Comm extra, const struct th_mpi_call *call)
{
  int64_t here[3] = {call->kind, call->count, call->root};
  int64_t there[3] = {here[0], here[1], here[2]};
  char mine[TEXT];
  char theirs[TEXT];
  int rank = 0;
  th_mpi_call_must(MPI_Comm_rank(extra, &rank), "MPI_Comm_rank");
  th_mpi_call_must(MPI_Bcast(there, 3, MPI_INT64_T, 0, extra), "MPI_Bcast");
  if (memcmp(here, there, sizeof here) == 0)
    return;
  struct th_mpi_call other = {.kind = (enum th_mpi_kind)there[0],
                              .count = there[1]};
  describe(call, mine);
  describe(&other, theirs);
  fprintf(stderr,
          "thresher: rank %d of a team enters %s from rank %" PRId64
          ", and rank 0 %s from rank %" PRId64 ", at operation %" PRId64 "\n",
          rank, mine, here[2], theirs, there[2], call->number);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* --- A note when an operation takes too long ------------------------------ */

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
  char text[TEXT];
  describe(call, text);
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

struct th_mpi_watch *th_mpi_call_watch(int rank, double seconds)
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

void th_mpi_call_unwatch(struct th_mpi_watch *watch)
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

void th_mpi_call_enter(struct th_mpi_watch *watch,
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

void th_mpi_call_leave(struct th_mpi_watch *watch)
{
  if (watch == NULL)
    return;
  pthread_mutex_lock(&watch->mutex);
  watch->inside = false;
  watch->since = th_comm_clock();
  pthread_mutex_unlock(&watch->mutex);
}
