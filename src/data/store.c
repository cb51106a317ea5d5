/* store.c - row groups of a data set, training first, then test; which rank
 * owns which attributes
 * SPDX-License-Identifier: MIT */
#include "data/store.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "base/memory.h"
#include "ranks/partition.h"

#include <math.h>
#include <stdlib.h>

/* --- The size, layout and row groups of a data set ------------------------ */

static int64_t training_groups(const struct th_shape *shape)
{
  return th_integer_ceil_divide(shape->training, shape->row_group);
}

int64_t th_store_shape_group_of(const struct th_shape *shape, int64_t row,
                                int64_t *row_in_group)
{
  bool test = row >= shape->training;
  int64_t counted = test ? row - shape->training : row;
  *row_in_group = counted % shape->row_group;
  return counted / shape->row_group + (test ? training_groups(shape) : 0);
}

struct th_rows th_store_shape_group(const struct th_shape *shape, int64_t group)
{
  int64_t training = training_groups(shape);
  bool test = group >= training;
  int64_t first = (test ? group - training : group) * shape->row_group +
                  (test ? shape->training : 0);
  int64_t left = (test ? shape->examples : shape->training) - first;
  return (struct th_rows){first, th_min_i64(left, shape->row_group)};
}

struct th_rows th_store_shape_rest(const struct th_shape *shape, int64_t row)
{
  int64_t in_group = 0;
  int64_t group = th_store_shape_group_of(shape, row, &in_group);
  return (struct th_rows){row,
                          th_store_shape_group(shape, group).count - in_group};
}

struct th_rows th_store_shape_next(const struct th_shape *shape,
                                   struct th_rows *rows)
{
  struct th_rows part = th_store_shape_rest(shape, rows->first);
  part.count = th_min_i64(part.count, rows->count);
  rows->first += part.count;
  rows->count -= part.count;
  return part;
}

int64_t th_store_shape_groups(const struct th_shape *shape)
{
  int64_t test = shape->examples - shape->training;
  return training_groups(shape) +
         th_integer_ceil_divide(test, shape->row_group);
}

bool th_store_shape_is_full(const struct th_shape *shape)
{
  double all = (double)shape->examples * (double)shape->attributes;
  return shape->layout == TH_DENSE || 3 * (double)shape->nonzeros >= 2 * all;
}

bool th_store_shape_stands_in(const struct th_shape *shape)
{
  return shape->missing > 0 && th_type_whole_numbers(shape->type);
}

int64_t th_store_shape_tests(const struct th_shape *shape)
{
  return shape->examples - shape->weightless - shape->training;
}

bool th_store_shape_is_rare(const struct th_shape *shape)
{
  return shape->layout == TH_SPARSE && shape->nonzeros < shape->attributes;
}

/* Entries of the training examples. */
static double training_entries(const struct th_shape *shape)
{
  double share = (double)shape->training / (double)shape->examples;
  return share * (double)shape->nonzeros;
}

double th_store_shape_bytes(const struct th_shape *shape)
{
  double values = (double)shape->training * (double)shape->attributes;
  if (shape->layout == TH_SPARSE)
    return training_entries(shape) * ((double)th_type_size(shape->type) + 2);
  return (double)th_type_bytes(shape->type, (int64_t)fmin(values, 0x1p62));
}

/* Runs of sparse training examples, as many as entries at random places make.
 */
static double training_runs(const struct th_shape *shape)
{
  double places = (double)shape->attributes * (double)training_groups(shape);
  return places > 0 ? places * (1 - th_exp(-training_entries(shape) / places))
                    : 0;
}

double th_store_shape_statistics_bytes(const struct th_shape *shape)
{
  enum { STATISTICS = 4 }; /* io/dataset/format.h */
  double each = shape->layout == TH_SPARSE && shape->type != TH_F64
                    ? sizeof(float)
                    : sizeof(double);
  return STATISTICS * each * (double)shape->attributes;
}

double th_store_shape_read_bytes(const struct th_shape *shape)
{
  enum { RUN_BYTES = 6, CHECKSUM_BYTES = 8 }; /* io/dataset/format.h */
  double runs = shape->layout == TH_SPARSE
                    ? RUN_BYTES * training_runs(shape)
                    : CHECKSUM_BYTES * (double)shape->attributes *
                          (double)training_groups(shape);
  return th_store_shape_bytes(shape) + runs +
         th_store_shape_statistics_bytes(shape);
}

double th_store_shape_together(const struct th_shape *shape)
{
  double one = 1 / (double)shape->attributes;
  double entries = training_entries(shape) / (double)training_groups(shape);
  if (shape->layout == TH_DENSE)
    return one;
  return fmax(one, fmin(1, TH_TOGETHER / fmax(entries, 1)));
}

double th_store_shape_kept_bytes(const struct th_shape *shape, int64_t items)
{
  enum { RUN_BYTES = 8 }; /* where it begins, and its attribute */
  double all = training_entries(shape);
  double share = (double)items / (double)shape->attributes;
  if (shape->layout == TH_DENSE)
    return share * th_store_shape_bytes(shape);
  return all > 0 ? (double)items / all *
                       (th_store_shape_bytes(shape) +
                        RUN_BYTES * training_runs(shape))
                 : 0;
}

/* --- A store -------------------------------------------------------------- */

th_status th_store_place(struct th_store *store, struct th_comm *comm,
                         struct th_error *err)
{
  int64_t attributes = store->shape.attributes;
  struct th_cost cost = {.attributes = attributes,
                         .shards = store->shards,
                         .cells = attributes / TH_CELL +
                                  (attributes % TH_CELL != 0)};
  th_status rc = TH_OK;
  if (comm->size == 1 || store->ops->cost == NULL)
    return rc;
  rc = TH_NEW(&cost.cost, cost.cells, "balancing the ranks", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(store->ops->cost(store, comm, cost.cost, err));
  rc = th_partition_by_cost(&store->placement, &cost, comm->size, err);
  TH_TRY(th_agree(comm, rc, err));
done:
  free(cost.cost);
  return rc;
}

struct th_range th_store_owned(const struct th_store *store, int rank, int size)
{
  return th_partition_owned(&store->placement, store->shape.attributes, rank,
                            size);
}

int64_t th_store_most_owned(const struct th_store *store, int size)
{
  return th_partition_most_owned(&store->placement, store->shape.attributes,
                                 size);
}

/* Single values by a slab for each. */
static th_status by_slabs(struct th_store *store,
                          const struct th_entries *entries, double *value,
                          struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; k < entries->count && rc == TH_OK; k++) {
    struct th_rows row = {entries->row[k], 1};
    struct th_range one = {entries->attribute[k], entries->attribute[k] + 1};
    struct th_slab slab;
    rc = store->ops->slab(store, row, one, true, &slab, err);
    if (rc == TH_OK)
      value[k] = th_slab_value(&slab, entries->attribute[k], 0);
  }
  return rc;
}

th_status th_store_entries(struct th_store *store,
                           const struct th_entries *entries, double *value,
                           struct th_error *err)
{
  th_status rc = store->ops->entries != NULL
                     ? store->ops->entries(store, entries, value, err)
                     : by_slabs(store, entries, value, err);
  if (rc == TH_OK)
    store->blocks.observed +=
        (int64_t)th_type_bytes(store->shape.type, entries->count);
  return rc;
}
