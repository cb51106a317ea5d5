/* plan.c - plans of solvers that read some attributes of each example,
 * drawn at random
 * SPDX-License-Identifier: MIT */
#include "solvers/plan.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "math/loss.h"
#include "ranks/partition.h"

#include <math.h>

th_status th_plan_sampled_check_loss(const struct th_config *config,
                                     struct th_error *err)
{
  if (!th_loss_find(config->loss)->labels)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "solver %s has the squared loss only, by which labels can be "
                 "regressed; leave {loss} out",
                 config->solver);
}

/* A run of the storage is read if some example of its row group needs it. */
void th_plan_sampled_fill(struct th_plan *plan, const struct th_plan_size *size)
{
  const struct th_config *config = &plan->config;
  const struct th_shape *shape = size->shape;
  double rows = (double)config->passes * (double)shape->training;
  double share = (double)config->budget / (double)shape->attributes;
  double group = (double)th_min_i64(shape->row_group, shape->training);
  double missed = th_exp(-group * share);
  plan->blocks = 1;
  plan->deal_unit =
      th_partition_deal_unit_size(shape->row_group, shape->training, 1);
  plan->stream_bytes = (int64_t)(th_store_shape_bytes(shape) *
                                 (double)config->passes * (1 - missed));
  plan->read_bytes = (int64_t)(th_store_shape_bytes(shape) *
                               (1 - th_pow(missed, (double)config->passes)));
  plan->updates = (int64_t)ceil(rows / (double)config->batch);
  plan->visits = rows * (double)config->budget;
}
