/* budgeted_plan.c - what a run under a budget is going to do
 * SPDX-License-Identifier: MIT */
#include "solvers/thresholding/budgeted_plan.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "math/loss.h"
#include "math/schedule.h"
#include "ranks/partition.h"
#include "solvers/predict/end.h"

#include <math.h>

enum {
  MANY_PASSES = 20,    /* upper limit where one pass is too little */
  ENOUGH_UPDATES = 20, /* updates in one pass that make one pass enough */
  BUDGET_SHARE = 10,   /* default budget: a tenth of the attributes */
  BUDGET_OF_MODEL = 2, /* and so many times -s */
  BYTES_PER_ROW = 56,
  BYTES_PER_VALUE = 12 /* of a member: room grows by halves */
};

static const double default_validation = 0.1;
static const double usual_growth = 1.05; /* of a solver's batches */

th_status th_budgeted_plan_check_start(const struct th_config *config,
                                       int64_t d, bool fixed,
                                       struct th_error *err)
{
  if (!fixed && config->start.size > config->sparsity &&
      config->start.coef == NULL)
    return th_fail(err, TH_EUSAGE,
                   "{start} has %lld attributes, and the model at most %lld: "
                   "give coefficients, by which the largest are taken",
                   (long long)config->start.size, (long long)config->sparsity);
  for (int64_t k = 0; k < config->start.size; k++) {
    int64_t j = config->start.support[k];
    if (j < 0 || j >= d)
      return th_fail(err, TH_EUSAGE,
                     "{start} names attribute %lld; the data have %lld "
                     "(numbered from 0)",
                     (long long)j, (long long)d);
    if (k > 0 && j <= config->start.support[k - 1])
      return th_fail(err, TH_EUSAGE,
                     "{start}: attributes must ascend, but %lld follows %lld",
                     (long long)j, (long long)config->start.support[k - 1]);
  }
  return TH_OK;
}

th_status th_budgeted_plan_budget(struct th_config *config, int64_t d,
                                  int64_t least, bool fixed,
                                  struct th_error *err)
{
  if (fixed)
    config->sparsity = config->start.size;
  if (config->budget == 0 && fixed)
    config->budget = config->start.size;
  if (config->budget == 0) {
    int64_t share = d / BUDGET_SHARE;
    least =
        th_max_i64(least, BUDGET_OF_MODEL * th_min_i64(config->sparsity, d));
    config->budget = th_min_i64(d, th_max_i64(share, least));
  }
  if (config->budget > d)
    return th_fail(err, TH_EUSAGE,
                   "{budget} %lld is more than the %lld attributes of the data",
                   (long long)config->budget, (long long)d);
  if (config->budget < th_min_i64(d, 2) && !fixed)
    return th_fail(err, TH_EUSAGE,
                   "{budget} %lld: at least 2 are needed, for the support and "
                   "for exploring",
                   (long long)config->budget);
  if (config->sparsity > config->budget ||
      (config->sparsity == config->budget && !fixed))
    return th_fail(
        err, TH_EUSAGE,
        "{sparsity} %lld must be below {budget} %lld, or nothing is left to "
        "explore with",
        (long long)config->sparsity, (long long)config->budget);
  return TH_OK;
}

int64_t th_budgeted_plan_usual_passes(const struct th_config *config,
                                      const struct th_shape *shape)
{
  int64_t n = shape->training;
  int64_t blocks = th_integer_ceil_divide(shape->attributes, config->budget);
  int64_t lists = n < TH_END_SMALL ? TH_END_LISTS : 1;
  return th_end_rows_screens(0, blocks, n) + lists;
}

/* On large data the last pass is for the refit, which needs no early stop. */
static void choose_exploring(struct th_config *config,
                             const struct th_shape *shape, bool stops)
{
  int64_t usual = th_budgeted_plan_usual_passes(config, shape);
  if (config->passes == 0)
    config->passes = usual;
  bool large = shape->training >= TH_END_SMALL && config->passes <= usual;
  bool stops_early = stops && config->passes > 1 && !large;
  if (config->validation < 0)
    config->validation = stops_early ? default_validation : 0;
}

void th_budgeted_plan_passes(struct th_config *config,
                             const struct th_shape *shape, int64_t update,
                             bool stops, bool fixed)
{
  bool enough = shape->training / ENOUGH_UPDATES >= update;
  if (config->passes == 0 && shape->computed)
    config->passes = 1;
  if (!fixed) {
    choose_exploring(config, shape, stops);
    return;
  }
  if (config->passes == 0)
    config->passes = enough ? 1 : MANY_PASSES;
  config->validation = fmax(config->validation, 0);
}

/* Bytes of the examples that the last fit of labels is made on. */
static int64_t refit_memory(const struct th_config *config,
                            const struct th_plan_size *size, int64_t members,
                            int64_t copies)
{
  const struct th_loss *loss = th_loss_find(config->loss);
  int64_t rows = th_schedule_refit_rows(members, size->shape->training);
  if (!loss->labels || config->refit == TH_REFIT_NO)
    return 0;
  return rows * (BYTES_PER_ROW + copies * 8 * (members / size->ranks + 1));
}

static double usual_or_given_growth(const struct th_config *config)
{
  return config->rounds.growth > 0 ? config->rounds.growth : usual_growth;
}

/* Examples of the last update, where the first has `rows`: k updates that grow
 * by g use rows (g^k - 1) / (g - 1). */
static int64_t last_rows(const struct th_config *config,
                         const struct th_shape *shape, int64_t rows)
{
  double all = (double)config->passes * (double)shape->training;
  double last = (double)rows + fmax(usual_or_given_growth(config) - 1, 0) * all;
  return (int64_t)fmin(last, fmax(all, (double)rows));
}

/* Bytes besides stored values on one rank. Members of sparse data may all be
 * on the rank with the rarest attributes. */
static int64_t estimate_memory(const struct th_config *config,
                               const struct th_plan_size *size,
                               const struct th_budgeted_needs *needs,
                               int64_t rows)
{
  int64_t members = th_min_i64(needs->members + config->group.exempt.count,
                               size->shape->training);
  int64_t most = needs->grows ? last_rows(config, size->shape, rows) : rows;
  int sharing = size->shape->layout == TH_SPARSE ? 1 : size->ranks;
  return size->owned * needs->bytes + most * BYTES_PER_ROW +
         most * members / sharing * BYTES_PER_VALUE +
         10 * members * members * 8 +
         refit_memory(config, size, members, needs->copies);
}

/* Bytes of the runs that `passes` passes look at, if each is read once. Of
 * every row group these are the runs of J_i, for each block i that gets one of
 * its deal units, and those of S; and what is read together with these. */
static double looked_at(const struct th_plan *plan,
                        const struct th_shape *shape, double passes)
{
  const struct th_config *config = &plan->config;
  double d = (double)shape->attributes;
  double units = (double)shape->row_group / (double)plan->deal_unit;
  double together = th_store_shape_together(shape) - 1 / d;
  double block = fmin(1, 1 / (double)plan->blocks + together);
  double missed = th_pow(1 - block, passes * units);
  bool explores = config->budget > config->sparsity;
  double share = explores ? 1 - missed : 0;
  double support = fmin(1, (double)config->sparsity * (1 / d + together));
  double values =
      th_store_shape_read_bytes(shape) - th_store_shape_statistics_bytes(shape);
  return (share + (1 - share) * support) * values;
}

/* Batches grow from update to update by a factor g: k updates use
 * rows (g^k - 1) / (g - 1) rows. */
static int64_t estimate_updates(const struct th_config *config,
                                const struct th_shape *shape, int64_t rows)
{
  double growth = usual_or_given_growth(config);
  double all = (double)config->passes * (double)shape->training / (double)rows;
  double updates =
      growth > 1 ? th_log1p(all * (growth - 1)) / th_log(growth) : all;
  return updates > 1 ? (int64_t)updates : 1;
}

void th_budgeted_plan(struct th_plan *plan, const struct th_plan_size *size,
                      const struct th_budgeted_needs *needs, int64_t rows)
{
  const struct th_config *config = &plan->config;
  const struct th_shape *shape = size->shape;
  double passes = (double)config->passes;
  plan->deal_unit = needs->by_row
                        ? 1
                        : th_partition_deal_unit_size(
                              shape->row_group, shape->training, plan->blocks);
  plan->memory = estimate_memory(config, size, needs, plan->blocks * rows);
  double statistics = th_store_shape_statistics_bytes(shape);
  plan->read_bytes = (int64_t)(statistics + looked_at(plan, shape, passes));
  plan->stream_bytes =
      (int64_t)(statistics + passes * looked_at(plan, shape, 1));
  plan->updates = estimate_updates(config, shape, plan->blocks * rows);
  plan->visits = passes * (double)config->budget *
                 (shape->layout == TH_SPARSE
                      ? (double)shape->nonzeros / (double)shape->attributes
                      : (double)shape->training);
}

int64_t th_budgeted_plan_blocks(int64_t attributes, int64_t width)
{
  return width > 0 ? th_integer_ceil_divide(attributes, width) : 1;
}
