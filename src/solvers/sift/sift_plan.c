/* sift_plan.c - which attributes a round of solver `sift` looks at, on how many
 * rows
 *
 * Half of a round's rows go to the next blocks of a rotation over all
 * attributes outside S, half to the race of the s' - |S| attributes that
 * promise most. The rotation finds an attribute with a large coefficient on few
 * rows; the race gives it the many rows that it needs to be decided.
 * SPDX-License-Identifier: MIT */
#include "base/elementary.h"
#include "base/integer.h"
#include "base/memory.h"
#include "math/schedule.h"
#include "ranks/partition.h"
#include "solvers/access/folds.h"
#include "solvers/algorithms.h"
#include "solvers/exact/active_set.h"
#include "solvers/exact/covariance.h"
#include "solvers/exact/inner_solver.h"
#include "solvers/predict/end.h"
#include "solvers/sift/sift.h"
#include "solvers/thresholding/budgeted_plan.h"

#include <math.h>
#include <string.h>

/* --- What a run of solver `sift` is going to do --------------------------- */

enum {
  LEAST_BUDGET = 64,
  PREDICTING_BUDGET = 128, /* the same for a run that predicts */
  SIFT_BYTES = 74,         /* of an attribute: centre, scale, bound, sums */
  SPARSE_BYTES = 42,       /* the same for sparse data, which have fewer sums */
  FITS = 75,               /* nets: mixes times penalties. Each looks at its
                              list about once: most stay at zero */
  SUM_BYTES = 32,          /* of an attribute in a fold */
  ROW_BYTES = 1000,        /* predictions and losses of all candidates */
  USUAL_MEMBERS = 512,     /* of S; more are rare */
  USUAL_WORKING = 1024     /* attributes in work at the end of a path of nets */
};

static const double held_share = 0.2; /* of the list's examples, to choose by */
static const double run_held_rows = 65536; /* of them at most */

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
  if (config->group.exempt.text != NULL || config->group.exempt.count > 0)
    return "candidates are compared with the mean alone, and not with the "
           "attributes of {unpenalised}";
  if (shape->training < TH_END_FEWEST)
    return "a choice by predictions needs at least 8 training examples. With "
           "fewer, chance alone may make a model";
  if (passes == 1 && shape->training < TH_END_FEWEST_ONCE)
    return "a choice by predictions in one pass needs at least 60 training "
           "examples";
  if (rows_of_list(passes, shape->training) > TH_END_MOST)
    return "the lists of so many examples would not fit into memory";
  if (config->validation == 0 && !th_end_rows_by_folds(passes, shape->training))
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
static void choose_predict_passes(struct th_config *config,
                                  const struct th_shape *shape)
{
  int64_t n = shape->training;
  int64_t most = th_budgeted_plan_usual_passes(config, shape);
  int64_t passes = wanted_passes(config, shape);
  config->passes = passes == 0 ? most : th_min_i64(passes, most);
  double share = held_share / (config->passes == 1 ? TH_END_OF_ONE : 1);
  if (th_end_rows_by_folds(config->passes, n))
    config->validation = 0; /* folds */
  else if (config->validation < 0)
    config->validation = fmin(share, run_held_rows / (double)n);
}

/* Groups are whole in folds of all examples alone: deal units hold examples of
 * several. */
static th_status check_whole_groups(const struct th_config *config,
                                    const struct th_shape *shape,
                                    struct th_error *err)
{
  if (config->choice.together.text == NULL)
    return TH_OK;
  if (!th_end_chooses(config))
    return th_fail(err, TH_EUSAGE,
                   "{folds-by} counts only where folds choose the model, and "
                   "this one is that of {select} truth: %s",
                   th_sift_why_truth(config, shape));
  if (config->passes == 1)
    return th_fail(err, TH_EUSAGE,
                   "solver sift has no folds of whole groups in a single pass, "
                   "which learns from examples of all groups before; leave "
                   "{folds-by} out, give more {passes}, or use solver lasso");
  if (shape->training >= TH_END_SMALL)
    return th_fail(err, TH_EUSAGE,
                   "solver sift holds out single examples of %lld, and has "
                   "folds of whole groups below %d; leave {folds-by} out, or "
                   "use solver lasso or omp",
                   (long long)shape->training, TH_END_SMALL);
  return th_plan_check_together(config, 0, err);
}

/* Add the cost of an end that predicts to the plan of the rounds. */
static void add_end(struct th_plan *plan, const struct th_plan_size *size)
{
  const struct th_shape *shape = size->shape;
  int64_t owned = size->owned;
  int64_t passes = plan->config.passes;
  int64_t rows = rows_of_list(passes, shape->training);
  double n = (double)rows;
  bool small =
      th_end_rows_by_folds(passes, shape->training); /* lists of folds */
  bool own = small && passes > 1;
  int64_t folds = small ? th_folds_count(rows) : 1;
  int64_t blocks =
      th_integer_ceil_divide(shape->attributes, plan->config.budget);
  plan->screens = th_end_rows_screens(passes, blocks, shape->training);
  plan->list = th_end_rows_longest_list(plan->config.budget, rows);
  double list = (double)plan->list;
  /* weak attributes come and go with the fold: the union of all lists */
  double all = fmin((own ? TH_END_LISTS : 1) * list, (double)shape->attributes);
  bool sparse = shape->layout == TH_SPARSE;
  double filled = sparse ? (double)shape->nonzeros / ((double)shape->examples *
                                                      (double)shape->attributes)
                         : 1;
  int64_t working = (int64_t)fmin(fmin(list, n), USUAL_WORKING);
  double columns = all * th_plan_column(size, n);
  double shared = columns + (double)th_covariance_shared_bytes(working);
  plan->memory +=
      (int64_t)(th_plan_part(size, shared) +
                (double)(owned * (own ? folds : 1) * SUM_BYTES) +
                (small ? n
                       : (double)shape->training * plan->config.validation) *
                    ROW_BYTES) +
      th_covariance_bytes(working) + th_active_set_bytes(working) +
      (int64_t)(sparse && th_inner_solver_is_tall(rows, plan->list) ? columns
                                                                    : 0);
  plan->fit_visits = (double)(FITS * (folds + 1)) * list * n * filled;
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
          .members = th_min_i64(
              th_schedule_sift_support(shape->attributes, config->budget,
                                       config->sparsity, shape->training),
              th_max_i64(USUAL_MEMBERS, config->sparsity)),
          .copies = 1,
          .by_row = folds}, /* each example has one */
      rows);
  if (shape->layout == TH_DENSE)
    plan->updates = estimate_rounds(config, shape, plan->blocks * rows);
  if (ends)
    add_end(plan, size);
}

th_status th_sift_run_plan(struct th_plan *plan,
                           const struct th_plan_size *size,
                           struct th_error *err)
{
  struct th_config *config = &plan->config;
  int64_t d = size->shape->attributes;
  int64_t rows = TH_SIFT_LEAST_ROWS;
  th_status rc;
  TH_TRY(th_budgeted_plan_check_start(config, d, false, err));
  TH_TRY(choose_end(config, size->shape, err));
  if (config->sparsity >= d)
    config->sparsity = 0; /* as many as there are */
  TH_TRY(th_budgeted_plan_budget(
      config, d, th_end_chooses(config) ? PREDICTING_BUDGET : LEAST_BUDGET,
      false, err));
  plan->blocks = th_budgeted_plan_blocks(d, config->budget);
  if (th_end_chooses(config))
    choose_predict_passes(config, size->shape);
  else
    th_budgeted_plan_passes(config, size->shape, plan->blocks * rows, false,
                            false);
  TH_TRY(check_whole_groups(config, size->shape, err));
  plan_rounds(plan, size, rows);
done:
  return rc;
}

/* --- The race of solver `sift`: the attributes that promise most
 *
 * They are chosen anew for every round. If the data are larger than memory,
 * single attributes are dear to read. The choice is then held for half a row
 * group, so that what is read serves several rounds, at the price of a few more
 * examples. */

static const double large = 4294967296.0; /* bytes of training values */

/* Rows for which a choice holds. It depends on the data set alone, not on
 * memory or ranks. */
static int64_t race_held_rows(const struct th_context *context)
{
  const struct th_shape *shape = th_source_shape(context->source);
  return th_store_shape_bytes(shape) > large ? shape->row_group / 2 : 0;
}

/* The number of attributes outside S that the rows of a block observe. Local.
 */
static int64_t block_width(const struct th_sift *s,
                           const struct th_context *context)
{
  int64_t width = th_source_budget(context->source) +
                  context->config->group.exempt.count - s->support.size;
  return width > 1 ? width : 1; /* d = 1: the block is S itself */
}

/* Take all attributes of the bins that fit, and the first ones of the next bin.
 * Collective. */
static void fill_race(struct th_sift *s, struct th_context *context,
                      int64_t room)
{
  struct th_sift_plan *plan = &s->plan;
  const uint16_t *bin = s->evidence.bin;
  struct th_range owned = context->owned;
  int64_t last = TH_PROMISE_BINS - 1;
  int64_t there = 0; /* attributes of this rank in the bin that is cut; then
                        those of lower ranks */
  while (last >= 0 && plan->bins[last] <= room)
    room -= plan->bins[last--];
  for (int64_t j = 0; j < owned.last - owned.first; j++)
    there += bin[j] == last;
  context->comm->ops->prefix_i64(context->comm, &there, 1);
  plan->race_count = 0;
  for (int64_t j = 0; j < owned.last - owned.first; j++) {
    bool taken = bin[j] != TH_PROMISE_NONE && bin[j] > last;
    if (bin[j] == last)
      taken = there++ < room;
    if (taken)
      plan->race[plan->race_count++] = owned.first + j;
  }
}

static th_status choose_promising(struct th_sift *s, struct th_context *context,
                                  struct th_error *err)
{
  struct th_sift_plan *plan = &s->plan;
  int64_t room = block_width(s, context);
  int64_t owned = context->owned.last - context->owned.first;
  th_status rc =
      TH_GROW(&plan->race, &plan->race_capacity, th_min_i64(owned, room),
              "the choice of promising attributes", err);
  memset(plan->bins, 0, TH_PROMISE_BINS * sizeof *plan->bins);
  const struct th_promise rule = {plan->level, s->mean_square, &s->support};
  th_sift_evidence_rank(&s->evidence, context, &rule, plan->bins);
  TH_TRY(
      th_comm_sum_agree(context->comm, plan->bins, TH_PROMISE_BINS, rc, err));
  fill_race(s, context, room);
  plan->fresh = race_held_rows(context);
done:
  return rc;
}

/* Attributes that have joined S leave the race. True: the others serve this
 * round, too. Collective. */
static bool hold_race(struct th_sift *s, struct th_context *context)
{
  struct th_sift_plan *plan = &s->plan;
  const struct th_support *support = &s->support;
  int64_t count = 0;
  if (plan->fresh <= 0)
    return false;
  for (int64_t k = 0; k < plan->race_count; k++) {
    struct th_range one = {plan->race[k], plan->race[k] + 1};
    struct th_range members =
        th_range_members(support->attribute, support->size, one);
    if (members.first == members.last)
      plan->race[count++] = plan->race[k];
  }
  plan->race_count = count;
  context->comm->ops->sum_i64(context->comm, &count, 1);
  return count > 0 && count <= block_width(s, context);
}

/* The attributes that promise most, for the race; declares them to the source.
 * Collective. */
static th_status choose_race(struct th_sift *s, struct th_context *context,
                             struct th_error *err)
{
  struct th_sift_plan *plan = &s->plan;
  th_status rc = TH_OK;
  if (!hold_race(s, context))
    TH_TRY(choose_promising(s, context, err));
  plan->fresh -= plan->race_rows;
  TH_TRY(th_source_activate(context->source, context->comm, plan->race,
                            plan->race_count, err));
done:
  return rc;
}

/* --- The rotation, and how many rows a round has -------------------------- */

enum { MEMBER_ROWS = 10 }; /* of a sweep, for each member of S */

static const double race_share = 0.5;    /* of a round */
static const double block_share = 0.5;   /* of what the rotation has given */
static const double sweep_growth = 1.05; /* sparse: per round */

static const struct th_array by_block[] = {
    TH_ARRAY_OF(struct th_sift_plan, draw, 1, 1)}; /* and the race */

void th_sift_plan_free(struct th_sift_plan *plan)
{
  th_memory_arrays_free(TH_ARRAYS(plan, by_block));
  TH_FREE(plan->race, plan->bins);
  *plan = (struct th_sift_plan){0};
}

/* Room for so many blocks. Local. */
static th_status reserve_blocks(struct th_sift_plan *plan, int64_t blocks,
                                struct th_error *err)
{
  th_status rc = TH_OK;
  if (plan->bins == NULL)
    rc = TH_NEW(&plan->bins, TH_PROMISE_BINS + 1,
                "the choice of promising attributes", err);
  if (rc == TH_OK)
    rc = th_memory_arrays_reserve(TH_ARRAYS(plan, by_block), &plan->capacity,
                                  blocks, "blocks", err);
  return rc;
}

/* The next blocks of the rotation, at most `count`; none is looked at twice in
 * a round. Local. */
static th_status fill_blocks(struct th_sift *s,
                             const struct th_context *context, int64_t count,
                             int64_t rows, struct th_error *err)
{
  struct th_sift_plan *plan = &s->plan;
  const struct th_support *support = &s->support;
  int64_t d = th_source_shape(context->source)->attributes;
  double blocks = (double)(plan->consumers - 1);
  int64_t left = d; /* attributes until the rotation is back where it began */
  th_status rc = reserve_blocks(plan, count, err);
  plan->given = 0;
  for (plan->blocks = 0; rc == TH_OK && plan->blocks < count && left > 0;
       plan->blocks++) {
    int64_t first = plan->next % d;
    int64_t end = th_partition_block_end(d, first, block_width(s, context),
                                         support->attribute, support->size);
    end = th_min_i64(end, first + left);
    struct th_range block = {first, end};
    struct th_range members =
        th_range_members(support->attribute, support->size, block);
    plan->draw[plan->blocks] = (struct th_batch_draw){
        .block = block,
        .rows = rows,
        .consumer =
            TH_CONSUMER_BLOCK + (int64_t)((double)first * blocks / (double)d)};
    plan->given +=
        (double)(rows * (end - first - (members.last - members.first)));
    left -= end - first;
    plan->next = end;
  }
  return rc;
}

static int64_t block_rows(const struct th_sift *s,
                          const struct th_context *context, double all,
                          double race)
{
  double known = block_share * s->plan.level * s->mean_square;
  double rows = fmax(TH_SIFT_LEAST_ROWS, fmin(known, all - race));
  return (int64_t)floor(fmin(rows, (double)context->deal.rows_in_pass));
}

/* B and the number of blocks of a round after the first. Local. */
static int64_t size_round(struct th_sift *s, const struct th_context *context,
                          double blocks, int64_t *count)
{
  struct th_sift_plan *plan = &s->plan;
  double size = (double)s->support.size;
  double all = th_schedule_sift_round(plan->used, size);
  double race = blocks > 1 ? race_share * all : 0;
  int64_t rows = block_rows(s, context, all, race);
  plan->race_rows = race > 0 ? (int64_t)fmax(TH_SIFT_LEAST_ROWS, race) : 0;
  *count =
      (int64_t)fmin(blocks, fmax(1, floor((all - race) / (double)rows + 0.5)));
  return rows;
}

/* Rows of a round over all attributes: the first round, and every round on
 * sparse data. Sparse data have no race, because to read one attribute costs as
 * much as to read all of its tile. A single pass over few examples loses by
 * this (6,000 x 2,000, 5 % filled, budget 200: 12 of 120 true attributes
 * missed, 1 in dense layout). The usual number of passes does not (none of 80
 * missed in either layout). */
static int64_t sweep_rows(const struct th_sift *s,
                          const struct th_context *context, double blocks)
{
  double rows = TH_SIFT_LEAST_ROWS * th_pow(sweep_growth, (double)s->round);
  rows = fmin(rows, (double)context->deal.rows_in_pass);
  rows = fmax(rows, ceil(MEMBER_ROWS * (double)s->support.size / blocks));
  return (int64_t)floor(fmax(rows, TH_SIFT_LEAST_ROWS));
}

/* A round over a rotation that follows S. Collective. */
static th_status plan_rotation(struct th_sift *s, struct th_context *context,
                               bool *more, struct th_error *err)
{
  struct th_sift_plan *plan = &s->plan;
  const struct th_shape *shape = th_source_shape(context->source);
  int64_t outside = shape->attributes - s->support.size;
  double blocks =
      (double)th_integer_ceil_divide(outside, block_width(s, context));
  int64_t count = 0;
  int64_t rows;
  th_status rc = TH_OK;
  blocks = fmax(1, blocks);
  if (s->round == 0 || shape->layout == TH_SPARSE) {
    rows = sweep_rows(s, context, blocks);
    count = (int64_t)blocks + 1;
    plan->race_rows = 0;
    plan->next = 0;
  } else {
    rows = size_round(s, context, blocks, &count);
  }
  bool grows = plan->bins == NULL || count > plan->capacity;
  rc = fill_blocks(s, context, count, rows, err);
  if (grows) /* on every rank alike; else nothing can fail */
    TH_TRY(th_agree(context->comm, rc, err));
  *more = plan->blocks * rows + plan->race_rows <=
          th_deal_left(&context->deal) - s->reserve;
  if (*more && plan->race_rows > 0)
    TH_TRY(choose_race(s, context, err));
done:
  return rc;
}

void th_sift_plan_done(struct th_sift *s, const struct th_context *context)
{
  struct th_sift_plan *plan = &s->plan;
  double d = (double)th_source_shape(context->source)->attributes;
  double others = fmax(1, d - (double)s->support.size);
  plan->used += (double)s->batch.rows;
  plan->level += plan->given / others / s->mean_square;
  plan->level =
      fmin(plan->level, (double)context->deal.rows_in_pass / s->mean_square);
}

/* --- The rounds of solver `sift` over blocks that stay as they are
 *
 * Rows are dealt to C blocks by Latin squares (data/latin.h). No example meets
 * a block twice, so evidence about every attribute adds up over as many passes
 * as there are blocks. S leaves room for a part of a block only. The rows of a
 * block therefore go in turn to windows that are spread evenly over its
 * attributes outside S. */

enum {
  SMALL_ROUNDS = 8 /* at least, over small data */
};

/* Block c of C. */
static struct th_range block_at(const struct th_sift *s,
                                const struct th_context *context, int64_t c)
{
  int64_t d = th_source_shape(context->source)->attributes;
  return th_range_part(d, c, s->latin.classes);
}

/* Add so many rows of a window of a block. Local. */
static th_status add_window(struct th_sift *s, const struct th_context *context,
                            int64_t c, int64_t skip, int64_t rows,
                            struct th_error *err)
{
  const struct th_support *support = &s->support;
  struct th_sift_plan *plan = &s->plan;
  int64_t d = th_source_shape(context->source)->attributes;
  struct th_range block = block_at(s, context, c);
  int64_t at = plan->blocks;
  th_status rc = reserve_blocks(plan, at + 1, err);
  if (rc != TH_OK || rows == 0)
    return rc;
  if (skip > 0)
    block.first = th_partition_block_end(d, block.first, skip,
                                         support->attribute, support->size);
  block.last =
      th_min_i64(block.last,
                 th_partition_block_end(d, block.first, block_width(s, context),
                                        support->attribute, support->size));
  struct th_range members =
      th_range_members(support->attribute, support->size, block);
  plan->draw[at] =
      (struct th_batch_draw){.block = block, .rows = rows, .consumer = c};
  plan->given += (double)(rows * (block.last - block.first -
                                  (members.last - members.first)));
  plan->blocks++;
  return rc;
}

/* Add so many rows of a block, spread over its windows. Local. */
static th_status add_block(struct th_sift *s, const struct th_context *context,
                           int64_t c, int64_t rows, struct th_error *err)
{
  const struct th_support *support = &s->support;
  struct th_range block = block_at(s, context, c);
  struct th_range members =
      th_range_members(support->attribute, support->size, block);
  int64_t outside = block.last - block.first - (members.last - members.first);
  int64_t width = block_width(s, context);
  int64_t windows = th_max_i64(1, th_integer_ceil_divide(outside, width));
  th_status rc = TH_OK;
  for (int64_t k = 0; k < windows && rc == TH_OK; k++) {
    int64_t w = (k + s->plan.windows) % windows;
    int64_t skip = windows > 1 ? w * (outside - width) / (windows - 1) : 0;
    struct th_range part = th_range_part(rows, k, windows);
    rc = add_window(s, context, c, skip, part.last - part.first, err);
  }
  s->plan.windows++;
  return rc;
}

/* Add a part of the rows that every block has left. Local. */
static th_status add_share(struct th_sift *s, const struct th_context *context,
                           double part, int64_t most, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t c = 0; c < s->latin.classes && rc == TH_OK; c++) {
    int64_t left = th_latin_left_of(&s->latin, c);
    int64_t rows = th_min_i64(most, (int64_t)ceil(part * (double)left));
    if (rows > 0)
      rc = add_block(s, context, c, rows, err);
  }
  return rc;
}

/* Add the next blocks of the rotation that have rows left. Local. */
static th_status add_next(struct th_sift *s, const struct th_context *context,
                          int64_t count, int64_t rows, struct th_error *err)
{
  struct th_sift_plan *plan = &s->plan;
  int64_t classes = s->latin.classes;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < classes && count > 0 && rc == TH_OK; k++) {
    int64_t c = plan->next++ % classes;
    int64_t left = th_latin_left_of(&s->latin, c);
    if (left == 0)
      continue;
    rc = add_block(s, context, c, th_min_i64(rows, left), err);
    count--;
  }
  return rc;
}

/* Small data: every block gets all its rows of a pass; in several rounds if
 * there are few passes. Local. */
static th_status small_round(struct th_sift *s,
                             const struct th_context *context,
                             struct th_error *err)
{
  int64_t parts = th_integer_ceil_divide(SMALL_ROUNDS, s->latin.classes);
  int64_t done = s->round % parts;
  return add_share(s, context, 1 / (double)(parts - done), INT64_MAX, err);
}

/* Dense data: rotation and race. Sparse data: sweeps. If the rest of a pass is
 * too short for two rounds, it is one round. Local. */
static th_status large_round(struct th_sift *s,
                             const struct th_context *context,
                             struct th_error *err)
{
  struct th_sift_plan *plan = &s->plan;
  double classes = (double)s->latin.classes;
  double left = (double)th_latin_left(&s->latin);
  bool sparse = th_source_shape(context->source)->layout == TH_SPARSE;
  double share = sparse || s->latin.classes == 1 ? 0 : race_share;
  double all = th_schedule_sift_round(plan->used, (double)s->support.size);
  int64_t sweep = sweep_rows(s, context, classes);
  if (s->round == 0)
    return add_share(s, context, 1, sweep, err);
  if (sparse)
    all = fmax(all, (double)sweep * classes);
  if (left < 2 * all) {
    all = left;
    th_status rc = add_share(s, context, 1 - share, INT64_MAX, err);
    for (int64_t k = 0; k < plan->blocks; k++)
      all -= (double)plan->draw[k].rows;
    plan->race_rows = (int64_t)all;
    return rc;
  }
  if (sparse)
    return add_share(s, context, 1, sweep, err);
  int64_t count = 0;
  int64_t rows = size_round(s, context, classes, &count);
  return add_next(s, context, count, rows, err);
}

/* A round whose rows are dealt by Latin squares. Collective. */
static th_status plan_latin(struct th_sift *s, struct th_context *context,
                            bool *more, struct th_error *err)
{
  struct th_sift_plan *plan = &s->plan;
  th_status rc = TH_OK;
  *more = th_latin_left(&s->latin) > 0 || th_latin_turn(&s->latin);
  if (!*more)
    return rc;
  plan->blocks = 0;
  plan->given = 0;
  plan->race_rows = 0;
  rc = (s->end.small ? small_round : large_round)(s, context, err);
  TH_TRY(th_agree(context->comm, rc, err));
  if (plan->race_rows > 0)
    TH_TRY(choose_race(s, context, err));
done:
  return rc;
}

th_status th_sift_plan_round(struct th_sift *s, struct th_context *context,
                             bool *more, struct th_error *err)
{
  struct th_sift_plan *plan = &s->plan;
  int64_t d = th_source_shape(context->source)->attributes;
  plan->consumers =
      th_integer_ceil_divide(d, th_source_budget(context->source)) + 1;
  th_status rc =
      (s->predicts ? plan_latin : plan_rotation)(s, context, more, err);
  if (rc != TH_OK || !*more)
    return rc;
  plan->draws = plan->blocks;
  if (plan->race_rows > 0)
    plan->draw[plan->draws++] = (struct th_batch_draw){
        .active = true,
        .rows = plan->race_rows,
        .consumer = TH_CONSUMER_BLOCK + plan->consumers - 1};
  return rc;
}
