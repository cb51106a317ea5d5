/* plan.c - what plans of several families share
 * SPDX-License-Identifier: MIT */
#include "solvers/plan.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "data/source.h"
#include "math/grouping.h"
#include "math/loss.h"
#include "ranks/partition.h"
#include "solvers/solver_table.h"

#include <math.h>

/* --- How large the data are ------------------------------------------------
 */

struct th_plan_size th_plan_size_of(const struct th_store *store, int ranks)
{
  return (struct th_plan_size){.shape = &store->shape,
                               .ranks = ranks,
                               .owned = th_store_most_owned(store, ranks),
                               .entries = store->placement.most};
}

/* What is more than the memory of a node is planned for nodes that have it:
 * they can share more, too. */
double th_plan_part(const struct th_plan_size *size, double bytes)
{
  bool fits = 2 * bytes < (double)size->room;
  bool elsewhere = size->memory > 0 && bytes > (double)size->memory;
  return size->together > 1 && (fits || elsewhere) ? bytes / size->together
                                                   : bytes;
}

int64_t th_plan_entries(const struct th_plan_size *size)
{
  const struct th_shape *shape = size->shape;
  double training = (double)shape->training / (double)shape->examples;
  double share = (double)size->owned / (double)shape->attributes;
  int64_t all = (int64_t)(training * (double)shape->nonzeros);
  return size->entries > 0 ? th_min_i64(size->entries, all)
                           : (int64_t)(share * (double)all);
}

enum { ENTRY_BYTES = sizeof(double) + sizeof(int32_t) };

double th_plan_column(const struct th_plan_size *size, double examples)
{
  const struct th_shape *shape = size->shape;
  double values = (double)shape->examples * (double)shape->attributes;
  if (!th_store_shape_is_full(shape))
    return examples * (double)shape->nonzeros / values * ENTRY_BYTES;
  if (shape->layout == TH_SPARSE) /* without zeros, and floats may be shifted */
    return examples * (th_type_whole_numbers(shape->type) ? sizeof(float)
                                                          : sizeof(double));
  enum th_type type = shape->mixed ? TH_F32 : shape->type;
  return (double)th_type_bytes(type, (int64_t)examples);
}

/* --- Some attributes of each example are read, drawn at random ------------ */

th_status th_plan_sampled_check_loss(const struct th_config *config,
                                     struct th_error *err)
{
  if (!th_loss_find(config->loss)->labels)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "solver %s has the squared loss only, by which labels can be "
                 "regressed; leave {loss} out",
                 config->solver);
}

enum { PAGE = 4096 }; /* bytes that a disk hands out at least */

static const double most_touched = 0.5; /* of the pages, by single reads */

/* The share of the pages, or of runs that are longer, of which some example
 * needs a value. Of dense data. */
static double touched_pages(const struct th_config *config,
                            const struct th_shape *shape)
{
  double wanted = (double)config->passes * (double)config->budget /
                  (double)shape->attributes; /* times a value is asked for */
  double run = (double)th_min_i64(shape->row_group, shape->training);
  double page = PAGE * (double)shape->training * (double)shape->attributes /
                th_store_shape_bytes(shape); /* in values */
  return 1 - th_exp(-wanted * fmax(page, run));
}

bool th_plan_reads_whole(const struct th_plan *plan)
{
  return plan->touched >= most_touched;
}

/* Statistics are read for means and deviations, and for second moments. */
enum { STATISTICS_READ = 2 };

/* A run of the storage, with those that are read together with it, is read if
 * some example of its row group needs one of them. Where most pages are touched
 * anyway, everything is read, in few calls. */
void th_plan_sampled_fill(struct th_plan *plan, const struct th_plan_size *size)
{
  const struct th_config *config = &plan->config;
  const struct th_shape *shape = size->shape;
  double rows = (double)config->passes * (double)shape->training;
  double share = (double)config->budget / (double)shape->attributes;
  double group = (double)th_min_i64(shape->row_group, shape->training);
  double runs = th_store_shape_together(shape) * (double)shape->attributes;
  double missed = th_exp(-group * share * runs);
  plan->blocks = 1;
  plan->deal_unit =
      th_partition_deal_unit_size(shape->row_group, shape->training, 1);
  double statistics = th_store_shape_statistics_bytes(shape);
  double values = th_store_shape_read_bytes(shape) - statistics;
  double passes = (double)config->passes;
  if (shape->layout == TH_DENSE)
    plan->touched = touched_pages(config, shape);
  double read = th_plan_reads_whole(plan) ? 1 : 1 - th_pow(missed, passes);
  plan->read_bytes = (int64_t)(STATISTICS_READ * statistics + read * values);
  plan->stream_bytes =
      (int64_t)(STATISTICS_READ * statistics + passes * (1 - missed) * values);
  plan->updates = (int64_t)ceil(rows / (double)config->batch);
  plan->visits = rows * (double)config->budget;
}

/* --- Solvers with a penalty ----------------------------------------------- */

/* All functions are local. */

enum {
  MANY_EPOCHS = 1000, /* upper limit if a gap ends the run */
  USUAL_SEARCH = 16,  /* lambdas, until the norm is that of a ball */
  USUAL_PATH = 100,   /* lambdas that are chosen among */
  USUAL_FOLDS = 5,
  FROM_HERE_A_PART = 5000, /* examples: a fifth of them chooses */
  FEWEST_TO_CHOOSE = 8     /* examples */
};

static const double usual_ratio = 0.1;   /* of lambda_max */
static const double path_ratio = 0.01;   /* the end of a path, */
static const double tall_ratio = 0.0001; /* that is chosen from, if examples are
                                            more than attributes */

/* Of losses that are lines far from the target, which small lambdas fit to all
 * examples: as in R's hqreg. */
static const double flat_ratio = 0.05;
static const double flat_tall_ratio = 0.001;

/* Where held-out examples choose on a path, it goes as far down as glmnet's. */
static double last_ratio(const struct th_config *config,
                         const struct th_shape *shape)
{
  bool tall = shape->training > shape->attributes;
  if (th_loss_find(config->loss)->scaled)
    return tall ? flat_tall_ratio : flat_ratio;
  return config->choice.parts > 0 && tall ? tall_ratio : path_ratio;
}

th_status th_plan_check_together(const struct th_config *config, int64_t folds,
                                 struct th_error *err)
{
  enum { FEWEST_FOLDS = 2 };
  const struct th_config_together *together = &config->choice.together;
  if (together->first == NULL ||
      together->count >= th_max_i64(folds, FEWEST_FOLDS))
    return TH_OK;
  if (folds > FEWEST_FOLDS)
    return th_fail(err, TH_EDATA,
                   "{folds-by} %.60s: the training examples have %lld groups, "
                   "fewer than the %lld folds of {folds}; give fewer, or leave "
                   "{folds} out",
                   together->text, (long long)together->count,
                   (long long)folds);
  return th_fail(err, TH_EDATA,
                 "{folds-by} %.60s: all training examples belong together, so "
                 "that none can be held out; name a column that has other "
                 "values",
                 together->text);
}

/* How a path is chosen from, and where it ends. */
static th_status plan_choice(struct th_config *config,
                             const struct th_solver_row *solver,
                             const struct th_shape *shape, struct th_error *err)
{
  bool chooses = solver->chooses && config->path > 0 &&
                 config->choice.how != TH_CHOOSE_LAST;
  if (chooses && shape->training < FEWEST_TO_CHOOSE)
    return th_fail(err, TH_EUSAGE,
                   "%lld training examples are too few to choose a lambda by; "
                   "give {lambda}, {lambda-ratio} or {choose} last",
                   (long long)shape->training);
  const struct th_config_together *together = &config->choice.together;
  int64_t usual = together->first != NULL
                      ? th_min_i64(USUAL_FOLDS, together->count)
                      : USUAL_FOLDS;
  bool folds = config->choice.folds > 0 || shape->training < FROM_HERE_A_PART ||
               usual < USUAL_FOLDS;
  th_status rc = th_plan_check_together(config, config->choice.folds, err);
  if (rc != TH_OK)
    return rc;
  config->choice.parts = !chooses                   ? 0
                         : !folds                   ? 1
                         : config->choice.folds > 0 ? config->choice.folds
                                                    : usual;
  if (!(config->choice.path_min > 0))
    config->choice.path_min = last_ratio(config, shape);
  return TH_OK;
}

static th_status check_lambda(struct th_config *config,
                              const struct th_solver_row *solver,
                              const struct th_shape *shape,
                              struct th_error *err)
{
  int given =
      (config->lambda > 0) + (config->lambda_ratio > 0) + (config->path > 0);
  bool few = shape->training < FEWEST_TO_CHOOSE;
  if (config->ball.radius > 0 && given > 0)
    return th_fail(err, TH_EUSAGE,
                   "{radius} takes the place of {lambda}, {lambda-ratio} and "
                   "{path}; leave these out");
  if (given > 1)
    return th_fail(err, TH_EUSAGE,
                   "{lambda}, {lambda-ratio} and {path} exclude each other; "
                   "give one of them");
  bool open = given == 0 && !(config->ball.radius > 0);
  config->choice.few =
      open && solver->chooses && few && config->choice.how == TH_CHOOSE_BEST;
  if (open && solver->chooses && !config->choice.few)
    config->path = USUAL_PATH;
  else if (open)
    config->lambda_ratio = usual_ratio;
  return plan_choice(config, solver, shape, err);
}

/* A penalty with a ridge is no norm, and not for every solver. */
static th_status check_ridge(const struct th_config *config,
                             const struct th_solver_row *solver,
                             struct th_error *err)
{
  const struct th_penalty *penalty = th_penalty_find(config->penalty);
  if (penalty->ridge == NULL)
    return TH_OK;
  if (!solver->squares)
    return th_fail(err, TH_EUSAGE,
                   "solver %s does not take {penalty} %s; use solver lasso, or "
                   "another penalty",
                   solver->name, penalty->name);
  if (config->ball.radius > 0)
    return th_fail(err, TH_EUSAGE,
                   "{radius} is for penalties that are norms, which %s is not; "
                   "give {lambda} or {lambda-ratio}",
                   penalty->name);
  return TH_OK;
}

/* Bounds are for coefficients one by one. */
static th_status check_bounds(const struct th_config *config,
                              struct th_error *err)
{
  const struct th_config_group *group = &config->group;
  if (!group->lower.given && !group->upper.given)
    return TH_OK;
  if (th_penalty_find(config->penalty)->grouped)
    return th_fail(err, TH_EUSAGE,
                   "{positive}, {lower} and {upper} are for the penalties l1 "
                   "and elastic-net, not for %s; leave them out",
                   config->penalty);
  if (config->ball.radius > 0)
    return th_fail(err, TH_EUSAGE,
                   "{radius} does not go with {positive}, {lower} or {upper}; "
                   "give {lambda} or {lambda-ratio}");
  return TH_OK;
}

static th_status check_penalty(const struct th_config *config,
                               const struct th_solver_row *solver,
                               struct th_error *err)
{
  const struct th_penalty *penalty = th_penalty_find(config->penalty);
  th_status rc;
  if (penalty == NULL)
    return th_fail(err, TH_EUSAGE, "there is no penalty %s", config->penalty);
  if (penalty->grouped && config->group.all == NULL)
    return th_fail(err, TH_EUSAGE,
                   "{penalty} %s needs groups, and the data set has none; "
                   "give {groups} FILE",
                   penalty->name);
  TH_TRY(check_ridge(config, solver, err));
  rc = check_bounds(config, err);
done:
  return rc;
}

/* The number of lambdas; the exact solver approaches a small one by others, and
 * searches for that of a ball. */
static int64_t plan_points(const struct th_config *config)
{
  double ratio = config->lambda_ratio > 0 ? config->lambda_ratio : 1;
  if (config->ball.radius > 0)
    return USUAL_SEARCH;
  double way = 1 + th_log(fmin(ratio, 1)) / th_log(0.6);
  return config->path > 0 ? config->path : (int64_t)way;
}

double th_plan_penalised_values(const struct th_shape *shape)
{
  return shape->layout == TH_SPARSE
             ? (double)shape->nonzeros
             : (double)shape->training * (double)shape->attributes;
}

double th_plan_penalised_lambda(const struct th_config *config,
                                double lambda_max, int64_t point)
{
  double from = config->choice.from > 0 ? config->choice.from : lambda_max;
  double most = from > 0 ? from : 1;
  if (config->lambda > 0)
    return config->lambda;
  if (config->lambda_ratio > 0)
    return config->lambda_ratio * most;
  double along =
      config->path > 1 ? (double)point / (double)(config->path - 1) : 0;
  return most * th_pow(config->choice.path_min, along);
}

/* Columns of attributes without a penalty, those of the problem and of the
 * solver, once a node; vectors over the examples. */
static int64_t exempt_memory(const struct th_config *config,
                             const struct th_plan_size *size)
{
  enum { COPIES = 2, VECTORS = 3 };
  double rows = (double)size->shape->training;
  double columns =
      COPIES * th_plan_column(size, rows) * (double)config->group.exempt.count;
  return config->group.exempt.count == 0
             ? 0
             : (int64_t)(th_plan_part(size, columns) +
                         VECTORS * rows * sizeof(double));
}

/* Folds, targets, losses and models of a path that is chosen from. */
static int64_t choice_memory(const struct th_config *config,
                             const struct th_plan_size *size)
{
  enum { FOLD_AND_WORK = 25, TARGETS = 16, ENTRY = 24, USUAL_MEMBERS = 1000 };
  double rows = (double)size->shape->training;
  int64_t members =
      th_min_i64(USUAL_MEMBERS,
                 th_min_i64(size->shape->training, size->shape->attributes));
  return config->choice.parts == 0
             ? 0
             : (int64_t)(FOLD_AND_WORK * rows +
                         th_plan_part(size, TARGETS * rows)) +
                   config->path * members * ENTRY;
}

th_status th_plan_penalised(struct th_plan *plan,
                            const struct th_plan_size *size,
                            struct th_error *err)
{
  struct th_config *config = &plan->config;
  const struct th_shape *shape = size->shape;
  th_status rc;
  TH_TRY(check_lambda(config, plan->solver, shape, err));
  TH_TRY(check_penalty(config, plan->solver, err));
  if (config->screening.how == TH_SCREEN_AUTO)
    config->screening.how = plan->solver->screen;
  /* no limit; screened attributes are not read */
  config->budget = shape->attributes;
  config->sparsity = 0;
  config->validation = 0;
  config->passes = config->epochs > 0 ? config->epochs : MANY_EPOCHS;
  plan->blocks = 1;
  plan->deal_unit = th_partition_deal_unit_size(shape->row_group,
                                                shape->training, plan->blocks);
  plan->memory =
      th_grouping_bytes(config->group.all, th_penalty_find(config->penalty),
                        size->owned, size->ranks) +
      exempt_memory(config, size) + choice_memory(config, size);
  plan->points = plan_points(config);
  plan->read_bytes = (int64_t)th_store_shape_read_bytes(shape);
  plan->stream_bytes = (int64_t)fmin(
      (double)config->passes * th_store_shape_read_bytes(shape), 0x1p62);
done:
  return rc;
}
