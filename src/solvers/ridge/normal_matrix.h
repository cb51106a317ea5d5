/* normal_matrix.h - the Gram matrix of all useful attributes, spread over the
 * ranks
 *
 * G_jk = sum_i eta_i (x_ij - m_j) (x_ik - m_k), where m is 0 without an
 * intercept. One pass over the data forms it. Pieces of examples go to all
 * ranks, and each adds them to its own blocks: n d^2 / 2 products are shared
 * out, and n d numbers are sent. The terms of an entry are added one after the
 * other, in the order of the examples, each product fused with its sum
 * (math/kernels/dense.h). So an entry has the same bits on any ranks and
 * any processor.
 * SPDX-License-Identifier: MIT */
#ifndef TH_NORMAL_MATRIX_H
#define TH_NORMAL_MATRIX_H

#include "ranks/spread.h"
#include "solvers/ridge/ridge_problem.h"

struct th_normal_matrix {
  struct th_ridge_problem *places; /* borrowed */
  struct th_spread spread;         /* its lower triangle */
  double *diagonal;                /* replicated */
  int64_t *sums;                   /* of a product */
};

/* Bytes of a rank for a matrix of that order while it is formed; on a grid of
 * that many ranks. Local. */
int64_t th_normal_matrix_bytes(int64_t order, int ranks);

/* Form the matrix of places whose means are known; flat: all ranks in one row
 * of the grid. Collective. Release with th_normal_matrix_free, also after a
 * failure. */
th_status th_normal_matrix_form(struct th_normal_matrix *matrix,
                                struct th_ridge_problem *places, bool flat,
                                struct th_error *err);
/* Local. */
void th_normal_matrix_free(struct th_normal_matrix *matrix);

/* y = G x, of replicated vectors, with the same bits on any ranks. Collective.
 * An error where a product is out of range. */
th_status th_normal_matrix_multiply(struct th_normal_matrix *matrix,
                                    const double *x, double *y,
                                    struct th_error *err);

/* Bring the lower triangle to rank 0 of a flat grid: entry (i, j), j <= i, to
 * whole[j + i * count]. whole is NULL on the others. Collective. */
th_status th_normal_matrix_collect(const struct th_normal_matrix *matrix,
                                   double *whole, struct th_error *err);

#endif
