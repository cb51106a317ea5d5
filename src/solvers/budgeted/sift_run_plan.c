/* sift_run_plan.c - what a run of solver `sift` is going to do
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "math/schedule.h"
#include "solvers/budgeted/algorithms.h"
#include "solvers/budgeted/budgeted_plan.h"
#include "solvers/budgeted/end/end.h"
#include "solvers/budgeted/sift.h"
#include "solvers/data/folds.h"

#include <math.h>

enum {
  LEAST_BUDGET = 64,
  PREDICTING_BUDGET = 128, /* the same for a run that predicts */
  SIFT_BYTES = 74,         /* of an attribute: centre, scale, bound, sums */
  SPARSE_BYTES = 42,       /* the same for sparse data, which have fewer sums */
  FITS = 75,               /* nets: mixes times penalties */
  UNION = 2, /* size of the union of the folds' lists, over that of one list */
  SUM_BYTES = 32,   /* of an attribute in a fold */
  ROW_BYTES = 1000, /* predictions and losses of all candidates */
  SWEEPS = 10,      /* over the list, for each net */
  ENTRY_BYTES = 12
};

static const double held_share = 0.2; /* of the list's examples, to choose by */
static const double held_rows = 65536; /* of them at most */
static const double most_products = 4096;

/* Data that are computed on demand take one pass by default. */
static int64_t wanted_passes(const struct th_config *config,
                             const struct th_shape *shape)
{
  return config->passes == 0 && shape->computed ? 1 : config->passes;
}

/* Examples that see the list, of n. */
static int64_t rows_of_list(int64_t passes, int64_t n)
{
  return passes == 1 ? n / TH_END_OF_ONE : n;
}

const char *th_sift_why_truth(const struct th_config *config,
                              const struct th_shape *shape)
{
  int64_t passes = wanted_passes(config, shape);
  if (shape->training < TH_END_FEWEST)
    return "a choice by predictions needs at least 8 training examples. With "
           "fewer, chance alone may make a model";
  if (passes == 1 && shape->training < TH_END_FEWEST_ONCE)
    return "a choice by predictions in one pass needs at least 60 training "
           "examples";
  if (rows_of_list(passes, shape->training) > TH_END_MOST)
    return "the lists of so many examples would not fit into memory";
  if (config->validation == 0 && !th_end_small(passes, shape->training))
    return "{validation} 0 leaves no examples to choose by";
  if (config->refit == TH_REFIT_NO)
    return "{refit} no ends before any candidate is fitted";
  return NULL;
}

static th_status choose_end(struct th_config *config,
                            const struct th_shape *shape, struct th_error *err)
{
  const char *why = th_sift_why_truth(config, shape);
  if (config->select == TH_SELECT_PREDICT && why != NULL)
    return th_fail(err, TH_EUSAGE, "{select} predict: %s", why);
  if (config->select == TH_SELECT_AUTO)
    config->select = why == NULL ? TH_SELECT_PREDICT : TH_SELECT_TRUTH;
  return TH_OK;
}

/* Choose the passes of a run that predicts. */
static void choose_passes(struct th_config *config,
                          const struct th_shape *shape)
{
  int64_t n = shape->training;
  int64_t most = th_budgeted_usual_passes(config, shape);
  int64_t passes = wanted_passes(config, shape);
  config->passes = passes == 0 ? most : th_min_i64(passes, most);
  double share = held_share / (config->passes == 1 ? TH_END_OF_ONE : 1);
  if (th_end_small(config->passes, n))
    config->validation = 0; /* folds */
  else if (config->validation < 0)
    config->validation = fmin(share, held_rows / (double)n);
}

/* Add the cost of an end that predicts to the plan of the rounds. */
static void add_end(struct th_plan *plan, const struct th_shape *shape,
                    int64_t owned)
{
  int64_t passes = plan->config.passes;
  int64_t rows = rows_of_list(passes, shape->training);
  double n = (double)rows;
  bool small = th_end_small(passes, shape->training); /* lists of folds */
  bool own = small && passes > 1;
  int64_t folds = small ? th_folds_count(rows) : 1;
  int64_t blocks =
      th_integer_ceil_divide(shape->attributes, plan->config.budget);
  plan->screens = th_end_screens(passes, blocks, shape->training);
  plan->list = th_end_longest_list(plan->config.budget, rows);
  double list = (double)plan->list;
  double all = fmin((own ? UNION : 1) * list, (double)shape->attributes);
  bool sparse = shape->layout == TH_SPARSE;
  double filled = sparse ? (double)shape->nonzeros / ((double)shape->examples *
                                                      (double)shape->attributes)
                         : 1;
  double value = sparse ? ENTRY_BYTES : shape->type == TH_F64 ? 8 : 4;
  double products = fmin(list, most_products);
  plan->memory +=
      (int64_t)(all * n * filled * value +
                (double)(owned * (own ? folds : 1) * SUM_BYTES) +
                (small ? n
                       : (double)shape->training * plan->config.validation) *
                    ROW_BYTES +
                8 * products * products);
  plan->fit_visits = (double)(FITS * (folds + 1) * SWEEPS) * list * n * filled;
}

/* Expected rounds after the first one, which is over all attributes. */
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

/* Plan for blocks of the whole budget, as S begins empty. */
static void plan_rounds(struct th_plan *plan, const struct th_plan_size *size,
                        int64_t rows)
{
  const struct th_config *config = &plan->config;
  const struct th_shape *shape = size->shape;
  bool ends = th_end_chooses(config);
  bool folds = ends && config->passes > 1 && shape->training < TH_END_SMALL;
  th_budgeted_plan(
      plan, size,
      &(struct th_budgeted_needs){
          .bytes = size->shape->layout == TH_SPARSE ? SPARSE_BYTES : SIFT_BYTES,
          .members =
              th_schedule_sift_support(shape->attributes, config->budget,
                                       config->sparsity, shape->training),
          .copies = 1,
          .by_row = folds}, /* each example has one */
      rows);
  if (shape->layout == TH_DENSE)
    plan->updates = estimate_rounds(config, shape, plan->blocks * rows);
  if (ends)
    add_end(plan, shape, size->owned);
}

th_status th_sift_run_plan(struct th_plan *plan,
                           const struct th_plan_size *size,
                           struct th_error *err)
{
  struct th_config *config = &plan->config;
  int64_t d = size->shape->attributes;
  int64_t rows = TH_SIFT_LEAST_ROWS;
  th_status rc;
  TH_TRY(th_budgeted_check_start(config, d, err));
  TH_TRY(choose_end(config, size->shape, err));
  if (config->sparsity >= d)
    config->sparsity = 0; /* as many as there are */
  TH_TRY(th_budgeted_choose_budget(
      config, d, th_end_chooses(config) ? PREDICTING_BUDGET : LEAST_BUDGET,
      err));
  plan->blocks = th_budgeted_blocks(d, config->budget);
  if (config->rounds.batch_explore > 0)
    rows = config->rounds.batch_explore;
  if (th_end_chooses(config))
    choose_passes(config, size->shape);
  else
    th_budgeted_choose_passes(config, size->shape, plan->blocks * rows, false);
  plan_rounds(plan, size, rows);
done:
  return rc;
}
