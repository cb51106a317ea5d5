/* stored_rows.h - the examples of a data set, as rows of an import
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STORED_ROWS_H
#define TH_STORED_ROWS_H

#include "io/dataset/residency/dataset.h"
#include "io/import/text/text_row.h"

/* NaN stands for what is missing in the data set from now on, in any type. */
th_status th_stored_rows_show_missing(struct th_dataset *data,
                                      struct th_error *err);

/* An entry of sparse data. */
struct th_stored_entry {
  int64_t row; /* of those at hand */
  int64_t attribute;
  double value;
};

/* Examples of a data set, some at hand. Arrays are owned. */
struct th_stored_rows {
  struct th_dataset *data; /* borrowed */
  const char *name;        /* of it; borrowed */
  struct th_store *store;
  bool has_ids;
  int64_t *weightless; /* numbers of all examples of weight 0, ascending */
  int64_t at_once;     /* so many are at hand at most */
  struct th_rows part; /* that are at hand, as stored */
  int64_t *number;     /* of these: in the input */
  double *target;
  double *weight;
  struct th_ids ids;
  double *values;                 /* dense: row after row */
  struct th_stored_entry *entry;  /* sparse, by attribute, */
  struct th_stored_entry *sorted; /* and by row */
  int64_t entries;
  int64_t room;
  int64_t sorted_room;
  int64_t *start; /* of each row's entries, and the end */
};

/* Begin. NaN stands for missing values of the data set from now on. memory:
 * bytes for values of dense examples. Release with th_stored_rows_end, also on
 * failure. */
th_status th_stored_rows_begin(struct th_stored_rows *a,
                               struct th_dataset *data, const char *name,
                               bool has_ids, int64_t memory,
                               struct th_error *err);
void th_stored_rows_end(struct th_stored_rows *a);

/* Have the first ones of some rows of a row group at hand; *left become the
 * others. */
th_status th_stored_rows_read(struct th_stored_rows *a, struct th_rows *left,
                              struct th_error *err);

/* Row k of those at hand, as if it had been read, in the row's type. */
th_status th_stored_rows_fill(const struct th_stored_rows *a, int64_t k,
                              struct th_text_row *row, struct th_error *err);

#endif
