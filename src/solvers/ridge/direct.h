/* direct.h - ridge systems by Cholesky: on one rank, or on all by ScaLAPACK
 *
 * A path of lambdas takes one Gram matrix, and one factor for each lambda. A
 * factor costs d^3 / 3 products at the full speed of the processor. The
 * spectrum of G would serve all lambdas, but costs 4 d^3 / 3, half of it at the
 * speed of the memory: as much as some forty factors.
 * SPDX-License-Identifier: MIT */
#ifndef TH_DIRECT_H
#define TH_DIRECT_H

#include "solvers/ridge/normal_matrix.h"

struct th_direct {
  struct th_normal_matrix matrix;
  const struct th_spread_ops *library; /* NULL: rank 0 solves */
  double *whole; /* rank 0, without a library: its lower triangle, row by row */
  double *part;  /* with a library and several lambdas: the matrix, kept */
  bool *kept;    /* rows, of a solve on rank 0 */
  int64_t room;
};

/* Bytes of a rank. library: ScaLAPACK is asked for; points: lambdas. Local. */
int64_t th_direct_bytes(int64_t order, int ranks, bool library, int64_t points);

/* Form the Gram matrix. Where the team has no library, rank 0 solves. local:
 * rank 0 is to solve. points: lambdas that will be asked for. Collective.
 * Release with th_direct_free, also after a failure. */
th_status th_direct_init(struct th_direct *direct, struct th_useful *places,
                         bool local, int64_t points, struct th_error *err);
/* Local. */
void th_direct_free(struct th_direct *direct);

/* Hand the matrix over to whoever factors it; no product with it can be formed
 * any more. Collective. */
th_status th_direct_begin(struct th_direct *direct, struct th_error *err);

/* Solve (G + lambda) x = b; b and x are replicated. Collective. An error where
 * the matrix is singular in double precision. */
th_status th_direct_solve(struct th_direct *direct, double lambda,
                          const double *b, double *x, struct th_error *err);

#endif
