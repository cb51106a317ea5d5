/* dataset_entries.c - single values, at random places
 *
 * Most are in memory. Then the time of a value is that of finding its place: so
 * all places are found first, and then all values are loaded, such that the
 * processor waits for many at once.
 * SPDX-License-Identifier: MIT */
#include "core/search.h"
#include "io/dataset/cache_block.h"
#include "io/dataset/dataset_parts.h"

enum { SOME = 256 };

/* Values in memory, and where each goes. */
struct found {
  const struct th_dataset *dataset;
  double *value; /* of the first */
  int64_t count;
  const void *array[SOME];
  int64_t item[SOME];
};

/* A value, as the files see it. */
struct spot {
  const struct th_shard_read *shard;
  int64_t attribute;
  int64_t unit; /* first attribute of it */
  int64_t group;
  int64_t row; /* of the group */
};

static const double zero = 0;

/* Load what was found; what follows begins at `value`. */
static void load(struct found *found, double *value)
{
  th_type_gather(found->dataset->store.shape.type, found->array, found->item,
                 found->count, found->value);
  found->value = value;
  found->count = 0;
}

/* The shard of an attribute: shards are about even. */
static struct th_shard_read *shard_of(struct th_dataset *d, int64_t attribute)
{
  double share = (double)d->info.shards / (double)d->store.shape.attributes;
  int64_t k = (int64_t)((double)attribute * share);
  k = k < d->info.shards ? k : d->info.shards - 1;
  while (attribute < d->info.shard[k].range.first)
    k--;
  while (attribute >= d->info.shard[k].range.last)
    k++;
  return &d->shard[k];
}

/* False: outside of the data, or in a shard that is not open yet. */
static bool find_spot(struct th_dataset *d, int64_t row, int64_t attribute,
                      struct spot *spot)
{
  const struct th_shape *shape = &d->store.shape;
  if (attribute < 0 || attribute >= shape->attributes || row < 0 ||
      row >= shape->examples)
    return false;
  const struct th_shard_read *shard = shard_of(d, attribute);
  if (!shard->open)
    return false;
  int64_t first = shard->row->range.first;
  uint32_t unit = (uint32_t)(attribute - first) / (uint32_t)shard->unit;
  *spot = (struct spot){shard, attribute, first + unit * shard->unit, 0, 0};
  spot->group = th_shape_group_of(shape, row, &spot->row);
  return true;
}

/* Is it in a unit that is in memory as a whole, or a run that is kept? */
static bool find_dense(struct th_dataset *d, const struct spot *at,
                       const void **array, int64_t *item)
{
  int64_t skip = (at->attribute - at->unit) * d->store.shape.row_group;
  const void *room =
      th_cache_look(&d->blocks, th_dataset_key(d, at->unit, at->group));
  if (room == NULL) {
    room = th_cache_look(&d->runs, th_dataset_key(d, at->attribute, at->group));
    skip = 0;
  }
  if (room == NULL)
    return false;
  *array = th_cache_block_values(room);
  *item = skip + at->row;
  __builtin_prefetch((const char *)*array +
                     th_type_offset(d->store.shape.type, *item));
  return true;
}

static bool find_sparse(struct th_dataset *d, const struct spot *at,
                        const void **array, int64_t *item)
{
  const struct th_piece *piece =
      th_cache_look(&d->blocks, th_dataset_key(d, at->unit, at->group));
  if (piece == NULL)
    return false;
  int64_t attribute = at->attribute - at->shard->row->range.first;
  int64_t run = th_search_u32(piece->attribute, 0, piece->runs, attribute);
  *array = &zero;
  *item = 0;
  if (run == piece->runs || piece->attribute[run] != attribute)
    return true;
  int64_t last = piece->start[run + 1];
  int64_t entry = th_search_u16(piece->row, piece->start[run], last, at->row);
  if (entry < last && piece->row[entry] == at->row) {
    *array = piece->values;
    *item = entry;
  }
  return true;
}

static bool find(struct th_dataset *d, int64_t row, int64_t attribute,
                 struct found *found)
{
  const void **array = &found->array[found->count];
  int64_t *item = &found->item[found->count];
  struct spot spot;
  if (!find_spot(d, row, attribute, &spot))
    return false;
  return d->store.shape.layout == TH_DENSE
             ? find_dense(d, &spot, array, item)
             : find_sparse(d, &spot, array, item);
}

/* Whether all values of any rank fit its memory, with what units take beside
 * them. */
static bool all_fit(const struct th_dataset *d)
{
  enum { UNIT = 512, ATTRIBUTE = 16 }; /* bytes beside the values */
  const struct th_row_groups *g = &d->info.row_groups;
  double owned = (double)th_store_most_owned(&d->store, d->ranks);
  double run = (double)th_type_bytes(g->shape.type, g->shape.row_group);
  double units = owned / (double)g->chunk + 2 + (double)d->info.shards;
  double bytes = (owned + 2 * (double)g->chunk) * (run + ATTRIBUTE);
  return (double)g->groups * (bytes + units * UNIT) <= (double)d->memory;
}

/* Whole units are found by the next look, and so are kept runs. */
static void mark(struct th_dataset *d, const struct th_place *place,
                 int64_t attribute)
{
  bool whole = true;
  const struct th_cache_block *unit = th_cache_find(&d->blocks, place->key);
  th_cache_mark(&d->runs, th_dataset_key(d, attribute, place->group));
  if (unit != NULL && d->store.shape.layout == TH_DENSE)
    for (int64_t k = 0; k < place->attributes.last - place->attributes.first;
         k++)
      whole &= unit->state[k] == TH_PRESENT;
  if (unit != NULL && whole)
    th_cache_mark(&d->blocks, place->key);
}

/* Read what is not in memory: whole units if all of them are going to stay,
 * else the run alone. */
static th_status fetch(struct th_dataset *d, int64_t row, int64_t attribute,
                       double *value, struct th_error *err)
{
  struct th_rows one = {row, 1};
  struct th_range range = {attribute, attribute + 1};
  bool whole = d->store.shape.layout == TH_DENSE && all_fit(d);
  struct th_place place;
  struct th_slab slab;
  th_status rc;
  TH_TRY(th_dataset_request(d, one, range, err));
  int64_t group = th_row_groups_group_of(&d->info.row_groups, row);
  TH_TRY(th_dataset_place(d, attribute, group, &place, err));
  if (whole)
    range = place.attributes;
  TH_TRY(th_dataset_slab(&d->store, one, range, !whole, &slab, err));
  *value = th_slab_value(&slab, attribute, 0);
  mark(d, &place, attribute);
done:
  return rc;
}

th_status th_dataset_entries(struct th_store *store,
                             const struct th_entries *entries, double *value,
                             struct th_error *err)
{
  struct th_dataset *d = (struct th_dataset *)store;
  struct found found = {.dataset = d, .value = value};
  th_status rc = TH_OK;
  for (int64_t k = 0; k < entries->count && rc == TH_OK; k++) {
    int64_t row = entries->row[k];
    int64_t attribute = entries->attribute[k];
    if (found.count == SOME)
      load(&found, value + k);
    if (find(d, row, attribute, &found)) {
      found.count++;
      continue;
    }
    /* what is read may displace what was found */
    load(&found, value + k + 1);
    rc = fetch(d, row, attribute, value + k, err);
  }
  load(&found, value);
  return rc;
}
