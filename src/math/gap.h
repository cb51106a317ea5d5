/* gap.h - duality gap, gap-safe radius, intercept: Liang & Poon 2022, section 2
 *
 * For P(b) = sum_i eta_i f(p_i; y_i) + lambda Omega(b), p_i = x_i'b + b0, sum
 * eta = 1: theta_i = f'(p_i; y_i), Z = -(1/lambda) sum eta_i theta_i x_i. Where
 * Omega^D(Z) <= 1, D(theta) = -sum eta_i f*(theta_i; y_i) is at most the least
 * P; any theta becomes such a point when it is divided by max(1, Omega^D(Z)).
 * With an unpenalised intercept the dual point also needs sum eta theta = 0.
 *
 * eta, target, prediction and theta have n values each, in an order that is the
 * same on every rank; examples with eta 0 are left out. Sums are compensated.
 * All functions are local.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TH_GAP_H
#define TH_GAP_H

#include "core/error.h"
#include "core/type.h"
#include "math/loss.h"

#include <stdbool.h>
#include <stdint.h>

/* How far from 1 a dual norm must stay: of values summed in double, in float.
 */
double th_gap_margin(enum th_type type);

/* sum eta f(prediction; target), without the penalty. */
double th_gap_primal(const struct th_loss *loss, int64_t n, const double *eta,
                     const double *target, const double *prediction);

/* D(scale theta), scale in [0, 1]; -INFINITY outside of the domain of f*. */
double th_gap_dual(const struct th_loss *loss, int64_t n, const double *eta,
                   const double *target, const double *theta, double scale);

/* What P - D is at most, given the rounding of both; never below 0. Its root
 * enters the radius: a gap of 0 that is really 1e-16 would be a radius too
 * small by 1e-8. NaN becomes INFINITY. */
double th_gap_bound(double primal, double dual);

/* theta becomes a dual point of a problem with an intercept: sum eta theta = 0.
 * Squared loss: the mean is subtracted. Labels, where theta has the sign of -y:
 * the class with the larger sum is scaled down, which keeps each value in the
 * domain of f*. */
void th_gap_centre(const struct th_loss *loss, int64_t n, const double *eta,
                   const double *target, double *theta);

/* r_g = sqrt(2 L G N_g) / lambda, N_g = sum eta Omega_g^D(x_g)^2: Omega_g^D of
 * Z less the Z of the solution is at most r_g. The paper's product of (2.4) and
 * (2.5) is sqrt(n) too small and (2.5) lacks 1 / lambda. */
double th_gap_radius(double L, double gap, double N, double lambda);

/* Whether a group of that Omega_g^D(Z_g) is 0 in every solution; false when
 * something is no number. */
bool th_gap_removes(double dual_norm, double radius, double margin);

/* *b0 = a minimiser of sum eta f(prediction + b0; target), from *b0 on;
 * Newton's steps between bounds. TH_EDATA where all labels with weight are the
 * same: there is none then. TH_ENUMERIC for predictions that are no numbers. */
th_status th_gap_intercept(const struct th_loss *loss, int64_t n,
                           const double *eta, const double *target,
                           const double *prediction, double *b0,
                           struct th_error *err);

#endif
