/* claim.h - what a ridge model says of itself: objective, gap, gradient
 *
 * P(b, b0) = (1/2) sum_i eta_i (x_i'b + b0 - y_i)^2 + (lambda/2) |b|^2. With r
 * the residuals less their mean m, and g_j = sum_i eta_i r_i x_ij + lambda b_j,
 * the gap of the point theta = r of the dual problem is
 * |g|^2 / (2 lambda) + m^2 / 2. By it the certificate's numbers mean
 *
 *   dual_norm   |sum eta r x| over lambda |b|: 1 at the optimum
 *   violation   the largest |g_j| over lambda times the largest |b_j|
 *   norm        |b|
 *   radius      the solution is no farther than this: sqrt(2 gap / lambda)
 *   lambda_max  the largest eigenvalue of the Gram matrix; 0: not computed
 *
 * There are no margins, since no attribute is screened.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLAIM_H
#define TH_CLAIM_H

#include "solvers/ridge/useful.h"

/* How far rounding may move what is claimed. */
struct th_claim_slack {
  double gradient; /* |g| */
  double objective;
  double relative; /* dual_norm */
  double shift;    /* mean of the residuals */
  double largest;  /* violation */
  double least;    /* bounds of the largest eigenvalue: by the coefficients, */
  double most;     /* and by the trace of the Gram matrix */
};

/* Compute the certificate of a model anew, but for lambda_max and path, by two
 * passes over the data. slack may be NULL. Collective. An error for a member
 * that is left out. */
th_status th_claim_make(struct th_useful *places,
                        const struct th_support *model, double lambda,
                        struct th_certificate *certificate,
                        struct th_claim_slack *slack, struct th_error *err);

#endif
