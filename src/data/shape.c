/* shape.c - row groups of a data set, training first, then test
 * SPDX-License-Identifier: MIT */
#include "data/shape.h"

#include "base/integer.h"

#include <math.h>

static int64_t training_groups(const struct th_shape *shape)
{
  return th_integer_ceil_divide(shape->training, shape->row_group);
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
  return (struct th_rows){first, th_min_i64(left, shape->row_group)};
}

struct th_rows th_shape_rest(const struct th_shape *shape, int64_t row)
{
  int64_t in_group = 0;
  int64_t group = th_shape_group_of(shape, row, &in_group);
  return (struct th_rows){row, th_shape_group(shape, group).count - in_group};
}

struct th_rows th_shape_next(const struct th_shape *shape, struct th_rows *rows)
{
  struct th_rows part = th_shape_rest(shape, rows->first);
  part.count = th_min_i64(part.count, rows->count);
  rows->first += part.count;
  rows->count -= part.count;
  return part;
}

int64_t th_shape_groups(const struct th_shape *shape)
{
  int64_t test = shape->examples - shape->training;
  return training_groups(shape) +
         th_integer_ceil_divide(test, shape->row_group);
}

bool th_shape_is_full(const struct th_shape *shape)
{
  double all = (double)shape->examples * (double)shape->attributes;
  return shape->layout == TH_DENSE || 3 * (double)shape->nonzeros >= 2 * all;
}

int64_t th_shape_tests(const struct th_shape *shape)
{
  return shape->examples - shape->weightless - shape->training;
}

bool th_shape_is_rare(const struct th_shape *shape)
{
  return shape->layout == TH_SPARSE && shape->nonzeros < shape->attributes;
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
