/* tiled.h - a blocked Cholesky factor in a given order
 *
 * L L' = A, by tiles of sixteen rows, so that it runs at the speed of the
 * processor's arithmetic; with the same bits on every processor
 * (math/kernels/tiles_dense.h). Matrices are column-major with leading
 * dimension n; only the upper triangle is read. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_TILED_H
#define TH_TILED_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: empty. Rows behind the last one, up to whole tiles, are left out. */
struct th_tiled {
  int64_t n;
  int64_t tiles;      /* of sixteen rows */
  double *panel;      /* tile after tile: columns up to the diagonal, by lane */
  double *reciprocal; /* of the diagonal; 0: this row is left out */
};

void th_tiled_free(struct th_tiled *f);

/* Factor a, n x n. Row and column k are left out (collinear), and kept[k] is
 * false, if the pivot is not above tolerance times the diagonal. *rank is the
 * number of rows kept. f is freed by the caller. */
th_status th_tiled_factor(struct th_tiled *f, int64_t n, const double *a,
                          double tolerance, bool *kept, int64_t *rank,
                          struct th_error *err);

/* Return an entry of L, column <= row. For tests. */
double th_tiled_entry(const struct th_tiled *f, int64_t row, int64_t column);

/* Solve a x = b on the rows kept; x is 0 elsewhere. x may be b. */
th_status th_tiled_solve(const struct th_tiled *f, const double *b, double *x,
                         struct th_error *err);

/* Write the inverse of a on the rows kept into inverse, n x n, full; it is 0
 * elsewhere. */
th_status th_tiled_invert(const struct th_tiled *f, double *inverse,
                          struct th_error *err);

#endif
