/* dataset_copy.c - the values of many attributes that do not lie together
 *
 * What is in memory is copied, also what lies in a unit that is used in place.
 * The places of some attributes are found first, and then all of these are
 * copied, such that the processor waits for many at once.
 * SPDX-License-Identifier: MIT */
#include "core/comm.h"
#include "core/integer.h"
#include "io/dataset/cache_block.h"
#include "io/dataset/in_place.h"
#include "io/hdf5/mapping.h"

#include <string.h>

enum { SOME = 16, LINE = 64 };

/* Values of one row group, and the unit that the last of them was in. */
struct copy {
  struct th_dataset *dataset;
  int64_t group;
  int64_t skip;              /* bytes of a run before the first row */
  struct th_range in;        /* attributes of the unit */
  struct th_cache_block *of; /* NULL: not in memory */
  bool verified;             /* some of these runs, in place */
  double began;              /* to do so; seconds */
};

static void enter_unit(struct copy *copy, int64_t attribute)
{
  struct th_place place;
  struct th_error ignored = {0};
  copy->in = (struct th_range){attribute, attribute + 1};
  copy->of = NULL;
  if (th_dataset_place(copy->dataset, attribute, copy->group, &place,
                       &ignored) != TH_OK)
    return;
  copy->in = place.attributes;
  copy->of = th_cache_find(&copy->dataset->blocks, place.key);
}

static const char *run_in(const struct copy *copy,
                          const struct th_cache_block *unit, int64_t attribute)
{
  int64_t at = attribute - unit->attributes.first;
  int64_t run = th_dataset_run_bytes(copy->dataset);
  return unit->state[at] == TH_PRESENT ? unit->values + at * run + copy->skip
                                       : NULL;
}

/* The values of an attribute whose unit is used in place: of a copy alone, or
 * there, for the first time. NULL: they have to be asked for alone. What fails
 * here fails again then, and is said. */
static const char *take_run(struct copy *copy, int64_t attribute)
{
  struct th_dataset *d = copy->dataset;
  struct th_cache_block_place place;
  struct th_range one = {attribute, attribute + 1};
  struct th_error ignored = {0};
  if (!copy->verified)
    copy->began = th_comm_clock();
  copy->verified = true;
  if (th_cache_block_find(d, attribute, copy->group, true, &place, &ignored) !=
          TH_OK ||
      place.unit == NULL)
    return NULL;
  bool queued =
      th_cache_block_part(place.unit, one, TH_QUEUED).first == attribute;
  if (place.unit->mapped &&
      (queued || th_in_place_take(d, &place, &one, &ignored) != TH_OK))
    return NULL;
  return run_in(copy, place.unit, attribute);
}

/* The values of an attribute; NULL: they are not in memory. fresh: they may be
 * looked at in place for the first time. */
static const char *find_run(struct copy *copy, int64_t attribute, bool fresh)
{
  struct th_dataset *d = copy->dataset;
  const struct th_cache_block *alone = NULL;
  const char *run = NULL;
  if (attribute >= copy->in.last)
    enter_unit(copy, attribute);
  if (copy->of != NULL)
    run = run_in(copy, copy->of, attribute);
  if (run != NULL)
    return run;
  if (fresh && copy->of != NULL && copy->of->mapped)
    return take_run(copy, attribute);
  if (d->runs.count > 0)
    alone = th_cache_find(&d->runs, th_dataset_key(d, attribute, copy->group));
  return alone == NULL ? NULL : run_in(copy, alone, attribute);
}

static void bring_near(const char *run, int64_t bytes)
{
  for (int64_t b = 0; b < bytes; b += LINE)
    __builtin_prefetch(run + b);
}

/* Copy some attributes, which become fewer where one is not in memory. fresh:
 * so many of them may be looked at for the first time. */
static int64_t copy_some(struct copy *copy, const int64_t *attribute,
                         int64_t count, int64_t fresh, char *to,
                         const struct th_packing *packing)
{
  const char *run[SOME];
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
  return found;
}

int64_t th_dataset_copy(struct th_store *store, struct th_rows rows,
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
    int64_t some = th_min_i64(SOME, count - done);
    int64_t found =
        copy_some(&copy, attribute + done, some, packing->alone - done,
                  (char *)to + done * packing->stride, packing);
    done += found;
    if (found < some)
      break;
  }
  return done;
}
