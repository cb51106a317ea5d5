/* stochastic_solvers.c - combines an update rule and a screening rule to a
 * solver, at one lambda or along a path
 * SPDX-License-Identifier: MIT */
#include "solvers/algorithms.h"
#include "solvers/stochastic/stochastic.h"

#include "base/memory.h"
#include "solvers/solver_table.h"

#include <math.h>
#include <stdlib.h>

const struct th_screening th_screen_none = {.end = NULL};

const struct th_screening *const th_screenings[TH_SCREEN_COUNT] = {
    [TH_SCREEN_NONE] = &th_screen_none,
    [TH_SCREEN_GAP_SAFE] = &th_screen_gap_safe,
    [TH_SCREEN_ONLINE] = &th_screen_online};

/* The screening rule; the plan has replaced `auto` by the default of the
 * solver's row. */
static const struct th_screening *screening_of(const struct th_context *context)
{
  return context->solver->screenings[context->config->screening.how];
}

/* The engine, run at one lambda after the other. */
struct path {
  struct th_head head;
  struct th_stochastic *engine;
  int64_t point; /* of the path */
};

/* The engine of the present lambda, whose model is shown. Local. */
static void take_engine(struct path *path, struct th_stochastic *s)
{
  path->engine = s;
  path->head = (struct th_head){.support = &s->support,
                                .loss = &s->control.loss,
                                .step_size = &s->control.step_size,
                                .certificate = &s->certificate};
}

/* Record the present lambda in the path. Local. */
static th_status record_lambda(struct th_stochastic *s, struct th_error *err)
{
  struct th_certificate *c = &s->certificate;
  int64_t capacity = c->path_size;
  th_status rc =
      TH_GROW(&c->path, &capacity, c->path_size + 1, "the path", err);
  if (rc == TH_OK)
    c->path[c->path_size++] = (struct th_path_point){c->lambda, c->objective,
                                                     c->gap, s->support.size};
  return rc;
}

/* Record the present lambda, and start the next one from its model, with as
 * many epochs. Collective. */
static th_status advance(struct path *path, struct th_context *context,
                         struct th_error *err)
{
  struct th_stochastic *old = path->engine;
  struct th_warm warm = {path->point + 1, &old->support};
  struct th_stochastic *next = NULL;
  th_status rc;
  TH_TRY(th_stochastic_finish(old, context, err));
  th_stochastic_notify(old);
  TH_TRY(th_agree(context->comm, record_lambda(old, err), err));
  th_deal_extend(&context->deal, context->config->passes);
  TH_TRY(th_stochastic_resume(&next, context, old->update, old->screening,
                              &warm, err));
  next->certificate.path = old->certificate.path;
  next->certificate.path_size = old->certificate.path_size;
  old->certificate.path = NULL;
  th_stochastic_free(old);
  take_engine(path, next);
  path->point++;
  context->piece_from = (double)path->point * context->piece_part;
done:
  return rc;
}

static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  struct path *path = NULL;
  struct th_stochastic *engine = NULL;
  th_status rc = TH_NEW(&path, 1, "the solver", err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_stochastic_create(&engine, context, context->solver->update,
                              screening_of(context), err));
  take_engine(path, engine);
  if (context->config->path > 1)
    context->piece_part = 1 / (double)context->config->path;
  *state = path;
  path = NULL;
done:
  free(path);
  return rc;
}

static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  struct path *path = state;
  th_status rc = th_stochastic_step(path->engine, context, more, err);
  while (rc == TH_OK && !*more && path->point + 1 < context->config->path) {
    rc = advance(path, context, err);
    if (rc == TH_OK)
      rc = th_stochastic_step(path->engine, context, more, err);
  }
  return rc;
}

static th_status finish(void *state, struct th_context *context,
                        struct th_error *err)
{
  struct path *path = state;
  struct th_stochastic *s = path->engine;
  th_status rc;
  TH_TRY(th_stochastic_finish(s, context, err));
  TH_TRY(th_stochastic_certify(s, err));
  th_stochastic_notify(s);
  if (context->config->path > 0)
    rc = th_agree(context->comm, record_lambda(s, err), err);
done:
  return rc;
}

/* Make an engine at the point of an image, with the zero model. Collective. */
static void move_to_point(struct path *path, struct th_context *context,
                          struct th_state *list)
{
  struct th_stochastic *old = path->engine;
  struct th_stochastic *next = NULL;
  struct th_warm zero = {path->point, NULL};
  if (!th_state_agree(list, context->comm) || path->point == 0)
    return;
  th_state_note(list, th_stochastic_resume(&next, context, old->update,
                                           old->screening, &zero, list->err));
  if (next == NULL)
    return;
  th_stochastic_free(old);
  take_engine(path, next);
}

static void describe(void *state, struct th_context *context,
                     struct th_state *list)
{
  struct path *path = state;
  TH_STATE_ONE(list, path, point);
  th_state_limit(list, "point", &path->point, 1, 0,
                 path->engine->context->config->path);
  if (th_state_puts(list))
    move_to_point(path, context, list);
  th_stochastic_describe(path->engine, list);
}

static void claims(const void *state, struct th_claims *of)
{
  of->ended_by = th_stochastic_ended_by(((const struct path *)state)->engine);
}

static double done_of(const void *state)
{
  const struct path *path = state;
  const struct th_context *context = path->engine->context;
  double here = th_stochastic_done(path->engine);
  return context->piece_from + context->piece_part * fmin(here, 1);
}

static void release(void *state)
{
  if (state != NULL)
    th_stochastic_free(((struct path *)state)->engine);
  free(state);
}

const struct th_algorithm th_stochastic_algorithm = {.create = create,
                                                     .step = step,
                                                     .finish = finish,
                                                     .claims = claims,
                                                     .unit = TH_LOSS_OF_PROBLEM,
                                                     .done = done_of,
                                                     .describe = describe,
                                                     .free = release};
