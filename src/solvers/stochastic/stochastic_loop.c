/* stochastic_loop.c - the outer loop of stochastic methods
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/stochastic_parts.h"

#include "core/elementary.h"
#include "core/integer.h"
#include "core/memory.h"

#include <inttypes.h>
#include <math.h>

enum {
  EPOCHS_IN_LOOP = 4, /* T = 4 n examples between two screenings */
  STEPS_UNTOLD = 1024 /* between two reports to the monitor */
};

double th_stochastic_done(const struct th_stochastic *s)
{
  double epochs = (double)s->context->config->passes;
  return (double)s->control.drawn / (epochs * (double)s->n);
}

/* Local. */
static void tell_going(const struct th_stochastic *s)
{
  if (s->control.steps % STEPS_UNTOLD == 0)
    th_context_going(s->context, th_stochastic_done(s),
                     "lambda %.4g  epoch %.1f of %" PRId64 "  %" PRId64
                     " active attributes",
                     s->lambda, (double)s->control.drawn / (double)s->n,
                     s->context->config->passes, s->active.total);
}

/* One mini-batch. Collective. */
static th_status take_step(struct th_stochastic *s, bool *more,
                           struct th_error *err)
{
  th_status rc;
  th_stochastic_choose_step(s);
  TH_TRY(th_stochastic_batch_next(s, more, err));
  if (!*more)
    return TH_OK;
  if (s->screening->observe != NULL)
    s->screening->observe(s);
  s->control.drawn += s->minibatch.rows;
  s->control.steps++;
  tell_going(s);
  s->update->step(s);
  th_stochastic_batch_release(s, false);
done:
  return rc;
}

int64_t th_stochastic_block(struct th_stochastic *s)
{
  int64_t given = s->context->config->screening.every;
  if (given > 0)
    return given;
  return th_integer_ceil_divide(EPOCHS_IN_LOOP * s->n, s->minibatch.capacity);
}

/* The number of mini-batches until the next screening. */
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
  th_status rc = TH_GROW(&s->places.choice, &s->places.choice_capacity,
                         s->active.count, "the support", err);
  if (rc == TH_OK)
    rc = TH_NEW(&bytes, s->context->comm->size, "the support", err);
  TH_TRY(th_agree(s->context->comm, rc, err));
  for (int64_t p = 0; p < s->active.count; p++)
    if (th_stochastic_coef(s)[p] != 0)
      s->places.choice[mine++] = (struct th_index_value){
          s->active.attribute[p], th_stochastic_coef(s)[p]};
  TH_TRY(th_comm_gather(s->context->comm, s->places.choice,
                        mine * (int64_t)sizeof *s->places.choice, bytes,
                        (void **)&all, err));
  for (int r = 0; r < s->context->comm->size; r++)
    received += bytes[r];
  TH_TRY(th_support_assign(&s->support, s->context, all,
                           received / (int64_t)sizeof *all, err));
  th_support_drop_dust(&s->support);
  s->support.intercept = s->intercept;
done:
  TH_FREE(all, bytes);
  return rc;
}

/* Fill in the certificate with what is known now. */
static void fill_certificate(struct th_stochastic *s)
{
  struct th_certificate *c = &s->certificate;
  bool known = s->known & (TH_KNOWN_LOOKED | TH_KNOWN_PASS); /* a pass */
  c->lambda = s->lambda;
  c->objective = known ? s->full.pass.objective : NAN;
  c->gap = known ? s->full.pass.gap : NAN;
  c->dual_norm = s->full.pass.dual_norm;
  c->confidence = s->confidence;
  c->active = s->active.total;
}

/* Mini-batches, until the block or the examples are used up. Collective. */
static th_status run_block(struct th_stochastic *s, bool *used,
                           struct th_error *err)
{
  int64_t before = s->control.drawn;
  bool rows = true;
  double last = s->control.loss;
  th_status rc = TH_OK;
  s->control.loss = 0;
  s->control.flushed_at = s->control.steps;
  th_profile_begin(s->context->profile);
  for (int64_t k = block_length(s); k > 0 && rows && rc == TH_OK; k--)
    rc = take_step(s, &rows, err);
  if (s->update->flush != NULL)
    s->update->flush(s);
  th_profile_end(s->context->profile, TH_PHASE_STEPS);
  s->done = !rows;
  *used = s->control.drawn > before;
  s->control.loss =
      *used ? s->control.loss / (double)(s->control.drawn - before) : last;
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
  th_stochastic_changed(s, TH_CHANGE_LOOP);
  if (!th_stochastic_knows(s, TH_KNOWN_COEF_BOUND))
    TH_TRY(th_stochastic_coef_bound(s, err));
  th_stochastic_changed(s, TH_CHANGE_STEPS);
  if (s->update->begin != NULL)
    TH_TRY(s->update->begin(s, err));
  TH_TRY(run_block(s, more, err));
  if (!*more)
    return rc;
  if (s->screening->end != NULL)
    TH_TRY(s->screening->end(s, err));
  TH_TRY(th_stochastic_check_gap(s, err));
  TH_TRY(th_stochastic_balance(s, err));
  TH_TRY(th_stochastic_renew_steps(s, err));
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
    th_stochastic_changed(s, TH_CHANGE_END);
    TH_TRY(s->screening->finish(s, err));
  }
  if (!th_stochastic_knows(s, TH_KNOWN_PASS))
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
  return ((const struct th_stochastic *)state)->control.loss;
}

double th_stochastic_step_size(const void *state)
{
  return ((const struct th_stochastic *)state)->control.step_size;
}
