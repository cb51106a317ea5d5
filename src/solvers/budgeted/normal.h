/* normal.h - normal equations of (x_S, 1), solved on rank 0
 * SPDX-License-Identifier: MIT */
#ifndef TH_NORMAL_H
#define TH_NORMAL_H

#include "solvers/data/gram.h"

/* What is solved: the Gram matrix's least squares, with a ridge on x_S around
 * coefficients that the solution is added to. */
struct th_normal {
  const struct th_gram *gram;
  bool intercept;      /* without one, the constant's equation is 1 * b = 0 */
  const double *ridge; /* on each member; NULL: none */
  const double *coef;  /* of each, where there is a ridge */
  const bool *keep;    /* NULL: all; the others get 0 */
};

/* (*solution)[|S| + 1]: coefficients, then the constant; the caller's to free.
 * Collinear members get 0. Collective. TH_ENUMERIC, TH_ENOMEM. */
th_status th_normal_solve(const struct th_normal *equations,
                          struct th_context *context, double **solution,
                          struct th_error *err);

#endif
