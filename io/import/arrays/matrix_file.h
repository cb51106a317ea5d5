/* matrix_file.h - a matrix in a file of any kind that has some
 * SPDX-License-Identifier: MIT */
#ifndef TH_MATRIX_FILE_H
#define TH_MATRIX_FILE_H

#include "io/import/arrays/frame.h"
#include "io/import/arrays/given.h"
#include "io/import/arrays/matrix.h"

struct th_h5;

enum th_matrix_kind { TH_MATRIX_NUMPY, TH_MATRIX_HDF5, TH_MATRIX_MARKET };

/* An open file; zeroed: none. */
struct th_matrix_file {
  bool verify; /* set before it is opened: what has a checksum is read once to
                  compare it */
  const struct th_given_matrix
      *given; /* likewise: a matrix in memory that stands for
          the file; NULL: none does; borrowed */
  struct th_matrix matrix;
  struct th_h5 *h5;         /* of HDF5, else NULL; owned */
  char path[TH_FRAME_PATH]; /* of the matrix in it */
};

/* Open a file of that kind, and the matrix of it that is named, or its only
 * one. longest: line of text, bytes. Local. Release with th_matrix_file_close,
 * also on failure. */
th_status th_matrix_file_open(struct th_matrix_file *open,
                              enum th_matrix_kind kind,
                              const struct th_text_file *file,
                              const char *member, int64_t longest,
                              struct th_error *err);
void th_matrix_file_close(struct th_matrix_file *open);

/* The path of the table of examples, as AnnData has one; else NULL. Local. */
const char *th_matrix_file_table(const struct th_matrix_file *open);

/* The names of columns, if the file has them. *names: TH_FREE_LIST, or NULL.
 * Local. */
th_status th_matrix_file_names(const struct th_matrix_file *open, char ***names,
                               struct th_error *err);

/* The names of the rows of the table of examples, if there are any, each of at
 * most TH_ID_LONGEST bytes. *ids: TH_FREE_LIST, also on failure, or NULL.
 * Local.
 */
th_status th_matrix_file_ids(const struct th_matrix_file *open, char ***ids,
                             struct th_error *err);

#endif
