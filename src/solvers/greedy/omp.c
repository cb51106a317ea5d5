/* omp.c - solver `omp`: orthogonal matching pursuit
 *
 * The next attribute is the one with the largest slope at the fit on those that
 * were chosen; then all of them are fitted again (Pati, Rezaiifar &
 * Krishnaprasad 1993; Saad, Blanchard & Arlot 2024, Algorithm 1). A pass
 * over the data finds the slopes for several choices (pursuit.c), for labels
 * for one. For labels the fit is logistic (Lozano, Swirszcz & Abe 2011).
 *
 *   1  if examples are held out: paths without each fold grow until more
 *      attributes predict the folds no better; s = the best size
 *   2  S = the attributes without a penalty, and the start; fit
 *   3  while |S| < s: S += the attribute outside S with the largest slope
 *      at the fit (pursuit.c)
 *   4    fit S
 *
 * Attributes are chosen until there are `sparsity` of them, until the loss has
 * fallen to a share of that without attributes, until no slope is above eta
 * (Saad, Blanchard & Arlot 2024, Algorithm 1), or as many as predict examples
 * best that are held out. The last path uses all examples. With an oracle only
 * true attributes are chosen (their Algorithm 2, on the data at hand).
 * SPDX-License-Identifier: MIT */
#include "base/integer.h"
#include "base/memory.h"
#include "model/claims.h"
#include "ranks/partition.h"
#include "solvers/access/csc_cache.h"
#include "solvers/access/folds.h"
#include "solvers/access/support.h"
#include "solvers/algorithms.h"
#include "solvers/greedy/pursuit.h"
#include "solvers/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- How many attributes predict best: examples held out in turn
 *
 * Examples are held out in five folds, or once, as the deal holds them out for
 * other solvers. A path without each fold is extended step by step, all of them
 * together, and judged on its fold. The size with the smallest mean loss wins.
 */

enum { TH_OMP_FOLDS = 5, TH_OMP_FOLDS_BELOW = 20000 }; /* examples */

/* Replicated. */
struct th_omp_folds {
  int64_t count;           /* 0: nothing is held out */
  uint8_t *fold;           /* of each example; count: in none */
  struct th_pursuit *path; /* of each fold: fitted without it */
  int64_t sizes;           /* loss[0 .. sizes - 1] are known */
  int64_t room;
  double *loss; /* mean on what is held out, by the number of attributes */
  int64_t best; /* the size with the smallest loss so far */
  bool ended;
};

/* So many sizes without a gain end the paths: these, or half of the best. */
enum { STRIKES = 8 };

static const double gain = 1e-4; /* relative decrease that counts */

static struct th_context *context_of(const struct th_pursuit_data *data)
{
  return data->problem->context;
}

/* Do the examples outside of fold f have both labels, or numbers? */
static bool has_both(const struct th_omp_folds *folds,
                     const struct th_problem *p, int64_t f)
{
  bool found[2] = {false};
  for (int64_t i = 0; i < p->rows; i++)
    if (folds->fold[i] != f && p->eta[i] > 0)
      found[p->target[i] > 0] = true;
  return !p->loss->labels || (found[0] && found[1]);
}

/* Examples in random order, or groups of them, dealt to the folds in turn; each
 * class by itself, if chance would put one into a single fold. Local. */
static th_status deal_folds(struct th_omp_folds *folds,
                            const struct th_pursuit_data *data,
                            struct th_error *err)
{
  const struct th_problem *p = data->problem;
  struct th_folds_rows given = {
      .rows = p->rows, .target = p->target, .weight = p->eta};
  int64_t *twin = NULL;
  th_status rc = TH_NEW(&twin, p->rows, "folds", err);
  if (rc != TH_OK)
    return rc;
  th_folds_twins(th_source_twins(p->context->source), p->rows, twin);
  given.twin = twin;
  given.group = p->context->config->choice.together.first;
  TH_TRY(th_folds_make(&given, p->context->config->seed, folds->count,
                       folds->fold, err));
  for (int64_t f = 0; f < folds->count && !given.labels; f++)
    given.labels = !has_both(folds, p, f);
  if (given.labels)
    rc = th_folds_make(&given, p->context->config->seed, folds->count,
                       folds->fold, err);
done:
  free(twin);
  return rc;
}

/* The units that are held out for other solvers, too. */
static void hold_out(struct th_omp_folds *folds, const struct th_deal *deal,
                     int64_t rows)
{
  memset(folds->fold, (int)folds->count, (size_t)rows);
  for (int64_t k = 0; k < th_deal_validation_units(deal); k++) {
    struct th_rows unit = th_deal_validation_unit(deal, k);
    memset(folds->fold + unit.first, 0, (size_t)unit.count);
  }
}

/* The loss on what is held out, at the present size. Local, replicated. */
static th_status judge_size(struct th_omp_folds *folds, struct th_error *err)
{
  const struct th_problem *p = folds->path->data.problem;
  double sum = 0;
  double total = 0;
  th_status rc =
      TH_GROW(&folds->loss, &folds->room, folds->sizes + 1, "losses", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t i = 0; i < p->rows; i++) {
    if (folds->fold[i] == folds->count || !(p->eta[i] > 0))
      continue;
    const struct th_pursuit *path = &folds->path[folds->fold[i]];
    sum += p->eta[i] * th_loss_f(p->loss, path->prediction[i], p->target[i]);
    total += p->eta[i];
  }
  double loss = total > 0 ? sum / total : INFINITY;
  double least = folds->sizes > 0 ? folds->loss[folds->best] : INFINITY;
  if (loss < least * (1 - gain) || folds->sizes == 0)
    folds->best = folds->sizes;
  folds->loss[folds->sizes++] = loss;
  return TH_OK;
}

/* Begin with the attributes without a penalty; they count as none. Of those
 * that depend on each other the first ones are taken. Collective. */
static th_status begin_with_exempt(struct th_pursuit *path,
                                   struct th_error *err)
{
  const struct th_exempt *exempt = &path->data.problem->exempt;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < exempt->count; k++) {
    bool depends = false;
    TH_TRY(th_pursuit_fit_add(path, exempt->attribute[k], &depends, err));
  }
  path->exempt = path->size;
  if (path->size > 0)
    TH_TRY(th_pursuit_fit_solve(path, err));
done:
  return rc;
}

/* Begin a path. Collective. */
static th_status begin_exempt(struct th_pursuit *path,
                              const struct th_pursuit_data *data,
                              const double *weight, struct th_error *err)
{
  th_status rc = th_pursuit_fit_init(path, data, weight, err);
  return rc == TH_OK ? begin_with_exempt(path, err) : rc;
}

/* Begin the path without fold f. Collective. */
static th_status begin_path(struct th_omp_folds *folds, int64_t f,
                            const struct th_pursuit_data *data, double *weight,
                            struct th_error *err)
{
  const struct th_problem *p = data->problem;
  bool any = false;
  for (int64_t i = 0; i < p->rows; i++) {
    weight[i] = folds->fold[i] == f ? 0 : p->eta[i];
    any = any || weight[i] > 0;
  }
  th_status rc = TH_OK;
  if (any && p->intercept && !has_both(folds, p, f))
    rc = th_fail(err, TH_EDATA,
                 "a class has too few examples to choose by folds how many "
                 "attributes predict best: they are all held out at once. Give "
                 "{sparsity}, or more examples of that class");
  else if (any)
    rc = begin_exempt(&folds->path[f], data, weight, err);
  else
    rc = th_fail(err, TH_EDATA,
                 "without the examples that are held out, no example has a "
                 "weight above 0; give {sparsity}");
  return rc;
}

/* Choose who is held out, and begin all paths. Collective. Release with
 * folds_free, also after a failure. TH_EDATA where a fold leaves no
 * weight, or one label alone; TH_ENUMERIC, TH_ENOMEM, and of reading TH_EARG,
 * TH_EBUDGET, TH_EFORMAT, TH_EIO. */
static th_status folds_init(struct th_omp_folds *folds, int64_t count,
                            const struct th_pursuit_data *data,
                            struct th_error *err)
{
  struct th_context *context = context_of(data);
  int64_t rows = data->problem->rows;
  double *weight = NULL;
  *folds = (struct th_omp_folds){.count = count};
  if (count == 0)
    return TH_OK;
  th_status rc = TH_NEW(&folds->fold, rows, "folds", err);
  if (rc == TH_OK)
    rc = TH_NEW(&folds->path, count, "folds", err);
  if (rc == TH_OK)
    rc = TH_NEW(&weight, rows, "weights", err);
  TH_TRY(th_agree(context->comm, rc, err));
  if (count > 1)
    rc = deal_folds(folds, data, err);
  else
    hold_out(folds, &context->deal, rows);
  TH_TRY(th_agree(context->comm, rc, err));
  for (int64_t f = 0; f < count; f++)
    TH_TRY(begin_path(folds, f, data, weight, err));
  TH_TRY(th_agree(context->comm, judge_size(folds, err), err));
done:
  TH_FREE(weight);
  return rc;
}

/* Local. */
static void folds_free(struct th_omp_folds *folds)
{
  for (int64_t f = 0; f < folds->count && folds->path != NULL; f++)
    th_pursuit_fit_free(&folds->path[f]);
  TH_FREE(folds->fold, folds->path, folds->loss);
  *folds = (struct th_omp_folds){0};
}

/* Has nothing been gained for long, or are all paths at their end? */
static bool folds_has_ended(const struct th_omp_folds *folds, int64_t most)
{
  int64_t last = folds->sizes - 1;
  int64_t patience = th_max_i64(STRIKES, folds->best / 2);
  bool all = true;
  for (int64_t f = 0; f < folds->count; f++)
    all = all && folds->path[f].ended;
  return all || last >= most || last - folds->best >= patience;
}

/* Extend all paths by one attribute, unless they have `most`, and judge them.
 * They end where the loss has not fallen for long. Collective. */
static th_status folds_extend(struct th_omp_folds *folds, int64_t most,
                              struct th_error *err)
{
  struct th_context *context = context_of(&folds->path->data);
  th_status rc;
  int64_t exempt = folds->path->data.problem->exempt.count;
  TH_TRY(th_pursuit_extend(folds->path, folds->count, most + exempt, err));
  TH_TRY(th_agree(context->comm, judge_size(folds, err), err));
  folds->ended = folds_has_ended(folds, most);
  for (int64_t f = 0; f < folds->count && folds->ended; f++)
    th_pursuit_fit_forecast_free(&folds->path[f].forecast);
done:
  return rc;
}

/* Their state. Collective while it is put. */
static void folds_describe(struct th_omp_folds *folds, struct th_state *state)
{
  char name[32];
  struct th_state_growing loss = {"loss", TH_STATE_F64, 1,
                                  (void **)&folds->loss, &folds->room};
  th_state_enter(state, "folds");
  TH_STATE_ONE(state, folds, sizes);
  th_state_grow(state, loss, folds->sizes);
  TH_STATE_AT_MOST(state, folds, best, folds->sizes);
  TH_STATE_ONE(state, folds, ended);
  if (th_state_puts(state) && th_state_good(state) && folds->count == 0 &&
      !folds->ended)
    th_state_note(state, th_fail(state->err, TH_EFORMAT,
                                 "the state goes on with folds of which there "
                                 "are none"));
  for (int64_t f = 0; f < folds->count; f++) {
    snprintf(name, sizeof name, "fold%lld", (long long)f);
    th_state_enter(state, name);
    th_pursuit_describe(&folds->path[f], state);
    th_state_leave(state);
  }
  th_state_leave(state);
}

/* --- What a run of solver `omp` is going to do ---------------------------- */

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
  bool limited = config->sparsity > 0 || config->greedy.residual > 0 ||
                 config->greedy.correlation > 0 ||
                 config->greedy.oracle != TH_ORACLE_NO;
  const struct th_config_together *together = &config->choice.together;
  bool small = training < TH_OMP_FOLDS_BELOW || together->text != NULL;
  if (config->validation < 0)
    config->validation = limited || small ? 0 : usual_validation;
  config->greedy.folds = config->validation > 0;
  if (config->validation == 0 && !limited)
    config->greedy.folds = th_min_i64(
        TH_OMP_FOLDS, together->first != NULL ? together->count : training);
}

/* The most attributes: those of the option, or as many as half the examples. */
static void choose_most(struct th_config *config, const struct th_shape *shape)
{
  int64_t usual = th_min_i64(MOST, th_max_i64(1, shape->training / 2));
  config->greedy.most = config->sparsity > 0 ? config->sparsity : usual;
  if (config->greedy.oracle == TH_ORACLE_FIT)
    config->greedy.most = config->start.size;
  if (config->greedy.oracle == TH_ORACLE_OMP && config->sparsity == 0)
    config->greedy.most = config->greedy.among_size;
  config->greedy.most = th_min_i64(config->greedy.most, shape->attributes);
}

static th_status check_oracle(const struct th_config *config,
                              struct th_error *err)
{
  bool more = config->sparsity > 0 || config->greedy.residual > 0 ||
              config->greedy.correlation > 0 || config->validation > 0;
  if (config->greedy.oracle == TH_ORACLE_FIT && more)
    return th_fail(err, TH_EUSAGE,
                   "{oracle} fit takes the true attributes, and chooses none; "
                   "leave {sparsity}, {stop-residual}, {stop-correlation} and "
                   "{validation} out");
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
static int64_t paths_memory(const struct th_config *config,
                            const struct th_plan_size *size, int64_t chosen)
{
  const struct th_shape *shape = size->shape;
  int64_t paths = config->greedy.folds + 1;
  double column = th_plan_penalised_values(shape) / (double)shape->attributes;
  int64_t value = shape->layout == TH_SPARSE ? 12 : 8;
  double gathered = /* once a node */
      th_plan_column(size, (double)shape->training) * (double)chosen;
  int64_t seen = config->greedy.forecast
                     ? th_max_i64(1, config->greedy.folds) * EACH_SEEN
                     : 0;
  return (int64_t)(column * (double)(value * (chosen + 16 * paths)) +
                   th_plan_part(size, gathered)) +
         seen * (size->owned + shape->training) +
         paths * 3 * chosen * chosen * (int64_t)sizeof(double) +
         shape->training * (EACH_EXAMPLE + paths * EACH_PATH_EXAMPLE) +
         size->owned * EACH_OWNED + th_csc_cache_bytes(size);
}

th_status th_omp_plan(struct th_plan *plan, const struct th_plan_size *size,
                      struct th_error *err)
{
  struct th_config *config = &plan->config;
  const struct th_shape *shape = size->shape;
  double values = th_plan_penalised_values(shape);
  th_status rc;
  TH_TRY(check_oracle(config, err));
  TH_TRY(th_plan_check_together(config, 0, err));
  choose_most(config, shape);
  choose_folds(config, shape->training);
  choose_forecast(config, shape);
  config->validation = fmax(config->validation, 0);
  config->penalty = "l1"; /* groups of one; there is no penalty */
  config->group.all = NULL;
  config->budget = shape->attributes;
  config->passes = 1;
  int64_t usual = config->greedy.folds > 0 ? USUAL : config->greedy.most;
  int64_t chosen =
      th_min_i64(usual, config->greedy.most) + config->group.exempt.count;
  plan->blocks = 1;
  plan->deal_unit =
      th_partition_deal_unit_size(shape->row_group, shape->training, 1);
  plan->memory = paths_memory(config, size, chosen);
  plan->points = chosen;
  plan->read_bytes = (int64_t)th_store_shape_read_bytes(shape);
  int64_t choices = config->greedy.folds > 0 ? 2 * chosen : chosen;
  double passes =
      SETUP + (double)choices / (config->greedy.forecast ? EACH_PASS : 1);
  plan->stream_bytes = (int64_t)(passes * th_store_shape_read_bytes(shape));
  plan->visits = passes * values;
done:
  return rc;
}

/* --- The solver ----------------------------------------------------------- */

struct omp {
  struct th_head head;
  struct th_problem problem;
  struct th_duals duals;
  struct th_replicated_columns columns;
  struct th_omp_folds folds;
  struct th_pursuit path; /* on all examples */
  struct th_support support;
  struct th_selected selected;
  int64_t *held;   /* attributes of the columns, ascending; for the state */
  int64_t most;    /* attributes of the path */
  double residual; /* of the loss without attributes, at which it ends */
  double zero;     /* that loss */
};

static void free_state(void *state)
{
  struct omp *s = state;
  if (s == NULL)
    return;
  th_pursuit_fit_free(&s->path);
  folds_free(&s->folds);
  th_replicated_columns_free(&s->columns);
  th_problem_duals_free(&s->duals);
  th_problem_free(&s->problem);
  th_support_free(&s->support);
  TH_FREE(s->held, s);
}

/* Begin with the attributes of the option, fitted to the data. Collective. */
static th_status take_start(struct omp *s, const struct th_context *context,
                            struct th_error *err)
{
  const struct th_config_start *start = &context->config->start;
  bool depends = false;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < start->size; k++)
    if (!th_exempt_has(&s->problem.exempt, start->support[k]))
      TH_TRY(th_pursuit_fit_add(&s->path, start->support[k], &depends, err));
  if (start->size > 0)
    TH_TRY(th_pursuit_fit_solve(&s->path, err));
done:
  return rc;
}

/* No others are wanted. Local. */
static void choose_among(struct omp *s, const struct th_config_greedy *greedy)
{
  struct th_duals *duals = &s->duals;
  if (greedy->among == NULL)
    return;
  for (int64_t g = 0; g < s->problem.grouping.groups; g++)
    duals->wanted[g] = false;
  for (int64_t k = 0; k < greedy->among_size; k++) {
    int64_t g = th_problem_group(&s->problem, greedy->among[k]);
    if (g >= 0)
      duals->wanted[g] = true;
  }
}

/* Make a support of the path. Collective. */
static th_status publish(struct omp *s, struct th_context *context,
                         struct th_error *err)
{
  const struct th_pursuit *path = &s->path;
  const struct th_support_list all = {path->attribute, path->coef, path->size,
                                      true};
  th_status rc = th_support_assign_list(&s->support, context, &all, err);
  s->support.intercept = path->intercept;
  return rc;
}

static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  const struct th_config *config = context->config;
  struct omp *s = NULL;
  th_status rc = TH_NEW(&s, 1, "the solver", err);
  TH_TRY(th_agree(context->comm, rc, err));
  s->most = config->greedy.most;
  s->residual = config->greedy.residual;
  TH_TRY(th_problem_init(&s->problem, context, &s->duals, err));
  th_problem_columns_init(&s->problem, &s->columns);
  const struct th_pursuit_data data = {&s->problem, &s->duals, &s->columns,
                                       config->greedy.forecast &&
                                           s->problem.loss->quadratic &&
                                           !s->problem.beyond_float};
  TH_TRY(begin_exempt(&s->path, &data, s->problem.eta, err));
  s->zero = s->path.loss;
  s->path.least = config->greedy.correlation;
  choose_among(s, &config->greedy);
  TH_TRY(take_start(s, context, err)); /* line 2 */
  TH_TRY(folds_init(&s->folds, config->greedy.folds, &data, err));
  s->folds.ended = s->folds.count == 0;
  s->path.known = s->folds.ended && s->path.size == 0;
  TH_TRY(publish(s, context, err));
  s->head = (struct th_head){
      .support = &s->support, .loss = &s->path.loss, .selected = &s->selected};
  *state = s;
  s = NULL;
done:
  free_state(s);
  return rc;
}

/* Attributes that were chosen. */
static int64_t chosen_by(const struct omp *s)
{
  return s->path.size - s->path.exempt;
}

/* Is the path on all examples at its end? */
static bool has_ended(const struct omp *s)
{
  return s->path.ended || chosen_by(s) >= s->most ||
         s->path.loss <= s->residual * s->zero;
}

/* One attribute more. */
static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  struct omp *s = state;
  *more = !s->folds.ended || !has_ended(s);
  if (!*more)
    return TH_OK;
  th_status rc;
  if (!s->folds.ended) { /* line 1 */
    rc = folds_extend(&s->folds, s->most, err);
    if (s->folds.ended)
      s->most = s->folds.best;
    return rc;
  }
  rc = th_pursuit_extend(&s->path, 1, s->most + s->path.exempt,
                         err); /* lines 3 and 4 */
  return rc == TH_OK ? publish(s, context, err) : rc;
}

static th_status finish(void *state, struct th_context *context,
                        struct th_error *err)
{
  struct omp *s = state;
  (void)err;
  s->selected =
      (struct th_selected){.size = chosen_by(s),
                           .complete = 1,
                           .attribute = s->path.attribute + s->path.exempt};
  if (chosen_by(s) == 0)
    th_context_notice(context,
                      "no attribute predicts examples that are held out, so "
                      "the model is %s",
                      s->path.exempt > 0
                          ? "that of the attributes without a penalty"
                          : "zero");
  return TH_OK;
}

/* Attributes that were given as a start are all there is. */
static void claims_of(const void *state, struct th_claims *claims)
{
  const struct omp *s = state;
  bool bound = s->residual > 0 && s->path.loss <= s->residual * s->zero;
  if (bound || (s->path.ended && s->path.least > 0))
    claims->ended_by = TH_ENDED_BOUND;
  else if (s->path.ended || chosen_by(s) < s->most)
    claims->ended_by = TH_ENDED_NOTHING;
  else
    claims->ended_by =
        s->folds.count > 0 ? TH_ENDED_HELD_OUT : TH_ENDED_SPARSITY;
}

static double done_of(const void *state)
{
  const struct omp *s = state;
  return s->folds.ended && s->most > 0 ? (double)chosen_by(s) / (double)s->most
                                       : -1;
}

/* Have these columns; the list is ascending, and is used up. Collective. */
static th_status fetch_all(struct omp *s, struct th_context *context,
                           int64_t *attribute, int64_t count,
                           struct th_error *err)
{
  int64_t missing = 0;
  for (int64_t k = 0; k < count; k++)
    if (th_replicated_columns_slot(&s->columns, attribute[k]) < 0)
      attribute[missing++] = attribute[k];
  return th_replicated_columns_fetch(&s->columns, context, attribute, missing,
                                     err);
}

/* What a path has chosen, or has had as a candidate. */
static void describe_columns(struct omp *s, struct th_context *context,
                             struct th_state *list)
{
  struct th_replicated_columns *columns = &s->columns;
  int64_t count = columns->count;
  int64_t *number = th_state_puts(list) ? &count : &columns->count;
  th_state_all(list, "columns", TH_STATE_I64, number, 1);
  TH_FREE(s->held);
  if (th_state_next_has(list, count))
    th_state_note(list, TH_NEW(&s->held, count, "the support", list->err));
  if (!th_state_puts(list) && th_state_good(list))
    for (int64_t k = 0; k < count; k++)
      s->held[k] = columns->attribute[columns->sorted[k]];
  th_state_attributes(list, "held", s->held, count);
  th_state_ascending(list, "held", s->held, count);
  if (th_state_puts(list) && th_state_agree(list, context->comm))
    th_state_note(list, fetch_all(s, context, s->held, count, list->err));
}

static void describe(void *state, struct th_context *context,
                     struct th_state *list)
{
  struct omp *s = state;
  TH_STATE_ONE(list, s, most);
  describe_columns(s, context, list);
  folds_describe(&s->folds, list);
  th_state_enter(list, "path");
  th_pursuit_describe(&s->path, list);
  th_state_leave(list);
  if (th_state_puts(list) && th_state_agree(list, context->comm))
    th_state_note(list, publish(s, context, list->err));
}

static const char *const options[] = {
    "sparsity",    "validation",       "stop-residual", "oracle", "start",
    "unpenalised", "stop-correlation", "folds-by",      NULL};

const struct th_algorithm th_omp_algorithm = {.options = options,
                                              .create = create,
                                              .step = step,
                                              .finish = finish,
                                              .unit = TH_LOSS_OF_PROBLEM,
                                              .done = done_of,
                                              .claims = claims_of,
                                              .describe = describe,
                                              .free = free_state};
