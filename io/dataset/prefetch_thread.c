/* prefetch_thread.c - carries out reads in order, in a thread of its own
 * SPDX-License-Identifier: MIT */
#include "io/dataset/prefetch_thread.h"

#include "core/comm.h"
#include "core/memory.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum {
  PLACES = 2048,
  ADVISED = 16 /* reads that the kernel is advised of before they begin */
};

struct place {
  struct th_fetch fetch;
  th_status status;
  double seconds;
};

/* A ring: numbers count up, the place of number k is k mod PLACES. The mutex
 * guards ready, done and stop; the rest belongs to one thread each. */
struct th_prefetch_thread {
  bool threaded;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t work; /* ready has grown, or stop */
  pthread_cond_t news; /* done has grown */
  int64_t ready;       /* reads handed to the thread; the owner writes it */
  int64_t done;        /* reads carried out */
  bool stop;
  int64_t pushed;  /* used by the owner */
  int64_t popped;  /* owner's */
  int64_t advised; /* used by the thread */
  struct place place[PLACES];
};

static struct place *place_of(struct th_prefetch_thread *ahead, int64_t number)
{
  return &ahead->place[number % PLACES];
}

static void carry_out(struct place *place)
{
  struct th_error ignored = {0};
  double began = th_comm_clock();
  place->status = th_run_fetch_read(&place->fetch, &ignored);
  place->seconds = th_comm_clock() - began;
}

/* The number of the next read and the number of ready reads; -1: stop. */
static int64_t next_read(struct th_prefetch_thread *ahead, int64_t before,
                         int64_t *ready)
{
  pthread_mutex_lock(&ahead->mutex);
  ahead->done = before;
  pthread_cond_signal(&ahead->news);
  while (!ahead->stop && ahead->done == ahead->ready)
    pthread_cond_wait(&ahead->work, &ahead->mutex);
  int64_t next = ahead->stop ? -1 : ahead->done;
  *ready = ahead->ready;
  pthread_mutex_unlock(&ahead->mutex);
  return next;
}

/* Advise the kernel of coming reads, since a disk can work on several at once.
 */
static void advise(struct th_prefetch_thread *ahead, int64_t next,
                   int64_t ready)
{
  int64_t last = next + ADVISED < ready ? next + ADVISED : ready;
  if (ahead->advised < next)
    ahead->advised = next;
  for (; ahead->advised < last; ahead->advised++) {
    const struct th_fetch *fetch = &place_of(ahead, ahead->advised)->fetch;
    if (!fetch->in_place)
      th_run_fetch_advise(fetch);
  }
}

static void *read_all(void *self)
{
  struct th_prefetch_thread *ahead = self;
  int64_t ready = 0;
  int64_t next = next_read(ahead, 0, &ready);
  while (next >= 0) {
    struct place *place = place_of(ahead, next);
    advise(ahead, next, ready);
    if (!place->fetch.small && !place->fetch.in_place)
      carry_out(place);
    next = next_read(ahead, next + 1, &ready);
  }
  return NULL;
}

/* Start the thread with signals blocked, since the main thread handles them. */
static bool start_thread(struct th_prefetch_thread *ahead)
{
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
    return false;
  bool good = pthread_create(&ahead->thread, NULL, read_all, ahead) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return good;
}

th_status th_prefetch_thread_create(struct th_prefetch_thread **ahead,
                                    bool threaded, struct th_error *err)
{
  struct th_prefetch_thread *made = NULL;
  th_status rc = TH_NEW(&made, 1, "reading ahead", err);
  if (rc != TH_OK)
    return rc;
  pthread_mutex_init(&made->mutex, NULL);
  pthread_cond_init(&made->work, NULL);
  pthread_cond_init(&made->news, NULL);
  made->threaded = threaded && start_thread(made);
  *ahead = made;
  return TH_OK;
}

void th_prefetch_thread_free(struct th_prefetch_thread *ahead)
{
  if (ahead == NULL)
    return;
  if (ahead->threaded) {
    pthread_mutex_lock(&ahead->mutex);
    ahead->stop = true;
    pthread_cond_signal(&ahead->work);
    pthread_mutex_unlock(&ahead->mutex);
    pthread_join(ahead->thread, NULL);
  }
  pthread_mutex_destroy(&ahead->mutex);
  pthread_cond_destroy(&ahead->work);
  pthread_cond_destroy(&ahead->news);
  free(ahead);
}

bool th_prefetch_thread_full(const struct th_prefetch_thread *ahead)
{
  return ahead->pushed - ahead->popped >= PLACES;
}

bool th_prefetch_thread_empty(const struct th_prefetch_thread *ahead)
{
  return ahead->pushed == ahead->popped;
}

void th_prefetch_thread_push(struct th_prefetch_thread *ahead,
                             const struct th_fetch *fetch)
{
  *place_of(ahead, ahead->pushed) = (struct place){.fetch = *fetch};
  ahead->pushed++;
}

void th_prefetch_thread_go(struct th_prefetch_thread *ahead)
{
  if (!ahead->threaded || ahead->ready == ahead->pushed)
    return;
  pthread_mutex_lock(&ahead->mutex);
  ahead->ready = ahead->pushed;
  pthread_cond_signal(&ahead->work);
  pthread_mutex_unlock(&ahead->mutex);
}

th_status th_prefetch_thread_pop(struct th_prefetch_thread *ahead,
                                 struct th_fetch *fetch, double *seconds)
{
  struct place *place = place_of(ahead, ahead->popped);
  if (ahead->threaded) {
    th_prefetch_thread_go(ahead);
    pthread_mutex_lock(&ahead->mutex);
    while (ahead->done <= ahead->popped)
      pthread_cond_wait(&ahead->news, &ahead->mutex);
    pthread_mutex_unlock(&ahead->mutex);
  }
  if ((!ahead->threaded || place->fetch.small) && !place->fetch.in_place)
    carry_out(place);
  ahead->popped++;
  *fetch = place->fetch;
  *seconds = place->seconds;
  return place->status;
}
