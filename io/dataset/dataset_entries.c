/* dataset_entries.c - single values, at random places
 *
 * Most are in memory. Then the time of a value is that of finding its place: so
 * all places are found first, and then all values are loaded, such that the
 * processor waits for many at once.
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/search.h"
#include "io/dataset/cache_block.h"
#include "io/dataset/dataset_parts.h"
#include "io/dataset/in_place.h"

enum { SOME = 256 };

/* A value, as the files see it. */
struct spot {
  const struct th_shard_read *shard; /* NULL: outside of the data, or closed */
  int64_t attribute;
  int64_t unit; /* first attribute of it */
  int64_t group;
  int64_t row; /* of the group */
};

/* Some values: first their places are known, then where they are in memory. */
struct some {
  struct spot spot[SOME];
  int64_t unit[SOME]; /* keys */
  int64_t run[SOME];
  const void *array[SOME]; /* of those found since the last load */
  int64_t item[SOME];
  int64_t found;
};

static const double zero = 0;

/* The shard of an attribute: shards are about even. */
static const struct th_shard_read *shard_of(const struct th_dataset *d,
                                            int64_t attribute, double share)
{
  int64_t k = (int64_t)((double)attribute * share);
  k = k < d->info.shards ? k : d->info.shards - 1;
  while (attribute < d->info.shard[k].range.first)
    k--;
  while (attribute >= d->info.shard[k].range.last)
    k++;
  return &d->shard[k];
}

static struct spot spot_of(const struct th_dataset *d, int64_t row,
                           int64_t attribute, double share)
{
  const struct th_shape *shape = &d->store.shape;
  struct spot spot = {.attribute = attribute};
  if (attribute < 0 || attribute >= shape->attributes || row < 0 ||
      row >= shape->examples)
    return spot;
  const struct th_shard_read *shard = shard_of(d, attribute, share);
  if (!shard->open)
    return spot;
  int64_t first = shard->row->range.first;
  uint32_t unit = (uint32_t)(attribute - first) / (uint32_t)shard->unit;
  spot.shard = shard;
  spot.unit = first + unit * shard->unit;
  spot.group = th_shape_group_of(shape, row, &spot.row);
  return spot;
}

/* Find the places of entries. */
static void place_some(const struct th_dataset *d, struct th_entries entries,
                       struct some *some)
{
  double share = (double)d->info.shards / (double)d->store.shape.attributes;
  for (int64_t k = 0; k < entries.count; k++) {
    struct spot spot = spot_of(d, entries.row[k], entries.attribute[k], share);
    some->spot[k] = spot;
    some->unit[k] = th_dataset_key(d, spot.unit, spot.group);
    some->run[k] = th_dataset_key(d, spot.attribute, spot.group);
  }
  th_cache_near(&d->blocks, some->unit, entries.count);
  th_cache_near(&d->runs, some->run, entries.count);
}

/* Is entry k in a unit that is in memory as a whole, or a run that is kept? */
static bool find_dense(struct th_dataset *d, struct some *some, int64_t k)
{
  const struct th_shape *shape = &d->store.shape;
  const struct spot *at = &some->spot[k];
  int64_t skip = (at->attribute - at->unit) * shape->row_group;
  const char *values = th_cache_look(&d->blocks, some->unit[k]);
  if (values == NULL) {
    values = th_cache_look(&d->runs, some->run[k]);
    skip = 0;
  }
  if (values == NULL)
    return false;
  some->array[some->found] = values;
  some->item[some->found] = skip + at->row;
  __builtin_prefetch(values + th_type_offset(shape->type, skip + at->row));
  return true;
}

static bool find_sparse(struct th_dataset *d, struct some *some, int64_t k)
{
  const struct spot *at = &some->spot[k];
  const struct th_piece *piece = th_cache_look(&d->blocks, some->unit[k]);
  if (piece == NULL)
    return false;
  int64_t attribute = at->attribute - at->shard->row->range.first;
  int64_t run = th_search_u32(piece->attribute, 0, piece->runs, attribute);
  some->array[some->found] = &zero;
  some->item[some->found] = 0;
  if (run == piece->runs || piece->attribute[run] != attribute)
    return true;
  int64_t last = piece->start[run + 1];
  int64_t entry = th_search_u16(piece->row, piece->start[run], last, at->row);
  if (entry < last && piece->row[entry] == at->row) {
    some->array[some->found] = piece->values;
    some->item[some->found] = entry;
  }
  return true;
}

/* Load what was found; the last is that before value[0]. */
static void load(const struct th_dataset *d, struct some *some, double *value)
{
  th_type_gather(d->store.shape.type, some->array, some->item, some->found,
                 value - some->found);
  some->found = 0;
}

static bool is_whole(const struct th_cache_block *unit)
{
  struct th_range all = unit->attributes;
  struct th_range there = th_cache_block_part(unit, all, TH_PRESENT);
  return there.first == all.first && there.last == all.last;
}

/* A unit of which some values are absent, or still being read, is not shown.
 */
static void show_unit(struct th_cache *cache, int64_t key)
{
  const struct th_cache_block *unit = th_cache_find(cache, key);
  if (unit != NULL && is_whole(unit))
    th_cache_show(cache, key, unit->values);
}

/* The next look is to find the unit or the kept run, or the piece. */
static void show(struct th_dataset *d, const struct th_place *place,
                 int64_t attribute)
{
  if (d->store.shape.layout == TH_SPARSE) {
    th_cache_show(&d->blocks, place->key,
                  th_cache_find(&d->blocks, place->key));
    return;
  }
  show_unit(&d->blocks, place->key);
  show_unit(&d->runs, th_dataset_key(d, attribute, place->group));
}

/* Read what is not in memory: whole units if all of them are going to stay,
 * else the run alone. */
static th_status fetch(struct th_dataset *d, int64_t row, int64_t attribute,
                       double *value, struct th_error *err)
{
  struct th_rows one = {row, 1};
  struct th_range rest = {attribute, attribute + 1};
  bool whole = d->store.shape.layout == TH_DENSE && th_dataset_all_fit(d);
  struct th_place place;
  struct th_slab slab;
  th_status rc;
  TH_TRY(th_dataset_request(d, one, rest, err));
  int64_t group = th_row_groups_group_of(&d->info.row_groups, row);
  TH_TRY(th_dataset_place(d, attribute, group, &place, err));
  if (whole)
    rest = place.attributes;
  for (; rest.first < rest.last; rest.first = slab.attributes.last) {
    TH_TRY(th_dataset_slab(&d->store, one, rest, !whole, &slab, err));
    if (attribute >= slab.attributes.first && attribute < slab.attributes.last)
      *value = th_slab_value(&slab, attribute, 0);
  }
  show(d, &place, attribute);
done:
  return rc;
}

/* What is read may displace what was found, so that is loaded first. */
static th_status some_entries(struct th_dataset *d, struct th_entries entries,
                              struct some *some, double *value,
                              struct th_error *err)
{
  bool dense = d->store.shape.layout == TH_DENSE;
  th_status rc = TH_OK;
  place_some(d, entries, some);
  some->found = 0;
  for (int64_t k = 0; k < entries.count && rc == TH_OK; k++) {
    bool found = some->spot[k].shard != NULL &&
                 (dense ? find_dense(d, some, k) : find_sparse(d, some, k));
    some->found += found;
    if (found)
      continue;
    load(d, some, value + k);
    rc = fetch(d, entries.row[k], entries.attribute[k], value + k, err);
  }
  if (rc == TH_OK)
    load(d, some, value + entries.count);
  return rc;
}

th_status th_dataset_entries(struct th_store *store,
                             const struct th_entries *entries, double *value,
                             struct th_error *err)
{
  struct th_dataset *d = (struct th_dataset *)store;
  struct some some;
  th_status rc = th_in_place_check(d, err);
  for (int64_t k = 0; k < entries->count && rc == TH_OK; k += SOME) {
    struct th_entries part = {th_min_i64(SOME, entries->count - k),
                              entries->row + k, entries->attribute + k};
    rc = some_entries(d, part, &some, value + k, err);
  }
  return rc;
}
