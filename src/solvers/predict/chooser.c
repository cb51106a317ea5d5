/* chooser.c - a path of lambdas, chosen from by examples that are held out
 * SPDX-License-Identifier: MIT */
#include "solvers/predict/chooser.h"

#include "base/memory.h"
#include "model/claims.h"
#include "model/path.h"
#include "solvers/access/folds.h"
#include "solvers/access/support.h"
#include "solvers/algorithms.h"
#include "solvers/plan.h"
#include "solvers/predict/fold_losses.h"
#include "solvers/solver_table.h"

#include <stdlib.h>

enum {
  A_FIFTH = 5,     /* of the examples, where a single part is held out */
  LEAST_POINTS = 5 /* lambdas, before a path ends for want of gain */
};

static const double enough = 0.999;    /* explained */
static const double least_gain = 1e-5; /* of what is explained */

/* The models of the path on all examples. */
struct kept {
  int64_t points;
  int64_t *start; /* entries of a lambda, from 0 on */
  int64_t *attribute;
  double *coef;      /* of (x - centre) scale, */
  double *own;       /* and in the data's own units */
  double *intercept; /* likewise both */
  double *own_intercept;
  int64_t *active; /* attributes that were not screened */
  int64_t attributes_room;
  int64_t coef_room;
  int64_t own_room;
};

struct chooser {
  struct th_head head;
  const struct th_algorithm *algorithm;
  void *inner;      /* its state on this stage; NULL: none */
  int64_t made;     /* the stage that it was made for */
  int64_t stage;    /* 0: all examples; f + 1: without fold f; behind the folds:
                       all, for the model */
  int64_t held;     /* its fold, from 1 on */
  int64_t seen;     /* lambdas of this stage */
  bool over;        /* its path has ended */
  double explained; /* by the last lambda of all examples */
  struct th_config config; /* of a stage, and its context */
  struct th_context lent;
  struct th_monitor quiet; /* without notices, which the first path has made */
  struct th_all_targets all;
  uint8_t *fold;
  double *loss; /* of the examples of a fold; work arrays */
  double *weight;
  double *target;
  struct th_fold_losses losses;
  struct th_certificate certificate;
  struct kept kept;
  struct th_path path;
};

static int64_t parts_of(const struct chooser *s)
{
  return s->losses.folds;
}

static void release_inner(struct chooser *s)
{
  if (s->inner != NULL)
    s->algorithm->free(s->inner);
  s->inner = NULL;
}

static void free_state(void *state)
{
  struct chooser *s = state;
  if (s == NULL)
    return;
  release_inner(s);
  th_context_all_targets_free(&s->all);
  th_fold_losses_free(&s->losses);
  th_claims_certificate_free(&s->certificate);
  th_path_free(&s->path);
  TH_FREE(s->fold, s->loss, s->weight, s->target);
  TH_FREE(s->kept.start, s->kept.attribute, s->kept.coef, s->kept.own,
          s->kept.intercept, s->kept.own_intercept, s->kept.active);
  free(s);
}

/* --- Folds ---------------------------------------------------------------- */

/* The weight of all examples, or of those outside a fold. */
static double weight_outside(const struct chooser *s, int64_t rows, int fold)
{
  double sum = 0;
  for (int64_t i = 0; i < rows; i++)
    sum += s->fold[i] == fold ? 0 : s->all.weight[i];
  return sum;
}

/* Are there examples with a weight in a fold, and outside of it; with labels,
 * of each class outside? */
static bool is_usable(const struct chooser *s, int64_t rows, int fold,
                      bool labels)
{
  bool inside = false;
  bool low = false;
  bool high = false;
  for (int64_t i = 0; i < rows; i++) {
    if (!(s->all.weight[i] > 0))
      continue;
    inside = inside || s->fold[i] == fold;
    low = low || (s->fold[i] != fold && !(s->all.target[i] > 0));
    high = high || (s->fold[i] != fold && s->all.target[i] > 0);
  }
  return inside && (labels ? low && high : low || high);
}

/* A single part of whole groups is the fold that is nearest to a fifth. */
static void choose_part(struct chooser *s, int64_t rows)
{
  int64_t size[A_FIFTH] = {0};
  int64_t all = 0;
  int part = 0;
  for (int64_t i = 0; i < rows; i++) {
    bool counts = s->all.weight[i] > 0;
    size[s->fold[i]] += counts;
    all += counts;
  }
  for (int f = 1; f < A_FIFTH; f++)
    if (llabs(A_FIFTH * size[f] - all) < llabs(A_FIFTH * size[part] - all))
      part = f;
  for (int64_t i = 0; i < rows; i++)
    if (s->fold[i] == part || s->fold[i] == 0)
      s->fold[i] = s->fold[i] == part ? 0 : (uint8_t)part;
}

/* Local. */
static th_status refuse_folds(const struct chooser *s,
                              const struct th_folds_rows *given,
                              const struct th_config_together *together,
                              struct th_error *err)
{
  const char *classes = given->labels ? ", or those of a class," : "";
  long long parts = parts_of(s) == 1 ? A_FIFTH : parts_of(s);
  if (given->group != NULL)
    return th_fail(err, TH_EDATA,
                   "lambda cannot be chosen: %lld groups by {folds-by} %.60s "
                   "that have some weight%s are too few, or too uneven, for "
                   "%lld parts. Give {lambda} or {lambda-ratio}, or fewer "
                   "{folds}",
                   (long long)together->count, together->text, classes, parts);
  return th_fail(err, TH_EDATA,
                 "lambda cannot be chosen: %lld different examples of some "
                 "weight%s are too few for %lld parts. Give {lambda} or "
                 "{lambda-ratio}, or fewer {folds}",
                 (long long)th_folds_distinct(given), classes, parts);
}

/* Local, replicated. */
static th_status make_folds(struct chooser *s, const struct th_context *context,
                            struct th_error *err)
{
  const struct th_config_together *together = &context->config->choice.together;
  int64_t rows = th_source_shape(context->source)->training;
  int64_t *twin = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&twin, rows, "folds", err));
  th_folds_twins(th_source_twins(context->source), rows, twin);
  const struct th_folds_rows given = {.rows = rows,
                                      .target = s->all.target,
                                      .labels = context->target.labels,
                                      .weight = s->all.weight,
                                      .twin = twin,
                                      .group = together->first};
  TH_TRY(th_folds_make(&given, context->config->seed,
                       parts_of(s) == 1 ? A_FIFTH : parts_of(s), s->fold, err));
  if (given.group != NULL && parts_of(s) == 1)
    choose_part(s, rows);
  for (int f = 0; f < parts_of(s) && rc == TH_OK; f++)
    if (!is_usable(s, rows, f, given.labels))
      rc = refuse_folds(s, &given, together, err);
done:
  free(twin);
  return rc;
}

/* --- Stages --------------------------------------------------------------- */

/* The context of a stage: a fold is apart, lambdas are those of all examples.
 */
static void lend(struct chooser *s, struct th_context *context)
{
  int64_t rows = th_source_shape(context->source)->training;
  double paths = 1 + (double)parts_of(s);
  double most = s->certificate.lambda_max;
  int f = (int)(s->stage - 1);
  s->config = *context->config;
  s->lent = th_context_lend(context, &s->config);
  s->lent.apart.run_from = (double)s->stage / paths;
  s->lent.apart.run_part = 1 / paths;
  s->lent.piece_from = 0;
  s->lent.piece_part = 1;
  if (s->stage > 0 && context->monitor != NULL) {
    s->quiet = *context->monitor;
    s->quiet.notice = NULL;
    s->lent.monitor = &s->quiet;
  }
  if (f < 0 || f >= parts_of(s))
    return;
  s->config.choice.from = most > 0 ? most : 1;
  th_context_apart(&s->lent, s->fold, (uint8_t)f, weight_outside(s, rows, -1),
                   weight_outside(s, rows, f));
}

static const struct th_head *inner_head(const struct chooser *s)
{
  return s->inner;
}

/* The state of the solver for the present stage. Collective. */
static th_status make_inner(struct chooser *s, struct th_context *context,
                            struct th_error *err)
{
  release_inner(s);
  lend(s, context);
  th_status rc = s->algorithm->create(&s->inner, &s->lent, err);
  if (rc != TH_OK)
    return rc;
  s->made = s->stage;
  s->held = s->stage <= parts_of(s) ? s->stage : 0;
  s->head = *inner_head(s);
  s->head.fold = &s->held;
  return rc;
}

/* Local. */
static th_status reserve(struct chooser *s, const struct th_context *context,
                         struct th_error *err)
{
  const struct th_config *config = context->config;
  int64_t rows = th_source_shape(context->source)->training;
  int64_t points = config->path;
  struct kept *k = &s->kept;
  th_status rc;
  TH_TRY(th_fold_losses_init(&s->losses, config->choice.parts, points, err));
  TH_TRY(TH_NEW(&s->certificate.path, points, "the path", err));
  TH_TRY(TH_NEW(&k->start, points + 1, "the path", err));
  TH_TRY(TH_NEW(&k->intercept, points, "the path", err));
  TH_TRY(TH_NEW(&k->own_intercept, points, "the path", err));
  TH_TRY(TH_NEW(&k->active, points, "the path", err));
  TH_TRY(TH_NEW(&s->fold, rows, "folds", err));
  TH_TRY(TH_NEW(&s->loss, rows, "losses of held-out examples", err));
  TH_TRY(TH_NEW(&s->weight, rows, "losses of held-out examples", err));
  TH_TRY(TH_NEW(&s->target, rows, "losses of held-out examples", err));
done:
  return rc;
}

static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  struct chooser *s = NULL;
  th_status rc = TH_NEW(&s, 1, "the path", err);
  if (rc == TH_OK) {
    s->algorithm = context->solver->algorithm;
    rc = reserve(s, context, err);
  }
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(
      th_context_all_targets_init(&s->all, context, TH_WEIGHTS_OF_MEAN_1, err));
  TH_TRY(th_agree(context->comm, make_folds(s, context, err), err));
  TH_TRY(make_inner(s, context, err));
  s->certificate.lambda_max = inner_head(s)->certificate->lambda_max;
  *state = s;
  s = NULL;
done:
  free_state(s);
  return rc;
}

/* --- What a lambda gives -------------------------------------------------- */

/* Room for so many entries. Local. */
static th_status grow(struct kept *kept, int64_t entries, struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_GROW(&kept->attribute, &kept->attributes_room, entries, "the path",
                 err));
  TH_TRY(TH_GROW(&kept->coef, &kept->coef_room, entries, "the path", err));
  TH_TRY(TH_GROW(&kept->own, &kept->own_room, entries, "the path", err));
done:
  return rc;
}

/* Keep the model of the present lambda on all examples. Local. */
static th_status keep_model(struct chooser *s, const struct th_context *context,
                            struct th_error *err)
{
  const struct th_head *head = inner_head(s);
  const struct th_support *support = head->support;
  const struct th_certificate *c = head->certificate;
  struct kept *kept = &s->kept;
  int64_t k = kept->points;
  int64_t at = kept->start[k];
  th_status rc = grow(kept, at + support->size, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t m = 0; m < support->size; m++) {
    if (support->coef[m] == 0)
      continue;
    kept->attribute[at] = support->attribute[m];
    kept->coef[at] = support->coef[m];
    kept->own[at++] = th_support_own_coef(support, m);
  }
  kept->start[k + 1] = at;
  kept->intercept[k] = support->intercept;
  kept->own_intercept[k] = th_support_own_intercept(support, context);
  kept->active[k] = c->active;
  s->certificate.path[k] = (struct th_path_point){c->lambda, c->objective,
                                                  c->gap, at - kept->start[k]};
  s->certificate.path_size = ++kept->points;
  return rc;
}

/* Is the path on all examples through, as glmnet's would be? */
static bool is_through(struct chooser *s)
{
  double now = *inner_head(s)->explained;
  double gain = now - s->explained;
  s->explained = now;
  return now > enough ||
         (s->kept.points >= LEAST_POINTS && gain < least_gain * now);
}

/* The losses of the present model of a fold on it. */
static void take_losses(struct chooser *s, const struct th_context *context)
{
  const double *prediction = *inner_head(s)->prediction;
  int64_t rows = th_source_shape(context->source)->training;
  int64_t f = s->stage - 1;
  int64_t count = 0;
  for (int64_t i = 0; i < rows; i++)
    if (s->fold[i] == f && s->all.weight[i] > 0) {
      s->loss[count] = prediction[i];
      s->target[count] = s->all.target[i];
      s->weight[count++] = s->all.weight[i];
    }
  th_loss_f_all(context->loss, count, s->loss, s->target, s->loss);
  th_fold_losses_take(&s->losses, f, s->seen, s->loss, s->weight, count);
}

/* Take what the lambda gives that was solved last. Collective. */
static th_status record(struct chooser *s, struct th_context *context,
                        struct th_error *err)
{
  bool all = s->stage == 0;
  int64_t most = all ? context->config->path : s->kept.points;
  th_status rc = TH_OK;
  if (all)
    rc = th_agree(context->comm, keep_model(s, context, err), err);
  else
    take_losses(s, context);
  if (rc != TH_OK)
    return rc;
  s->seen++;
  s->over = (all && is_through(s)) || s->seen >= most;
  return rc;
}

/* The next stage, where the path of the last one has ended. Collective. */
static th_status next_stage(struct chooser *s, struct th_context *context,
                            struct th_error *err)
{
  if (!s->over)
    return TH_OK;
  s->stage++;
  s->seen = 0;
  s->over = false;
  return make_inner(s, context, err);
}

/* One update of the solver on a stage. */
static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  struct chooser *s = state;
  th_status rc = TH_OK;
  do {
    *more = !(s->over && s->stage == parts_of(s));
    if (!*more)
      return rc;
    TH_TRY(next_stage(s, context, err));
    TH_TRY(s->algorithm->step(s->inner, &s->lent, more, err));
    s->over = !*more;
  } while (!*more);
  if (*inner_head(s)->points > s->seen)
    TH_TRY(record(s, context, err));
done:
  return rc;
}

/* --- The choice ----------------------------------------------------------- */

/* Choose; losses become those that evaluate prints. */
static void make_choice(struct chooser *s, const struct th_context *context)
{
  struct th_path *path = &s->path;
  double half = context->loss->half;
  int64_t points = s->kept.points;
  path->folds = parts_of(s);
  path->best = th_fold_losses_best(&s->losses, points, &path->one_se);
  path->chosen =
      context->config->choice.how == TH_CHOOSE_1SE ? path->one_se : path->best;
  for (int64_t k = 0; k < points; k++) {
    path->loss[k] = th_fold_losses_mean(&s->losses, k, &path->se[k]) / half;
    path->se[k] /= half;
  }
}

/* The path, as the model keeps it. Local. */
static th_status fill_path(struct chooser *s, const struct th_context *context,
                           struct th_error *err)
{
  const struct kept *kept = &s->kept;
  struct th_path *path = &s->path;
  int64_t entries = kept->start[kept->points];
  th_status rc = th_path_reserve(path, kept->points, entries, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k <= kept->points; k++)
    path->start[k] = kept->start[k];
  for (int64_t k = 0; k < kept->points; k++) {
    path->lambda[k] = s->certificate.path[k].lambda;
    path->intercept[k] = kept->own_intercept[k];
  }
  for (int64_t e = 0; e < entries; e++) {
    path->attribute[e] = kept->attribute[e];
    path->coef[e] = kept->own[e];
  }
  make_choice(s, context);
  return rc;
}

/* A choice at the end of a path that goes no further may be no best one. */
static void tell_end(const struct chooser *s, const struct th_context *context)
{
  int64_t last = s->path.points - 1;
  if (s->path.best == last && last + 1 == context->config->path)
    th_context_notice(context,
                      "the smallest lambda of the path, %g, predicts best. A "
                      "smaller one may predict better: give a smaller "
                      "{path-min}",
                      s->path.lambda[last]);
}

/* The certificate of the model with the path of all. */
static void take_certificate(struct chooser *s)
{
  const struct th_certificate *from = inner_head(s)->certificate;
  struct th_certificate *to = &s->certificate;
  struct th_path_point *path = to->path;
  path[s->path.chosen] =
      (struct th_path_point){from->lambda, from->objective, from->gap,
                             path[s->path.chosen].support_size};
  *to = *from;
  to->path = path;
  to->path_size = s->kept.points;
}

static th_status finish(void *state, struct th_context *context,
                        struct th_error *err)
{
  struct chooser *s = state;
  const struct kept *kept = &s->kept;
  th_status rc;
  TH_TRY(th_agree(context->comm, fill_path(s, context, err), err));
  s->stage = parts_of(s) + 1;
  TH_TRY(make_inner(s, context, err));
  int64_t k = s->path.chosen;
  const struct th_path_point *point = &s->certificate.path[k];
  const struct th_certificate said = {.lambda = point->lambda,
                                      .objective = point->objective,
                                      .gap = point->gap,
                                      .active = kept->active[k]};
  const struct th_support_list members = {
      .attribute = kept->attribute + kept->start[k],
      .coef = kept->coef + kept->start[k],
      .count = kept->start[k + 1] - kept->start[k]};
  TH_TRY(s->algorithm->take(s->inner, &s->lent, &members, kept->intercept[k],
                            &said, err));
  TH_TRY(s->algorithm->finish(s->inner, &s->lent, err));
  take_certificate(s);
  tell_end(s, context);
  s->head = *inner_head(s);
  s->head.certificate = &s->certificate;
  s->head.path = &s->path;
done:
  return rc;
}

static double done_of(const void *state)
{
  const struct chooser *s = state;
  double paths = 1 + (double)parts_of(s);
  double here = s->over ? 1 : s->algorithm->done(s->inner);
  if (s->over && s->stage >= parts_of(s))
    return 1;
  return ((double)s->stage + here) / paths;
}

static void claims_of(const void *state, struct th_claims *claims)
{
  const struct chooser *s = state;
  s->algorithm->claims(s->inner, claims);
}

/* --- The state between two lambdas ---------------------------------------- */

static void describe_entries(struct kept *kept, struct th_state *list)
{
  int64_t entries = kept->start[kept->points];
  struct th_state_growing coef = {.type = TH_STATE_F64, .items = 1};
  th_state_grow(list,
                (struct th_state_growing){.name = "attribute",
                                          .type = TH_STATE_I64,
                                          .items = 1,
                                          .data = (void **)&kept->attribute,
                                          .capacity = &kept->attributes_room},
                entries);
  coef.name = "coef";
  coef.data = (void **)&kept->coef;
  coef.capacity = &kept->coef_room;
  th_state_grow(list, coef, entries);
  coef.name = "own";
  coef.data = (void **)&kept->own;
  coef.capacity = &kept->own_room;
  th_state_grow(list, coef, entries);
}

/* Entries of a lambda come behind those of the one before. */
static void limit_starts(struct kept *kept, struct th_state *list)
{
  th_state_limit(list, "start", kept->start, 1, 0, 0);
  for (int64_t k = 0; k < kept->points; k++)
    th_state_limit(list, "start", &kept->start[k + 1], 1, kept->start[k],
                   INT64_MAX);
}

static void describe_kept(struct chooser *s, int64_t most,
                          struct th_state *list)
{
  struct kept *kept = &s->kept;
  th_state_enter(list, "kept");
  TH_STATE_AT_MOST(list, kept, points, most);
  TH_STATE_ARRAY(list, kept, start, kept->points + 1);
  limit_starts(kept, list);
  TH_STATE_ARRAY(list, kept, intercept, kept->points);
  TH_STATE_ARRAY(list, kept, own_intercept, kept->points);
  TH_STATE_ARRAY(list, kept, active, kept->points);
  describe_entries(kept, list);
  th_state_leave(list);
}

static void describe_losses(struct th_fold_losses *losses,
                            struct th_state *list)
{
  th_state_enter(list, "losses");
  TH_STATE_ARRAY(list, losses, weight, losses->folds);
  TH_STATE_ARRAY(list, losses, mean, losses->folds * losses->points);
  TH_STATE_ARRAY(list, losses, square, losses->folds * losses->points);
  th_state_leave(list);
}

/* Collective. */
static void describe(void *state, struct th_context *context,
                     struct th_state *list)
{
  struct chooser *s = state;
  TH_STATE_AT_MOST(list, s, stage, parts_of(s));
  TH_STATE_AT_MOST(list, s, seen, context->config->path);
  TH_STATE_ONE(list, s, over);
  TH_STATE_ONE(list, s, explained);
  th_claims_certificate_describe(&s->certificate, "certificate", list);
  describe_kept(s, context->config->path, list);
  th_claims_certificate_describe_path(&s->certificate, s->kept.points, list);
  describe_losses(&s->losses, list);
  if (s->made != s->stage && th_state_agree(list, context->comm))
    th_state_note(list, make_inner(s, context, list->err));
  if (s->made != s->stage)
    return;
  th_state_enter(list, "inner");
  s->algorithm->describe(s->inner, &s->lent, list);
  th_state_leave(list);
}

static const struct th_algorithm chooser_algorithm = {.create = create,
                                                      .step = step,
                                                      .finish = finish,
                                                      .done = done_of,
                                                      .claims = claims_of,
                                                      .describe = describe,
                                                      .free = free_state};

const struct th_algorithm *th_chooser_of(const struct th_plan *plan)
{
  return plan->config.choice.parts > 0 ? &chooser_algorithm
                                       : plan->solver->algorithm;
}
