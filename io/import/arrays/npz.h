/* npz.h - matrices and vectors in files of NumPy and SciPy
 * SPDX-License-Identifier: MIT */
#ifndef TH_NPZ_H
#define TH_NPZ_H

#include "io/files/stretch.h"
#include "io/import/arrays/matrix.h"
#include "io/import/arrays/npy.h"

/* Open the matrix of a .npy or .npz file, all of whose bytes the place names.
 * member: of a .npz; NULL: the one that it has, or SciPy's sparse matrix.
 * Local. Release with th_matrix_close, also on failure. */
th_status th_npz_open(struct th_matrix *matrix,
                      const struct th_stretch_place *file, const char *member,
                      struct th_error *err);

/* Open one dimension of numbers or words, or a single row or column of numbers.
 * *npy is zero. Local. Release with th_npy_close, also on failure. */
th_status th_npz_vector(struct th_npy *npy, const struct th_stretch_place *file,
                        const char *member, struct th_error *err);

/* True if a file begins like a .npz. Local. */
bool th_npz_begins(const char *head, size_t bytes);

#endif
