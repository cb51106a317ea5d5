/* quadratic_parts.h - what the files of a quadratic model share
 *
 * k: a member of the working set. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_QUADRATIC_PARTS_H
#define TH_QUADRATIC_PARTS_H

#include "solvers/exact/quadratic.h"

/* The model's slope in coefficient k, without the penalty. */
double th_quadratic_slope(const struct th_quadratic *quadratic, int64_t k);

/* Move coefficient k, or the intercept, by delta, and update the state. */
void th_quadratic_move(struct th_quadratic *quadratic, int64_t k, double delta);
void th_quadratic_move_intercept(struct th_quadratic *quadratic, double delta);

/* Move the intercept to its minimum. Returns its slope before. */
double th_quadratic_step_intercept(struct th_quadratic *quadratic);

/* The first function sets weighted = h x of member k, if products need it. The
 * second returns the sum of h x x' of members j and k, plus the ridge if j = k.
 */
void th_quadratic_weigh(const struct th_quadratic *quadratic, int64_t k,
                        double *weighted);
double th_quadratic_product(const struct th_quadratic *quadratic, int64_t j,
                            int64_t k, const double *weighted);

/* The same of a member with itself. */
double th_quadratic_square(const struct th_quadratic *quadratic, int64_t k);

/* The model's value up to a constant: half the weighted mean square of the
 * residual at that state, lambda Omega and the ridge. */
double th_quadratic_value(const struct th_quadratic *quadratic, double lambda,
                          const double *coef, const double *state);

/* Copy coefficients and state to iterate `at`, 0 to TH_EXTRAPOLATED; copy them
 * back. */
void th_quadratic_keep(struct th_quadratic *quadratic, int at);
void th_quadratic_restore(struct th_quadratic *quadratic, int at);

/* Move to the point extrapolated from all iterates if the model is lower there.
 * The iterates are overwritten. */
void th_quadratic_extrapolate(struct th_quadratic *quadratic, double lambda);

#endif
