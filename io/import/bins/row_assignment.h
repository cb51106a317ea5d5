/* row_assignment.h - where the examples of an import are stored
 *
 * Pure arithmetic, the same on every rank.
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ROW_ASSIGNMENT_H
#define TH_ROW_ASSIGNMENT_H

#include "base/random.h"
#include "data/deal.h"

#include <stdbool.h>
#include <stdint.h>

/* Stored order: training examples, then test examples, each beginning a row
 * group, then those of weight 0. Row groups are handled in bins of consecutive
 * ones. */
struct th_row_assignment {
  int64_t examples;
  int64_t weightless; /* of them; the others are numbered without them */
  int64_t main;       /* examples of the main inputs; the test file's follow */
  int64_t training;
  int64_t row_group;
  bool shuffle;
  uint64_t seed;
  int64_t groups;
  int64_t bin_groups; /* row groups in a bin */
  int64_t bins;
  struct th_random_places
      places; /* of the main rows, where they are shuffled */
};

/* The length of row groups that nobody has asked for; counted: examples without
 * those of weight 0; whole: attributes come whole. */
int64_t th_row_assignment_usual_group(int64_t examples, int64_t counted,
                                      bool whole);

/* Fill in the rest from the members above groups. The bytes are an estimate of
 * all examples, the memory what each of so many ranks has for them. Release
 * with th_row_assignment_free, which is legal on a zeroed record. */
th_status th_row_assignment_divide(struct th_row_assignment *assignment,
                                   int64_t bytes, int64_t memory, int ranks,
                                   struct th_error *err);
void th_row_assignment_free(struct th_row_assignment *assignment);

/* Stored row of input row k, counted without those of weight 0; of the k-th of
 * those. */
int64_t th_row_assignment_row(const struct th_row_assignment *assignment,
                              int64_t input_row);
int64_t th_row_assignment_weightless(const struct th_row_assignment *assignment,
                                     int64_t input_row);

/* Rows of a group or of a bin; the bin of a stored row. */
struct th_rows
th_row_assignment_group(const struct th_row_assignment *assignment,
                        int64_t group);
struct th_rows th_row_assignment_bin(const struct th_row_assignment *assignment,
                                     int64_t bucket);
int64_t th_row_assignment_bin_of(const struct th_row_assignment *assignment,
                                 int64_t row);

#endif
