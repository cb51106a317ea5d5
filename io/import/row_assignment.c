/* row_assignment.c - where the examples of an import are stored
 * SPDX-License-Identifier: MIT */
#include "io/import/row_assignment.h"

#include "core/integer.h"
#include "core/random.h"

enum {
  USUAL_BINS = 1024,
  MEMORY_SHARE = 8 /* of memory is what one bin may take */
};

static int64_t training_groups(const struct th_row_assignment *placing)
{
  return th_integer_ceil_divide(placing->training, placing->row_group);
}

void th_row_assignment_divide(struct th_row_assignment *placing, int64_t bytes,
                              int64_t memory)
{
  int64_t test = placing->examples - placing->training;
  placing->groups = training_groups(placing) +
                    th_integer_ceil_divide(test, placing->row_group);
  int64_t share = memory / MEMORY_SHARE;
  int64_t wanted = th_integer_ceil_divide(bytes, share > 0 ? share : 1);
  if (wanted < USUAL_BINS)
    wanted = USUAL_BINS;
  placing->bin_groups = wanted < placing->groups
                            ? th_integer_ceil_divide(placing->groups, wanted)
                            : 1;
  placing->bins = th_integer_ceil_divide(placing->groups, placing->bin_groups);
}

int64_t th_row_assignment_row(const struct th_row_assignment *placing,
                              int64_t input_row)
{
  if (!placing->shuffle || input_row >= placing->main)
    return input_row;
  struct th_stream stream = {placing->seed, TH_PURPOSE_SHUFFLE};
  return th_random_place(stream, 0, placing->main, input_row);
}

/* First row of a group; the number of rows for the group behind the last. */
static int64_t group_start(const struct th_row_assignment *placing,
                           int64_t group)
{
  int64_t training = training_groups(placing);
  int64_t row = group < training ? group * placing->row_group
                                 : placing->training +
                                       (group - training) * placing->row_group;
  return row < placing->examples ? row : placing->examples;
}

static struct th_rows rows_between(const struct th_row_assignment *placing,
                                   int64_t first, int64_t last)
{
  int64_t row = group_start(placing, first);
  return (struct th_rows){row, group_start(placing, last) - row};
}

struct th_rows th_row_assignment_group(const struct th_row_assignment *placing,
                                       int64_t group)
{
  return rows_between(placing, group, group + 1);
}

struct th_rows th_row_assignment_bin(const struct th_row_assignment *placing,
                                     int64_t bin)
{
  int64_t first = bin * placing->bin_groups;
  int64_t last = first + placing->bin_groups;
  return rows_between(placing, first,
                      last < placing->groups ? last : placing->groups);
}

int64_t th_row_assignment_bin_of(const struct th_row_assignment *placing,
                                 int64_t row)
{
  int64_t group = row / placing->row_group;
  if (row >= placing->training)
    group = training_groups(placing) +
            (row - placing->training) / placing->row_group;
  return group / placing->bin_groups;
}
