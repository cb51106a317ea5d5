/* normal.h - normal equations of (x_S, 1), solved on rank 0
 *
 * The least-squares fits of refit.c and the Newton steps of newton.c end in a
 * system of normal equations. th_normal_solve solves it from a Gram matrix
 * (solvers/data/gram.h) and gives every rank the solution.
 * SPDX-License-Identifier: MIT */
#ifndef TH_NORMAL_H
#define TH_NORMAL_H

#include "solvers/data/gram.h"

/* The equations: least squares by the Gram matrix. A ridge pulls coef +
 * solution towards 0, so that the solution can be a step from coef. */
struct th_normal {
  const struct th_gram *gram;
  bool intercept;      /* without one, the constant's equation is 1 * b = 0 */
  const double *ridge; /* on each member; NULL: none */
  const double *coef;  /* of each member; used only with a ridge */
  const bool *keep;    /* NULL: all; the others get 0 */
};

/* (*solution)[|S| + 1] receives the coefficients, then the constant; the caller
 * frees it. Collinear members get 0. Collective. TH_ENUMERIC, TH_ENOMEM. */
th_status th_normal_solve(const struct th_normal *equations,
                          struct th_context *context, double **solution,
                          struct th_error *err);

#endif
