/* conjugate.h - ridge systems by conjugate gradients, without a matrix
 *
 * Hestenes & Stiefel 1952, with the diagonal as preconditioner. A step reads
 * the data twice: for predictions, which are summed over the ranks in fixed
 * point, and for the sums of each attribute over the examples, which its owner
 * forms. Vectors are replicated. So the bits are the same on any ranks.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CONJUGATE_H
#define TH_CONJUGATE_H

#include "solvers/ridge/useful.h"

struct th_conjugate {
  struct th_useful *places; /* borrowed */
  double *diagonal;         /* of G, or more: replicated, as are the others */
  double *residual;
  double *direction;
  double *product;
  double *scaled;     /* residual over the diagonal */
  double *prediction; /* examples */
  int64_t steps;      /* of the last solve */
};

/* Bytes of a rank. Local. */
int64_t th_conjugate_bytes(int64_t order, int64_t examples);

/* Collective. Release with th_conjugate_free, also after a failure. */
th_status th_conjugate_init(struct th_conjugate *cg, struct th_useful *places,
                            struct th_error *err);
/* Local. */
void th_conjugate_free(struct th_conjugate *cg);

/* y = G x. Collective. */
th_status th_conjugate_multiply(struct th_conjugate *cg, const double *x,
                                double *y, struct th_error *err);

/* When a solve ends. */
struct th_conjugate_end {
  double gap;   /* |residual|^2 / (2 lambda) is at most this, or */
  double share; /* the residual is at most this share of b, or */
  int64_t most; /* so many steps have been made */
};

/* Solve (G + lambda) x = b from x on. Collective. */
th_status th_conjugate_solve(struct th_conjugate *cg, double lambda,
                             const double *b, struct th_conjugate_end end,
                             double *x, struct th_error *err);

#endif
