/* competitors_plan.c - what a run of `rda-ito`, `dantzig` or `ssr` is going to
 * do
 * SPDX-License-Identifier: MIT */
#include "base/integer.h"
#include "ranks/partition.h"
#include "solvers/algorithms.h"
#include "solvers/competitors/dantzig.h"
#include "solvers/competitors/looks.h"
#include "solvers/competitors/selector.h"
#include "solvers/plan.h"

enum {
  MOST_BATCH = 64,     /* examples in a step by default, */
  STEPS = 1000,        /* such that there are so many steps, */
  LOOK = 512,          /* and of a look where nothing depends on them */
  PAIR = 2,            /* others than the support that must be observed */
  OWNED_BYTES = 64,    /* of an attribute of this rank */
  SUPPORT_BYTES = 100, /* of an attribute of the model */
  EXAMPLE_BYTES = 16
};

static const double usual_validation = 0.1;
static const double usual_growth = 1.2;

/* The budget leaves room to see two attributes outside of the support. */
static th_status check_budget(struct th_config *config, int64_t d,
                              struct th_error *err)
{
  config->sparsity = th_min_i64(config->sparsity, d);
  if (config->budget > d)
    return th_fail(err, TH_EUSAGE,
                   "{budget} %lld is more than the %lld attributes of the data",
                   (long long)config->budget, (long long)d);
  if (config->budget < d && config->budget < config->sparsity + PAIR)
    return th_fail(err, TH_EUSAGE,
                   "{budget} %lld with {sparsity} %lld: solver %s estimates "
                   "products of two attributes outside of the support, so "
                   "{budget} must be at least %lld",
                   (long long)config->budget, (long long)config->sparsity,
                   config->solver, (long long)config->sparsity + PAIR);
  return TH_OK;
}

/* These are methods for streams: one pass unless more are asked for. */
static void choose_stream_passes(struct th_config *config)
{
  if (config->passes == 0)
    config->passes = 1;
  if (config->validation < 0)
    config->validation = config->passes > 1 ? usual_validation : 0;
}

/* Whole examples come one by one: their gradients are worth a step. */
static void choose_batch(struct th_config *config, const struct th_shape *shape)
{
  int64_t all = config->passes * shape->training;
  bool whole = config->budget >= shape->attributes;
  if (config->batch == 0)
    config->batch =
        whole ? 1 : th_max_i64(1, th_min_i64(MOST_BATCH, all / STEPS));
  config->batch = th_min_i64(config->batch, th_max_i64(1, all));
}

/* Bytes that all three take. */
static int64_t common_memory(const struct th_config *config,
                             const struct th_plan_size *size)
{
  int64_t d = size->shape->attributes;
  int64_t members = config->sparsity > 0 ? config->sparsity : d;
  return size->owned * OWNED_BYTES + members * SUPPORT_BYTES +
         size->shape->training * EXAMPLE_BYTES +
         config->batch * config->budget * th_looks_bytes();
}

static th_status averaging_plan(struct th_plan *plan,
                                const struct th_plan_size *size,
                                struct th_error *err)
{
  struct th_config *config = &plan->config;
  th_status rc;
  TH_TRY(th_plan_sampled_check_loss(config, err));
  TH_TRY(check_budget(config, size->shape->attributes, err));
  choose_stream_passes(config);
  choose_batch(config, size->shape);
  plan->memory = common_memory(config, size);
  th_plan_sampled_fill(plan, size);
done:
  return rc;
}

th_status th_rda_ito_plan(struct th_plan *plan, const struct th_plan_size *size,
                          struct th_error *err)
{
  return averaging_plan(plan, size, err);
}

th_status th_ssr_plan(struct th_plan *plan, const struct th_plan_size *size,
                      struct th_error *err)
{
  struct th_config *config = &plan->config;
  int64_t d = size->shape->attributes;
  if (config->budget == 0)
    config->budget = d;
  if (config->budget < d && config->sparsity == 0)
    return th_fail(err, TH_EUSAGE,
                   "solver ssr with a {budget} below the %lld attributes needs "
                   "{sparsity}: how many of those observed stay the same",
                   (long long)d);
  return averaging_plan(plan, size, err);
}

th_status th_dantzig_plan(struct th_plan *plan, const struct th_plan_size *size,
                          struct th_error *err)
{
  struct th_config *config = &plan->config;
  int64_t d = size->shape->attributes;
  th_status rc;
  TH_TRY(th_plan_sampled_check_loss(config, err));
  TH_TRY(check_budget(config, d, err));
  choose_stream_passes(config);
  if (config->rounds.growth == 0)
    config->rounds.growth = usual_growth;
  config->batch = LOOK;
  plan->pairs = th_dantzig_pairs_bytes(d, d);
  plan->memory = common_memory(config, size) +
                 th_dantzig_pairs_bytes(d, size->owned) +
                 d * th_selector_bytes();
  th_plan_sampled_fill(plan, size);
done:
  return rc;
}
