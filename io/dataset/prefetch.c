/* prefetch.c - reads announced values before they are asked for
 * SPDX-License-Identifier: MIT */
#include "io/dataset/prefetch.h"

#include "core/memory.h"
#include "io/dataset/cache_block.h"
#include "io/dataset/in_place.h"

#include <stdlib.h>

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
  bool good = th_prefetch_thread_pop(o->ahead, &fetch, &seconds) == TH_OK;
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
  if (th_prefetch_thread_full(o->ahead) ||
      !th_shard_dense_place(place->at.shard, &fetch))
    return false;
  if (fetch.in_place)
    th_in_place_advise(place, &fetch);
  th_prefetch_thread_push(o->ahead, &fetch);
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
  th_prefetch_thread_go(o->ahead);
}

static bool under_way(struct th_dataset *d, struct th_range range,
                      int64_t group, bool keep)
{
  struct th_cache_block_place place;
  struct th_error ignored = {0};
  if (th_prefetch_thread_empty(d->prefetch.ahead) ||
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
  while (!th_prefetch_thread_empty(o->ahead))
    take_over(d);
  o->count = 0;
  o->next = 0;
}

void th_prefetch_free(struct th_prefetch *prefetch)
{
  th_prefetch_thread_free(prefetch->ahead);
  free(prefetch->wanted);
  *prefetch = (struct th_prefetch){0};
}
