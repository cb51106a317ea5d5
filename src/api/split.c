/* split.c - the examples of a split, row group by row group
 * SPDX-License-Identifier: MIT */
#include "api/split.h"

th_status th_split_rows(const struct th_shape *shape, int split,
                        struct th_rows *rows, struct th_error *err)
{
  int64_t test = th_shape_tests(shape);
  if (split == TH_SPLIT_AUTO)
    split = test > 0 ? TH_SPLIT_TEST : TH_SPLIT_ALL;
  *rows = (struct th_rows){0, shape->examples};
  if (split == TH_SPLIT_TEST)
    *rows = (struct th_rows){shape->training, test};
  else if (split == TH_SPLIT_TRAIN)
    rows->count = shape->training;
  if (rows->count > 0)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "{split} %s: the data set has no such examples; use {split} "
                 "all",
                 split == TH_SPLIT_TEST ? "test" : "train");
}
