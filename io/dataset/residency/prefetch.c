/* prefetch.c - reads announced values before they are asked for
 * SPDX-License-Identifier: MIT */
#include "io/dataset/residency/prefetch.h"

#include "base/memory.h"
#include "ranks/comm.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* --- Carries out reads in order, in a thread of its own ------------------- */

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

static struct place *place_at(struct th_prefetch_thread *ahead, int64_t number)
{
  return &ahead->place[number % PLACES];
}

/* near: of the owner, for small ones; NULL in the thread, which has none. */
static void carry_out(struct place *place, struct th_near *near)
{
  struct th_error ignored = {0};
  struct th_fetch *fetch = &place->fetch;
  double began = th_comm_clock();
  place->status = fetch->small != NULL
                      ? th_shard_dense_read(fetch->small, near, fetch, &ignored)
                      : th_shard_fetch_read(fetch, &ignored);
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
static void advise_reads(struct th_prefetch_thread *ahead, int64_t next,
                         int64_t ready)
{
  int64_t last = next + ADVISED < ready ? next + ADVISED : ready;
  if (ahead->advised < next)
    ahead->advised = next;
  for (; ahead->advised < last; ahead->advised++) {
    const struct th_fetch *fetch = &place_at(ahead, ahead->advised)->fetch;
    if (!fetch->in_place)
      th_shard_fetch_advise(fetch);
  }
}

static void *read_queue(void *self)
{
  struct th_prefetch_thread *ahead = self;
  int64_t ready = 0;
  int64_t next = next_read(ahead, 0, &ready);
  while (next >= 0) {
    struct place *place = place_at(ahead, next);
    advise_reads(ahead, next, ready);
    if (place->fetch.small == NULL && !place->fetch.in_place)
      carry_out(place, NULL);
    next = next_read(ahead, next + 1, &ready);
  }
  return NULL;
}

/* Start the thread with signals blocked, since the main thread handles them. */
static bool start_reader(struct th_prefetch_thread *ahead)
{
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
    return false;
  bool good = pthread_create(&ahead->thread, NULL, read_queue, ahead) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return good;
}

th_status th_prefetch_begin(struct th_prefetch *prefetch, int64_t window,
                            bool threaded, struct th_error *err)
{
  struct th_prefetch_thread *made = NULL;
  prefetch->window = window;
  if (prefetch->ahead != NULL)
    return TH_OK;
  th_status rc = TH_NEW(&made, 1, "reading ahead", err);
  if (rc != TH_OK)
    return rc;
  pthread_mutex_init(&made->mutex, NULL);
  pthread_cond_init(&made->work, NULL);
  pthread_cond_init(&made->news, NULL);
  made->threaded = threaded && start_reader(made);
  prefetch->ahead = made;
  return TH_OK;
}

static void thread_free(struct th_prefetch_thread *ahead)
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

/* True if no read is left to pop. */
static bool prefetch_thread_empty(const struct th_prefetch_thread *ahead)
{
  return ahead->pushed == ahead->popped;
}

/* Reads that were queued begin now at the latest. */
static void prefetch_thread_go(struct th_prefetch_thread *ahead)
{
  if (!ahead->threaded || ahead->ready == ahead->pushed)
    return;
  pthread_mutex_lock(&ahead->mutex);
  ahead->ready = ahead->pushed;
  pthread_cond_signal(&ahead->work);
  pthread_mutex_unlock(&ahead->mutex);
}

/* Wait for the oldest read. *fetch receives the request, *seconds its duration.
 * The cause of a failure is not reported, as the values are read again on
 * request. */
static th_status prefetch_thread_pop(struct th_prefetch_thread *ahead,
                                     struct th_near *near,
                                     struct th_fetch *fetch, double *seconds)
{
  struct place *place = place_at(ahead, ahead->popped);
  if (ahead->threaded) {
    prefetch_thread_go(ahead);
    pthread_mutex_lock(&ahead->mutex);
    while (ahead->done <= ahead->popped)
      pthread_cond_wait(&ahead->news, &ahead->mutex);
    pthread_mutex_unlock(&ahead->mutex);
  }
  bool own = !ahead->threaded || place->fetch.small != NULL;
  if (own && !place->fetch.in_place)
    carry_out(place, near);
  ahead->popped++;
  *fetch = place->fetch;
  *seconds = place->seconds;
  return place->status;
}

/* --- What is queued, and when it is waited for ---------------------------- */

/* Bytes of a run of single attributes below which queueing it costs more than
 * reading it when it is asked for. */
enum { LEAST_ALONE = 4096 };

/* Take over the oldest read. If it failed, its values count as absent. They are
 * read again when they are asked for, and the error is reported then. */
static void take_over(struct th_prefetch *o, struct th_residency *r)
{
  struct th_fetch fetch;
  double seconds = 0;
  bool good =
      prefetch_thread_pop(o->ahead, &r->near, &fetch, &seconds) == TH_OK;
  struct th_unit *unit = fetch.unit;
  enum th_presence there = fetch.in_place ? TH_IN_PLACE : TH_PRESENT;
  th_residency_mark(unit, fetch.wanted, good ? there : TH_ABSENT);
  r->store->seconds += seconds;
  if (good)
    th_residency_account(r, &fetch);
  if (--unit->reads == 0)
    o->bytes -= unit->bytes;
  th_cache_unpin(unit->cache, unit->key);
}

/* Queue the read of a part of a unit. False: the queue is full, or the place in
 * the file is not known. */
static bool queue(struct th_prefetch *o, struct th_residency *r,
                  const struct th_unit_place *place, struct th_range part)
{
  struct th_unit *unit = place->unit;
  struct th_fetch fetch = th_residency_fetch(place, part);
  if (place->cache == &r->runs)
    fetch.small = place->at.shard;
  if (o->ahead->pushed - o->ahead->popped >= PLACES ||
      !th_shard_dense_place(place->at.shard, &fetch))
    return false;
  if (fetch.in_place)
    th_residency_advise(place, &fetch);
  *place_at(o->ahead, o->ahead->pushed++) = (struct place){.fetch = fetch};
  th_residency_mark(unit, part, TH_QUEUED);
  th_cache_pin(unit->cache, unit->key);
  if (unit->reads++ == 0)
    o->bytes += unit->bytes;
  return true;
}

/* Queue the missing attributes of a slab's next unit, and step over it. False:
 * the window is full, or what follows cannot be read ahead. */
static bool queue_unit(struct th_prefetch *o, struct th_residency *r,
                       const struct th_wanted *wanted)
{
  struct th_unit_place place;
  struct th_error ignored = {0};
  if (th_residency_find(r, o->attribute, wanted->group, wanted->keep, &place,
                        &ignored) != TH_OK)
    return false;
  struct th_range rest = {o->attribute, wanted->range.last};
  rest = th_range_intersect(rest, place.attributes);
  bool idle = place.unit == NULL || place.unit->reads == 0;
  if (place.unit != NULL) {
    struct th_range absent = th_residency_part(place.unit, rest, TH_ABSENT);
    if (absent.first == absent.last) {
      o->attribute = rest.last;
      return true;
    }
  }
  if (place.at.shard->map.file < 0 ||
      (idle && o->bytes + place.bytes > o->window))
    return false;
  if (place.unit == NULL &&
      th_residency_make(r, &place, rest, &ignored) != TH_OK)
    return false;
  while (rest.first < rest.last) {
    struct th_range absent = th_residency_part(place.unit, rest, TH_ABSENT);
    if (absent.first < absent.last && !queue(o, r, &place, absent))
      return false;
    rest.first = absent.last;
    o->attribute = absent.last;
  }
  return true;
}

/* Queue wanted slabs until the window is full. */
static void queue_wanted(struct th_prefetch *o, struct th_residency *r)
{
  while (o->next < o->count && queue_unit(o, r, &o->wanted[o->next])) {
    if (o->attribute < o->wanted[o->next].range.last)
      continue;
    o->next++;
    if (o->next < o->count)
      o->attribute = o->wanted[o->next].range.first;
  }
  prefetch_thread_go(o->ahead);
}

static bool under_way(const struct th_prefetch *o, struct th_residency *r,
                      const struct th_wanted *wanted)
{
  struct th_unit_place place;
  struct th_error ignored = {0};
  if (prefetch_thread_empty(o->ahead) ||
      th_residency_find(r, wanted->range.first, wanted->group, wanted->keep,
                        &place, &ignored) != TH_OK ||
      place.unit == NULL)
    return false;
  struct th_range queued = th_residency_part(
      place.unit, th_range_intersect(wanted->range, place.attributes),
      TH_QUEUED);
  return queued.first < queued.last;
}

void th_prefetch_wait(struct th_prefetch *prefetch,
                      struct th_residency *residency,
                      const struct th_wanted *wanted)
{
  if (prefetch->ahead == NULL)
    return;
  do {
    while (under_way(prefetch, residency, wanted))
      take_over(prefetch, residency);
    /* the room that became free may be for this very range */
    queue_wanted(prefetch, residency);
  } while (under_way(prefetch, residency, wanted));
}

void th_prefetch_announce(struct th_prefetch *prefetch,
                          struct th_residency *residency,
                          const struct th_wanted *wanted)
{
  struct th_prefetch *o = prefetch;
  struct th_error ignored = {0};
  if (o->ahead == NULL || wanted->range.first >= wanted->range.last ||
      (wanted->keep && th_residency_run_bytes(residency) < LEAST_ALONE) ||
      th_grow((void **)&o->wanted, &o->capacity, o->count + 1,
              sizeof *o->wanted, "what to read ahead", &ignored) != TH_OK)
    return;
  o->wanted[o->count++] = *wanted;
  if (o->next == o->count - 1)
    o->attribute = wanted->range.first;
  queue_wanted(o, residency);
}

void th_prefetch_forget(struct th_prefetch *prefetch,
                        struct th_residency *residency)
{
  if (prefetch->ahead == NULL)
    return;
  while (!prefetch_thread_empty(prefetch->ahead))
    take_over(prefetch, residency);
  prefetch->count = 0;
  prefetch->next = 0;
}

void th_prefetch_free(struct th_prefetch *prefetch)
{
  thread_free(prefetch->ahead);
  free(prefetch->wanted);
  *prefetch = (struct th_prefetch){0};
}
