/* linalg.h - dense symmetric problems: systems by Cholesky, the largest
 * eigenvalue by Lanczos
 *
 * Matrices are column-major with leading dimension n; only the upper triangle
 * is read unless said otherwise. Local. Systems whose solutions enter a model
 * are solved on one rank, and the caller broadcasts the solution: up to some
 * 39,000 members fit a rank's 12 GB, and on two ranks ScaLAPACK is no faster
 * (tests/bench/solve.sh). The bits are the same on every processor.
 * SPDX-License-Identifier: MIT */
#ifndef TH_LINALG_H
#define TH_LINALG_H

#include "base/error.h"
#include "ranks/comm.h"

#include <stdbool.h>
#include <stdint.h>

/* a x = b, of n rows; borrowed. */
struct th_linalg_system {
  int64_t n;
  const double *a;
  const double *b;
  double tolerance;
};

/* Solve a x = b by Cholesky, with a's collinear rows left out (their x is 0).
 * inverse (n x n, full, or NULL) receives the inverse, zero in those rows. Row
 * k is left out, and kept[k] is false, if its pivot is not above tolerance
 * times its diagonal. x may be b. An error if the result is not finite. */
th_status th_linalg_solve(const struct th_linalg_system *system, double *x,
                          double *inverse, bool *kept, struct th_error *err);

/* Compute the largest eigenvalue of a, which is overwritten. An error if a is
 * not finite. */
th_status th_linalg_largest_eigenvalue(int64_t n, double *a, double *value,
                                       struct th_error *err);

/* --- The largest eigenvalue, by Lanczos' method --------------------------- */

/* A symmetric matrix, n x n, n at least 1, by its products. */
struct th_linalg_matrix {
  int64_t n;
  /* y = A x; x and y are replicated. Collective. */
  th_status (*multiply)(void *self, const double *x, double *y,
                        struct th_error *err);
  void *self;
};

/* Compute the largest eigenvalue of such a matrix of all ranks, as
 * th_linalg_largest_eigenvalue does of an array. Collective. An error for
 * products that are not finite, or that fail. */
th_status th_linalg_largest_of(const struct th_linalg_matrix *matrix,
                               struct th_comm *comm, double *value,
                               struct th_error *err);

/* --- A blocked Cholesky factor in a given order ---------------------------
 *
 * L L' = A, by tiles of sixteen rows, so that it runs at the speed of the
 * processor's arithmetic; with the same bits on every processor
 * (math/kernels/tiles_dense.h). Matrices are column-major with leading
 * dimension n; only the upper triangle is read. All functions are local. */

/* Zeroed: empty. Rows behind the last one, up to whole tiles, are left out. */
struct th_linalg_tiled {
  int64_t n;
  int64_t tiles;      /* of sixteen rows */
  double *panel;      /* tile after tile: columns up to the diagonal, by lane */
  double *reciprocal; /* of the diagonal; 0: this row is left out */
};

void th_linalg_tiled_free(struct th_linalg_tiled *f);

/* Factor a, n x n. Row and column k are left out (collinear), and kept[k] is
 * false, if the pivot is not above tolerance times the diagonal. *rank is the
 * number of rows kept. f is freed by the caller. */
th_status th_linalg_tiled_factor(struct th_linalg_tiled *f, int64_t n,
                                 const double *a, double tolerance, bool *kept,
                                 int64_t *rank, struct th_error *err);

/* Return an entry of L, column <= row. For tests. */
double th_linalg_tiled_entry(const struct th_linalg_tiled *f, int64_t row,
                             int64_t column);

#endif
