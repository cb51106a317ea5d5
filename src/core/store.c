/* store.c - the shape of a data set, and who owns which of its attributes
 * SPDX-License-Identifier: MIT */
#include "core/store.h"

#include "core/integer.h"
#include "core/memory.h"
#include "core/partition.h"

#include <math.h>
#include <stdlib.h>

static int64_t training_groups(const struct th_shape *shape)
{
  return th_ceil_divide(shape->training, shape->row_group);
}

int64_t th_shape_group_of(const struct th_shape *shape, int64_t row,
                          int64_t *row_in_group)
{
  bool test = row >= shape->training;
  int64_t counted = test ? row - shape->training : row;
  *row_in_group = counted % shape->row_group;
  return counted / shape->row_group + (test ? training_groups(shape) : 0);
}

struct th_rows th_shape_group(const struct th_shape *shape, int64_t group)
{
  int64_t training = training_groups(shape);
  bool test = group >= training;
  int64_t first = (test ? group - training : group) * shape->row_group +
                  (test ? shape->training : 0);
  int64_t left = (test ? shape->examples : shape->training) - first;
  int64_t count = left < shape->row_group ? left : shape->row_group;
  return (struct th_rows){first, count};
}

int64_t th_shape_groups(const struct th_shape *shape)
{
  int64_t test = shape->examples - shape->training;
  return training_groups(shape) + th_ceil_divide(test, shape->row_group);
}

double th_shape_bytes(const struct th_shape *shape)
{
  double values = (double)shape->training * (double)shape->attributes;
  double share = (double)shape->training / (double)shape->examples;
  if (shape->layout == TH_SPARSE)
    return share * (double)shape->nonzeros *
           ((double)th_type_size(shape->type) + 2);
  return (double)th_type_bytes(shape->type, (int64_t)fmin(values, 0x1p62));
}

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
  rc = TH_NEW(&cost.cost, cost.cells, "the cost of cells", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(store->ops->cost(store, comm, cost.cost, err));
  rc = th_placement_by_cost(&store->placement, &cost, comm->size, err);
  TH_TRY(th_agree(comm, rc, err));
done:
  free(cost.cost);
  return rc;
}

struct th_range th_store_owned(const struct th_store *store, int rank, int size)
{
  return th_placement_rank(&store->placement, store->shape.attributes, rank,
                           size);
}

int64_t th_store_most_owned(const struct th_store *store, int size)
{
  return th_placement_most(&store->placement, store->shape.attributes, size);
}
