/* algorithms.h - the solvers of this folder, for the table
 * SPDX-License-Identifier: MIT */
#ifndef TH_EXACT_ALGORITHMS_H
#define TH_EXACT_ALGORITHMS_H

#include "solvers/algorithm.h"
#include "solvers/plan.h"

extern const struct th_algorithm th_lasso_algorithm;

/* Its plan (solvers/solver_table.h). Local. */
th_status th_lasso_plan(struct th_plan *plan, const struct th_plan_size *size,
                        struct th_error *err);

/* How far a norm may stay away from a ball's radius without a notice: gaps tell
 * no more. */
#define TH_BALL_CLOSE 1e-6

#endif
