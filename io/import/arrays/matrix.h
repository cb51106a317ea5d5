/* matrix.h - a dense or sparse matrix of any file, row after row
 * SPDX-License-Identifier: MIT */
#ifndef TH_MATRIX_H
#define TH_MATRIX_H

#include "base/range.h"
#include "io/import/arrays/items.h"
#include "io/import/arrays/mtx.h"
#include "io/import/text/index_set.h"

/* How the entries of a matrix lie in its file. */
enum th_matrix_form {
  TH_MATRIX_DENSE,      /* data: row after row, */
  TH_MATRIX_TURNED,     /* or column after column */
  TH_MATRIX_BY_ROWS,    /* sparse; index: the column of each entry; start: where
                           rows begin */
  TH_MATRIX_BY_COLUMNS, /* likewise, of rows and columns */
  TH_MATRIX_ENTRIES,    /* sparse, in any order; start: the row of each entry,
                           index: its column */
  TH_MATRIX_TEXT        /* Matrix Market */
};

/* What is in memory of it: rows first .. last. */
struct th_matrix_block {
  struct th_range rows;
  enum th_element element;
  void *values;     /* of each row, one behind the other */
  uint32_t *column; /* sparse: of each entry, ascending in a row; else NULL */
  int64_t *start;   /* sparse: of the rows, the first entry; and the end */
  int64_t bytes[3]; /* what the three have room for */
};

/* A row of it, borrowed until another one is read. */
struct th_matrix_row {
  int64_t count;
  const uint32_t *column; /* NULL: all columns */
  const void *values;     /* with the row's first one at `first` */
  int64_t first;
  enum th_element element;
};

/* What columns number, where that is not themselves: those that are not in a
 * set are left out. */
struct th_matrix_numbers {
  const struct th_index_set *set; /* NULL: themselves; borrowed */
  uint64_t first;                 /* what the set calls the first column */
  struct th_index_set *unseen;    /* what was left out; borrowed */
  int64_t *left_out;              /* likewise, entries; borrowed */
};

/* Zeroed: none. Whoever opens a file fills in name, form, shape and items, and
 * owns what they need; th_matrix_open checks them. */
struct th_matrix {
  char name[TH_ITEMS_NAME]; /* in messages */
  enum th_matrix_form form;
  int64_t rows;
  int64_t columns;
  struct th_items data;
  struct th_items index;
  struct th_items start;
  struct th_mtx *text;
  int64_t memory; /* bytes that a block may take */
  struct th_matrix_numbers numbers;
  struct th_matrix_block block;
  int64_t *counts; /* of what has to be sorted: entries of the rows counted */
  struct th_range counted;
  struct th_mtx_part part;
  void *room; /* for a few rows or columns */
};

/* Check that the items are those of such a matrix. Local. */
th_status th_matrix_open(struct th_matrix *matrix, struct th_error *err);
void th_matrix_close(struct th_matrix *matrix);

/* Show the columns of the entries in one of several parts of a sparse matrix,
 * which are about alike, until *enough; a column may come many times. What is
 * not as it must be ends the part: th_matrix_next tells of it. Local. */
struct th_matrix_seer {
  th_status (*see)(void *self, const int64_t *column, int64_t count,
                   bool *enough, struct th_error *err);
  void *self;
};
th_status th_matrix_columns(struct th_matrix *matrix, int64_t part,
                            int64_t parts, const struct th_matrix_seer *seer,
                            struct th_error *err);

/* Row `row` of the rows `share`, which are read in order, or again from the
 * first one. Local. An error where the file says what cannot be. */
th_status th_matrix_next(struct th_matrix *matrix, struct th_range share,
                         int64_t row, struct th_matrix_row *values,
                         struct th_error *err);

#endif
