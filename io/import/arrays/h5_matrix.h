/* h5_matrix.h - matrices in HDF5 files: data sets, sparse groups, AnnData, 10x
 * SPDX-License-Identifier: MIT */
#ifndef TH_H5_MATRIX_H
#define TH_H5_MATRIX_H

#include "io/import/arrays/frame.h"
#include "io/import/arrays/matrix.h"

struct th_h5;

/* True if a file begins like one of HDF5. Local. */
bool th_h5_matrix_begins(const char *head, size_t bytes);

/* The data set of that path, of one dimension or of rows and columns. Local. */
th_status th_h5_matrix_items(const struct th_h5 *h5, const char *path,
                             int dimensions, struct th_items *items,
                             int64_t shape[2], struct th_error *err);

/* Open the matrix of that path; NULL: the one that the file has, X of AnnData
 * or /matrix of 10x. *found: its path. The file stays open until the matrix is
 * closed. Local. Release with th_matrix_close, also on failure. */
th_status th_h5_matrix_open(struct th_matrix *matrix, const struct th_h5 *h5,
                            const char *path, char found[TH_FRAME_PATH],
                            struct th_error *err);

/* The names of a matrix's columns, if the file has them, and of its examples'
 * table, "" if there is none. *names: TH_FREE_LIST, or NULL. Local. */
th_status th_h5_matrix_names(const struct th_h5 *h5, const char *path,
                             int64_t columns, char ***names,
                             struct th_error *err);

#endif
