/* shape.h - the size, layout and row groups of a data set
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SHAPE_H
#define TH_SHAPE_H

#include "data/deal.h"
#include "data/type.h"

#include <stdbool.h>
#include <stdint.h>

/* The shape of a data set, replicated on every rank. Rows are numbered as
 * stored: training examples, then test examples, then those of weight 0, which
 * count for nothing and lie among the test examples' row groups. */
struct th_shape {
  int64_t examples;
  int64_t training;
  int64_t weightless; /* the last so many have weight 0; data from before that
                         was looked at may have others anywhere */
  int64_t attributes; /* d */
  int64_t row_group;  /* R; test examples begin a row group of their own */
  int64_t nonzeros;   /* stored non-zeros; dense: values that are not zero */
  enum th_layout layout;
  enum th_type type;
  bool weighted;
  bool weighted_statistics; /* statistics count examples by their weights */
  bool unlabelled;          /* there are no targets: for prediction alone */
  bool computed;            /* values are computed when they are asked for */
};

/* Row groups are numbered training first, then test. The group of a stored row,
 * and the row counted from its first; the rows of a group; how many groups.
 * Local. */
int64_t th_shape_group_of(const struct th_shape *shape, int64_t row,
                          int64_t *row_in_group);
struct th_rows th_shape_group(const struct th_shape *shape, int64_t group);
int64_t th_shape_groups(const struct th_shape *shape);
/* The rows from a stored one to the end of its row group. Local. */
struct th_rows th_shape_rest(const struct th_shape *shape, int64_t row);
/* The part of rows, from their first on, that lies in one row group; rows
 * become what is behind it. Local. */
struct th_rows th_shape_next(const struct th_shape *shape,
                             struct th_rows *rows);
/* Sparse data with fewer entries than attributes, most of which are zero on all
 * examples. */
bool th_shape_is_rare(const struct th_shape *shape);
/* True if what solvers keep of the data in memory, examples or attributes, has
 * a value for everything: of dense data, and of sparse data of which two values
 * in three or more are not zero. An entry takes half as much memory again as a
 * value does. */
bool th_shape_is_full(const struct th_shape *shape);
/* How many test examples there are. */
int64_t th_shape_tests(const struct th_shape *shape);
/* Bytes of the stored training values. */
double th_shape_bytes(const struct th_shape *shape);

#endif
