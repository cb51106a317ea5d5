/* cache_block.c - units of dense shards in memory
 * SPDX-License-Identifier: MIT */
#include "io/dataset/cache_block.h"

#include "io/dataset/in_place.h"

#include <string.h>

enum { ALIGNMENT = 64, HEAD = 128 };
_Static_assert(sizeof(struct th_cache_block) <= HEAD && HEAD % ALIGNMENT == 0,
               "values follow the unit");

static int64_t align(int64_t bytes)
{
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static int64_t count_of(struct th_range range)
{
  return range.last - range.first;
}

/* Bytes for the unit, its values, checksums and states, one after the other. */
static int64_t room_bytes(const struct th_shard_read *shard, int64_t count)
{
  return HEAD + align(count * shard->map.run) +
         align(count * (int64_t)sizeof(uint64_t)) + align(count);
}

/* May a kept run have a unit of its own? Not if it is in another unit already,
 * so that nothing is read twice. */
static bool may_be_alone(const struct th_cache_block *unit, int64_t attribute)
{
  return unit == NULL ||
         unit->state[attribute - unit->attributes.first] == TH_ABSENT;
}

/* Note a kept run that is not in memory. Are more of them missed than the row
 * group has units? Then units in place save copies; few runs are read quicker
 * from copies that lie close together. */
static bool many_missed(struct th_dataset *d, const struct th_place *at,
                        int64_t run)
{
  struct th_missed *missed = &d->missed;
  if (at->group != missed->group)
    missed->count = 0;
  missed->group = at->group;
  missed->count += run != missed->run;
  missed->run = run;
  int64_t units = d->store.shape.attributes / at->shard->unit / d->ranks;
  return missed->count > units;
}

/* Is all of a unit in place, or would be, and is it going to stay while a kept
 * run of it is wanted? The system is asked once for several requests. */
static bool serves(struct th_dataset *d,
                   const struct th_cache_block_place *place)
{
  if (d->missed.elsewhere == place->key || (!d->once && !th_dataset_all_fit(d)))
    return false;
  bool there = place->unit != NULL
                   ? place->unit->mapped
                   : th_in_place_values(d, place, place->attributes) != NULL;
  d->missed.elsewhere = there ? -1 : place->key;
  return there;
}

/* Turn to the unit of a kept run alone, unless the unit around it serves. */
static void turn_to_run(struct th_dataset *d, int64_t attribute, int64_t group,
                        struct th_cache_block_place *place)
{
  int64_t key = th_dataset_key(d, attribute, group);
  struct th_cache_block *unit = th_cache_find(&d->runs, key);
  if (unit == NULL && d->mapped != TH_MAPPED_NEVER &&
      many_missed(d, &place->at, key) && serves(d, place))
    return;
  place->attributes = (struct th_range){attribute, attribute + 1};
  place->cache = &d->runs;
  place->key = key;
  place->unit = unit;
}

th_status th_cache_block_find(struct th_dataset *d, int64_t attribute,
                              int64_t group, bool keep,
                              struct th_cache_block_place *place,
                              struct th_error *err)
{
  th_status rc = th_dataset_place(d, attribute, group, &place->at, err);
  if (rc != TH_OK)
    return rc;
  place->attributes = place->at.attributes;
  place->cache = &d->blocks;
  place->key = place->at.key;
  place->unit = th_cache_find(&d->blocks, place->key);
  place->kept = keep && place->at.shard->map.file >= 0; /* else whole units */
  if (place->kept && may_be_alone(place->unit, attribute))
    turn_to_run(d, attribute, group, place);
  place->bytes = room_bytes(place->at.shard, count_of(place->attributes));
  return TH_OK;
}

/* Room for a unit; mapped: without its values and checksums. */
static th_status make_room(struct th_dataset *d,
                           const struct th_cache_block_place *place,
                           bool mapped, void **room, struct th_error *err)
{
  bool alone = place->cache == &d->runs;
  int64_t limit = alone ? d->memory / 2 : th_dataset_block_limit(d);
  int64_t head = HEAD + count_of(place->attributes);
  th_cache_expect(&d->blocks,
                  room_bytes(place->at.shard, place->at.shard->unit));
  th_cache_expect(&d->runs, room_bytes(place->at.shard, 1));
  th_status rc = mapped
                     ? th_cache_add_light(place->cache, place->key,
                                          place->bytes, head, limit, room, err)
                     : th_cache_add(place->cache, place->key, place->bytes,
                                    limit, room, err);
  if (rc == TH_OK && alone) /* memory for single attributes is of the blocks' */
    th_cache_trim(&d->blocks, th_dataset_block_limit(d));
  return rc;
}

/* Lay out a room. values: of the file, or NULL; resident: the system is known
 * to have them all. */
static void lay_out(struct th_cache_block_place *place, char *room,
                    const char *values, bool resident)
{
  int64_t count = count_of(place->attributes);
  int64_t run = place->at.shard->map.run;
  char *first = room + HEAD;
  char *checksum = first + align(count * run);
  char *state = checksum + align(count * (int64_t)sizeof(uint64_t));
  place->unit = (struct th_cache_block *)(void *)room;
  *place->unit = (struct th_cache_block){.attributes = place->attributes,
                                         .cache = place->cache,
                                         .key = place->key,
                                         .bytes = place->bytes};
  if (values != NULL) {
    place->unit->mapped = true;
    place->unit->resident = resident || th_in_place_resident(place);
    place->unit->values = (char *)(uintptr_t)values; /* nobody writes there */
    place->unit->state = (unsigned char *)first;
  } else {
    place->unit->values = first;
    place->unit->checksum = (uint64_t *)(void *)checksum;
    place->unit->state = (unsigned char *)state;
  }
  memset(place->unit->state, TH_ABSENT, (size_t)count);
}

th_status th_cache_block_make(struct th_dataset *d,
                              struct th_cache_block_place *place,
                              struct th_range wanted, struct th_error *err)
{
  void *room = NULL;
  const char *values = th_in_place_values(d, place, wanted);
  bool resident = d->mapped == TH_MAPPED_RESIDENT &&
                  wanted.first <= place->attributes.first &&
                  wanted.last >= place->attributes.last;
  th_status rc = make_room(d, place, values != NULL, &room, err);
  if (rc == TH_OK)
    lay_out(place, room, values, resident);
  return rc;
}

struct th_range th_cache_block_part(const struct th_cache_block *unit,
                                    struct th_range range,
                                    enum th_presence state)
{
  const unsigned char *begin =
      unit->state + (range.first - unit->attributes.first);
  const unsigned char *end = begin + count_of(range);
  const unsigned char *first = memchr(begin, (int)state, (size_t)(end - begin));
  if (first == NULL)
    return (struct th_range){range.last, range.last};
  const unsigned char *last = first;
  while (last < end && *last == state)
    last++;
  return (struct th_range){range.first + (first - begin),
                           range.first + (last - begin)};
}

void th_cache_block_mark(struct th_cache_block *unit, struct th_range range,
                         enum th_presence state)
{
  memset(unit->state + (range.first - unit->attributes.first), (int)state,
         (size_t)count_of(range));
}

struct th_fetch th_cache_block_fetch(const struct th_cache_block_place *place,
                                     struct th_range part)
{
  int64_t skip = part.first - place->unit->attributes.first;
  struct th_fetch fetch =
      th_shard_dense_fetch(place->at.shard, part, place->at.group);
  fetch.values = place->unit->values + skip * place->at.shard->map.run;
  fetch.in_place = place->unit->mapped;
  if (!fetch.in_place)
    fetch.checksum = place->unit->checksum + skip;
  fetch.kept = place->kept;
  fetch.unit = place->unit;
  return fetch;
}

void th_cache_block_count(struct th_dataset *d, const struct th_fetch *fetch)
{
  int64_t bytes = th_run_fetch_bytes(fetch);
  (fetch->kept ? &d->store.support : &d->store.blocks)->read += bytes;
  d->store.bytes_read += bytes;
  d->store.bytes_in_place += fetch->in_place ? bytes : 0;
}

/* Refuse values that are still being read: the solver would get garbage. */
static th_status refuse_queued(const struct th_cache_block_place *place,
                               struct th_range range, struct th_error *err)
{
  struct th_range queued = th_cache_block_part(place->unit, range, TH_QUEUED);
  if (queued.first == queued.last)
    return TH_OK;
  return th_fail(err, TH_EIO,
                 "%s: attribute %lld, row group %lld: still being read; "
                 "this is an error of the program, please report it",
                 place->at.shard->name, (long long)queued.first,
                 (long long)place->at.group);
}

/* Read the missing attributes of a range; whole units if HDF5 decompresses
 * them. */
static th_status complete(struct th_dataset *d,
                          struct th_cache_block_place *place,
                          struct th_range range, struct th_error *err)
{
  struct th_cache_block *unit = place->unit;
  th_status rc = TH_OK;
  for (;;) {
    struct th_range part = th_cache_block_part(unit, range, TH_ABSENT);
    if (part.first == part.last)
      return TH_OK;
    if (place->at.shard->map.file < 0)
      part = unit->attributes;
    struct th_fetch fetch = th_cache_block_fetch(place, part);
    double began = th_comm_clock();
    rc = th_shard_dense_read(place->at.shard, &fetch, err);
    d->store.seconds += th_comm_clock() - began;
    if (rc != TH_OK)
      return rc;
    th_cache_block_count(d, &fetch);
    th_cache_block_mark(unit, part, TH_PRESENT);
  }
}

static th_status take_in_place(struct th_dataset *d,
                               const struct th_cache_block_place *place,
                               struct th_range *range, struct th_error *err)
{
  double began = th_comm_clock();
  th_status rc = th_in_place_take(d, place, range, err);
  d->store.seconds += th_comm_clock() - began;
  return rc;
}

th_status th_cache_block_slab(struct th_dataset *d, struct th_rows rows,
                              struct th_range range, bool keep,
                              struct th_slab *slab, struct th_error *err)
{
  const struct th_row_groups *g = &d->info.row_groups;
  const struct th_shape *shape = &g->shape;
  struct th_cache_block_place place;
  int64_t group = th_row_groups_group_of(g, rows.first);
  int64_t row = rows.first - th_row_groups_group(g, group).first;
  th_status rc = TH_OK;
  th_prefetch_wait(d, range, group, keep);
  TH_TRY(th_cache_block_find(d, range.first, group, keep, &place, err));
  if (place.unit == NULL)
    TH_TRY(th_cache_block_make(d, &place, range, err));
  const struct th_cache_block *unit = place.unit;
  range = th_range_intersect(range, unit->attributes);
  TH_TRY(refuse_queued(&place, range, err));
  TH_TRY(unit->mapped ? take_in_place(d, &place, &range, err)
                      : complete(d, &place, range, err));
  int64_t skip =
      (range.first - unit->attributes.first) * shape->row_group + row;
  *slab = (struct th_slab){.layout = TH_DENSE,
                           .type = shape->type,
                           .attributes = range,
                           .row = row,
                           .rows = (int32_t)rows.count,
                           .values =
                               unit->values + th_type_offset(shape->type, skip),
                           .stride = shape->row_group};
done:
  return rc;
}
