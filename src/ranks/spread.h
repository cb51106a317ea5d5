/* spread.h - a symmetric matrix spread over the ranks, block by block
 *
 * Block-cyclic, as ScaLAPACK wants it: the ranks form a grid, row by row, and
 * block (I, J) lies on the rank at (I mod grid rows, J mod grid columns). Each
 * rank keeps its blocks as one matrix, column after column. Its rows and
 * columns are filled up to whole tiles of sixteen.
 *
 * mpi/ fills in the operations; a team without MPI has none.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SPREAD_H
#define TH_SPREAD_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct th_comm;

enum { TH_SPREAD_BLOCK = 64, TH_SPREAD_TILE = 16 };

/* Ranks as a grid; row and column: where this rank is. */
struct th_spread_grid {
  int rows;
  int columns;
  int row;
  int column;
};

struct th_spread {
  int64_t n;
  struct th_spread_grid grid;
  int64_t rows;    /* of this rank's part */
  int64_t columns; /* likewise */
  int64_t lead;    /* from one column to the next: rows, in whole tiles */
  int64_t room;    /* numbers of the part, in whole tiles */
  double *a;       /* owned; NULL until th_spread_reserve */
};

/* What a library of dense linear algebra does for a team. */
struct th_spread_ops {
  const char *name;
  /* Solve A x = b by Cholesky; b and x are replicated, and x may be b. Reads
   * the lower triangle of A, and overwrites it. definite: false where a pivot
   * is not above 0; then x is not set. Collective. */
  th_status (*solve)(struct th_comm *comm, struct th_spread *a, const double *b,
                     double *x, bool *definite, struct th_error *err);
};

/* The grid of a team that is most nearly square, with no more rows than
 * columns; with all ranks in one row if `flat`. Local. */
struct th_spread_grid th_spread_grid_of(const struct th_comm *comm, bool flat);

/* How a matrix of n rows lies on a grid; no memory yet. Local. */
void th_spread_init(struct th_spread *spread, int64_t n,
                    struct th_spread_grid grid);

/* Zeros for this rank's part. Local. */
th_status th_spread_reserve(struct th_spread *spread, struct th_error *err);
/* Local. */
void th_spread_free(struct th_spread *spread);

/* The matrix's row of a row of this rank's part; its column of a column; rows
 * and columns that fill up the last tiles lie behind n. Local. */
int64_t th_spread_row(const struct th_spread *spread, int64_t local);
int64_t th_spread_column(const struct th_spread *spread, int64_t local);

/* The first row of this rank's part in block I or below. Local. */
int64_t th_spread_below(const struct th_spread *spread, int64_t block);

/* True if this rank has that entry of the diagonal; *at: where it lies in a.
 * Local. */
bool th_spread_diagonal(const struct th_spread *spread, int64_t k, int64_t *at);

#endif
