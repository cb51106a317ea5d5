/* stochastic.c - the engine of stochastic methods
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/stochastic_parts.h"

#include "core/elementary.h"
#include "core/integer.h"
#include "core/memory.h"
#include "math/gap.h"
#include "solvers/penalised/plan_penalised.h"
#include "solvers/penalised/problem.h"

#include <math.h>
#include <stdlib.h>

/* ---- setting up ---- */

/* Local. */
static th_status reserve(struct th_stochastic *s, struct th_error *err)
{
  struct th_context *context = s->context;
  const struct th_config *config = context->config;
  int64_t n = s->n;
  int64_t rows = config->batch > 0 ? config->batch : 1;
  th_status rc;
  if (s->update->size > 0)
    TH_TRY(th_alloc(&s->update_state, 1, s->update->size, "steps", err));
  if (s->screening->size > 0)
    TH_TRY(
        th_alloc(&s->screening_state, 1, s->screening->size, "screening", err));
  TH_TRY(TH_NEW(&s->target, n, "targets", err));
  TH_TRY(TH_NEW(&s->eta, n, "weights", err));
  TH_TRY(th_stochastic_pass_init(&s->full, n, err));
  TH_TRY(th_row_caches_init(&s->caches, context, &s->active,
                            config->row_cache_memory, err));
  TH_TRY(th_example_order_init(&s->order, context->deal.plan.unit, err));
  TH_TRY(th_stochastic_batch_init(&s->minibatch, th_min_i64(rows, n), err));
  TH_TRY(th_context_all_examples(context, s->target, s->eta, err));
done:
  return rc;
}

/* lambda_max = Omega^D of the gradient at zero: Z there, for lambda = 1.
 * Collective. */
static th_status choose_lambda(struct th_stochastic *s, int64_t point,
                               struct th_error *err)
{
  s->lambda = 1;
  th_status rc = th_stochastic_pass(s, err);
  if (rc != TH_OK)
    return rc;
  s->certificate.lambda_max = s->full.pass.dual_norm;
  s->goal.zero_objective = s->full.pass.objective;
  s->start_intercept = s->intercept;
  s->lambda = th_plan_penalised_lambda(s->context->config,
                                       s->certificate.lambda_max, point);
  s->done = !(s->lambda < s->certificate.lambda_max);
  if (s->done && s->context->config->path == 0)
    th_context_notice(
        s->context,
        "lambda %g is not below lambda_max %g, so the model is zero", s->lambda,
        s->certificate.lambda_max);
  return rc;
}

static th_status set_up(struct th_stochastic *s, const struct th_warm *warm,
                        struct th_error *err)
{
  int fields = TH_FIELD_UPDATE + s->update->fields + s->screening->fields;
  th_status rc;
  TH_TRY(th_active_init(&s->active, s->context, fields, err));
  TH_TRY(th_agree(s->context->comm, reserve(s, err), err));
  TH_TRY(th_stochastic_form(s, err));
  s->balanced = 1;
  TH_TRY(th_stochastic_norms(s, err));
  TH_TRY(th_stochastic_batch_speedup(s, err));
  TH_TRY(choose_lambda(s, warm != NULL ? warm->point : 0, err));
  if (warm != NULL && warm->model != NULL) {
    th_stochastic_assign(s, warm->model);
    TH_TRY(th_stochastic_pass(s, err));
  }
  if (s->update->create != NULL)
    TH_TRY(s->update->create(s, err));
  if (s->screening->create != NULL)
    TH_TRY(s->screening->create(s, err));
  if (s->done) /* the zero model is the solution */
    th_stochastic_learnt(s, TH_KNOWN_PASS);
  else
    th_stochastic_changed(s, TH_CHANGE_PROBLEM);
  if (!s->done) /* nothing is known yet */
    s->full.pass =
        (struct th_pass){.objective = NAN, .gap = NAN, .dual_norm = NAN};
done:
  return rc;
}

th_status th_stochastic_resume(struct th_stochastic **made,
                               struct th_context *context,
                               const struct th_update *update,
                               const struct th_screening *screening,
                               const struct th_warm *warm, struct th_error *err)
{
  struct th_stochastic *s = NULL;
  th_status rc = TH_NEW(&s, 1, "the solver", err);
  TH_TRY(th_agree(context->comm, rc, err));
  s->context = context;
  s->update = update;
  s->screening = screening;
  s->confidence = 1;
  s->n = th_source_shape(context->source)->training;
  s->control.smoothness = th_loss_L(context->loss);
  s->goal.last = context->config->path <= (warm != NULL ? warm->point + 1 : 1);
  TH_TRY(set_up(s, warm, err));
  *made = s;
  s = NULL;
done:
  th_stochastic_free(s);
  return rc;
}

th_status th_stochastic_create(struct th_stochastic **made,
                               struct th_context *context,
                               const struct th_update *update,
                               const struct th_screening *screening,
                               struct th_error *err)
{
  return th_stochastic_resume(made, context, update, screening, NULL, err);
}

void th_stochastic_free(void *state)
{
  struct th_stochastic *s = state;
  if (s == NULL)
    return;
  if (s->update_state != NULL && s->update->free != NULL)
    s->update->free(s);
  free(s->update_state);
  free(s->screening_state);
  th_active_free(&s->active);
  th_grouping_free(&s->grouping);
  th_row_caches_free(&s->caches);
  th_example_order_free(&s->order);
  th_stochastic_batch_free(&s->minibatch);
  th_support_free(&s->support);
  th_certificate_free(&s->certificate);
  if (s->goal.problem != NULL)
    th_problem_free(s->goal.problem);
  free(s->goal.problem);
  th_stochastic_places_free(&s->places);
  th_stochastic_pass_free(&s->full);
  TH_FREE(s->target, s->eta, s);
}
