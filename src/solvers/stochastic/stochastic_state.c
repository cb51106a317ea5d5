/* stochastic_state.c - the state of a stochastic method between outer loops
 *
 * Row caches, cells and groups are derived from the active attributes. On
 * another number of ranks, attributes are with their owners again; no number
 * depends on where they are.
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/stochastic_parts.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>

/* If the run has opened the problem over all attributes, open it here, too.
 * Collective. */
static void describe_problem(struct th_stochastic *s, struct th_state *state)
{
  struct th_context *context = s->context;
  struct th_error *err = state->err;
  double *opened = th_state_scratch(state, 1);
  if (opened != NULL)
    *opened = s->goal.problem != NULL;
  th_state_all(state, "problem", TH_STATE_F64, opened, 1);
  if (!th_state_puts(state) || !th_state_agree(state, context->comm) ||
      opened == NULL || *opened == 0)
    return;
  th_state_note(state, th_stochastic_open_problem(s, err));
}

/* All attributes are active so far. Those that the image does not have leave.
 * Collective. */
static struct th_range keep_active(struct th_stochastic *s,
                                   struct th_state *state)
{
  struct th_context *context = s->context;
  const int64_t *all = NULL;
  struct th_range here =
      th_state_find(state, "attribute", s->active.owned, &all);
  int64_t at = here.first;
  if (!th_state_agree(state, context->comm))
    return here;
  for (int64_t p = 0; p < s->active.count; p++) {
    s->places.keep[p] = at < here.last && all[at] == s->active.attribute[p];
    at += s->places.keep[p];
  }
  th_status rc = TH_OK;
  if (at < here.last)
    rc = th_fail(state->err, TH_EFORMAT,
                 "the state has attribute %lld, which is left out here",
                 (long long)all[at]);
  th_state_note(state, rc);
  if (!th_state_agree(state, context->comm))
    return here;
  th_state_note(state, th_stochastic_keep(s, state->err));
  if (th_state_agree(state, context->comm))
    th_state_note(state, th_source_activate(context->source, context->comm,
                                            s->active.attribute,
                                            s->active.count, state->err));
  return here;
}

/* Numbers of steps, kept as doubles. */
static void check_steps(const struct th_stochastic *s, struct th_state *state)
{
  const double *step = s->active.field[TH_FIELD_LAZY];
  bool good = true;
  for (int64_t k = 0; k < s->active.count && th_state_good(state); k++)
    good = good && fabs(step[k]) <= 0x1p46;
  if (th_state_puts(state) && !good)
    th_state_note(state, th_fail(state->err, TH_EFORMAT,
                                 "the state has a coefficient at no step"));
}

/* Describe every vector but Z, which passes compute anew. Collective. */
static void describe_active(struct th_stochastic *s, struct th_state *state)
{
  enum { NUMBER = 24 };
  char name[NUMBER];
  struct th_range here = {0, s->active.count};
  if (th_state_puts(state))
    here = keep_active(s, state);
  th_state_spread(state, "attribute", TH_STATE_I64, s->active.attribute, 1,
                  here);
  for (int f = 0; f < s->active.fields; f++) {
    if (f == TH_FIELD_DUAL)
      continue;
    snprintf(name, sizeof name, "field.%d", f);
    th_state_spread(state, name, TH_STATE_F64, s->active.field[f], 1, here);
    if (f == TH_FIELD_LAZY)
      check_steps(s, state);
  }
}

/* The unit that is being handed out is held, and no other. */
static void check_held(const struct th_stochastic *s, struct th_state *state)
{
  const struct th_minibatch *minibatch = &s->minibatch;
  const struct th_rows *unit = &s->order.unit;
  bool begun = s->order.next < unit->count;
  if (!th_state_puts(state) || !th_state_good(state))
    return;
  if (minibatch->holds == begun &&
      (!begun ||
       minibatch->held[0] == th_row_caches_unit_of(&s->caches, unit->first)))
    return;
  th_state_note(state, th_fail(state->err, TH_EFORMAT,
                               "the state holds examples that it does not "
                               "hand out"));
}

/* Row caches hold floats, or doubles once floats were found to be too coarse.
 * The unit that is being handed out is held. */
static void describe_rows(struct th_stochastic *s, struct th_state *state)
{
  struct th_minibatch *minibatch = &s->minibatch;
  int32_t type = (int32_t)s->caches.type;
  int32_t *kept = (int32_t *)(void *)th_state_scratch(state, 1);
  if (kept != NULL)
    *kept = type;
  th_state_all(state, "type", TH_STATE_I32, kept, 1);
  th_example_order_describe(&s->order, state);
  TH_STATE_AT_MOST(state, minibatch, holds, 1);
  TH_STATE_ARRAY(state, minibatch, held, minibatch->holds);
  th_state_limit(state, "held", minibatch->held, minibatch->holds, 0,
                 th_row_caches_unit_of(&s->caches, s->n - 1));
  check_held(s, state);
  if (!th_state_puts(state) || !th_state_good(state) || kept == NULL)
    return;
  if (*kept != TH_F32 && *kept != TH_F64) {
    th_state_note(state, th_fail(state->err, TH_EFORMAT,
                                 "the state has row caches of no such type"));
    return;
  }
  s->caches.type = (enum th_type) * kept;
  th_row_caches_forget(&s->caches);
  for (int64_t k = 0; k < minibatch->holds; k++)
    th_state_note(
        state, th_row_caches_draw(&s->caches, minibatch->held[k], state->err));
}

static void describe_certificate(struct th_stochastic *s,
                                 struct th_state *state)
{
  struct th_certificate *c = &s->certificate;
  int64_t capacity = 0;
  th_stochastic_pass_describe(&s->full.pass, "pass", state);
  th_certificate_describe(&s->goal.whole, "whole", state);
  th_certificate_describe(c, "certificate", state);
  TH_STATE_ONE(state, c, path_size);
  if (th_state_puts(state))
    th_state_limit(state, "path_size", &c->path_size, 1, 0, INT32_MAX);
  if (th_state_puts(state) && th_state_good(state))
    th_state_note(state, th_grow((void **)&c->path, &capacity, c->path_size,
                                 sizeof *c->path, "the path", state->err));
  th_certificate_describe_path(c, c->path_size, state);
}

/* The set of what is known is listed as it is. */
static void describe_iterate(struct th_stochastic *s, struct th_state *state)
{
  TH_STATE_ONE(state, s, lambda);
  TH_STATE_ONE(state, s, intercept);
  TH_STATE_ONE(state, s, start_intercept);
  TH_STATE_ONE(state, s, anchor_intercept);
  TH_STATE_ONE(state, s, confidence);
  TH_STATE_ONE(state, s, known);
  TH_STATE_ONE(state, s, done);
  TH_STATE_ONE(state, &s->goal, zero_objective);
  TH_STATE_ONE(state, &s->goal, certify_at);
}

void th_stochastic_describe(struct th_stochastic *s, struct th_state *state)
{
  describe_problem(s, state);
  describe_active(s, state);
  describe_rows(s, state);
  describe_iterate(s, state);
  th_stochastic_control_describe(&s->control, state);
  th_stochastic_scaling_describe(&s->scaling, state);
  describe_certificate(s, state);
  th_support_describe(&s->support, "support", state);
  th_state_enter(state, "update");
  if (s->update->describe != NULL)
    s->update->describe(s, state);
  th_state_leave(state);
  th_state_enter(state, "screening");
  if (s->screening->describe != NULL)
    s->screening->describe(s, state);
  th_state_leave(state);
}
