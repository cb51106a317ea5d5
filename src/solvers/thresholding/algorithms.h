/* algorithms.h - the solvers of this folder, for the table
 * SPDX-License-Identifier: MIT */
#ifndef TH_THRESHOLDING_ALGORITHMS_H
#define TH_THRESHOLDING_ALGORITHMS_H

#include "solvers/algorithm.h"
#include "solvers/plan.h"

extern const struct th_algorithm th_exploration_algorithm;
extern const struct th_algorithm th_exploitation_algorithm;
extern const struct th_algorithm th_hybrid_algorithm;

/* The plan of exploration, exploitation and hybrid. Local. */
th_status th_iht_plan(struct th_plan *plan, const struct th_plan_size *size,
                      struct th_error *err);
#endif
