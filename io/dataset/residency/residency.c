/* residency.c - which values of a data set are in memory, and where they lie
 * SPDX-License-Identifier: MIT */
#include "io/dataset/residency/residency.h"

#include "base/integer.h"
#include "base/search.h"
#include "io/files/mapping.h"
#include "ranks/comm.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, HEAD = 128 };
_Static_assert(sizeof(struct th_unit) <= HEAD && HEAD % ALIGNMENT == 0,
               "values follow the unit");

static int64_t aligned(int64_t bytes)
{
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Bytes for the unit, its values, checksums and states, one after the other. */
static int64_t unit_bytes(const struct th_shard *shard, int64_t count)
{
  return HEAD + aligned(count * shard->map.run) +
         aligned(count * (int64_t)sizeof(uint64_t)) + aligned(count);
}

/* --- Where attributes lie ------------------------------------------------- */

struct th_shard *th_residency_shard(struct th_residency *r, int64_t attribute)
{
  int64_t k = r->last_shard;
  const struct th_shard_row *rows = r->info->shard;
  if (attribute < rows[k].range.first || attribute >= rows[k].range.last)
    k = th_search_member(rows, sizeof *rows,
                         offsetof(struct th_shard_row, range.last),
                         r->info->shards - 1, attribute + 1);
  r->last_shard = k;
  return &r->shard[k];
}

void th_residency_count(struct th_residency *r, struct th_shard *shard,
                        double began)
{
  r->store->bytes_read += shard->bytes_read + shard->parts.bytes_read;
  r->store->seconds += th_comm_clock() - began;
  shard->bytes_read = 0;
  shard->parts.bytes_read = 0;
}

int64_t th_residency_key(const struct th_residency *r, int64_t attribute,
                         int64_t group)
{
  return attribute * r->info->row_groups.groups + group;
}

int64_t th_residency_run_bytes(const struct th_residency *r)
{
  const struct th_shape *shape = &r->info->row_groups.shape;
  return (int64_t)th_type_bytes(shape->type, shape->row_group);
}

int64_t th_residency_block_limit(const struct th_residency *r)
{
  return r->memory - r->runs.used;
}

bool th_residency_groups_fit(const struct th_residency *r, int64_t groups)
{
  enum { UNIT = 512, ATTRIBUTE = 16 }; /* bytes beside the values */
  const struct th_row_groups *g = &r->info->row_groups;
  double owned = (double)th_store_most_owned(r->store, r->ranks);
  double run = (double)th_residency_run_bytes(r);
  double units = owned / (double)g->chunk + 2 + (double)r->info->shards;
  double bytes = (owned + 2 * (double)g->chunk) * (run + ATTRIBUTE);
  return (double)groups * (bytes + units * UNIT) <= (double)r->memory;
}

bool th_residency_all_fit(const struct th_residency *r)
{
  return th_residency_groups_fit(r, r->info->row_groups.groups);
}

/* Find the bundle of an attribute of a sparse shard. */
static th_status find_bundle(struct th_residency *r, int64_t attribute,
                             struct th_place *place, struct th_error *err)
{
  struct th_parts *parts = &place->shard->parts;
  struct th_range owned = th_store_owned(r->store, r->rank, r->ranks);
  th_status rc = th_parts_find(parts, owned, attribute, &place->unit, err);
  if (rc == TH_OK)
    place->attributes = parts->bundle[place->unit].attributes;
  return rc;
}

th_status th_residency_place(struct th_residency *r, int64_t attribute,
                             int64_t group, struct th_place *place,
                             struct th_error *err)
{
  struct th_shard *shard = th_residency_shard(r, attribute);
  th_status rc = TH_OK;
  if (!shard->open) {
    double began = th_comm_clock();
    rc = th_shard_open(shard, err);
    th_residency_count(r, shard, began);
    if (rc != TH_OK)
      return rc;
  }
  *place = (struct th_place){.shard = shard, .group = group};
  if (shard->unit == 0) {
    TH_TRY(find_bundle(r, attribute, place, err));
  } else {
    struct th_range all = shard->row->range;
    place->unit = (attribute - all.first) / shard->unit;
    int64_t first = all.first + place->unit * shard->unit;
    place->attributes =
        th_range_intersect((struct th_range){first, first + shard->unit}, all);
  }
  place->key = th_residency_key(r, place->attributes.first, group);
done:
  return rc;
}

/* --- Values that are used where the system has them ----------------------- */

enum {
  LEAST = 64 << 10, /* bytes of one run; to copy fewer is quicker than a page
                       fault */
  HOT = 256 << 10,  /* bytes that are verified and handed out at once */
  MOST_RUNS = 256   /* of them */
};

/* Bytes of some attributes that follow one another. */
static int64_t mapped_bytes(const struct th_fetch *fetch,
                            struct th_range attributes)
{
  return (th_range_count(attributes) - 1) * fetch->map->run + fetch->used;
}

/* Where the values of a fetch lie, if it is all in the file; else NULL. */
static const char *find_values(const struct th_mapping *mapping,
                               const struct th_fetch *fetch)
{
  int64_t sums =
      th_range_count(fetch->wanted) * (int64_t)sizeof *fetch->checksum;
  if (th_mapping_at(mapping, fetch->sums, sums) == NULL)
    return NULL;
  return th_mapping_at(mapping, fetch->at, mapped_bytes(fetch, fetch->wanted));
}

/* Are values of the shard not as they are in its file? */
static bool is_filled(const struct th_residency *r,
                      const struct th_shard *shard)
{
  return shard->stand_in.mean != NULL &&
         !th_type_whole_numbers(r->store->shape.type);
}

/* Where the values of a unit that is going to be made lie in its mapped shard;
 * NULL: they have to be read. wanted: the attributes that are asked for now. */
static const char *values_in_file(const struct th_residency *r,
                                  const struct th_unit_place *place,
                                  struct th_range wanted)
{
  struct th_shard *shard = place->at.shard;
  bool apart = shard->map.pitch != shard->map.run;
  if (r->mapped == TH_MAPPED_NEVER || is_filled(r, shard) ||
      (apart && th_range_count(place->attributes) > 1))
    return NULL;
  const struct th_mapping *mapping = th_shard_map(shard);
  struct th_fetch fetch =
      th_shard_dense_fetch(shard, place->attributes, place->at.group);
  if (mapping == NULL || !th_shard_dense_place(shard, &fetch))
    return NULL;
  const char *values = find_values(mapping, &fetch);
  if (values == NULL ||
      (uintptr_t)values % th_type_size(r->store->shape.type) != 0)
    return NULL;
  wanted = th_range_intersect(wanted, place->attributes);
  int64_t skip = (wanted.first - place->attributes.first) * shard->map.run;
  int64_t bytes = mapped_bytes(&fetch, wanted);
  bool worth = bytes >= LEAST || th_range_count(place->attributes) > 1;
  bool there = r->mapped == TH_MAPPED_ALWAYS ||
               (worth && th_mapping_resident(mapping, fetch.at + skip, bytes));
  return there ? values : NULL;
}

/* True if the system has all values of a unit of a mapped shard in memory. */
static bool is_resident(const struct th_unit_place *place)
{
  struct th_shard *shard = place->at.shard;
  struct th_fetch fetch =
      th_shard_dense_fetch(shard, place->attributes, place->at.group);
  return th_shard_dense_place(shard, &fetch) &&
         th_mapping_resident(shard->mapping, fetch.at,
                             mapped_bytes(&fetch, fetch.wanted));
}

void th_residency_advise(const struct th_unit_place *place,
                         const struct th_fetch *fetch)
{
  const struct th_shard *shard = place->at.shard;
  int64_t bytes = mapped_bytes(fetch, fetch->wanted);
  if (!place->unit->resident &&
      !th_mapping_resident(shard->mapping, fetch->at, bytes))
    th_mapping_advise(shard->mapping, fetch->at, bytes);
}

/* --- Units in memory ------------------------------------------------------ */

/* May a kept run have a unit of its own? Not if it is in another unit already,
 * so that nothing is read twice. */
static bool may_be_alone(const struct th_unit *unit, int64_t attribute)
{
  return unit == NULL ||
         unit->state[attribute - unit->attributes.first] == TH_ABSENT;
}

/* Note a kept run that is not in memory. Are more of them missed than the row
 * group has units? Then units in place save copies; few runs are read quicker
 * from copies that lie close together. */
static bool many_missed(struct th_residency *r, const struct th_place *at,
                        int64_t run)
{
  struct th_missed *missed = &r->missed;
  if (at->group != missed->group)
    missed->count = 0;
  missed->group = at->group;
  missed->count += run != missed->run;
  missed->run = run;
  int64_t units = r->store->shape.attributes / at->shard->unit / r->ranks;
  return missed->count > units;
}

/* Is all of a unit in place, or would be, and is it going to stay while a kept
 * run of it is wanted? The system is asked once for several requests. Of values
 * that no file has as they are, a unit is as good as its runs alone: they are
 * copied once in either, and found quicker in one. */
static bool serves(struct th_residency *r, const struct th_unit_place *place)
{
  if (r->missed.elsewhere == place->key ||
      (!r->once && !th_residency_all_fit(r)))
    return false;
  bool there = is_filled(r, place->at.shard) ||
               (place->unit != NULL
                    ? place->unit->mapped
                    : values_in_file(r, place, place->attributes) != NULL);
  r->missed.elsewhere = there ? -1 : place->key;
  return there;
}

/* Turn to the unit of a kept run alone, unless the unit around it serves. */
static void turn_to_run(struct th_residency *r, int64_t attribute,
                        int64_t group, struct th_unit_place *place)
{
  int64_t key = th_residency_key(r, attribute, group);
  struct th_unit *unit = th_cache_find(&r->runs, key);
  if (unit == NULL && r->mapped != TH_MAPPED_NEVER &&
      many_missed(r, &place->at, key) && serves(r, place))
    return;
  place->attributes = (struct th_range){attribute, attribute + 1};
  place->cache = &r->runs;
  place->key = key;
  place->unit = unit;
}

th_status th_residency_find(struct th_residency *r, int64_t attribute,
                            int64_t group, bool keep,
                            struct th_unit_place *place, struct th_error *err)
{
  th_status rc = th_residency_place(r, attribute, group, &place->at, err);
  if (rc != TH_OK)
    return rc;
  place->attributes = place->at.attributes;
  place->cache = &r->blocks;
  place->key = place->at.key;
  place->unit = th_cache_find(&r->blocks, place->key);
  place->kept = keep && place->at.shard->map.file >= 0; /* else whole units */
  if (place->kept && may_be_alone(place->unit, attribute))
    turn_to_run(r, attribute, group, place);
  place->bytes = unit_bytes(place->at.shard, th_range_count(place->attributes));
  return TH_OK;
}

/* Room for a unit; mapped: without its values and checksums. */
static th_status reserve_unit(struct th_residency *r,
                              const struct th_unit_place *place, bool mapped,
                              void **room, struct th_error *err)
{
  bool alone = place->cache == &r->runs;
  int64_t limit = alone ? r->memory / 2 : th_residency_block_limit(r);
  int64_t head = HEAD + th_range_count(place->attributes);
  th_cache_expect(&r->blocks,
                  unit_bytes(place->at.shard, place->at.shard->unit));
  th_cache_expect(&r->runs, unit_bytes(place->at.shard, 1));
  th_status rc = mapped
                     ? th_cache_add_light(place->cache, place->key,
                                          place->bytes, head, limit, room, err)
                     : th_cache_add(place->cache, place->key, place->bytes,
                                    limit, room, err);
  if (rc == TH_OK && alone) /* memory for single attributes is of the blocks' */
    th_cache_trim(&r->blocks, th_residency_block_limit(r));
  return rc;
}

/* Lay out a room. values: of the file, or NULL; resident: the system is known
 * to have them all. */
static void lay_out_unit(struct th_unit_place *place, char *room,
                         const char *values, bool resident)
{
  int64_t count = th_range_count(place->attributes);
  int64_t run = place->at.shard->map.run;
  char *first = room + HEAD;
  char *checksum = first + aligned(count * run);
  char *state = checksum + aligned(count * (int64_t)sizeof(uint64_t));
  place->unit = (struct th_unit *)(void *)room;
  *place->unit = (struct th_unit){.attributes = place->attributes,
                                  .cache = place->cache,
                                  .key = place->key,
                                  .bytes = place->bytes};
  if (values != NULL) {
    place->unit->mapped = true;
    place->unit->resident = resident || is_resident(place);
    place->unit->values = (char *)(uintptr_t)values; /* nobody writes there */
    place->unit->state = (unsigned char *)first;
  } else {
    place->unit->values = first;
    place->unit->checksum = (uint64_t *)(void *)checksum;
    place->unit->state = (unsigned char *)state;
  }
  memset(place->unit->state, TH_ABSENT, (size_t)count);
}

th_status th_residency_make(struct th_residency *r, struct th_unit_place *place,
                            struct th_range wanted, struct th_error *err)
{
  void *room = NULL;
  const char *values = values_in_file(r, place, wanted);
  bool resident = r->mapped == TH_MAPPED_RESIDENT &&
                  wanted.first <= place->attributes.first &&
                  wanted.last >= place->attributes.last;
  th_status rc = reserve_unit(r, place, values != NULL, &room, err);
  if (rc == TH_OK)
    lay_out_unit(place, room, values, resident);
  return rc;
}

struct th_range th_residency_part(const struct th_unit *unit,
                                  struct th_range range, enum th_presence state)
{
  const unsigned char *begin =
      unit->state + (range.first - unit->attributes.first);
  const unsigned char *end = begin + th_range_count(range);
  const unsigned char *first = memchr(begin, (int)state, (size_t)(end - begin));
  if (first == NULL)
    return (struct th_range){range.last, range.last};
  const unsigned char *last = first;
  while (last < end && *last == state)
    last++;
  return (struct th_range){range.first + (first - begin),
                           range.first + (last - begin)};
}

void th_residency_mark(struct th_unit *unit, struct th_range range,
                       enum th_presence state)
{
  memset(unit->state + (range.first - unit->attributes.first), (int)state,
         (size_t)th_range_count(range));
}

struct th_fetch th_residency_fetch(const struct th_unit_place *place,
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

void th_residency_account(struct th_residency *r, const struct th_fetch *fetch)
{
  int64_t bytes = th_shard_fetch_bytes(fetch);
  (fetch->kept ? &r->store->support : &r->store->blocks)->read += bytes;
  r->store->bytes_read += bytes;
  r->store->bytes_in_place += fetch->in_place ? bytes : 0;
}

static void count_absent(struct th_residency *r,
                         const struct th_unit_place *place,
                         struct th_range range)
{
  struct th_unit *unit = place->unit;
  struct th_range part = th_residency_part(unit, range, TH_ABSENT);
  for (; part.first < part.last;
       part = th_residency_part(unit, range, TH_ABSENT)) {
    struct th_fetch fetch = th_residency_fetch(place, part);
    if (th_shard_dense_place(place->at.shard, &fetch))
      th_residency_advise(place, &fetch);
    th_residency_account(r, &fetch);
    th_residency_mark(unit, part, TH_IN_PLACE);
  }
}

/* A mismatch may come of a file that has become shorter, which is said then. */
static th_status verify_mapped(const struct th_unit_place *place,
                               struct th_range part, struct th_error *err)
{
  struct th_shard *shard = place->at.shard;
  struct th_fetch fetch = th_residency_fetch(place, part);
  struct th_error why = {0};
  uint64_t checksum[MOST_RUNS];
  size_t bytes = (size_t)th_range_count(part) * sizeof *checksum;
  th_status rc = TH_OK;
  (void)th_shard_dense_place(shard, &fetch); /* it is known */
  memcpy(checksum, th_mapping_at(shard->mapping, fetch.sums, (int64_t)bytes),
         bytes);
  fetch.checksum = checksum;
  if (th_shard_fetch_verify(&fetch, &why) != TH_OK) {
    TH_TRY(th_mapping_check(shard->mapping, shard->name, err));
    return th_fail(err, why.code, "%s", why.text);
  }
  th_residency_mark(place->unit, part, TH_PRESENT);
done:
  return rc;
}

th_status th_residency_take(struct th_residency *r,
                            const struct th_unit_place *place,
                            struct th_range *range, struct th_error *err)
{
  const struct th_unit *unit = place->unit;
  count_absent(r, place, *range);
  struct th_range part = th_residency_part(unit, *range, TH_IN_PLACE);
  if (part.first > range->first || part.first == part.last) {
    range->last = part.first; /* what comes before is verified */
    return TH_OK;
  }
  int64_t most = th_max_i64(HOT / place->at.shard->map.run, 1);
  part.last = th_min_i64(part.last, part.first + th_min_i64(most, MOST_RUNS));
  *range = part;
  return verify_mapped(place, part, err);
}

/* Read the missing attributes of a range; whole units if HDF5 decompresses
 * them. */
static th_status read_missing(struct th_residency *r,
                              struct th_unit_place *place,
                              struct th_range range, struct th_error *err)
{
  struct th_unit *unit = place->unit;
  th_status rc = TH_OK;
  for (;;) {
    struct th_range part = th_residency_part(unit, range, TH_ABSENT);
    if (part.first == part.last)
      return TH_OK;
    if (place->at.shard->map.file < 0)
      part = unit->attributes;
    struct th_fetch fetch = th_residency_fetch(place, part);
    double began = th_comm_clock();
    rc = th_shard_dense_read(place->at.shard, &r->near, &fetch, err);
    r->store->seconds += th_comm_clock() - began;
    if (rc != TH_OK)
      return rc;
    th_residency_account(r, &fetch);
    th_residency_mark(unit, part, TH_PRESENT);
  }
}

th_status th_residency_have(struct th_residency *r, struct th_unit_place *place,
                            struct th_range *range, struct th_error *err)
{
  if (!place->unit->mapped)
    return read_missing(r, place, *range, err);
  double began = th_comm_clock();
  th_status rc = th_residency_take(r, place, range, err);
  r->store->seconds += th_comm_clock() - began;
  return rc;
}

th_status th_residency_check(const struct th_residency *r, struct th_error *err)
{
  th_status rc = TH_OK;
  if (!th_mapping_any_broken())
    return TH_OK;
  for (int64_t k = 0; k < r->info->shards && rc == TH_OK; k++)
    if (r->shard[k].mapping != NULL)
      rc = th_mapping_check(r->shard[k].mapping, r->shard[k].name, err);
  return rc;
}

void th_residency_drop(struct th_residency *r)
{
  th_cache_free(&r->blocks);
  th_cache_free(&r->runs);
  free(r->near.values);
  r->near = (struct th_near){0};
  for (int64_t k = 0; r->shard != NULL && k < r->info->shards; k++) {
    r->shard[k].sums.count = 0;
    th_shard_unmap(&r->shard[k]);
  }
}
