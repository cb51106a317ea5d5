/* sampled_plan.h - plans of solvers that read some attributes of each example,
 * drawn at random
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SAMPLED_PLAN_H
#define TH_SAMPLED_PLAN_H

#include "solvers/plan.h"

/* An error for a loss of labels. */
th_status th_sampled_plan_check_loss(const struct th_config *config,
                                     struct th_error *err);

/* Fill in what a run reads, where budget, passes and batch are chosen: all but
 * its memory. */
void th_sampled_plan_fill(struct th_plan *plan,
                          const struct th_plan_size *size);

#endif
