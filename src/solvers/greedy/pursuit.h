/* pursuit.h - attributes that are chosen one after the other
 *
 * S grows by the attribute with the largest slope at the fit on S, |sum_i h_i
 * f'(p_i; y_i) x_ij|: for a squared loss, the correlation with the residuals
 * (Saad, Blanchard & Arlot 2024, Algorithm 1). The slopes are formed by the
 * owners of the attributes, by a pass over the data, or for a squared loss from
 * what an earlier pass has shown (a forecast).
 * SPDX-License-Identifier: MIT */
#ifndef TH_PURSUIT_H
#define TH_PURSUIT_H

#include "math/kernels/kernels.h"
#include "solvers/greedy/pursuit_fit.h"
#include "solvers/penalised/problem.h"

#include <stdbool.h>
#include <stdint.h>

/* Add the next attribute to each of these paths that has not ended and fit
 * again, or end it. They share data and passes. most: a path will not have more
 * attributes. Collective. */
th_status th_pursuit_extend(struct th_pursuit *path, int64_t count,
                            int64_t most, struct th_error *err);

/* The state of a path. Collective while it is put. */
void th_pursuit_describe(struct th_pursuit *path, struct th_state *state);

#endif
