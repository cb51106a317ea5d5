/* omp_plan.c - what a run of solver `omp` is going to do
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/partition.h"
#include "solvers/greedy/algorithms.h"
#include "solvers/greedy/omp_folds.h"
#include "solvers/penalised/plan_penalised.h"

#include <math.h>

enum {
  MOST = 1000,       /* attributes, where no option limits them */
  USUAL = 30,        /* attributes that a choice by prediction looks at */
  SETUP = 3,         /* passes */
  EACH_PASS = 4,     /* choices by a forecast, usually */
  EACH_EXAMPLE = 48, /* bytes */
  EACH_PATH_EXAMPLE = 32,
  EACH_OWNED = 160,
  EACH_SEEN = 16 * 8, /* of an attribute, or an example, in a forecast */
  MOST_SEEN = 1 << 23 /* attributes of all forecasts; more would take too much
                         memory */
};

static const double usual_validation = 0.1;

/* Who is held out, if prediction is to decide. */
static void choose_folds(struct th_config *config, int64_t training)
{
  bool limited = config->sparsity > 0 || config->greedy.residual > 0;
  bool small = training < TH_OMP_FOLDS_BELOW;
  if (config->validation < 0)
    config->validation = limited || small ? 0 : usual_validation;
  config->greedy.folds = config->validation > 0;
  if (config->validation == 0 && !limited)
    config->greedy.folds = th_min_i64(TH_OMP_FOLDS, training);
}

/* The most attributes: those of the option, or as many as half the examples. */
static void choose_most(struct th_config *config, const struct th_shape *shape)
{
  int64_t usual = th_min_i64(MOST, th_max_i64(1, shape->training / 2));
  config->greedy.most = config->sparsity > 0 ? config->sparsity : usual;
  if (config->greedy.oracle)
    config->greedy.most = config->start.size;
  config->greedy.most = th_min_i64(config->greedy.most, shape->attributes);
}

static th_status check_oracle(const struct th_config *config,
                              struct th_error *err)
{
  bool more = config->sparsity > 0 || config->greedy.residual > 0 ||
              config->validation > 0;
  if (config->greedy.oracle && more)
    return th_fail(err, TH_EUSAGE,
                   "{oracle} takes the true attributes, and chooses none; "
                   "leave {sparsity}, {stop-residual} and {validation} out");
  return TH_OK;
}

/* Slopes are kept where that takes no more than a gigabyte of all ranks. */
static void choose_forecast(struct th_config *config,
                            const struct th_shape *shape)
{
  int64_t paths = th_max_i64(1, config->greedy.folds);
  config->greedy.forecast = paths * shape->attributes <= MOST_SEEN;
}

/* Bytes of a rank: the columns that are chosen, their products, and the
 * problem. */
static int64_t memory_of(const struct th_config *config,
                         const struct th_plan_size *size, int64_t chosen)
{
  const struct th_shape *shape = size->shape;
  int64_t paths = config->greedy.folds + 1;
  double column = th_plan_penalised_values(shape) / (double)shape->attributes;
  int64_t value = shape->layout == TH_SPARSE ? 12 : 8;
  int64_t seen = config->greedy.forecast
                     ? th_max_i64(1, config->greedy.folds) * EACH_SEEN
                     : 0;
  return (int64_t)(column * (double)(value * (2 * chosen + 16 * paths))) +
         seen * (size->owned + shape->training) +
         paths * 3 * chosen * chosen * (int64_t)sizeof(double) +
         shape->training * (EACH_EXAMPLE + paths * EACH_PATH_EXAMPLE) +
         size->owned * EACH_OWNED;
}

th_status th_omp_plan(struct th_plan *plan, const struct th_plan_size *size,
                      struct th_error *err)
{
  struct th_config *config = &plan->config;
  const struct th_shape *shape = size->shape;
  double values = th_plan_penalised_values(shape);
  th_status rc;
  TH_TRY(check_oracle(config, err));
  choose_most(config, shape);
  if (!config->greedy.oracle)
    choose_folds(config, shape->training);
  choose_forecast(config, shape);
  config->validation = fmax(config->validation, 0);
  config->penalty = "l1"; /* groups of one; there is no penalty */
  config->groups = NULL;
  config->budget = shape->attributes;
  config->passes = 1;
  int64_t usual = config->greedy.folds > 0 ? USUAL : config->greedy.most;
  int64_t chosen = th_min_i64(usual, config->greedy.most);
  plan->blocks = 1;
  plan->deal_unit =
      th_partition_deal_unit_size(shape->row_group, shape->training, 1);
  plan->memory = memory_of(config, size, chosen);
  plan->points = chosen;
  plan->read_bytes = (int64_t)th_shape_bytes(shape);
  int64_t choices = config->greedy.folds > 0 ? 2 * chosen : chosen;
  double passes =
      SETUP + (double)choices / (config->greedy.forecast ? EACH_PASS : 1);
  plan->stream_bytes = (int64_t)(passes * th_shape_bytes(shape));
  plan->visits = passes * values;
done:
  return rc;
}
