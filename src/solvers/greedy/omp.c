/* omp.c - solver `omp`: orthogonal matching pursuit
 *
 * The next attribute is the one with the largest slope at the fit on those that
 * were chosen; then all of them are fitted again (Pati, Rezaiifar &
 * Krishnaprasad 1993; Saad, Blanchard & Arlot 2024, Algorithm 1). One pass over
 * the data per attribute finds the slopes. For labels the fit is logistic
 * (Lozano, Swirszcz & Abe 2011).
 *
 * Attributes are chosen until there are `sparsity` of them, until the loss has
 * fallen to a share of that without attributes, or as many as predict examples
 * best that are held out (omp_folds.h). The last path uses all examples.
 * SPDX-License-Identifier: MIT */
#include "core/claims.h"
#include "core/integer.h"
#include "core/memory.h"
#include "core/selected.h"
#include "solvers/algorithm.h"
#include "solvers/data/support.h"
#include "solvers/greedy/algorithms.h"
#include "solvers/greedy/omp_folds.h"

#include <stdlib.h>

struct omp {
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
  th_pursuit_free(&s->path);
  th_omp_folds_free(&s->folds);
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
    TH_TRY(th_pursuit_add(&s->path, start->support[k], &depends, err));
  if (start->size > 0)
    TH_TRY(th_pursuit_fit(&s->path, err));
done:
  return rc;
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
  TH_TRY(th_pursuit_init(&s->path, &data, s->problem.eta, err));
  s->zero = s->path.loss;
  TH_TRY(take_start(s, context, err));
  TH_TRY(th_omp_folds_init(&s->folds, config->greedy.folds, &data, err));
  s->folds.ended = s->folds.count == 0;
  s->path.known = s->folds.ended && s->path.size == 0;
  TH_TRY(publish(s, context, err));
  *state = s;
  s = NULL;
done:
  free_state(s);
  return rc;
}

/* Whether the path on all examples is at its end. */
static bool has_ended(const struct omp *s)
{
  return s->path.ended || s->path.size >= s->most ||
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
  if (!s->folds.ended) {
    rc = th_omp_folds_extend(&s->folds, s->most, err);
    if (s->folds.ended)
      s->most = s->folds.best;
    return rc;
  }
  rc = th_pursuit_extend(&s->path, 1, s->most, err);
  return rc == TH_OK ? publish(s, context, err) : rc;
}

static th_status finish(void *state, struct th_context *context,
                        struct th_error *err)
{
  struct omp *s = state;
  (void)err;
  s->selected = (struct th_selected){
      .size = s->path.size, .complete = 1, .attribute = s->path.attribute};
  if (s->path.size == 0)
    th_context_notice(context, "no attribute predicts examples that are held "
                               "out, so the model is zero");
  return TH_OK;
}

static const struct th_support *support_of(const void *state)
{
  return &((const struct omp *)state)->support;
}

/* Borrowed from the path. */
static const struct th_selected *selected_of(const void *state)
{
  return &((const struct omp *)state)->selected;
}

/* Attributes that were given as a start are all there is. */
static void claims_of(const void *state, struct th_claims *claims)
{
  const struct omp *s = state;
  if (s->residual > 0 && s->path.loss <= s->residual * s->zero)
    claims->ended_by = TH_ENDED_BOUND;
  else if (s->path.ended || s->path.size < s->most)
    claims->ended_by = TH_ENDED_NOTHING;
  else
    claims->ended_by =
        s->folds.count > 0 ? TH_ENDED_HELD_OUT : TH_ENDED_SPARSITY;
}

static double loss_of(const void *state)
{
  return ((const struct omp *)state)->path.loss;
}

static double done_of(const void *state)
{
  const struct omp *s = state;
  return s->folds.ended && s->most > 0 ? (double)s->path.size / (double)s->most
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
  th_omp_folds_describe(&s->folds, list);
  th_state_enter(list, "path");
  th_pursuit_describe(&s->path, list);
  th_state_leave(list);
  if (th_state_puts(list) && th_state_agree(list, context->comm))
    th_state_note(list, publish(s, context, list->err));
}

const struct th_algorithm th_omp_algorithm = {.create = create,
                                              .step = step,
                                              .finish = finish,
                                              .support = support_of,
                                              .loss = loss_of,
                                              .unit = TH_LOSS_OF_PROBLEM,
                                              .done = done_of,
                                              .selected = selected_of,
                                              .claims = claims_of,
                                              .describe = describe,
                                              .free = free_state};
