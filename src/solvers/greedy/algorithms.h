/* algorithms.h - the solvers of this folder, for the table
 * SPDX-License-Identifier: MIT */
#ifndef TH_GREEDY_ALGORITHMS_H
#define TH_GREEDY_ALGORITHMS_H

#include "solvers/algorithm.h"
#include "solvers/plan.h"

extern const struct th_algorithm th_omp_algorithm;

extern const struct th_algorithm th_oomp_algorithm;

/* Their plans (solvers/solver_table.h). Local. */
th_status th_omp_plan(struct th_plan *plan, const struct th_plan_size *size,
                      struct th_error *err);

th_status th_oomp_plan(struct th_plan *plan, const struct th_plan_size *size,
                       struct th_error *err);

#endif
