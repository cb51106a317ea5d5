/* plan.c - what a run is going to do, from options and sizes alone
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/partition.h"
#include "math/loss.h"
#include "math/schedule.h"
#include "solvers/budgeted/end/end.h"
#include "solvers/driver/plan_parts.h"

#include <math.h>
#include <string.h>

enum {
  MANY_PASSES = 20,    /* upper limit where one pass is too little */
  ENOUGH_UPDATES = 20, /* updates in one pass that make one pass enough */
  LEAST_BUDGET = 64,
  PREDICTING_BUDGET = 128,  /* likewise */
  BUDGET_SHARE = 10,        /* default budget: a tenth of the attributes */
  BUDGET_OF_MODEL = 2,      /* and so many times -s */
  SIFT_ROWS = 20,           /* first rows per block of solver sift */
  BYTES_PER_ATTRIBUTE = 88, /* centre, scale, bound and a solver's vectors */
  SIFT_BYTES = 74,          /* the same of solver sift */
  BYTES_PER_ROW = 56,
  FEWEST_EXAMPLES = 2
};

static const double default_validation = 0.1;
static const double usual_growth = 1.05; /* of a solver's batches */

static bool is_sift(const struct th_config *config)
{
  return strcmp(config->solver, "sift") == 0;
}

static th_status check_shape(const struct th_shape *shape, struct th_error *err)
{
  if (shape->training < FEWEST_EXAMPLES)
    return th_fail(err, TH_EDATA,
                   "%lld training example%s: at least %d are needed",
                   (long long)shape->training, shape->training == 1 ? "" : "s",
                   FEWEST_EXAMPLES);
  return TH_OK;
}

static th_status check_needs(const struct th_solver_row *row,
                             const struct th_config *config,
                             struct th_error *err)
{
  if (row->needs_sparsity && config->sparsity == 0)
    return th_fail(err, TH_EUSAGE,
                   "solver %s needs -s, the size of the support", row->name);
  if (row->needs_budget && config->budget == 0)
    return th_fail(err, TH_EUSAGE,
                   "solver %s needs --budget, the attributes observed of an "
                   "example",
                   row->name);
  if (row->needs_start && config->start_size == 0)
    return th_fail(err, TH_EUSAGE,
                   "solver %s needs --start, a model or a list of attributes",
                   row->name);
  return TH_OK;
}

static th_status check_loss(const struct th_solver_row *row,
                            const struct th_config *config,
                            struct th_error *err)
{
  const struct th_loss *loss = th_loss_find(config->loss);
  if (loss == NULL)
    return th_fail(err, TH_EUSAGE, "there is no loss %s", config->loss);
  if (loss->penalised_only && !row->penalised)
    return th_fail(err, TH_EUSAGE,
                   "solver %s has no use for --loss %s; take a solver with a "
                   "penalty, such as lasso, or --loss logistic",
                   row->name, loss->name);
  return TH_OK;
}

static th_status check_start(const struct th_config *config, int64_t d,
                             struct th_error *err)
{
  for (int64_t k = 0; k < config->start_size; k++) {
    int64_t j = config->start_support[k];
    if (j < 0 || j >= d)
      return th_fail(err, TH_EUSAGE,
                     "--start names attribute %lld; the data have %lld "
                     "(numbered from 0)",
                     (long long)j, (long long)d);
    if (k > 0 && j <= config->start_support[k - 1])
      return th_fail(err, TH_EUSAGE,
                     "--start: attributes must ascend, but %lld follows %lld",
                     (long long)j, (long long)config->start_support[k - 1]);
  }
  return TH_OK;
}

static th_status choose_budget(struct th_config *config, int64_t d,
                               struct th_error *err)
{
  if (is_sift(config) && config->sparsity >= d)
    config->sparsity = 0; /* as many as there are */
  if (config->start_size > 0)
    config->sparsity = config->start_size;
  if (config->budget == 0 && config->start_size > 0)
    config->budget = config->start_size;
  if (config->budget == 0) {
    int64_t share = d / BUDGET_SHARE;
    int64_t least = th_end_chooses(config) ? PREDICTING_BUDGET : LEAST_BUDGET;
    least =
        th_max_i64(least, BUDGET_OF_MODEL * th_min_i64(config->sparsity, d));
    config->budget = th_min_i64(d, th_max_i64(share, least));
  }
  if (config->budget > d)
    return th_fail(err, TH_EUSAGE,
                   "--budget %lld is more than the %lld attributes of the data",
                   (long long)config->budget, (long long)d);
  bool fixed = config->start_size > 0; /* S alone is observed */
  if (config->budget < th_min_i64(d, 2) && !fixed)
    return th_fail(err, TH_EUSAGE,
                   "--budget %lld: at least 2 are needed, for the support and "
                   "for exploring",
                   (long long)config->budget);
  if (config->sparsity > config->budget ||
      (config->sparsity == config->budget && !fixed))
    return th_fail(err, TH_EUSAGE,
                   "-s %lld must be below --budget %lld, or nothing is left to "
                   "explore with",
                   (long long)config->sparsity, (long long)config->budget);
  return TH_OK;
}

/* d' of a usual update, and the rows of each of its blocks. */
static void first_update(const struct th_config *config, int64_t d,
                         int64_t *blocks, int64_t *rows)
{
  bool sift = is_sift(config);
  int64_t width = config->budget - (sift ? 0 : config->sparsity);
  *blocks = width > 0 ? (d + width - 1) / width : 1;
  *rows = sift ? SIFT_ROWS : th_schedule_explore_rows(config->sparsity);
  if (config->batch_explore > 0)
    *rows = config->batch_explore;
}

/* Labels: the rows that the last fit is made on, as they were kept (which sift
 * does not) and as a batch. */
static int64_t refit_memory(const struct th_config *config,
                            const struct th_shape *shape, int ranks,
                            int64_t members)
{
  const struct th_loss *loss = th_loss_find(config->loss);
  int64_t rows = th_schedule_refit_rows(members, shape->training);
  int64_t copies = is_sift(config) ? 1 : 2;
  if (!loss->labels || config->refit == TH_REFIT_NO)
    return 0;
  return rows * (BYTES_PER_ROW + copies * 8 * (members / ranks + 1));
}

/* Bytes beyond stored values on one rank. */
static int64_t estimate_memory(const struct th_config *config,
                               const struct th_shape *shape, int ranks,
                               int64_t owned, int64_t rows)
{
  int64_t members = config->sparsity > 0 ? config->sparsity : config->budget;
  int64_t each = BYTES_PER_ATTRIBUTE;
  if (is_sift(config)) {
    members = th_schedule_sift_support(shape->attributes, config->budget,
                                       config->sparsity, shape->training);
    each = SIFT_BYTES;
  }
  members = th_min_i64(members, shape->training);
  return owned * each + rows * BYTES_PER_ROW + rows * members / ranks * 8 +
         10 * members * members * 8 +
         refit_memory(config, shape, ranks, members);
}

/* Bytes of the runs that are looked at in `passes` passes, each of them read
 * once: of every row group those of J_i for each block i that gets one of its
 * deal units, and those of S. */
static double looked_at(const struct th_plan *plan,
                        const struct th_shape *shape, double passes)
{
  const struct th_config *config = &plan->config;
  double d = (double)shape->attributes;
  double units = (double)shape->row_group / (double)plan->deal_unit;
  double missed = pow(1 - 1 / (double)plan->blocks, passes * units);
  bool explores = config->budget > config->sparsity;
  double share = explores ? 1 - missed : 0;
  double support = (double)config->sparsity / d;
  return th_shape_bytes(shape) * (share + (1 - share) * support);
}

/* Batches grow from update to update by a factor g: k updates use
 * rows (g^k - 1) / (g - 1) rows. */
static int64_t estimate_updates(const struct th_config *config,
                                const struct th_shape *shape, int64_t rows)
{
  double growth = config->growth > 0 ? config->growth : usual_growth;
  double all = (double)config->passes * (double)shape->training / (double)rows;
  double updates = growth > 1 ? log1p(all * (growth - 1)) / log(growth) : all;
  return updates > 1 ? (int64_t)updates : 1;
}

/* The same of sift's rounds, after a first one over all attributes. */
static int64_t estimate_rounds(const struct th_config *config,
                               const struct th_shape *shape, int64_t rows)
{
  double all = (double)config->passes * (double)shape->training;
  double used = (double)rows;
  int64_t rounds = 1;
  for (; used < all; rounds++)
    used += th_schedule_sift_round(used, 0);
  return rounds;
}

/* Hybrid, Exploration, sift; of large data the last pass is for the refit,
 * which needs no early stop. */
static void choose_exploring(struct th_config *config,
                             const struct th_shape *shape)
{
  int64_t usual = th_plan_usual_passes(config, shape);
  if (config->passes == 0)
    config->passes = usual;
  bool large = shape->training >= TH_END_SMALL && config->passes <= usual;
  bool stops_early = config->passes > 1 && !large && !is_sift(config);
  if (config->validation < 0)
    config->validation = stops_early ? default_validation : 0;
}

static void choose_passes(struct th_config *config,
                          const struct th_shape *shape, int64_t update)
{
  bool enough = shape->training / ENOUGH_UPDATES >= update;
  if (th_end_chooses(config)) {
    th_plan_choose_passes(config, shape);
    return;
  }
  if (config->passes == 0 && shape->computed)
    config->passes = 1;
  if (config->start_size == 0) {
    choose_exploring(config, shape);
    return;
  }
  if (config->passes == 0)
    config->passes = enough ? 1 : MANY_PASSES;
  config->validation = fmax(config->validation, 0);
}

th_status th_train_plan(const struct th_config *config,
                        const struct th_shape *shape, int ranks, int64_t owned,
                        struct th_plan *plan, struct th_error *err)
{
  struct th_config *used = &plan->config;
  const struct th_solver_row *row = th_solver_find(config->solver);
  int64_t rows = 0;
  th_status rc;
  *plan = (struct th_plan){.config = *config};
  if (row == NULL)
    return th_fail(err, TH_EUSAGE,
                   "there is no solver %s; see thresher solvers",
                   config->solver);
  TH_TRY(check_shape(shape, err));
  TH_TRY(check_loss(row, config, err));
  plan->penalised = row->penalised;
  if (row->penalised)
    return th_plan_penalised(plan, row, shape, ranks, owned, err);
  TH_TRY(check_needs(row, config, err));
  TH_TRY(check_start(config, shape->attributes, err));
  TH_TRY(th_plan_choose_end(used, shape, err));
  TH_TRY(choose_budget(used, shape->attributes, err));
  first_update(used, shape->attributes, &plan->blocks, &rows);
  choose_passes(used, shape, plan->blocks * rows);
  plan->deal_unit = th_partition_deal_unit_size(shape->row_group,
                                                shape->training, plan->blocks);
  if (th_end_chooses(used) && used->passes > 1 &&
      shape->training < TH_END_SMALL)
    plan->deal_unit = 1; /* each example has a fold */
  plan->memory =
      estimate_memory(used, shape, ranks, owned, plan->blocks * rows);
  double passes = (double)used->passes;
  plan->read_bytes = (int64_t)looked_at(plan, shape, passes);
  plan->stream_bytes = (int64_t)(passes * looked_at(plan, shape, 1));
  plan->updates = is_sift(used) && shape->layout == TH_DENSE
                      ? estimate_rounds(used, shape, plan->blocks * rows)
                      : estimate_updates(used, shape, plan->blocks * rows);
  plan->visits = passes * (double)used->budget *
                 (shape->layout == TH_SPARSE
                      ? (double)shape->nonzeros / (double)shape->attributes
                      : (double)shape->training);
  if (th_end_chooses(used))
    th_plan_end(plan, shape, owned);
done:
  return rc;
}
