/* row_assignment.c - where the examples of an import are stored
 * SPDX-License-Identifier: MIT */
#include "io/import/bins/row_assignment.h"

#include "base/integer.h"
#include "base/random.h"
#include "ranks/partition.h"

enum {
  USUAL_BINS = 1024,
  LEAST_BIN = 4 << 20, /* bytes of a rank that are worth a bin, which takes
                          some collective operations */
  MEMORY_SHARE = 8     /* of memory is what one bin may take */
};

/* Attributes that come whole are written in long runs, whatever their number:
 * of u2, 256 bytes where there are 16,384 examples. */
int64_t th_row_assignment_usual_group(int64_t examples, int64_t counted,
                                      bool whole)
{
  enum { LEAST = 64, LONG = 1024, GROUPS = 16 };
  int64_t usual = th_partition_row_group_size(counted);
  int64_t rows = LEAST;
  while (rows < LONG && 2 * rows <= examples / GROUPS)
    rows *= 2;
  return whole ? th_max_i64(usual, rows) : usual;
}

static int64_t training_row_groups(const struct th_row_assignment *assignment)
{
  return th_integer_ceil_divide(assignment->training, assignment->row_group);
}

th_status th_row_assignment_divide(struct th_row_assignment *assignment,
                                   int64_t bytes, int64_t memory, int ranks,
                                   struct th_error *err)
{
  int64_t test = assignment->examples - assignment->training;
  assignment->groups = training_row_groups(assignment) +
                       th_integer_ceil_divide(test, assignment->row_group);
  int64_t share = memory / MEMORY_SHARE;
  int64_t wanted = th_integer_ceil_divide(bytes, share > 0 ? share : 1);
  int64_t worth = th_min_i64(
      USUAL_BINS, th_integer_ceil_divide(bytes, (int64_t)LEAST_BIN * ranks));
  wanted = th_max_i64(th_max_i64(wanted, worth), 1);
  assignment->bin_groups =
      wanted < assignment->groups
          ? th_integer_ceil_divide(assignment->groups, wanted)
          : 1;
  assignment->bins =
      th_integer_ceil_divide(assignment->groups, assignment->bin_groups);
  if (!assignment->shuffle)
    return TH_OK;
  struct th_stream stream = {assignment->seed, TH_PURPOSE_SHUFFLE};
  return th_random_places_init(&assignment->places, stream, 0, assignment->main,
                               err);
}

void th_row_assignment_free(struct th_row_assignment *assignment)
{
  th_random_places_free(&assignment->places);
}

int64_t th_row_assignment_row(const struct th_row_assignment *assignment,
                              int64_t input_row)
{
  if (!assignment->shuffle || input_row >= assignment->main)
    return input_row;
  return th_random_places_at(&assignment->places, input_row);
}

int64_t th_row_assignment_weightless(const struct th_row_assignment *assignment,
                                     int64_t input_row)
{
  return assignment->examples - assignment->weightless + input_row;
}

/* First row of a group; the number of rows for the group behind the last. */
static int64_t group_start(const struct th_row_assignment *assignment,
                           int64_t group)
{
  int64_t training = training_row_groups(assignment);
  int64_t row =
      group < training
          ? group * assignment->row_group
          : assignment->training + (group - training) * assignment->row_group;
  return row < assignment->examples ? row : assignment->examples;
}

static struct th_rows rows_between(const struct th_row_assignment *assignment,
                                   int64_t first, int64_t last)
{
  int64_t row = group_start(assignment, first);
  return (struct th_rows){row, group_start(assignment, last) - row};
}

struct th_rows
th_row_assignment_group(const struct th_row_assignment *assignment,
                        int64_t group)
{
  return rows_between(assignment, group, group + 1);
}

struct th_rows th_row_assignment_bin(const struct th_row_assignment *assignment,
                                     int64_t bucket)
{
  int64_t first = bucket * assignment->bin_groups;
  int64_t last = first + assignment->bin_groups;
  return rows_between(assignment, first,
                      last < assignment->groups ? last : assignment->groups);
}

int64_t th_row_assignment_bin_of(const struct th_row_assignment *assignment,
                                 int64_t row)
{
  int64_t group = row / assignment->row_group;
  if (row >= assignment->training)
    group = training_row_groups(assignment) +
            (row - assignment->training) / assignment->row_group;
  return group / assignment->bin_groups;
}
