/* plan_penalised.h - what a run of a solver with a penalty is going to do
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PLAN_PENALISED_H
#define TH_PLAN_PENALISED_H

#include "data/source.h"
#include "solvers/plan.h"

/* The part of the plan that all such solvers share: lambda, passes, reads and
 * the memory of groups. A solver's own plan adds its memory and visits. An
 * error for options that exclude each other. */
th_status th_plan_penalised(struct th_plan *plan,
                            const struct th_plan_size *size,
                            struct th_error *err);

/* The lambda that the options ask for, by the smallest one at which the model
 * is zero (0: nothing correlates with the target, any lambda will do); point:
 * of --path, from 0 on. */
double th_plan_penalised_lambda(const struct th_config *config,
                                double lambda_max, int64_t point);

/* Stored values of the training examples. */
double th_plan_penalised_values(const struct th_shape *shape);

#endif
