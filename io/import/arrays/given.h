/* given.h - a matrix that a caller has in memory, as one of a file
 * SPDX-License-Identifier: MIT */
#ifndef TH_GIVEN_H
#define TH_GIVEN_H

#include "io/import/arrays/matrix.h"

/* Some numbers in memory. Borrowed. */
struct th_given_items {
  const void *items;
  enum th_element element;
};

/* A matrix, and what belongs to its rows and columns. All is borrowed, and
 * stays as it is while the matrix is read. */
struct th_given_matrix {
  const char *name; /* in messages */
  int64_t rows;
  int64_t columns;
  struct th_range held; /* dense: rows that are there, values being those of the
                           first; empty: all are */
  struct th_given_items values; /* dense: of row i and column j, item
                                   i row_stride + j column_stride; sparse: of
                                   each entry */
  int64_t row_stride;
  int64_t column_stride;
  bool sparse;
  bool by_columns;             /* sparse: start and index are of columns */
  int64_t entries;             /* of a sparse matrix */
  struct th_given_items index; /* of each entry: its column, or its row */
  struct th_given_items start; /* where rows, or columns, begin; and the end */
  const double *target;        /* of each row; NULL: there are none */
  const double *weight;        /* the same; NULL: each counts once */
  const char *const *names;    /* of columns, or NULL */
  const char *const *ids;      /* of rows, or NULL */
};

/* Bytes of the values, with the places of those of a sparse matrix. Local. */
int64_t th_given_bytes(const struct th_given_matrix *given);

/* Some rows of a dense matrix, one behind the other. Local. */
void th_given_rows(const struct th_given_matrix *given, struct th_range rows,
                   void *to);

/* Open the matrix. Local. Release with th_matrix_close, also on failure. */
th_status th_given_open(struct th_matrix *matrix,
                        const struct th_given_matrix *given,
                        struct th_error *err);

/* A copy of `count` texts, or NULL of NULL. *texts: TH_FREE_LIST, also on
 * failure. Local. */
th_status th_given_texts(const char *const *given, int64_t count, char ***texts,
                         struct th_error *err);

#endif
