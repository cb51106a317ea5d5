/* stochastic_plan.c - what a run of a stochastic method is going to do
 * SPDX-License-Identifier: MIT */
#include "solvers/penalised/plan_penalised.h"
#include "solvers/stochastic/algorithms.h"

#include <math.h>

enum {
  BYTES_PER_ATTRIBUTE = 24 + 14 * 8, /* the context's and a solver's vectors */
  BYTES_PER_EXAMPLE = 10 * 8         /* targets, weights, predictions, duals */
};

/* The passes that stand for an epoch: its steps, and every four epochs a check,
 * which goes over the values twice. After some epochs screening leaves little.
 */
static const double passes_of_epoch = 1.5;
static const double usual_epochs = 30;

th_status th_stochastic_plan(struct th_plan *plan,
                             const struct th_plan_size *size,
                             struct th_error *err)
{
  const struct th_config *config = &plan->config;
  th_status rc = th_plan_penalised(plan, size, err);
  if (rc != TH_OK)
    return rc;
  double points = (double)plan->points;
  double all = th_plan_penalised_values(size->shape);
  double epochs = points * (double)config->passes;
  plan->memory += size->owned * BYTES_PER_ATTRIBUTE +
                  size->shape->training * BYTES_PER_EXAMPLE;
  plan->visits = epochs * all;
  if (config->epochs > 0 && !(config->tolerance > 0))
    return rc;
  plan->most_visits = passes_of_epoch * epochs * all;
  plan->visits = config->screening.how != TH_SCREEN_NONE
                     ? fmin(epochs, points * usual_epochs) * all
                     : plan->most_visits;
  return rc;
}
