/* plan_predict.c - the plan of a run that ends with what predicts best
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "solvers/budgeted/end/end.h"
#include "solvers/budgeted/end/folds.h"
#include "solvers/driver/plan_parts.h"

#include <math.h>
#include <string.h>

enum {
  FITS = 75,        /* nets: mixes times penalties */
  UNION = 2,        /* lists of folds together, over one of them */
  SUM_BYTES = 32,   /* of an attribute in a fold */
  ROW_BYTES = 1000, /* predictions and losses of all candidates */
  SWEEPS = 10,      /* over the list, for each net */
  ENTRY_BYTES = 12
};

static const double held_share = 0.2; /* of the list's examples, to choose by */
static const double held_rows = 65536; /* of them at most */
static const double most_products = 4096;

static bool is_sift(const struct th_config *config)
{
  return strcmp(config->solver, "sift") == 0;
}

/* What is computed on demand takes one pass by itself. */
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

const char *th_plan_why_truth(const struct th_config *config,
                              const struct th_shape *shape)
{
  int64_t passes = wanted_passes(config, shape);
  if (shape->training < TH_END_FEWEST)
    return "to predict takes 20 training examples at least";
  if (passes == 1 && shape->training < TH_END_OF_ONE * TH_END_FEWEST)
    return "to predict in one pass takes 60 training examples at least";
  if (rows_of_list(passes, shape->training) > TH_END_MOST)
    return "the lists of so many examples would not fit into memory";
  if (config->validation == 0 && !th_end_small(passes, shape->training))
    return "--validation 0 leaves no examples to choose by";
  if (config->refit == TH_REFIT_NO)
    return "--refit no ends before any candidate is fitted";
  return NULL;
}

bool th_plan_predicts(const struct th_config *config,
                      const struct th_shape *shape)
{
  return is_sift(config) && config->select != TH_SELECT_TRUTH &&
         th_plan_why_truth(config, shape) == NULL;
}

th_status th_plan_choose_end(struct th_config *config,
                             const struct th_shape *shape, struct th_error *err)
{
  const char *why = th_plan_why_truth(config, shape);
  if (!is_sift(config))
    return TH_OK;
  if (config->select == TH_SELECT_PREDICT && why != NULL)
    return th_fail(err, TH_EUSAGE, "--select predict: %s", why);
  if (config->select == TH_SELECT_AUTO)
    config->select = why == NULL ? TH_SELECT_PREDICT : TH_SELECT_TRUTH;
  return TH_OK;
}

/* Passes over blocks, then those over lists. */
int64_t th_plan_usual_passes(const struct th_config *config,
                             const struct th_shape *shape)
{
  int64_t n = shape->training;
  int64_t blocks = th_integer_ceil_divide(shape->attributes, config->budget);
  int64_t lists = n < TH_END_SMALL ? TH_END_LISTS : 1;
  return th_end_screens(0, blocks, n) + lists;
}

void th_plan_choose_passes(struct th_config *config,
                           const struct th_shape *shape)
{
  int64_t n = shape->training;
  int64_t most = th_plan_usual_passes(config, shape);
  int64_t passes = wanted_passes(config, shape);
  config->passes = passes == 0 ? most : th_min_i64(passes, most);
  double share = held_share / (config->passes == 1 ? TH_END_OF_ONE : 1);
  if (th_end_small(config->passes, n))
    config->validation = 0; /* folds */
  else if (config->validation < 0)
    config->validation = fmin(share, held_rows / (double)n);
}

void th_plan_end(struct th_plan *plan, const struct th_shape *shape,
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
