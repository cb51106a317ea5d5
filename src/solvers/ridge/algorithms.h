/* algorithms.h - the solvers of this folder, for the table
 * SPDX-License-Identifier: MIT */
#ifndef TH_RIDGE_ALGORITHMS_H
#define TH_RIDGE_ALGORITHMS_H

#include "solvers/algorithm.h"
#include "solvers/plan.h"

extern const struct th_algorithm th_ridge_algorithm;

/* Its plan (solvers/solver_table.h). Local. */
th_status th_ridge_plan(struct th_plan *plan, const struct th_plan_size *size,
                        struct th_error *err);

#endif
