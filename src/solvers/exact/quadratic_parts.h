/* quadratic_parts.h - what the files of a quadratic model share
 *
 * k: a member of the working set. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_QUADRATIC_PARTS_H
#define TH_QUADRATIC_PARTS_H

#include "solvers/exact/quadratic.h"

/* The model's slope in coefficient k, without the penalty. */
double th_quadratic_slope(const struct th_quadratic *quadratic, int64_t k);

/* Coefficient k, or the intercept, moves by delta, the state with it. */
void th_quadratic_move(struct th_quadratic *quadratic, int64_t k, double delta);
void th_quadratic_move_intercept(struct th_quadratic *quadratic, double delta);

/* weighted = h x of member k, where products need it; then the sum of h x x' of
 * members j and k, and the ridge where they are one. */
void th_quadratic_weigh(const struct th_quadratic *quadratic, int64_t k,
                        double *weighted);
double th_quadratic_product(const struct th_quadratic *quadratic, int64_t j,
                            int64_t k, const double *weighted);

/* The model's value up to a constant: half the weighted mean square of the
 * residual at that state, lambda Omega and the ridge. */
double th_quadratic_value(const struct th_quadratic *quadratic, double lambda,
                          const double *coef, const double *state);

/* Coefficients and state become iterate `at`, 0 to TH_EXTRAPOLATED; and come
 * back from there. */
void th_quadratic_keep(struct th_quadratic *quadratic, int at);
void th_quadratic_restore(struct th_quadratic *quadratic, int at);

/* Take the point extrapolated from all iterates where the model is lower there.
 * They are overwritten. */
void th_quadratic_extrapolate(struct th_quadratic *quadratic, double lambda);

#endif
