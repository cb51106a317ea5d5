/* iht_plan.c - what a run of exploration, exploitation or hybrid is going to do
 * SPDX-License-Identifier: MIT */
#include "math/schedule.h"
#include "solvers/budgeted/algorithms.h"
#include "solvers/budgeted/budgeted_plan.h"

enum {
  LEAST_BUDGET = 64,
  BYTES_PER_ATTRIBUTE = 88 /* centre, scale, bound and a solver's vectors */
};

th_status th_iht_plan(struct th_plan *plan, const struct th_plan_size *size,
                      struct th_error *err)
{
  struct th_config *config = &plan->config;
  int64_t d = size->shape->attributes;
  int64_t rows = config->rounds.batch_explore;
  th_status rc;
  TH_TRY(th_budgeted_check_start(config, d, err));
  TH_TRY(th_budgeted_choose_budget(config, d, LEAST_BUDGET, err));
  plan->blocks = th_budgeted_blocks(d, config->budget - config->sparsity);
  if (rows <= 0)
    rows = th_schedule_explore_rows(config->sparsity);
  th_budgeted_choose_passes(config, size->shape, plan->blocks * rows, true);
  th_budgeted_plan(
      plan, size,
      &(struct th_budgeted_needs){
          .bytes = BYTES_PER_ATTRIBUTE,
          .members = config->sparsity > 0 ? config->sparsity : config->budget,
          .copies = 2}, /* the kept ones and a batch of them */
      rows);
done:
  return rc;
}
