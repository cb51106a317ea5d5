/* row_groups.c - the sizes of row groups, chunks and shards
 * SPDX-License-Identifier: MIT */
#include "io/dataset/row_groups.h"

#include "base/integer.h"

enum {
  CHUNK_BYTES =
      256 << 10,         /* read and verified while in the processor's cache */
  STORED_BYTES = 4 << 20 /* stored together in a dense shard */
};

static int64_t chunk_attributes(const struct th_shape *shape)
{
  int64_t run = (int64_t)th_type_bytes(shape->type, shape->row_group);
  int64_t chunk = 1;
  while (chunk < 256 && 2 * chunk * run <= CHUNK_BYTES)
    chunk *= 2;
  return chunk;
}

static th_status check_counts(const struct th_shape *shape,
                              struct th_error *err)
{
  if (shape->examples < 1 || shape->attributes < 1)
    return th_fail(err, TH_EDATA,
                   "a data set needs at least one example and one attribute");
  if (shape->examples > TH_MOST_EXAMPLES ||
      shape->attributes > TH_MOST_ATTRIBUTES)
    return th_fail(err, TH_EDATA,
                   "%lld examples of %lld attributes are too many; a data set "
                   "has at most %lld and %lld",
                   (long long)shape->examples, (long long)shape->attributes,
                   (long long)TH_MOST_EXAMPLES, (long long)TH_MOST_ATTRIBUTES);
  if (shape->training < 0 || shape->training > shape->examples)
    return th_fail(
        err, TH_EDATA,
        "%lld of %lld examples for training: expected none to all of them",
        (long long)shape->training, (long long)shape->examples);
  if (shape->weightless < 0 || th_store_shape_tests(shape) < 0 ||
      (shape->weightless > 0 && !shape->weighted))
    return th_fail(err, TH_EDATA,
                   "%lld examples of weight 0 do not fit %lld of %lld for "
                   "training",
                   (long long)shape->weightless, (long long)shape->training,
                   (long long)shape->examples);
  if (shape->row_group < 1 || shape->row_group > TH_MOST_ROW_GROUP)
    return th_fail(err, TH_EDATA,
                   "a row group holds 1 to %d examples, not %lld",
                   TH_MOST_ROW_GROUP, (long long)shape->row_group);
  if (shape->layout == TH_SPARSE && shape->row_group > TH_SPARSE_ROWS)
    return th_fail(
        err, TH_EDATA,
        "a row group of sparse data holds 1 to %d examples, not %lld",
        TH_SPARSE_ROWS, (long long)shape->row_group);
  return TH_OK;
}

/* Check that places in files and numbers of runs fit 64-bit integers. */
static th_status check_offsets(const struct th_row_groups *row_groups,
                               struct th_error *err)
{
  const struct th_shape *shape = &row_groups->shape;
  size_t run = shape->layout == TH_DENSE
                   ? th_type_bytes(shape->type, shape->row_group)
                   : 1;
  if ((double)shape->attributes * (double)row_groups->groups * (double)run <
      0x1p62)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%lld examples of %lld attributes in row groups of %lld are "
                 "too many to be numbered; take larger row groups",
                 (long long)shape->examples, (long long)shape->attributes,
                 (long long)shape->row_group);
}

th_status th_row_groups_init(struct th_row_groups *row_groups,
                             const struct th_shape *shape, struct th_error *err)
{
  th_status rc = check_counts(shape, err);
  if (rc != TH_OK)
    return rc;
  if ((unsigned)shape->layout >= TH_LAYOUT_COUNT ||
      (unsigned)shape->type >= TH_TYPE_COUNT)
    return th_fail(err, TH_EDATA,
                   "unknown layout or storage type; update thresher");
  rc = th_type_allows(shape->type, shape->layout, shape->row_group, err);
  if (rc != TH_OK)
    return rc;
  int64_t tests = shape->examples - shape->training;
  row_groups->shape = *shape;
  row_groups->training_groups =
      th_integer_ceil_divide(shape->training, shape->row_group);
  row_groups->groups = row_groups->training_groups +
                       th_integer_ceil_divide(tests, shape->row_group);
  row_groups->chunk = chunk_attributes(shape);
  return check_offsets(row_groups, err);
}

struct th_rows th_row_groups_group(const struct th_row_groups *row_groups,
                                   int64_t group)
{
  return th_store_shape_group(&row_groups->shape, group);
}

int64_t th_row_groups_group_of(const struct th_row_groups *row_groups,
                               int64_t row)
{
  int64_t row_in_group;
  return th_store_shape_group_of(&row_groups->shape, row, &row_in_group);
}

bool th_row_groups_short_stats(const struct th_row_groups *row_groups)
{
  const struct th_shape *shape = &row_groups->shape;
  return shape->layout == TH_SPARSE && shape->type != TH_F64;
}

int64_t th_row_groups_stored(const struct th_row_groups *row_groups,
                             int64_t count)
{
  const struct th_shape *shape = &row_groups->shape;
  int64_t run = (int64_t)th_type_bytes(shape->type, shape->row_group);
  int64_t most = STORED_BYTES / run;
  most = most > row_groups->chunk ? most : row_groups->chunk;
  int64_t parts = th_integer_ceil_divide(count, most);
  if (parts == 1)
    return count;
  /* parts of equal size need little padding */
  int64_t even = th_integer_ceil_divide(count, parts);
  return th_integer_ceil_divide(even, row_groups->chunk) * row_groups->chunk;
}

int64_t th_row_groups_bytes(const struct th_row_groups *row_groups,
                            int64_t entries)
{
  const struct th_shape *shape = &row_groups->shape;
  int64_t size = (int64_t)th_type_size(shape->type);
  if (shape->layout == TH_DENSE)
    return shape->attributes * row_groups->groups *
           (int64_t)th_type_bytes(shape->type, shape->row_group);
  int64_t runs = shape->attributes * row_groups->groups;
  runs = runs < entries ? runs : entries;
  return entries * (size + 2) + runs * 6; /* row; attribute, count */
}

int64_t th_row_groups_items(const struct th_row_groups *row_groups,
                            int64_t rows)
{
  return th_integer_ceil_divide(rows, th_type_packed(row_groups->shape.type));
}
