/* gap.h - duality gap, gap-safe radius, intercept: Liang & Poon 2022, section 2
 *
 * For P(b) = sum_i eta_i f(p_i; y_i) + lambda Omega(b), p_i = x_i'b + b0, sum
 * eta = 1: theta_i = f'(p_i; y_i), Z = -(1/lambda) sum eta_i theta_i x_i. If
 * Omega^D(Z) <= 1, then D(theta) = -sum eta_i f*(theta_i; y_i) is at most the
 * minimum of P. Any theta becomes such a point when it is divided by
 * max(1, Omega^D(Z)). With an unpenalised intercept the dual point also needs
 * sum eta theta = 0.
 *
 * eta, target, prediction and theta have n values each, in an order that is the
 * same on every rank; examples with eta 0 are left out. Sums are compensated.
 * All functions are local.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TH_GAP_H
#define TH_GAP_H

#include "base/error.h"
#include "data/type.h"
#include "math/loss.h"

#include <stdbool.h>
#include <stdint.h>

/* Return how far a dual norm must stay from 1, for the rounding of sums over
 * values of this type. */
double th_gap_margin(enum th_type type);

/* Return sum eta f(prediction; target), without the penalty. */
double th_gap_primal(const struct th_loss *loss, int64_t n, const double *eta,
                     const double *target, const double *prediction);

/* Return D(scale theta), scale in [0, 1]; -INFINITY outside of the domain of
 * f*. */
double th_gap_dual(const struct th_loss *loss, int64_t n, const double *eta,
                   const double *target, const double *theta, double scale);

/* Return an upper bound of P - D that allows for the rounding of both; it is
 * never below 0. Its root enters the radius: if a gap of 1e-16 were taken for
 * 0, the radius would be too small by 1e-8. NaN becomes INFINITY. */
double th_gap_bound(double primal, double dual);

/* Make theta a dual point of a problem with an intercept: sum eta theta = 0.
 * With squared loss the mean is subtracted. With labels theta has the sign of
 * -y. There the label with the larger sum is scaled down, which keeps each
 * value in the domain of f*. */
void th_gap_centre(const struct th_loss *loss, int64_t n, const double *eta,
                   const double *target, double *theta);

/* Return L: a bound on f'' of each example wherever sum eta f is at most
 * `most`, for f that are not below 0. */
double th_gap_level_L(const struct th_loss *loss, int64_t n, const double *eta,
                      const double *target, double most);

/* Return r_g = sqrt(2 L G N_g) / lambda, N_g = sum eta Omega_g^D(x_g)^2. If Z*
 * is the Z of the solution, Omega_g^D(Z_g - Z*_g) is at most r_g. The paper's
 * product of (2.4) and (2.5) is sqrt(n) too small, and (2.5) lacks 1 / lambda.
 */
double th_gap_radius(double L, double gap, double N, double lambda);

/* Say whether a group is 0 in every solution. dual_norm is its Omega_g^D(Z_g).
 * False if an argument is not a number. */
bool th_gap_removes(double dual_norm, double radius, double margin);

/* Find *b0 that minimises sum eta f(prediction + b0; target), by Newton's steps
 * between bounds; the search starts at *b0. An error if all labels with weight
 * are the same, since there is no minimiser then. Predictions that are not
 * numbers are an error, too. */
th_status th_gap_intercept(const struct th_loss *loss, int64_t n,
                           const double *eta, const double *target,
                           const double *prediction, double *b0,
                           struct th_error *err);

#endif
