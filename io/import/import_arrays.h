/* import_arrays.h - the columns of the matrices of an import; internal to
 * io/import
 * SPDX-License-Identifier: MIT */
#ifndef TH_IMPORT_ARRAYS_H
#define TH_IMPORT_ARRAYS_H

#include "io/hdf5/h5.h"
#include "io/import/arrays/matrix.h"
#include "io/import/arrays/vector.h"
#include "io/import/csv.h"
#include "io/import/import_job.h"

/* What each example has one of: a column of the matrix, a column of the table
 * of examples, or a file of their own. */
struct th_import_role {
  const char *name;              /* as it was given; NULL: there is none */
  int64_t column;                /* of the matrix; -1: not one */
  bool in_table;                 /* of examples, in each file */
  struct th_frame_column values; /* of all files, or of the one that is open */
};

/* A file of the import. */
struct th_import_matrix {
  int64_t rows;
  int64_t before; /* rows of the files before it */
};

/* The state of formats of arrays. */
struct th_import_arrays {
  bool borrowed; /* all but what is open belongs to another thread */
  struct th_import_matrix *file;
  struct th_csv table; /* columns, names and roles; roles NULL: as they are */
  bool dense;
  enum th_element element;
  struct th_import_role target;
  struct th_import_role weight;
  /* The file that is open. */
  int64_t open; /* -1: none */
  struct th_matrix matrix;
  struct th_h5 h5;
  char path[TH_FRAME_PATH]; /* inside of it */
};

/* Open the matrix of file k, and close the one that is open. Local. */
th_status th_import_arrays_turn(struct th_importing *im, int64_t k,
                                struct th_error *err);
/* Local. */
void th_import_arrays_shut(struct th_import_arrays *arrays);

/* Decide which columns are what, now that the first file is open. Local. */
th_status th_import_arrays_columns(struct th_importing *im,
                                   struct th_error *err);

/* Read what examples of the open file have one of, where that is in its table.
 * Local. */
th_status th_import_arrays_table(struct th_importing *im, int64_t k,
                                 struct th_error *err);

#endif
