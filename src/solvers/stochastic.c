/* stochastic.c - the engine of stochastic methods
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic_parts.h"

#include "core/integer.h"
#include "core/memory.h"
#include "math/gap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EPOCHS_IN_LOOP = 4 }; /* T = 4 n examples between two screenings */

/* gamma_t = 1 / (Lmax ceil(t / (n/2))^0.55): the printed 1 / (n L t^0.51) is
 * for the sum of the losses, and hardly moves on their mean. */
static const double step_decay = 0.55;

/* ---- setting up ---- */

/* Replicated targets and weights. Local. */
static th_status load_targets(struct th_stochastic *s, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; k < s->panels.count && rc == TH_OK; k++) {
    struct th_rows unit = th_panels_unit(&s->panels, k);
    rc = th_context_targets(s->context, unit, s->target + unit.first,
                            s->eta + unit.first, err);
  }
  for (int64_t i = 0; i < s->n; i++)
    s->eta[i] /= (double)s->n;
  return rc;
}

/* Where cells begin among the active places. Local. */
static void form_cells(struct th_stochastic *s)
{
  int64_t cells = 0;
  for (int64_t p = 0; p < s->active.count;) {
    s->edge[cells++] = p;
    p = th_active_cell_end(&s->active, p);
  }
  s->edge[cells] = s->active.count;
  s->cells = (struct th_cells){cells, s->edge, s->active.attribute};
}

/* What follows from the set of active attributes. Collective. */
static th_status form_groups(struct th_stochastic *s, struct th_error *err)
{
  const struct th_config *config = s->context->config;
  form_cells(s);
  return th_grouping_build(
      &s->grouping, config->groups, th_penalty_find(config->penalty),
      config->mix, s->context->comm, s->active.attribute, s->active.count, err);
}

/* Local. */
static th_status reserve(struct th_stochastic *s, struct th_error *err)
{
  struct th_context *context = s->context;
  struct th_range owned = s->active.owned;
  const struct th_config *config = context->config;
  int64_t n = s->n;
  int64_t rows = config->batch > 0 ? config->batch : 1;
  th_status rc;
  TH_TRY(TH_NEW(&s->target, n, "targets", err));
  TH_TRY(TH_NEW(&s->eta, n, "weights", err));
  TH_TRY(TH_NEW(&s->prediction, n, "predictions", err));
  TH_TRY(TH_NEW(&s->theta, n, "a dual point", err));
  TH_TRY(TH_NEW(&s->sums, n + 1, "predictions", err));
  TH_TRY(TH_NEW(&s->keep, s->active.capacity, "screening", err));
  TH_TRY(TH_NEW(&s->group_keep, s->active.capacity, "screening", err));
  TH_TRY(TH_NEW(&s->group_dual, s->active.capacity, "screening", err));
  TH_TRY(TH_NEW(&s->group_second, s->active.capacity, "screening", err));
  TH_TRY(TH_NEW(&s->edge, th_ceil_divide(owned.last - owned.first, TH_CELL) + 1,
                "cells", err));
  TH_TRY(th_panels_init(&s->panels, context, &s->active, config->panel_memory,
                        err));
  TH_TRY(th_order_init(&s->order, context->deal.plan.unit, err));
  TH_TRY(th_sample_init(&s->sample, th_smaller(rows, n), err));
  TH_TRY(load_targets(s, err));
done:
  return rc;
}

/* lambda_max = Omega^D of the gradient at zero: Z there, for lambda = 1.
 * Collective. */
static th_status choose_lambda(struct th_stochastic *s, struct th_error *err)
{
  const struct th_config *config = s->context->config;
  s->lambda = 1;
  th_status rc = th_stochastic_pass(s, err);
  if (rc != TH_OK)
    return rc;
  s->certificate.lambda_max = s->pass.dual_norm;
  s->zero_objective = s->pass.objective;
  s->start_intercept = s->intercept;
  s->lambda = config->lambda > 0
                  ? config->lambda
                  : config->lambda_ratio * s->certificate.lambda_max;
  s->done = !(s->lambda < s->certificate.lambda_max);
  if (s->done)
    th_context_notice(s->context,
                      "lambda %g is not below lambda_max %g: the model is zero",
                      s->lambda, s->certificate.lambda_max);
  if (!(s->lambda > 0)) /* nothing correlates with the target */
    s->lambda = 1;
  return rc;
}

static th_status set_up(struct th_stochastic *s, struct th_error *err)
{
  int fields = TH_FIELD_UPDATE + s->update->fields + s->screening->fields;
  th_status rc;
  TH_TRY(th_active_init(&s->active, s->context, fields, err));
  TH_TRY(th_agree(s->context->comm, reserve(s, err), err));
  TH_TRY(form_groups(s, err));
  TH_TRY(th_stochastic_norms(s, err));
  TH_TRY(th_stochastic_gain(s, err));
  TH_TRY(choose_lambda(s, err));
  if (s->update->create != NULL)
    TH_TRY(s->update->create(s, err));
  if (s->screening->create != NULL)
    TH_TRY(s->screening->create(s, err));
  s->pass = (struct th_pass){0}; /* it was the zero model's */
done:
  return rc;
}

th_status th_stochastic_create(struct th_stochastic **made,
                               struct th_context *context,
                               const struct th_update *update,
                               const struct th_screening *screening,
                               struct th_error *err)
{
  struct th_stochastic *s = NULL;
  th_status rc = TH_NEW(&s, 1, "a solver", err);
  TH_TRY(th_agree(context->comm, rc, err));
  s->context = context;
  s->update = update;
  s->screening = screening;
  s->n = th_source_shape(context->source)->training;
  s->smoothness = th_loss_L(context->loss);
  TH_TRY(set_up(s, err));
  *made = s;
  s = NULL;
done:
  th_stochastic_free(s);
  return rc;
}

void th_stochastic_free(void *state)
{
  struct th_stochastic *s = state;
  if (s == NULL)
    return;
  if (s->update->free != NULL)
    s->update->free(s);
  if (s->screening->free != NULL)
    s->screening->free(s);
  th_active_free(&s->active);
  th_grouping_free(&s->grouping);
  th_panels_free(&s->panels);
  th_order_free(&s->order);
  th_sample_free(&s->sample);
  th_support_free(&s->support);
  th_certificate_free(&s->certificate);
  free(s->edge);
  free(s->keep);
  free(s->group_keep);
  free(s->group_dual);
  free(s->group_second);
  free(s->target);
  free(s->eta);
  free(s->prediction);
  free(s->theta);
  free(s->sums);
  free(s->choice);
  free(s);
}

/* ---- the outer loop ---- */

double th_stochastic_first_step(const struct th_stochastic *s)
{
  double given = s->context->config->eta;
  if (given > 0)
    return given;
  return s->curvature > 0 ? s->gain / s->curvature : 1;
}

/* t counts examples, so that a mini-batch decays by the same number of epochs.
 */
static void choose_step_size(struct th_stochastic *s)
{
  double constant = s->update->constant;
  int64_t half = th_ceil_divide(2 * (s->drawn + 1), s->n);
  if (half == s->epoch_half || (constant > 0 && s->epoch_half > 0))
    return;
  s->epoch_half = half;
  s->step_size = th_stochastic_first_step(s) *
                 (constant > 0 ? constant : 1 / pow((double)half, step_decay));
}

/* One mini-batch. Collective. */
static th_status take_step(struct th_stochastic *s, bool *more,
                           struct th_error *err)
{
  th_status rc;
  choose_step_size(s);
  TH_TRY(th_sample_next(s, more, err));
  if (!*more)
    return TH_OK;
  if (s->screening->observe != NULL)
    s->screening->observe(s);
  s->drawn += s->sample.rows;
  s->steps++;
  s->update->step(s);
  th_sample_release(s, false);
done:
  return rc;
}

/* Mini-batches until the next screening. */
static int64_t block_length(struct th_stochastic *s)
{
  int64_t given = s->context->config->screen_every;
  if (s->screening->block != NULL)
    return s->screening->block(s);
  if (given > 0)
    return given;
  return th_ceil_divide(EPOCHS_IN_LOOP * s->n, s->sample.capacity);
}

/* A gap that is small enough ends the run. Collective. */
static th_status check_gap(struct th_stochastic *s, struct th_error *err)
{
  double tolerance = s->context->config->tolerance;
  th_status rc = TH_OK;
  if (!(tolerance > 0))
    return rc;
  if (!s->looked)
    rc = th_stochastic_pass(s, err);
  s->done = s->done || s->pass.gap <= tolerance * s->zero_objective;
  return rc;
}

/* The coefficients that are not zero, on every rank. Collective. */
static th_status gather(struct th_stochastic *s, struct th_error *err)
{
  struct th_choice *all = NULL;
  int64_t *bytes = NULL;
  int64_t mine = 0;
  int64_t received = 0;
  th_status rc =
      th_grow((void **)&s->choice, &s->choice_capacity, s->active.count,
              sizeof *s->choice, "the support", err);
  if (rc == TH_OK)
    rc = TH_NEW(&bytes, s->context->comm->size, "the support", err);
  TH_TRY(th_agree(s->context->comm, rc, err));
  for (int64_t p = 0; p < s->active.count; p++)
    if (th_coef(s)[p] != 0)
      s->choice[mine++] =
          (struct th_choice){s->active.attribute[p], th_coef(s)[p]};
  TH_TRY(th_gather(s->context->comm, s->choice,
                   mine * (int64_t)sizeof *s->choice, bytes, (void **)&all,
                   err));
  for (int r = 0; r < s->context->comm->size; r++)
    received += bytes[r];
  TH_TRY(th_support_assign(&s->support, s->context, all,
                           received / (int64_t)sizeof *all, err));
  s->support.intercept = s->intercept;
done:
  free(all);
  free(bytes);
  return rc;
}

/* What is known of the model now. */
static void fill_certificate(struct th_stochastic *s)
{
  struct th_certificate *c = &s->certificate;
  c->lambda = s->lambda;
  c->objective = s->pass.objective;
  c->gap = s->pass.gap;
  c->dual_norm = s->pass.dual_norm;
  c->confidence = 1;
  c->active = s->active.total;
}

/* Mini-batches, until the block or the examples are used up. Collective. */
static th_status run_block(struct th_stochastic *s, bool *used,
                           struct th_error *err)
{
  int64_t before = s->drawn;
  bool rows = true;
  th_status rc = TH_OK;
  s->loss = 0;
  s->settled = s->steps;
  for (int64_t k = block_length(s); k > 0 && rows && rc == TH_OK; k--)
    rc = take_step(s, &rows, err);
  if (s->update->settle != NULL)
    s->update->settle(s);
  s->done = !rows;
  *used = s->drawn > before;
  if (*used)
    s->loss /= (double)(s->drawn - before);
  return rc;
}

th_status th_stochastic_step(void *state, struct th_context *context,
                             bool *more, struct th_error *err)
{
  struct th_stochastic *s = state;
  th_status rc = TH_OK;
  (void)context;
  *more = !s->done && s->active.total > 0;
  if (!*more)
    return rc;
  s->passed = false;
  s->looked = false;
  TH_TRY(th_stochastic_reach(s, err));
  if (s->update->begin != NULL)
    TH_TRY(s->update->begin(s, err));
  TH_TRY(run_block(s, more, err));
  if (!*more)
    return rc;
  if (s->screening->end != NULL)
    TH_TRY(s->screening->end(s, err));
  TH_TRY(check_gap(s, err));
  fill_certificate(s);
  TH_TRY(gather(s, err));
done:
  return rc;
}

th_status th_stochastic_finish(void *state, struct th_context *context,
                               struct th_error *err)
{
  struct th_stochastic *s = state;
  th_status rc = TH_OK;
  (void)context;
  th_sample_release(s, true);
  if (s->screening->finish != NULL)
    TH_TRY(s->screening->finish(s, err));
  if (!s->passed)
    TH_TRY(th_stochastic_pass(s, err));
  fill_certificate(s);
  TH_TRY(gather(s, err));
done:
  return rc;
}

/* ---- for rules ---- */

double *th_update_field(const struct th_stochastic *s, int field)
{
  return s->active.field[TH_FIELD_UPDATE + field];
}

double *th_screening_field(const struct th_stochastic *s, int field)
{
  return s->active.field[TH_FIELD_UPDATE + s->update->fields + field];
}

th_status th_stochastic_keep(struct th_stochastic *s, struct th_error *err)
{
  int64_t dropped = 0;
  th_status rc = TH_OK;
  for (int64_t p = 0; p < s->active.count; p++)
    dropped += !s->keep[p];
  s->context->comm->ops->sum_i64(s->context->comm, &dropped, 1);
  if (dropped == 0)
    return rc;
  s->passed = false;
  th_panels_keep(&s->panels, s->keep);
  TH_TRY(th_active_keep(&s->active, s->context, s->keep, err));
  rc = form_groups(s, err);
done:
  return rc;
}

th_status th_stochastic_rebuild(struct th_stochastic *s, struct th_error *err)
{
  th_status rc = TH_OK;
  s->passed = false;
  th_panels_forget(&s->panels);
  TH_TRY(form_groups(s, err));
  for (int64_t k = 0; k < s->sample.holds && rc == TH_OK; k++) {
    rc = th_panels_draw(&s->panels, s->sample.held[k], err);
    th_panels_release(&s->panels, s->sample.held[k]);
  }
  rc = th_agree(s->context->comm, rc, err);
done:
  return rc;
}

const struct th_support *th_stochastic_support(const void *state)
{
  return &((const struct th_stochastic *)state)->support;
}

const struct th_certificate *th_stochastic_certificate(const void *state)
{
  return &((const struct th_stochastic *)state)->certificate;
}

double th_stochastic_loss(const void *state)
{
  return ((const struct th_stochastic *)state)->loss;
}

double th_stochastic_step_size(const void *state)
{
  return ((const struct th_stochastic *)state)->step_size;
}
