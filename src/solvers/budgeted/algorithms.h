/* algorithms.h - the solvers of this folder, for the table
 * SPDX-License-Identifier: MIT */
#ifndef TH_BUDGETED_ALGORITHMS_H
#define TH_BUDGETED_ALGORITHMS_H

#include "solvers/algorithm.h"
#include "solvers/plan.h"

extern const struct th_algorithm th_exploration_algorithm;
extern const struct th_algorithm th_exploitation_algorithm;
extern const struct th_algorithm th_hybrid_algorithm;
extern const struct th_algorithm th_sift_algorithm;

/* Their plans (solvers/solver_table.h). Local. TH_EUSAGE. */
th_status th_sift_run_plan(struct th_plan *plan,
                           const struct th_plan_size *size,
                           struct th_error *err);
/* The plan of exploration, exploitation and hybrid. Local. TH_EUSAGE. */
th_status th_iht_plan(struct th_plan *plan, const struct th_plan_size *size,
                      struct th_error *err);
/* Why a run of sift cannot select for prediction; NULL: it can. Local. */
const char *th_sift_why_truth(const struct th_config *config,
                              const struct th_shape *shape);

#endif
