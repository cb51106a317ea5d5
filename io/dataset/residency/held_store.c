/* held_store.c - values that are held in memory as a store
 *
 * Every value has its place, so nothing is looked for, and nothing is prepared.
 * Slabs are handed out in parts that stay in the processor's cache until the
 * caller has used them, as those of files are.
 * SPDX-License-Identifier: MIT */
#include "io/dataset/residency/held_store.h"

#include "base/integer.h"
#include "io/dataset/held.h"
#include "io/dataset/residency/dataset_store.h"

#include <string.h>

enum { HOT = 256 << 10, SOME = 16, LINE = 64 }; /* bytes; attributes; bytes */

static const struct th_held *held_of(const struct th_store *store)
{
  return ((const struct th_dataset *)store)->held;
}

/* The group of rows, and the first of them there. */
static int64_t held_group(const struct th_held *held, struct th_rows rows,
                          int64_t *row)
{
  return th_store_shape_group_of(&held->row_groups.shape, rows.first, row);
}

static th_status held_slab(struct th_store *store, struct th_rows rows,
                           struct th_range range, bool keep,
                           struct th_slab *slab, struct th_error *err)
{
  const struct th_held *held = held_of(store);
  const struct th_shape *shape = &held->row_groups.shape;
  int64_t row = 0;
  (void)keep;
  th_status rc = th_dataset_store_request((const struct th_dataset *)store,
                                          rows, range, err);
  if (rc != TH_OK)
    return rc;
  int64_t group = held_group(held, rows, &row);
  range.last =
      th_min_i64(range.last, range.first + th_max_i64(HOT / held->run, 1));
  *slab = (struct th_slab){.layout = TH_DENSE,
                           .type = shape->type,
                           .attributes = range,
                           .row = row,
                           .rows = (int32_t)rows.count,
                           .values = th_held_run(held, group, range.first) +
                                     th_type_offset(shape->type, row),
                           .stride = shape->row_group};
  return TH_OK;
}

/* Some attributes are found first, and then copied, such that the processor
 * waits for many at once. */
static int64_t held_copy(struct th_store *store, struct th_rows rows,
                         const int64_t *attribute, int64_t count, void *to,
                         const struct th_packing *packing)
{
  const struct th_held *held = held_of(store);
  const enum th_type type = held->row_groups.shape.type;
  int64_t row = 0;
  int64_t group = held_group(held, rows, &row);
  const char *first = th_held_run(held, group, 0) + th_type_offset(type, row);
  for (int64_t k = 0; k < count; k += SOME) {
    int64_t end = th_min_i64(k + SOME, count);
    for (int64_t j = k; j < end; j++)
      for (int64_t b = 0; b < packing->bytes; b += LINE)
        __builtin_prefetch(first + attribute[j] * held->run + b);
    for (int64_t j = k; j < end; j++)
      memcpy((char *)to + j * packing->stride, first + attribute[j] * held->run,
             (size_t)packing->bytes);
  }
  for (int64_t k = 0; packing->stand_in != NULL && k < count; k++)
    packing->stand_in[k] = th_type_missing(type);
  return count;
}

static th_status held_entries(struct th_store *store,
                              const struct th_entries *entries, double *value,
                              struct th_error *err)
{
  enum { TOGETHER = 256 };
  const struct th_held *held = held_of(store);
  const enum th_type type = held->row_groups.shape.type;
  const void *run[TOGETHER];
  int64_t row[TOGETHER];
  for (int64_t k = 0; k < entries->count; k += TOGETHER) {
    const int64_t some = th_min_i64(TOGETHER, entries->count - k);
    for (int64_t j = 0; j < some; j++) {
      const int64_t a = entries->attribute[k + j];
      const struct th_rows one = {entries->row[k + j], 1};
      th_status rc =
          th_dataset_store_request((const struct th_dataset *)store, one,
                                   (struct th_range){a, a + 1}, err);
      if (rc != TH_OK)
        return rc;
      run[j] = th_held_run(held, held_group(held, one, &row[j]), a);
      __builtin_prefetch((const char *)run[j] + th_type_offset(type, row[j]));
    }
    th_type_gather(type, run, row, some, value + k);
  }
  return TH_OK;
}

static th_status held_statistics(struct th_store *store, struct th_range range,
                                 struct th_statistics *statistics,
                                 struct th_error *err)
{
  const struct th_running_stats *stats = &held_of(store)->stats;
  if (range.first < 0 || range.last > store->shape.attributes)
    return th_fail(err, TH_EARG, "a request outside of the data");
  for (int64_t a = range.first; a < range.last; a++)
    statistics[a - range.first] = (struct th_statistics){
        stats->mean[a], stats->squares[a], stats->lowest[a], stats->highest[a]};
  return TH_OK;
}

static th_status held_targets(struct th_store *store, struct th_rows rows,
                              double *target, double *weight,
                              struct th_error *err)
{
  return th_dataset_store_ops.targets(store, rows, target, weight, err);
}

static th_status held_cost(struct th_store *store, struct th_comm *comm,
                           int64_t *cost, struct th_error *err)
{
  return th_dataset_store_ops.cost(store, comm, cost, err);
}

const struct th_store_ops th_held_store_ops = {.slab = held_slab,
                                               .copy = held_copy,
                                               .entries = held_entries,
                                               .targets = held_targets,
                                               .statistics = held_statistics,
                                               .cost = held_cost};
