/* oomp_plan.c - what a run of solver `oomp` is going to do
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/partition.h"
#include "solvers/data/sampled_plan.h"
#include "solvers/greedy/algorithms.h"

enum {
  MOST = 1000,     /* attributes, where no option limits them */
  EACH_OWNED = 80, /* bytes */
  EACH_ROW = 64,
  ROWS = 8192 /* of a look */
};

th_status th_oomp_plan(struct th_plan *plan, const struct th_plan_size *size,
                       struct th_error *err)
{
  struct th_config *config = &plan->config;
  const struct th_shape *shape = size->shape;
  th_status rc = th_sampled_plan_check_loss(config, err);
  if (rc != TH_OK)
    return rc;
  if (shape->weighted)
    return th_fail(err, TH_EUSAGE,
                   "solver %s takes examples that are alike: its bounds do not "
                   "hold for weights; take omp",
                   config->solver);
  int64_t most = config->sparsity > 0 ? config->sparsity : MOST;
  config->greedy.most = th_min_i64(most, shape->attributes);
  config->budget = shape->attributes;
  config->validation = 0;
  if (config->passes == 0)
    config->passes = 1;
  plan->blocks = 1;
  plan->deal_unit =
      th_partition_deal_unit_size(shape->row_group, shape->training, 1);
  plan->memory = size->owned * EACH_OWNED + ROWS * EACH_ROW;
  plan->read_bytes = (int64_t)th_shape_bytes(shape);
  plan->stream_bytes = (int64_t)th_shape_bytes(shape);
  plan->visits = (double)shape->training * (double)shape->attributes;
  return TH_OK;
}
