/* callback_store.c - a store whose values a caller computes when asked
 *
 * Values are kept by runs: one attribute on one row group, with a mark for each
 * row that is known. A request asks the caller at once for all values that it
 * lacks, and returns a slab of the first attribute.
 * SPDX-License-Identifier: MIT */
#include "api/callback_store.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/dataset/row_groups.h"
#include "synthetic/memo.h"

#include <math.h>
#include <stdlib.h>

#define MOST_VALUES ((int64_t)1 << 62)

struct run {
  double lowest;
  double highest;
  unsigned char *there; /* marks by row of the group; lie after the values */
  double value[];
};

struct th_callback_store {
  struct th_store store; /* first: the store is the callback store */
  struct thresher_source source;
  int64_t *row;        /* the caller's number of each stored row, as those of
                          weight 0 are stored last; NULL: the same number */
  struct th_memo runs; /* by row group and attribute */
  double *block;       /* what the caller fills in */
  int64_t block_capacity;
};

/* Some rows of one group. */
struct place {
  int64_t group;
  int64_t row; /* the first, counted from the group's first */
  int64_t count;
  int64_t first; /* the first, as stored */
};

static int64_t input_row(const struct th_store *store, int64_t row)
{
  const struct th_callback_store *s = (const struct th_callback_store *)store;
  return s->row != NULL ? s->row[row] : row;
}

/* The beginning of rows that the caller numbers one after the other. */
static struct th_rows together(const struct th_callback_store *s,
                               struct th_rows rows)
{
  struct th_rows part = {input_row(&s->store, rows.first), 1};
  while (part.count < rows.count &&
         input_row(&s->store, rows.first + part.count) ==
             part.first + part.count)
    part.count++;
  return part;
}

static th_status fail_caller(const char *what, char said[THRESHER_SAID],
                             struct th_error *err)
{
  said[THRESHER_SAID - 1] = '\0';
  return th_fail(err, TH_EIO, "the caller's %s: %s", what,
                 said[0] != '\0' ? said : "failed");
}

static th_status ask_known(const struct th_callback_store *s, int64_t first,
                           int64_t count, struct thresher_attribute *known,
                           struct th_error *err)
{
  char said[THRESHER_SAID] = "";
  if (s->source.known(s->source.self, first, count, known, said) != 0)
    return fail_caller("knowledge of attributes", said, err);
  for (int64_t a = 0; a < count; a++)
    if (!isfinite(known[a].mean) || !(known[a].deviation >= 0) ||
        !isfinite(known[a].deviation) || !isfinite(known[a].lowest) ||
        !isfinite(known[a].highest) || !(known[a].lowest <= known[a].highest))
      return th_fail(
          err, TH_EDATA,
          "attribute %lld: the caller gave mean %g, deviation %g and range %g "
          "to %g; all must be finite, and the range must not be empty",
          (long long)(first + a), known[a].mean, known[a].deviation,
          known[a].lowest, known[a].highest);
  return TH_OK;
}

static th_status run_of_attribute(struct th_callback_store *s, int64_t group,
                                  int64_t attribute, struct run **run,
                                  struct th_error *err)
{
  struct thresher_attribute known;
  int64_t rows = s->store.shape.row_group;
  int64_t key = group * s->store.shape.attributes + attribute;
  int64_t bytes = (int64_t)sizeof **run + rows * ((int64_t)sizeof(double) + 1);
  struct run *fresh = NULL;
  th_status rc;
  *run = th_memo_find(&s->runs, key);
  if (*run != NULL)
    return TH_OK;
  TH_TRY(ask_known(s, attribute, 1, &known, err));
  TH_TRY(th_alloc((void **)&fresh, bytes, 1, "observed values", err));
  fresh->lowest = known.lowest;
  fresh->highest = known.highest;
  fresh->there = (unsigned char *)(fresh->value + rows);
  TH_TRY(th_memo_put(&s->runs, key, fresh, bytes, err));
  *run = fresh;
  fresh = NULL;
done:
  free(fresh);
  return rc;
}

/* Keep values of one attribute that the caller has given. */
static th_status keep(struct run *run, const struct place *place,
                      int64_t attribute, const double *value,
                      struct th_error *err)
{
  for (int64_t i = 0; i < place->count; i++) {
    if (!(value[i] >= run->lowest && value[i] <= run->highest))
      return th_fail(err, TH_EDATA,
                     "example %lld, attribute %lld: %g lies outside of %g to "
                     "%g, the range that the caller gave",
                     (long long)(place->first + i), (long long)attribute,
                     value[i], run->lowest, run->highest);
    run->value[place->row + i] = value[i];
    run->there[place->row + i] = 1;
  }
  return TH_OK;
}

/* Ask the caller for these attributes (ascending) on all of these rows, which
 * it numbers one after the other; place->first is its number. */
static th_status ask_part(struct th_callback_store *s,
                          const struct place *place, const int64_t *attribute,
                          int64_t count, struct th_error *err)
{
  char said[THRESHER_SAID] = "";
  th_status rc;
  TH_TRY(th_grow((void **)&s->block, &s->block_capacity, place->count * count,
                 sizeof *s->block, "values to be observed", err));
  if (s->source.values(s->source.self, place->first, place->count, attribute,
                       count, s->block, said) != 0)
    return fail_caller("values", said, err);
  for (int64_t a = 0; a < count; a++) {
    struct run *run;
    TH_TRY(run_of_attribute(s, place->group, attribute[a], &run, err));
    TH_TRY(keep(run, place, attribute[a], s->block + a * place->count, err));
  }
done:
  return rc;
}

/* Ask the caller for values of any rows of a group. */
static th_status ask_rows(struct th_callback_store *s,
                          const struct place *place, const int64_t *attribute,
                          int64_t count, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t done = 0; done < place->count && rc == TH_OK;) {
    struct th_rows part =
        together(s, (struct th_rows){place->first + done, place->count - done});
    struct place here = {place->group, place->row + done, part.count,
                         part.first};
    rc = ask_part(s, &here, attribute, count, err);
    done += part.count;
  }
  return rc;
}

/* Count the rows from `row` on that are all known, or all unknown. */
static int64_t alike(const struct run *run, int64_t row, int64_t last)
{
  int64_t end = row + 1;
  while (end < last && run->there[end] == run->there[row])
    end++;
  return end - row;
}

/* Ask the caller for the unknown rows of an attribute of which some are known.
 */
static th_status ask_rest(struct th_callback_store *s,
                          const struct place *place, const struct run *run,
                          int64_t attribute, struct th_error *err)
{
  int64_t last = place->row + place->count;
  th_status rc = TH_OK;
  for (int64_t row = place->row, same; row < last && rc == TH_OK; row += same) {
    same = alike(run, row, last);
    struct place part = {place->group, row, same,
                         place->first + row - place->row};
    if (!run->there[row])
      rc = ask_rows(s, &part, &attribute, 1, err);
  }
  return rc;
}

/* Make sure that all values of up to a cell of attributes are known. */
static th_status have(struct th_callback_store *s, const struct place *place,
                      struct th_range range, struct th_error *err)
{
  int64_t list[TH_CELL];
  int64_t count = 0;
  th_status rc = TH_OK;
  for (int64_t j = range.first; j < range.last; j++) {
    struct run *run;
    TH_TRY(run_of_attribute(s, place->group, j, &run, err));
    bool none =
        !run->there[place->row] &&
        alike(run, place->row, place->row + place->count) == place->count;
    if (none)
      list[count++] = j;
    else
      TH_TRY(ask_rest(s, place, run, j, err));
  }
  if (count > 0)
    TH_TRY(ask_rows(s, place, list, count, err));
done:
  return rc;
}

static th_status slab_of(struct th_store *store, struct th_rows rows,
                         struct th_range range, bool alone,
                         struct th_slab *slab, struct th_error *err)
{
  struct th_callback_store *s = (struct th_callback_store *)store;
  struct place place = {.count = rows.count, .first = rows.first};
  struct run *run;
  th_status rc;
  (void)alone;
  place.group = th_store_shape_group_of(&store->shape, rows.first, &place.row);
  range.last = th_min_i64(range.last, range.first + TH_CELL);
  double began = th_comm_clock();
  TH_TRY(have(s, &place, range, err));
  TH_TRY(run_of_attribute(s, place.group, range.first, &run, err));
  *slab = (struct th_slab){.layout = TH_DENSE,
                           .type = TH_F64,
                           .attributes = {range.first, range.first + 1},
                           .row = place.row,
                           .rows = (int32_t)rows.count,
                           .values = run->value + place.row,
                           .stride = store->shape.row_group};
  store->seconds += th_comm_clock() - began;
done:
  return rc;
}

/* Of rows by the caller's numbers. */
static th_status ask_targets(const struct th_callback_store *s,
                             struct th_rows rows, double *target,
                             double *weight, struct th_error *err)
{
  const struct thresher_source *source = &s->source;
  char said[THRESHER_SAID] = "";
  if (target != NULL && source->targets == NULL)
    return th_fail(err, TH_EDATA, "the caller's data have no targets");
  if (target != NULL &&
      source->targets(source->self, rows.first, rows.count, target, said) != 0)
    return fail_caller("targets", said, err);
  for (int64_t i = 0; weight != NULL && i < rows.count; i++)
    weight[i] = 1;
  if (weight != NULL && source->weights != NULL &&
      source->weights(source->self, rows.first, rows.count, weight, said) != 0)
    return fail_caller("weights", said, err);
  for (int64_t i = 0; i < rows.count; i++)
    if ((target != NULL && !isfinite(target[i])) ||
        (weight != NULL && !(weight[i] >= 0 && isfinite(weight[i]))))
      return th_fail(err, TH_EDATA,
                     "example %lld: its target or weight is not finite, or its "
                     "weight is negative",
                     (long long)(rows.first + i));
  return TH_OK;
}

static th_status targets_of(struct th_store *store, struct th_rows rows,
                            double *target, double *weight,
                            struct th_error *err)
{
  const struct th_callback_store *s = (struct th_callback_store *)store;
  th_status rc = TH_OK;
  for (int64_t done = 0; done < rows.count && rc == TH_OK;) {
    struct th_rows part =
        together(s, (struct th_rows){rows.first + done, rows.count - done});
    rc = ask_targets(s, part, target != NULL ? target + done : NULL,
                     weight != NULL ? weight + done : NULL, err);
    done += part.count;
  }
  return rc;
}

static th_status statistics_of(struct th_store *store, struct th_range range,
                               struct th_statistics *statistics,
                               struct th_error *err)
{
  const struct th_callback_store *s = (struct th_callback_store *)store;
  int64_t count = th_range_count(range);
  struct thresher_attribute *known = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&known, count, "what is known of attributes", err));
  TH_TRY(ask_known(s, range.first, count, known, err));
  for (int64_t a = 0; a < count; a++)
    statistics[a] = (struct th_statistics){known[a].mean, known[a].deviation,
                                           known[a].lowest, known[a].highest};
done:
  free(known);
  return rc;
}

static const struct th_store_ops store_ops = {.slab = slab_of,
                                              .targets = targets_of,
                                              .number = input_row,
                                              .statistics = statistics_of};

static uint64_t source_fingerprint(const struct thresher_source *source)
{
  uint64_t hash = TH_FNV_BASIS;
  hash = th_integer_hash(hash, &source->examples, sizeof source->examples);
  hash = th_integer_hash(hash, &source->training, sizeof source->training);
  hash = th_integer_hash(hash, &source->attributes, sizeof source->attributes);
  return th_integer_hash(hash, &source->identity, sizeof source->identity);
}

static struct th_shape source_shape(const struct thresher_source *source)
{
  return (struct th_shape){.examples = source->examples,
                           .training = source->training,
                           .attributes = source->attributes,
                           .row_group =
                               th_partition_row_group_size(source->examples),
                           .layout = TH_DENSE,
                           .type = TH_F64,
                           .weighted = source->weights != NULL,
                           .unlabelled = source->targets == NULL,
                           .computed = true};
}

static th_status check_source(const struct thresher_source *source,
                              struct th_error *err)
{
  if (source->values == NULL || source->known == NULL)
    return th_fail(err, TH_EARG,
                   "the caller's data need the functions `values` and `known`");
  if (source->examples < 1 || source->attributes < 1 || source->training < 0 ||
      source->training > source->examples)
    return th_fail(
        err, TH_EARG,
        "the caller's data have %lld examples, %lld of them to train on, and "
        "%lld attributes; at least one example and one attribute are needed",
        (long long)source->examples, (long long)source->training,
        (long long)source->attributes);
  return TH_OK;
}

/* Sizes with which numbers of values and of runs fit 64-bit integers. */
static th_status check_sizes(const struct th_shape *shape, struct th_error *err)
{
  struct th_row_groups row_groups;
  struct th_error why;
  th_error_clear(&why);
  if (th_row_groups_init(&row_groups, shape, &why) == TH_OK &&
      shape->attributes <= MOST_VALUES / shape->examples)
    return TH_OK;
  return th_fail(err, TH_EARG,
                 "the caller's data have %lld examples and %lld attributes, "
                 "which are too many; they may have %lld and %lld, and 2^62 "
                 "values",
                 (long long)shape->examples, (long long)shape->attributes,
                 (long long)TH_MOST_EXAMPLES, (long long)TH_MOST_ATTRIBUTES);
}

/* Store the rows of weight 0 last, if there are some beside training rows that
 * have another one. */
static void set_apart(struct th_callback_store *s, const double *weight)
{
  struct th_shape *shape = &s->store.shape;
  int64_t training = 0;
  int64_t kept = 0;
  for (int64_t i = 0; i < shape->examples; i++)
    if (weight[i] > 0) {
      training += i < shape->training;
      s->row[kept++] = i;
    }
  shape->weightless = shape->examples - kept;
  for (int64_t i = 0; i < shape->examples; i++)
    if (!(weight[i] > 0))
      s->row[kept++] = i;
  if (shape->weightless > 0 && (training > 0 || shape->training == 0)) {
    shape->training = training;
    shape->row_group =
        th_partition_row_group_size(shape->examples - shape->weightless);
    return;
  }
  shape->weightless = 0;
  free(s->row);
  s->row = NULL;
}

static th_status order_rows(struct th_callback_store *s, struct th_error *err)
{
  struct th_rows all = {0, s->store.shape.examples};
  double *weight = NULL;
  int64_t *row = NULL;
  th_status rc = TH_OK;
  if (s->source.weights == NULL)
    return rc;
  TH_TRY(TH_NEW(&weight, all.count, "weights", err));
  TH_TRY(TH_NEW(&row, all.count, "row numbers", err));
  TH_TRY(ask_targets(s, all, NULL, weight, err));
  s->row = row;
  row = NULL;
  set_apart(s, weight);
done:
  TH_FREE(weight, row);
  return rc;
}

th_status th_callback_store_create(struct th_callback_store **store,
                                   const struct thresher_source *source,
                                   struct th_error *err)
{
  struct th_callback_store *s = NULL;
  struct th_shape shape;
  th_status rc;
  TH_TRY(check_source(source, err));
  shape = source_shape(source);
  TH_TRY(check_sizes(&shape, err));
  shape.nonzeros = shape.examples * shape.attributes;
  TH_TRY(TH_NEW(&s, 1, "the caller's data", err));
  s->source = *source;
  s->store.ops = &store_ops;
  s->store.statistics = "caller";
  s->store.fingerprint = source_fingerprint(source);
  s->store.shape = shape;
  TH_TRY(order_rows(s, err));
  *store = s;
  s = NULL;
done:
  th_callback_store_free(s);
  return rc;
}

void th_callback_store_free(struct th_callback_store *store)
{
  if (store == NULL)
    return;
  th_partition_placement_free(&store->store.placement);
  th_memo_free(&store->runs);
  TH_FREE(store->row, store->block, store);
}

struct th_store *th_callback_store_of(struct th_callback_store *store)
{
  return &store->store;
}
