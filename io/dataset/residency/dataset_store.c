/* dataset_store.c - an open data set as a store: slabs, single values, costs
 * SPDX-License-Identifier: MIT */
#include "io/dataset/residency/dataset_store.h"

#include "base/integer.h"
#include "io/dataset/shard_read.h"
#include "io/files/mapping.h"
#include "ranks/comm.h"

#include <string.h>

static th_status refuse_request(const struct th_dataset *d, const char *what,
                                struct th_error *err)
{
  th_fail(err, TH_EARG, "%s: %s", d->path, what);
  return TH_EARG;
}

th_status th_dataset_store_request(const struct th_dataset *d,
                                   struct th_rows rows, struct th_range range,
                                   struct th_error *err)
{
  const struct th_row_groups *g = &d->info.row_groups;
  if (range.first < 0 || range.first >= range.last ||
      range.last > g->shape.attributes || rows.first < 0 || rows.count < 1 ||
      rows.first + rows.count > g->shape.examples)
    return refuse_request(d, "a request outside of the data", err);
  struct th_rows group =
      th_row_groups_group(g, th_row_groups_group_of(g, rows.first));
  if (rows.first + rows.count > group.first + group.count)
    return refuse_request(d, "rows of more than one row group", err);
  return TH_OK;
}

/* The means of attributes from `attribute` on, for slabs; NULL: none is
 * missing, or each has its mean in memory. */
static const double *means_from(const struct th_shard *shard, int64_t attribute)
{
  const double *mean = shard->stand_in.mean;
  return mean == NULL || !th_type_whole_numbers(shard->row_groups->shape.type)
             ? NULL
             : mean + (attribute - shard->row->range.first);
}

/* Put means in the place of the missing values of a piece. */
static void fill_means(const struct th_shard *shard,
                       const struct th_piece *piece)
{
  enum th_type type = shard->row_groups->shape.type;
  for (int64_t k = 0; k < piece->runs; k++)
    th_stand_in_fill(
        type, (char *)piece->values + th_type_offset(type, piece->start[k]),
        (int64_t)piece->start[k + 1] - piece->start[k],
        shard->stand_in.mean[piece->attribute[k]]);
}

static th_status load_piece(struct th_dataset *d, const struct th_place *place,
                            void **room, struct th_error *err)
{
  struct th_piece piece;
  int64_t before = place->shard->bytes_read;
  double began = th_comm_clock();
  th_status rc = TH_OK;
  int64_t bytes =
      th_shard_read_piece_size(place->shard, place->unit, place->group, &piece);
  TH_TRY(th_cache_add(&d->residency.blocks, place->key, bytes,
                      th_residency_block_limit(&d->residency), room, err));
  rc = th_shard_read_piece(place->shard, place->unit, place->group, &piece,
                           *room, err);
  if (rc != TH_OK)
    th_cache_drop(&d->residency.blocks, place->key);
  else if (place->shard->stand_in.mean != NULL)
    fill_means(place->shard, *room);
done:
  d->store.blocks.read += place->shard->bytes_read - before;
  th_residency_count(&d->residency, place->shard, began);
  return rc;
}

/* A slab of these rows, still without its entries. */
static struct th_slab row_of(const struct th_dataset *d,
                             const struct th_place *place, struct th_rows rows)
{
  const struct th_row_groups *g = &d->info.row_groups;
  return (struct th_slab){.layout = TH_SPARSE,
                          .type = g->shape.type,
                          .attributes = place->attributes,
                          .row = rows.first -
                                 th_row_groups_group(g, place->group).first,
                          .rows = (int32_t)rows.count};
}

/* The slab of a whole piece, on some rows of its row group. */
static th_status find_piece(struct th_dataset *d, const struct th_place *place,
                            struct th_rows rows, struct th_slab *slab,
                            struct th_error *err)
{
  void *room = th_cache_find(&d->residency.blocks, place->key);
  th_status rc = room == NULL ? load_piece(d, place, &room, err) : TH_OK;
  const struct th_piece *piece = room;
  if (rc != TH_OK)
    return rc;
  *slab = row_of(d, place, rows);
  slab->values = piece->values;
  slab->runs = piece->runs;
  slab->base = place->shard->row->range.first;
  slab->attribute = piece->attribute;
  slab->start = piece->start;
  slab->row_in_group = piece->row;
  return rc;
}

/* Keep the entries of a piece row by row as well. */
static th_status turn_piece(struct th_dataset *d, const struct th_place *place,
                            const struct th_slab *slab,
                            struct th_slab_rows **by_row, struct th_error *err)
{
  struct th_residency *r = &d->residency;
  int64_t rows = th_row_groups_group(&d->info.row_groups, place->group).count;
  void *room = NULL;
  th_status rc =
      th_cache_add(&r->runs, place->key, th_slab_rows_bytes(slab, rows),
                   r->memory / 2, &room, err);
  if (rc != TH_OK)
    return rc;
  *by_row = th_slab_rows_make(slab, rows, room);
  th_cache_trim(&r->blocks, th_residency_block_limit(r));
  return rc;
}

static th_status sparse_slab(struct th_dataset *d, struct th_rows rows,
                             struct th_range range, struct th_slab *slab,
                             struct th_error *err)
{
  int64_t group = th_row_groups_group_of(&d->info.row_groups, rows.first);
  struct th_slab_rows *by_row = NULL;
  struct th_place place;
  struct th_slab all;
  bool alone = rows.count == 1 && d->residency.by_row;
  th_status rc = TH_OK;
  TH_TRY(th_residency_place(&d->residency, range.first, group, &place, err));
  if (alone)
    by_row = th_cache_find(&d->residency.runs, place.key);
  if (by_row == NULL)
    TH_TRY(find_piece(d, &place, rows, &all, err));
  if (by_row != NULL)
    all = row_of(d, &place, rows);
  else if (alone)
    TH_TRY(turn_piece(d, &place, &all, &by_row, err));
  if (by_row != NULL)
    th_slab_rows_take(by_row, &all);
  *slab = th_slab_part(&all, th_range_intersect(range, place.attributes));
done:
  return rc;
}

/* Refuse values that are still being read: the solver would get garbage. */
static th_status refuse_queued(const struct th_unit_place *place,
                               struct th_range range, struct th_error *err)
{
  struct th_range queued = th_residency_part(place->unit, range, TH_QUEUED);
  if (queued.first == queued.last)
    return TH_OK;
  return th_fail(err, TH_EIO,
                 "%s: attribute %lld, row group %lld: still being read; "
                 "this is an error of the program, please report it",
                 place->at.shard->name, (long long)queued.first,
                 (long long)place->at.group);
}

static th_status dense_slab(struct th_dataset *d, struct th_rows rows,
                            struct th_range range, bool keep,
                            struct th_slab *slab, struct th_error *err)
{
  const struct th_row_groups *g = &d->info.row_groups;
  const struct th_shape *shape = &g->shape;
  struct th_unit_place place;
  int64_t group = th_row_groups_group_of(g, rows.first);
  int64_t row = rows.first - th_row_groups_group(g, group).first;
  th_status rc = TH_OK;
  struct th_wanted wanted = {group, range, keep};
  th_prefetch_wait(&d->prefetch, &d->residency, &wanted);
  TH_TRY(
      th_residency_find(&d->residency, range.first, group, keep, &place, err));
  if (place.unit == NULL)
    TH_TRY(th_residency_make(&d->residency, &place, range, err));
  const struct th_unit *unit = place.unit;
  range = th_range_intersect(range, unit->attributes);
  TH_TRY(refuse_queued(&place, range, err));
  TH_TRY(th_residency_have(&d->residency, &place, &range, err));
  const struct th_shard *shard = place.at.shard;
  int64_t skip =
      (range.first - unit->attributes.first) * shape->row_group + row;
  *slab = (struct th_slab){.layout = TH_DENSE,
                           .type = shape->type,
                           .attributes = range,
                           .row = row,
                           .rows = (int32_t)rows.count,
                           .values =
                               unit->values + th_type_offset(shape->type, skip),
                           .stride = shape->row_group,
                           .stand_in = means_from(shard, range.first)};
done:
  return rc;
}

static th_status slab_of(struct th_store *store, struct th_rows rows,
                         struct th_range range, bool keep, struct th_slab *slab,
                         struct th_error *err)
{
  struct th_dataset *d = (struct th_dataset *)store;
  th_status rc = th_dataset_store_request(d, rows, range, err);
  if (rc == TH_OK)
    rc = th_residency_check(&d->residency, err);
  if (rc != TH_OK)
    return rc;
  if (store->shape.layout == TH_DENSE)
    return dense_slab(d, rows, range, keep, slab, err);
  return sparse_slab(d, rows, range, slab, err);
}

static th_status statistics_of(struct th_store *store, struct th_range range,
                               struct th_statistics *statistics,
                               struct th_error *err)
{
  struct th_dataset *d = (struct th_dataset *)store;
  double began = th_comm_clock();
  th_status rc = TH_OK;
  if (range.first < 0 || range.last > store->shape.attributes)
    return refuse_request(d, "a request outside of the data", err);
  for (int64_t a = range.first; rc == TH_OK && a < range.last;) {
    struct th_shard *shard = th_residency_shard(&d->residency, a);
    struct th_range part =
        th_range_intersect((struct th_range){a, range.last}, shard->row->range);
    rc = th_shard_open(shard, err);
    if (rc == TH_OK)
      rc =
          th_shard_statistics(shard, part, statistics + (a - range.first), err);
    th_residency_count(&d->residency, shard, began);
    began = th_comm_clock();
    a = part.last;
  }
  return rc;
}

/* --- The values of many attributes that do not lie together
 *
 * What is in memory is copied, also what lies in a unit that is used in place.
 * The places of some attributes are found first, and then all of these are
 * copied, such that the processor waits for many at once. */

enum { COPY_SOME = 16, LINE = 64 };

/* Values of one row group, and the unit that the last of them was in. */
struct copy {
  struct th_dataset *dataset;
  int64_t group;
  int64_t skip;       /* bytes of a run before the first row */
  struct th_range in; /* attributes of the unit */
  struct th_unit *of; /* NULL: not in memory */
  bool verified;      /* some of these runs, in place */
  double began;       /* to do so; seconds */
};

static void enter_unit(struct copy *copy, int64_t attribute)
{
  struct th_place place;
  struct th_error ignored = {0};
  copy->in = (struct th_range){attribute, attribute + 1};
  copy->of = NULL;
  if (th_residency_place(&copy->dataset->residency, attribute, copy->group,
                         &place, &ignored) != TH_OK)
    return;
  copy->in = place.attributes;
  copy->of = th_cache_find(&copy->dataset->residency.blocks, place.key);
}

static const char *run_in(const struct copy *copy, const struct th_unit *unit,
                          int64_t attribute)
{
  int64_t at = attribute - unit->attributes.first;
  int64_t run = th_residency_run_bytes(&copy->dataset->residency);
  return unit->state[at] == TH_PRESENT ? unit->values + at * run + copy->skip
                                       : NULL;
}

/* The values of an attribute whose unit is used in place: of a copy alone, or
 * there, for the first time. NULL: they have to be asked for alone. What fails
 * here fails again then, and is said. */
static const char *take_run(struct copy *copy, int64_t attribute)
{
  struct th_dataset *d = copy->dataset;
  struct th_unit_place place;
  struct th_range one = {attribute, attribute + 1};
  struct th_error ignored = {0};
  if (!copy->verified)
    copy->began = th_comm_clock();
  copy->verified = true;
  if (th_residency_find(&d->residency, attribute, copy->group, true, &place,
                        &ignored) != TH_OK ||
      place.unit == NULL)
    return NULL;
  bool queued =
      th_residency_part(place.unit, one, TH_QUEUED).first == attribute;
  if (place.unit->mapped &&
      (queued ||
       th_residency_take(&d->residency, &place, &one, &ignored) != TH_OK))
    return NULL;
  return run_in(copy, place.unit, attribute);
}

/* The values of an attribute; NULL: they are not in memory. fresh: they may be
 * looked at in place for the first time. */
static const char *find_run(struct copy *copy, int64_t attribute, bool fresh)
{
  struct th_dataset *d = copy->dataset;
  const struct th_unit *alone = NULL;
  const char *run = NULL;
  if (attribute >= copy->in.last)
    enter_unit(copy, attribute);
  if (copy->of != NULL)
    run = run_in(copy, copy->of, attribute);
  if (run == NULL && d->residency.runs.count > 0)
    alone =
        th_cache_find(&d->residency.runs,
                      th_residency_key(&d->residency, attribute, copy->group));
  if (alone != NULL)
    run = run_in(copy, alone, attribute);
  if (run == NULL && fresh && copy->of != NULL && copy->of->mapped)
    run = take_run(copy, attribute);
  return run;
}

static void bring_near(const char *run, int64_t bytes)
{
  for (int64_t b = 0; b < bytes; b += LINE)
    __builtin_prefetch(run + b);
}

/* What stands for the missing values of an attribute that is in memory; those
 * of a shard without any are what they are. */
static double stands_for(struct th_dataset *d, int64_t attribute)
{
  const struct th_shard *shard = th_residency_shard(&d->residency, attribute);
  return shard->stand_in.mean != NULL
             ? shard->stand_in.mean[attribute - shard->row->range.first]
             : th_type_missing(d->store.shape.type);
}

/* Copy some attributes, which become fewer where one is not in memory; `done`
 * ones are there. fresh: so many of them may be looked at for the first time.
 */
static int64_t copy_some(struct copy *copy, const int64_t *attribute,
                         int64_t count, int64_t done, int64_t fresh, char *to,
                         const struct th_packing *packing)
{
  const char *run[COPY_SOME];
  int64_t found = 0;
  copy->verified = false;
  for (; found < count; found++) {
    run[found] = find_run(copy, attribute[found], found < fresh);
    if (run[found] == NULL)
      break;
    bring_near(run[found], packing->bytes);
  }
  if (copy->verified)
    copy->dataset->store.seconds += th_comm_clock() - copy->began;
  for (int64_t k = 0; k < found; k++)
    memcpy(to + k * packing->stride, run[k], (size_t)packing->bytes);
  for (int64_t k = 0; packing->stand_in != NULL && k < found; k++)
    packing->stand_in[done + k] = stands_for(copy->dataset, attribute[k]);
  return found;
}

static int64_t copy_values(struct th_store *store, struct th_rows rows,
                           const int64_t *attribute, int64_t count, void *to,
                           const struct th_packing *packing)
{
  struct th_dataset *d = (struct th_dataset *)store;
  const struct th_row_groups *g = &d->info.row_groups;
  int64_t group = th_row_groups_group_of(g, rows.first);
  int64_t row = rows.first - th_row_groups_group(g, group).first;
  struct copy copy = {.dataset = d,
                      .group = group,
                      .skip = (int64_t)th_type_offset(store->shape.type, row)};
  int64_t done = 0;
  if (th_mapping_any_broken()) /* to read them is to be the error */
    return 0;
  while (done < count) {
    int64_t some = th_min_i64(COPY_SOME, count - done);
    int64_t found =
        copy_some(&copy, attribute + done, some, done, packing->alone - done,
                  (char *)to + done * packing->stride, packing);
    done += found;
    if (found < some)
      break;
  }
  return done;
}

/* --- Single values, at random places
 *
 * Most are in memory. Then the time of a value is that of finding its place: so
 * all places are found first, and then all values are loaded, such that the
 * processor waits for many at once. */

enum { ENTRIES_SOME = 256 };

/* A value, as the files see it. */
struct spot {
  const struct th_shard *shard; /* NULL: outside of the data, or closed */
  int64_t attribute;
  int64_t unit; /* first attribute of it */
  int64_t group;
  int64_t row; /* of the group */
};

/* Some values: first their places are known, then where they are in memory. */
struct some {
  struct spot spot[ENTRIES_SOME];
  int64_t unit[ENTRIES_SOME]; /* keys */
  int64_t run[ENTRIES_SOME];
  const void *array[ENTRIES_SOME]; /* of those found since the last load */
  int64_t item[ENTRIES_SOME];
  int64_t found;
};

static const double zero = 0;

/* The shard of an attribute: shards are about even. */
static const struct th_shard *entries_shard_of(const struct th_dataset *d,
                                               int64_t attribute, double share)
{
  int64_t k = (int64_t)((double)attribute * share);
  k = k < d->info.shards ? k : d->info.shards - 1;
  while (attribute < d->info.shard[k].range.first)
    k--;
  while (attribute >= d->info.shard[k].range.last)
    k++;
  return &d->residency.shard[k];
}

/* The first attribute of the unit of an attribute; -1: it is not known yet. */
static int64_t first_of_unit(const struct th_shard *shard, int64_t attribute)
{
  int64_t first = shard->row->range.first;
  if (!shard->open || shard->unit == 0)
    return shard->open ? th_parts_first(&shard->parts, attribute) : -1;
  uint32_t unit = (uint32_t)(attribute - first) / (uint32_t)shard->unit;
  return first + unit * shard->unit;
}

static struct spot spot_of(const struct th_dataset *d, int64_t row,
                           int64_t attribute, double share)
{
  const struct th_shape *shape = &d->store.shape;
  struct spot spot = {.attribute = attribute};
  if (attribute < 0 || attribute >= shape->attributes || row < 0 ||
      row >= shape->examples)
    return spot;
  const struct th_shard *shard = entries_shard_of(d, attribute, share);
  spot.unit = first_of_unit(shard, attribute);
  if (spot.unit < 0)
    return spot;
  spot.shard = shard;
  spot.group = th_store_shape_group_of(shape, row, &spot.row);
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
    some->unit[k] = th_residency_key(&d->residency, spot.unit, spot.group);
    some->run[k] = th_residency_key(&d->residency, spot.attribute, spot.group);
  }
  th_cache_prefetch(&d->residency.blocks, some->unit, entries.count);
  th_cache_prefetch(&d->residency.runs, some->run, entries.count);
}

/* Is entry k in a unit that is in memory as a whole, or a run that is kept? */
static bool find_dense(struct th_dataset *d, struct some *some, int64_t k)
{
  const struct th_shape *shape = &d->store.shape;
  const struct spot *at = &some->spot[k];
  int64_t skip = (at->attribute - at->unit) * shape->row_group;
  const char *values = th_cache_shown(&d->residency.blocks, some->unit[k]);
  if (values == NULL) {
    values = th_cache_shown(&d->residency.runs, some->run[k]);
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
  const struct th_piece *piece =
      th_cache_shown(&d->residency.blocks, some->unit[k]);
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

/* Load what was found: the last entries before entry k. */
static void load_found(const struct th_dataset *d, struct some *some, int64_t k,
                       double *value)
{
  const enum th_type type = d->store.shape.type;
  th_type_gather(type, some->array, some->item, some->found,
                 value + k - some->found);
  for (int64_t j = k - some->found;
       th_store_shape_stands_in(&d->store.shape) && j < k; j++) {
    const struct spot *at = &some->spot[j];
    const double *mean = means_from(at->shard, at->attribute);
    if (mean != NULL && value[j] == th_type_missing(type))
      value[j] = *mean;
  }
  some->found = 0;
}

static bool unit_is_whole(const struct th_unit *unit)
{
  struct th_range all = unit->attributes;
  struct th_range there = th_residency_part(unit, all, TH_PRESENT);
  return there.first == all.first && there.last == all.last;
}

/* A unit of which some values are absent, or still being read, is not shown.
 */
static void show_unit(struct th_cache *cache, int64_t key)
{
  const struct th_unit *unit = th_cache_find(cache, key);
  if (unit != NULL && unit_is_whole(unit))
    th_cache_show(cache, key, unit->values);
}

/* The next look is to find the unit or the kept run, or the piece. */
static void show_next(struct th_dataset *d, const struct th_place *place,
                      int64_t attribute)
{
  if (d->store.shape.layout == TH_SPARSE) {
    th_cache_show(&d->residency.blocks, place->key,
                  th_cache_find(&d->residency.blocks, place->key));
    return;
  }
  show_unit(&d->residency.blocks, place->key);
  show_unit(&d->residency.runs,
            th_residency_key(&d->residency, attribute, place->group));
}

/* Are the values around a single one read, too? They have to stay until they
 * are asked for: those of a mini-batch of a single pass lie in few groups. */
static bool reads_whole(const struct th_dataset *d)
{
  enum { GROUPS = 8 };
  const struct th_residency *r = &d->residency;
  return d->store.shape.layout == TH_DENSE && r->whole &&
         (th_residency_all_fit(r) ||
          (r->once && th_residency_groups_fit(r, GROUPS)));
}

/* Read what is not in memory: a whole unit, or the run alone. */
static th_status read_one(struct th_dataset *d, int64_t row, int64_t attribute,
                          double *value, struct th_error *err)
{
  struct th_rows one = {row, 1};
  struct th_range rest = {attribute, attribute + 1};
  bool whole = reads_whole(d);
  struct th_place place;
  struct th_slab slab;
  th_status rc;
  TH_TRY(th_dataset_store_request(d, one, rest, err));
  int64_t group = th_row_groups_group_of(&d->info.row_groups, row);
  TH_TRY(th_residency_place(&d->residency, attribute, group, &place, err));
  if (whole)
    rest = place.attributes;
  for (; rest.first < rest.last; rest.first = slab.attributes.last) {
    TH_TRY(slab_of(&d->store, one, rest, !whole, &slab, err));
    if (attribute >= slab.attributes.first && attribute < slab.attributes.last)
      *value = th_slab_value(&slab, attribute, 0);
  }
  show_next(d, &place, attribute);
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
    load_found(d, some, k, value);
    rc = read_one(d, entries.row[k], entries.attribute[k], value + k, err);
  }
  if (rc == TH_OK)
    load_found(d, some, entries.count, value);
  return rc;
}

static th_status entries_at(struct th_store *store,
                            const struct th_entries *entries, double *value,
                            struct th_error *err)
{
  struct th_dataset *d = (struct th_dataset *)store;
  struct some some;
  th_status rc = th_residency_check(&d->residency, err);
  for (int64_t k = 0; k < entries->count && rc == TH_OK; k += ENTRIES_SOME) {
    struct th_entries part = {th_min_i64(ENTRIES_SOME, entries->count - k),
                              entries->row + k, entries->attribute + k};
    rc = some_entries(d, part, &some, value + k, err);
  }
  return rc;
}

/* --- Targets, and slabs that are announced -------------------------------- */

static th_status targets_of(struct th_store *store, struct th_rows rows,
                            double *target, double *weight,
                            struct th_error *err)
{
  struct th_dataset *d = (struct th_dataset *)store;
  if (target != NULL && store->shape.unlabelled)
    return th_fail(err, TH_EDATA, "%s has no target; use it with predict",
                   d->path);
  return th_examples_read(&d->examples, rows, target, weight, err);
}

static void announce_slab(struct th_store *store, struct th_rows rows,
                          struct th_range range, bool keep)
{
  struct th_dataset *d = (struct th_dataset *)store;
  struct th_wanted wanted = {
      th_row_groups_group_of(&d->info.row_groups, rows.first), range, keep};
  th_prefetch_announce(&d->prefetch, &d->residency, &wanted);
}

static void forget(struct th_store *store)
{
  struct th_dataset *d = (struct th_dataset *)store;
  th_prefetch_forget(&d->prefetch, &d->residency);
}

/* --- The cost of each cell to the rank that owns it ----------------------- */

enum {
  COST_OF_AN_ATTRIBUTE = 3, /* in entries, comparing the memory of both */
  PARTS_OF_A_RANK = 16      /* so many are dealt as a whole: a rank then has 3 %
                               too much at most, and no two ranks read a part */
};

/* The first cell behind an attribute's. */
static int64_t next_cell(int64_t attribute)
{
  return (attribute / TH_CELL + 1) * TH_CELL;
}

/* Add what a part costs to its cells; to its first one where it is to be owned
 * as a whole. */
static void add_part_cost(struct th_range attributes, int64_t entries,
                          bool whole, int64_t *cost)
{
  int64_t count = th_range_count(attributes);
  for (int64_t at = attributes.first; at < attributes.last;) {
    int64_t end = th_min_i64(next_cell(at), attributes.last);
    double share = (double)(end - at) / (double)count;
    int64_t cell = (whole ? attributes.first : at) / TH_CELL;
    cost[cell] +=
        (int64_t)(share * (double)entries) + COST_OF_AN_ATTRIBUTE * (end - at);
    at = end;
  }
}

/* Add the parts of a sparse shard. share: what a rank is to bear, about.
 * Local. */
static th_status add_shard(struct th_dataset *d, struct th_shard *shard,
                           int64_t share, int64_t *cost, struct th_error *err)
{
  const struct th_parts *parts = &shard->parts;
  int64_t base = shard->row->range.first;
  double began = th_comm_clock();
  th_status rc = th_shard_open(shard, err);
  if (rc == TH_OK)
    rc = th_parts_open(&shard->parts, err);
  for (int64_t p = 0; p < parts->count && rc == TH_OK; p++) {
    struct th_range attributes = {base + parts->first[p],
                                  base + parts->first[p + 1]};
    bool whole = parts->training[p] < share / PARTS_OF_A_RANK;
    add_part_cost(attributes, parts->training[p], whole, cost);
  }
  th_residency_count(&d->residency, shard, began);
  return rc;
}

/* The cost of cells: their entries, and a share for each attribute. Collective.
 */
static th_status sparse_cost(struct th_dataset *d, struct th_comm *comm,
                             int64_t *cost, struct th_error *err)
{
  const struct th_shape *shape = &d->store.shape;
  int64_t cells = th_integer_ceil_divide(shape->attributes, TH_CELL);
  th_status rc = TH_OK;
  for (int64_t k = comm->rank; k < d->info.shards && rc == TH_OK;
       k += comm->size)
    rc = add_shard(d, &d->residency.shard[k], shape->nonzeros / comm->size,
                   cost, err);
  rc = th_agree(comm, rc, err);
  if (rc == TH_OK)
    comm->ops->sum_i64(comm, cost, (size_t)cells);
  return rc;
}

static th_status dataset_cost(struct th_store *store, struct th_comm *comm,
                              int64_t *cost, struct th_error *err)
{
  int64_t attributes = store->shape.attributes;
  if (store->shape.layout == TH_SPARSE)
    return sparse_cost((struct th_dataset *)store, comm, cost, err);
  for (int64_t at = 0; at < attributes; at = next_cell(at))
    cost[at / TH_CELL] +=
        COST_OF_AN_ATTRIBUTE * (th_min_i64(next_cell(at), attributes) - at);
  return TH_OK;
}

const struct th_store_ops th_dataset_store_ops = {
    .slab = slab_of,
    .copy = copy_values,
    .entries = entries_at,
    .targets = targets_of,
    .statistics = statistics_of,
    .announce = announce_slab,
    .forget = forget,
    .cost = dataset_cost,
};
