/* algorithms.h - the solver of this folder, for the table
 * SPDX-License-Identifier: MIT */
#ifndef TH_SIFT_ALGORITHMS_H
#define TH_SIFT_ALGORITHMS_H

#include "solvers/algorithm.h"
#include "solvers/plan.h"

extern const struct th_algorithm th_sift_algorithm;

/* Its plan (solvers/solver_table.h). Local. */
th_status th_sift_run_plan(struct th_plan *plan,
                           const struct th_plan_size *size,
                           struct th_error *err);
/* Why a run of sift cannot select for prediction; NULL: it can. Local. */
const char *th_sift_why_truth(const struct th_config *config,
                              const struct th_shape *shape);

#endif
