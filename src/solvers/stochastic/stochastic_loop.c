/* stochastic_loop.c - the outer loop of stochastic methods
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/stochastic_parts.h"

#include "core/elementary.h"
#include "core/integer.h"
#include "core/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
  EPOCHS_IN_LOOP = 4, /* T = 4 n examples between two screenings */
  STEPS_UNTOLD = 1024 /* to who watches */
};

/* gamma_t = 1 / (Lmax ceil(t / (n/2))^0.55): the printed 1 / (n L t^0.51) is
 * for the sum of the losses, and hardly moves on their mean. */
static const double step_decay = 0.55;

/* Lmax is that of the active attributes when a tenth of them has left. */
static const double worth_renewing = 0.9;

double th_stochastic_first_step(const struct th_stochastic *s)
{
  double given = s->context->config->eta;
  if (given > 0)
    return given;
  double curvature = s->curvature + s->smoothness * s->heaviest * s->constant;
  return curvature > 0 ? s->gain / curvature : 1;
}

/* t counts examples, so that a mini-batch decays by the same number of epochs.
 */
static void choose_step_size(struct th_stochastic *s)
{
  double constant = s->update->constant;
  int64_t half = th_integer_ceil_divide(2 * (s->drawn + 1), s->n);
  if (half == s->epoch_half || (constant > 0 && s->epoch_half > 0))
    return;
  s->epoch_half = half;
  s->step_size =
      th_stochastic_first_step(s) *
      (constant > 0 ? constant : 1 / th_pow((double)half, step_decay));
}

double th_stochastic_done(const struct th_stochastic *s)
{
  double epochs = (double)s->context->config->passes;
  return (double)s->drawn / (epochs * (double)s->n);
}

/* Local. */
static void tell_going(const struct th_stochastic *s)
{
  if (s->steps % STEPS_UNTOLD == 0)
    th_context_going(s->context, th_stochastic_done(s),
                     "lambda %.4g  epoch %.1f of %" PRId64 "  %" PRId64
                     " active attributes",
                     s->lambda, (double)s->drawn / (double)s->n,
                     s->context->config->passes, s->active.total);
}

/* One mini-batch. Collective. */
static th_status take_step(struct th_stochastic *s, bool *more,
                           struct th_error *err)
{
  th_status rc;
  choose_step_size(s);
  TH_TRY(th_stochastic_batch_next(s, more, err));
  if (!*more)
    return TH_OK;
  if (s->screening->observe != NULL)
    s->screening->observe(s);
  s->drawn += s->sample.rows;
  s->steps++;
  tell_going(s);
  s->update->step(s);
  th_stochastic_batch_release(s, false);
done:
  return rc;
}

int64_t th_stochastic_block(struct th_stochastic *s)
{
  int64_t given = s->context->config->screen_every;
  if (given > 0)
    return given;
  return th_integer_ceil_divide(EPOCHS_IN_LOOP * s->n, s->sample.capacity);
}

/* Mini-batches until the next screening. */
static int64_t block_length(struct th_stochastic *s)
{
  return (s->screening->block != NULL ? s->screening->block
                                      : th_stochastic_block)(s);
}

th_status th_stochastic_gather(struct th_stochastic *s, struct th_error *err)
{
  struct th_index_value *all = NULL;
  int64_t *bytes = NULL;
  int64_t mine = 0;
  int64_t received = 0;
  th_status rc = TH_GROW(&s->choice, &s->choice_capacity, s->active.count,
                         "the support", err);
  if (rc == TH_OK)
    rc = TH_NEW(&bytes, s->context->comm->size, "the support", err);
  TH_TRY(th_agree(s->context->comm, rc, err));
  for (int64_t p = 0; p < s->active.count; p++)
    if (th_stochastic_coef(s)[p] != 0)
      s->choice[mine++] = (struct th_index_value){s->active.attribute[p],
                                                  th_stochastic_coef(s)[p]};
  TH_TRY(th_comm_gather(s->context->comm, s->choice,
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
  bool known = s->looked || s->passed; /* not where nobody has made a pass */
  c->lambda = s->lambda;
  c->objective = known ? s->pass.objective : NAN;
  c->gap = known ? s->pass.gap : NAN;
  c->dual_norm = s->pass.dual_norm;
  c->confidence = s->confidence;
  c->active = s->active.total;
}

/* Mini-batches, until the block or the examples are used up. Collective. */
static th_status run_block(struct th_stochastic *s, bool *used,
                           struct th_error *err)
{
  int64_t before = s->drawn;
  bool rows = true;
  double last = s->loss;
  th_status rc = TH_OK;
  s->loss = 0;
  s->settled = s->steps;
  th_profile_begin(s->context->profile);
  for (int64_t k = block_length(s); k > 0 && rows && rc == TH_OK; k--)
    rc = take_step(s, &rows, err);
  if (s->update->settle != NULL)
    s->update->settle(s);
  th_profile_end(s->context->profile, TH_PHASE_STEPS);
  s->done = !rows;
  *used = s->drawn > before;
  s->loss = *used ? s->loss / (double)(s->drawn - before) : last;
  return rc;
}

/* What is left of an example is shorter than the whole: steps may be longer.
 * Collective. */
static th_status renew_steps(struct th_stochastic *s, struct th_error *err)
{
  th_status rc = TH_OK;
  if ((double)s->active.total > worth_renewing * (double)s->measured)
    return rc;
  TH_TRY(th_stochastic_norms(s, err));
  TH_TRY(th_stochastic_gain(s, err));
done:
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
  s->certified = false;
  s->looked = false;
  if (!s->reached)
    TH_TRY(th_stochastic_reach(s, err));
  s->reached = false;
  if (s->update->begin != NULL)
    TH_TRY(s->update->begin(s, err));
  TH_TRY(run_block(s, more, err));
  if (!*more)
    return rc;
  if (s->screening->end != NULL)
    TH_TRY(s->screening->end(s, err));
  TH_TRY(th_stochastic_check_gap(s, err));
  TH_TRY(th_stochastic_balance(s, err));
  TH_TRY(renew_steps(s, err));
  fill_certificate(s);
  TH_TRY(th_stochastic_gather(s, err));
done:
  return rc;
}

th_status th_stochastic_finish(void *state, struct th_context *context,
                               struct th_error *err)
{
  struct th_stochastic *s = state;
  th_status rc = TH_OK;
  (void)context;
  th_stochastic_batch_release(s, true);
  if (s->screening->finish != NULL) {
    s->certified = false;
    TH_TRY(s->screening->finish(s, err));
  }
  if (!s->passed)
    TH_TRY(th_stochastic_pass(s, err));
  if (th_stochastic_ends_exactly(s))
    TH_TRY(th_stochastic_end_exactly(s, err));
  fill_certificate(s);
  TH_TRY(th_stochastic_gather(s, err));
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
