/* lasso_plan.c - what a run of solver `lasso` is going to do
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/algorithms.h"
#include "solvers/exact/working_set_solver.h"
#include "solvers/penalised/plan_penalised.h"

/* Passes over all values, as observed in runs: for the setup and for each
 * lambda. */
static const double passes = 4;
static const double passes_each = 0.6;

th_status th_lasso_plan(struct th_plan *plan, const struct th_plan_size *size,
                        struct th_error *err)
{
  th_status rc = th_plan_penalised(plan, size, err);
  if (rc != TH_OK)
    return rc;
  plan->memory += th_working_set_solver_bytes(size->shape, size->owned);
  plan->visits = (passes + (double)plan->points * passes_each) *
                 th_plan_penalised_values(size->shape);
  return TH_OK;
}
