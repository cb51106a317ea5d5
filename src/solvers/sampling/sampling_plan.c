/* sampling_plan.c - what a run of an attribute-efficient solver is going to do
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/partition.h"
#include "solvers/data/sampled_plan.h"
#include "solvers/sampling/algorithms.h"
#include "solvers/sampling/sampling.h"
#include "solvers/solver_table.h"

enum {
  USUAL_BUDGET = 128,
  FEWEST = 2,          /* for a data point and an inner product */
  MOST_BATCH = 256,    /* examples in a step by default, */
  UPDATES = 1000,      /* such that there are so many steps */
  MOST_PASSES = 20,    /* by default */
  SIGHTINGS = 4,       /* of each attribute of an example, in all passes */
  CONTEXT_BYTES = 24,  /* of an attribute */
  SUPPORT_BYTES = 100, /* of an attribute in the model */
  EXAMPLE_BYTES = 16,
  CELL_BYTES = 64,
  SLOT_BYTES = 112 /* of an attribute that a batch reads */
};

static const double usual_validation = 0.1;

static th_status choose_budget(struct th_config *config, int64_t d,
                               struct th_error *err)
{
  if (config->budget == 0)
    config->budget = th_min_i64(d, USUAL_BUDGET);
  if (config->budget > d)
    return th_fail(err, TH_EUSAGE,
                   "{budget} %lld is more than the %lld attributes of the "
                   "data; ogd-ridge and eg-lasso read all of them",
                   (long long)config->budget, (long long)d);
  if (config->budget < FEWEST)
    return th_fail(err, TH_EUSAGE,
                   "{budget} %lld: at least 2 are needed, for the example and "
                   "for its inner product",
                   (long long)config->budget);
  return TH_OK;
}

static th_status check_steps(const struct th_config *config,
                             struct th_error *err)
{
  bool adapts = config->ball.adagrad == TH_ADAGRAD_NORM ||
                config->ball.adagrad == TH_ADAGRAD_COORDINATE;
  if (config->eta != 0 && adapts)
    return th_fail(err, TH_EUSAGE,
                   "{eta} and {adagrad} exclude each other; give one of them");
  if (config->eta > 0 && config->ball.step_factor > 0)
    return th_fail(err, TH_EUSAGE,
                   "{step-factor} is a factor of the steps of a rule, and "
                   "{eta} sets them; give one of them");
  return TH_OK;
}

/* Each example is drawn again until its attributes have been seen. */
static void choose_passes(struct th_config *config,
                          const struct th_shape *shape)
{
  int64_t wanted =
      th_integer_ceil_divide(SIGHTINGS * shape->attributes, config->budget);
  if (config->passes == 0)
    config->passes = shape->computed ? 1 : th_min_i64(wanted, MOST_PASSES);
  if (config->validation < 0)
    config->validation = config->passes > 1 ? usual_validation : 0;
  int64_t all = config->passes * shape->training;
  if (config->batch == 0)
    config->batch = th_max_i64(1, th_min_i64(MOST_BATCH, all / UPDATES));
  config->batch = th_min_i64(config->batch, th_max_i64(1, all));
}

static int64_t memory_of(const struct th_plan *plan,
                         const struct th_plan_size *size)
{
  const struct th_config *config = &plan->config;
  int64_t d = size->shape->attributes;
  int64_t touched = 3 * (int64_t)sizeof(double); /* and AdaGrad's squares */
  int64_t moments = 4 * (int64_t)sizeof(double);
  int64_t slots = config->batch * config->budget;
  return size->owned * (CONTEXT_BYTES + touched + moments + th_draws_bytes() +
                        th_iterate_bytes()) +
         d / TH_CELL * CELL_BYTES + d * SUPPORT_BYTES +
         size->shape->training * EXAMPLE_BYTES + slots * SLOT_BYTES;
}

/* Passes, memory, and what is read. */
static void fill_in(struct th_plan *plan, const struct th_plan_size *size)
{
  choose_passes(&plan->config, size->shape);
  plan->memory = memory_of(plan, size);
  th_sampled_plan_fill(plan, size);
}

th_status th_sampling_plan(struct th_plan *plan,
                           const struct th_plan_size *size,
                           struct th_error *err)
{
  struct th_config *config = &plan->config;
  th_status rc;
  TH_TRY(th_sampled_plan_check_loss(config, err));
  TH_TRY(choose_budget(config, size->shape->attributes, err));
  TH_TRY(check_steps(config, err));
  fill_in(plan, size);
done:
  return rc;
}

th_status th_online_plan(struct th_plan *plan, const struct th_plan_size *size,
                         struct th_error *err)
{
  struct th_config *config = &plan->config;
  th_status rc;
  TH_TRY(th_sampled_plan_check_loss(config, err));
  TH_TRY(check_steps(config, err));
  config->budget = size->shape->attributes;
  fill_in(plan, size);
done:
  return rc;
}
