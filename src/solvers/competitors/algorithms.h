/* algorithms.h - the solvers of this folder, for the table
 * SPDX-License-Identifier: MIT */
#ifndef TH_COMPETITORS_ALGORITHMS_H
#define TH_COMPETITORS_ALGORITHMS_H

#include "solvers/algorithm.h"
#include "solvers/plan.h"

/* The support and others at random; gradients averaged from them. */
#define TH_LOOK_OPTIONS "sparsity", "budget", "passes", "validation", "lambda"
#define TH_OPTIONS_OF_AVERAGING TH_LOOK_OPTIONS, "eta", "batch"

extern const struct th_algorithm th_rda_ito_algorithm;
extern const struct th_algorithm th_dantzig_algorithm;
extern const struct th_algorithm th_ssr_algorithm;

/* Their plans (solvers/solver_table.h). Local. */
th_status th_rda_ito_plan(struct th_plan *plan, const struct th_plan_size *size,
                          struct th_error *err);
th_status th_dantzig_plan(struct th_plan *plan, const struct th_plan_size *size,
                          struct th_error *err);
th_status th_ssr_plan(struct th_plan *plan, const struct th_plan_size *size,
                      struct th_error *err);

#endif
