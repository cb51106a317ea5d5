/* prefetch.c - reads announced values before they are asked for
 * SPDX-License-Identifier: MIT */
#include "io/dataset/prefetch.h"

#include "base/memory.h"
#include "io/dataset/cache_block.h"
#include "io/dataset/in_place.h"
#include "io/dataset/run_fetch.h"
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

static void prefetch_thread_free(struct th_prefetch_thread *ahead)
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

/* Whether the queue has no place for another read; whether no read is left to
 * pop. */
static bool prefetch_thread_full(const struct th_prefetch_thread *ahead)
{
  return ahead->pushed - ahead->popped >= PLACES;
}

static bool prefetch_thread_empty(const struct th_prefetch_thread *ahead)
{
  return ahead->pushed == ahead->popped;
}

/* Queue a read. It begins at the next prefetch_thread_go at the latest. */
static void prefetch_thread_push(struct th_prefetch_thread *ahead,
                                 const struct th_fetch *fetch)
{
  *place_of(ahead, ahead->pushed) = (struct place){.fetch = *fetch};
  ahead->pushed++;
}

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
                                     struct th_fetch *fetch, double *seconds)
{
  struct place *place = place_of(ahead, ahead->popped);
  if (ahead->threaded) {
    prefetch_thread_go(ahead);
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

/* Bytes of a run of single attributes below which queueing it costs more than
 * reading it when it is asked for. */
enum { LEAST_ALONE = 4096 };

/* Take over the oldest read. If it failed, its values count as absent. They are
 * read again when they are asked for, and the error is reported then. */
static void take_over(struct th_dataset *d)
{
  struct th_prefetch *o = &d->prefetch;
  struct th_fetch fetch;
  double seconds = 0;
  bool good = prefetch_thread_pop(o->ahead, &fetch, &seconds) == TH_OK;
  struct th_cache_block *unit = fetch.unit;
  enum th_presence there = fetch.in_place ? TH_IN_PLACE : TH_PRESENT;
  th_cache_block_mark(unit, fetch.wanted, good ? there : TH_ABSENT);
  d->store.seconds += seconds;
  if (good)
    th_cache_block_count(d, &fetch);
  if (--unit->reads == 0)
    o->bytes -= unit->bytes;
  th_cache_unpin(unit->cache, unit->key);
}

/* Queue the read of a part of a unit. False: the queue is full, or the place in
 * the file is not known. */
static bool queue(struct th_dataset *d,
                  const struct th_cache_block_place *place,
                  struct th_range part)
{
  struct th_prefetch *o = &d->prefetch;
  struct th_cache_block *unit = place->unit;
  struct th_fetch fetch = th_cache_block_fetch(place, part);
  fetch.small = place->cache == &d->runs;
  if (prefetch_thread_full(o->ahead) ||
      !th_shard_dense_place(place->at.shard, &fetch))
    return false;
  if (fetch.in_place)
    th_in_place_advise(place, &fetch);
  prefetch_thread_push(o->ahead, &fetch);
  th_cache_block_mark(unit, part, TH_QUEUED);
  th_cache_pin(unit->cache, unit->key);
  if (unit->reads++ == 0)
    o->bytes += unit->bytes;
  return true;
}

/* Queue the missing attributes of a slab's next unit, and step over it. False:
 * the window is full, or what follows cannot be read ahead. */
static bool queue_unit(struct th_dataset *d, const struct th_wanted *wanted)
{
  struct th_prefetch *o = &d->prefetch;
  struct th_cache_block_place place;
  struct th_error ignored = {0};
  if (th_cache_block_find(d, o->attribute, wanted->group, wanted->keep, &place,
                          &ignored) != TH_OK)
    return false;
  struct th_range rest = {o->attribute, wanted->range.last};
  rest = th_range_intersect(rest, place.attributes);
  bool idle = place.unit == NULL || place.unit->reads == 0;
  if (place.unit != NULL) {
    struct th_range absent = th_cache_block_part(place.unit, rest, TH_ABSENT);
    if (absent.first == absent.last) {
      o->attribute = rest.last;
      return true;
    }
  }
  if (place.at.shard->map.file < 0 ||
      (idle && o->bytes + place.bytes > o->window))
    return false;
  if (place.unit == NULL &&
      th_cache_block_make(d, &place, rest, &ignored) != TH_OK)
    return false;
  while (rest.first < rest.last) {
    struct th_range absent = th_cache_block_part(place.unit, rest, TH_ABSENT);
    if (absent.first < absent.last && !queue(d, &place, absent))
      return false;
    rest.first = absent.last;
    o->attribute = absent.last;
  }
  return true;
}

/* Queue wanted slabs until the window is full. */
static void fill(struct th_dataset *d)
{
  struct th_prefetch *o = &d->prefetch;
  while (o->next < o->count && queue_unit(d, &o->wanted[o->next])) {
    if (o->attribute < o->wanted[o->next].range.last)
      continue;
    o->next++;
    if (o->next < o->count)
      o->attribute = o->wanted[o->next].range.first;
  }
  prefetch_thread_go(o->ahead);
}

static bool under_way(struct th_dataset *d, struct th_range range,
                      int64_t group, bool keep)
{
  struct th_cache_block_place place;
  struct th_error ignored = {0};
  if (prefetch_thread_empty(d->prefetch.ahead) ||
      th_cache_block_find(d, range.first, group, keep, &place, &ignored) !=
          TH_OK ||
      place.unit == NULL)
    return false;
  struct th_range queued = th_cache_block_part(
      place.unit, th_range_intersect(range, place.attributes), TH_QUEUED);
  return queued.first < queued.last;
}

void th_prefetch_wait(struct th_dataset *d, struct th_range range,
                      int64_t group, bool keep)
{
  if (d->prefetch.ahead == NULL)
    return;
  do {
    while (under_way(d, range, group, keep))
      take_over(d);
    fill(d); /* the room that became free may be for this very range */
  } while (under_way(d, range, group, keep));
}

void th_dataset_announce(struct th_store *store, struct th_rows rows,
                         struct th_range range, bool keep)
{
  struct th_dataset *d = (struct th_dataset *)store;
  struct th_prefetch *o = &d->prefetch;
  struct th_error ignored = {0};
  if (o->ahead == NULL || range.first >= range.last ||
      (keep && th_dataset_run_bytes(d) < LEAST_ALONE) ||
      th_grow((void **)&o->wanted, &o->capacity, o->count + 1,
              sizeof *o->wanted, "what to read ahead", &ignored) != TH_OK)
    return;
  int64_t group = th_row_groups_group_of(&d->info.row_groups, rows.first);
  o->wanted[o->count++] = (struct th_wanted){group, range, keep};
  if (o->next == o->count - 1)
    o->attribute = range.first;
  fill(d);
}

void th_dataset_forget(struct th_store *store)
{
  struct th_dataset *d = (struct th_dataset *)store;
  struct th_prefetch *o = &d->prefetch;
  if (o->ahead == NULL)
    return;
  while (!prefetch_thread_empty(o->ahead))
    take_over(d);
  o->count = 0;
  o->next = 0;
}

void th_prefetch_free(struct th_prefetch *prefetch)
{
  prefetch_thread_free(prefetch->ahead);
  free(prefetch->wanted);
  *prefetch = (struct th_prefetch){0};
}
