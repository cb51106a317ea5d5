/* plan_penalised.c - what a run of a solver with a penalty is going to do
 * SPDX-License-Identifier: MIT */
#include "core/partition.h"
#include "solvers/driver/plan_parts.h"

#include "math/grouping.h"
#include "solvers/exact/working_set_solver.h"

#include <math.h>

enum {
  BYTES_PER_ATTRIBUTE = 24 + 14 * 8, /* the context's and a solver's vectors */
  BYTES_PER_EXAMPLE = 10 * 8,        /* targets, weights, predictions, duals */
  MANY_EPOCHS = 1000                 /* upper limit where a gap ends the run */
};

static const double usual_ratio = 0.1; /* of lambda_max */

/* Passes over all values that runs of the exact solver were seen to take: for
 * its setup and for each lambda. */
static const double exact_passes = 4;
static const double exact_passes_each = 0.6;

/* Of a stochastic method, in place of an epoch: its steps, and each four of
 * them a check, which goes over the values twice. What screening leaves after
 * some epochs is little. */
static const double passes_of_epoch = 1.5;
static const double usual_epochs = 30;

static th_status check_lambda(struct th_config *config, struct th_error *err)
{
  int given =
      (config->lambda > 0) + (config->lambda_ratio > 0) + (config->path > 0);
  if (given > 1)
    return th_fail(err, TH_EUSAGE,
                   "--lambda, --lambda-ratio and --path exclude each other; "
                   "give one of them");
  if (given == 0)
    config->lambda_ratio = usual_ratio;
  return TH_OK;
}

static th_status check_penalty(const struct th_config *config,
                               struct th_error *err)
{
  const struct th_penalty *penalty = th_penalty_find(config->penalty);
  if (penalty == NULL)
    return th_fail(err, TH_EUSAGE, "there is no penalty %s", config->penalty);
  if (penalty->grouped && config->groups == NULL)
    return th_fail(err, TH_EUSAGE,
                   "--penalty %s needs groups, and the data set has none; "
                   "give --groups FILE",
                   penalty->name);
  return TH_OK;
}

/* Lambdas of the run; the exact solver comes to a small one by way of others.
 */
static int64_t plan_points(const struct th_config *config)
{
  double ratio = config->lambda_ratio > 0 ? config->lambda_ratio : 1;
  double way = 1 + log(fmin(ratio, 1)) / log(0.6);
  return config->path > 0 ? config->path : (int64_t)way;
}

/* Stored values that the run computes with. */
static void estimate_visits(struct th_plan *plan,
                            const struct th_solver_row *row,
                            const struct th_shape *shape)
{
  const struct th_config *config = &plan->config;
  double points = (double)plan_points(config);
  double all = shape->layout == TH_SPARSE
                   ? (double)shape->nonzeros
                   : (double)shape->training * (double)shape->attributes;
  double epochs = points * (double)config->passes;
  bool early = config->epochs == 0 || config->tolerance > 0;
  bool shrinks = config->screen != TH_SCREEN_NONE;
  plan->visits = (exact_passes + points * exact_passes_each) * all;
  if (!row->by_examples)
    return;
  plan->visits = epochs * all;
  if (!early)
    return;
  plan->most_visits = passes_of_epoch * epochs * all;
  plan->visits = plan->most_visits;
  if (shrinks)
    plan->visits = fmin(epochs, points * usual_epochs) * all;
}

th_status th_plan_penalised(struct th_plan *plan,
                            const struct th_solver_row *row,
                            const struct th_shape *shape, int ranks,
                            int64_t owned, struct th_error *err)
{
  struct th_config *config = &plan->config;
  th_status rc;
  TH_TRY(check_lambda(config, err));
  TH_TRY(check_penalty(config, err));
  if (config->screen == TH_SCREEN_AUTO)
    config->screen = row->screen;
  config->budget = shape->attributes; /* whatever is not screened */
  config->sparsity = 0;
  config->validation = 0;
  config->passes = config->epochs > 0 ? config->epochs : MANY_EPOCHS;
  plan->blocks = 1;
  plan->deal_unit = th_partition_deal_unit_size(shape->row_group,
                                                shape->training, plan->blocks);
  plan->memory =
      owned * BYTES_PER_ATTRIBUTE + shape->training * BYTES_PER_EXAMPLE;
  if (!row->by_examples) /* whole columns instead */
    plan->memory = th_working_set_solver_bytes(shape, owned);
  plan->memory += th_grouping_bytes(
      config->groups, th_penalty_find(config->penalty), owned, ranks);
  estimate_visits(plan, row, shape);
  plan->points = plan_points(config);
  plan->read_bytes = (int64_t)th_shape_bytes(shape);
  plan->stream_bytes =
      (int64_t)fmin((double)config->passes * th_shape_bytes(shape), 0x1p62);
done:
  return rc;
}
