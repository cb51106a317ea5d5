/* variance_reduced.c - steps of reduced variance: what saga and svrg share
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/variance_reduced.h"

#include "core/memory.h"
#include "math/lazy_prox.h"

#include <math.h>
#include <stdlib.h>

static double *mean_of(const struct th_stochastic *s)
{
  return th_stochastic_update_field(s, 0);
}

void th_variance_reduced_restart(struct th_stochastic *s)
{
  struct th_variance_reduced *state = s->update_state;
  const double *z = s->active.field[TH_FIELD_DUAL];
  state->intercept_mean = 0;
  state->size = 0;
  for (int64_t i = 0; i < s->n; i++) {
    state->table[i] = s->full.theta[i];
    state->intercept_mean += s->eta[i] * s->full.theta[i];
    state->size += s->eta[i] * fabs(s->full.theta[i]);
  }
  for (int64_t p = 0; p < s->active.count; p++)
    mean_of(s)[p] = -s->full.pass.lambda * z[p];
}

th_status th_variance_reduced_create(struct th_stochastic *s,
                                     struct th_error *err)
{
  struct th_variance_reduced *state = s->update_state;
  th_status rc =
      TH_NEW(&state->table, s->n, "the gradients of all examples", err);
  rc = th_agree(s->context->comm, rc, err);
  if (rc == TH_OK)
    th_variance_reduced_restart(s);
  return rc;
}

void th_variance_reduced_describe(struct th_stochastic *s,
                                  struct th_state *list)
{
  struct th_variance_reduced *state = s->update_state;
  th_state_examples(list, "table", TH_STATE_F64, state->table, s->n);
  TH_STATE_ONE(list, state, intercept_mean);
  TH_STATE_ONE(list, state, size);
}

void th_variance_reduced_free(struct th_stochastic *s)
{
  struct th_variance_reduced *state = s->update_state;
  free(state->table);
}

/* ---- attributes that an example does not have (sparse data, l1) ---- */

/* Apply to a coefficient all steps since it was last current. */
static void catch_up(struct th_stochastic *s, int64_t place)
{
  int64_t steps = s->control.steps - s->control.flushed_at;
  double *done = &s->active.field[TH_FIELD_LAZY][place];
  double *b = &th_stochastic_coef(s)[place];
  double g = s->control.step_size;
  *b = th_lazy_prox(*b, g * mean_of(s)[place], g * s->lambda,
                    steps - (int64_t)*done);
  *done = (double)steps;
}

void th_variance_reduced_catch_up(struct th_stochastic *s,
                                  const struct th_row *row)
{
  for (int64_t k = 0; th_stochastic_is_lazy(s) && k < row->count; k++)
    catch_up(s, row->place[k]);
}

void th_variance_reduced_flush(struct th_stochastic *s)
{
  for (int64_t p = 0; th_stochastic_is_lazy(s) && p < s->active.count; p++) {
    catch_up(s, p);
    s->active.field[TH_FIELD_LAZY][p] = 0;
  }
  s->control.flushed_at = s->control.steps;
}

/* ---- a step ---- */

/* theta[r] becomes its correction, factor[r] what multiplies x_r for it.
 * Replicated. */
static void correct(struct th_stochastic *s, bool remember)
{
  struct th_variance_reduced *state = s->update_state;
  struct th_minibatch *minibatch = &s->minibatch;
  double scale = (double)s->n / (double)minibatch->rows;
  for (int64_t r = 0; r < minibatch->rows; r++) {
    int64_t i = minibatch->index[r];
    double theta = minibatch->theta[r];
    minibatch->theta[r] -= state->table[i];
    minibatch->factor[r] = minibatch->theta[r] * s->eta[i] * scale;
    if (remember) {
      state->size += s->eta[i] * (fabs(theta) - fabs(state->table[i]));
      state->table[i] = theta;
    }
  }
}

/* mean += sum eta_i correction_i x_i. */
static void move_mean(struct th_stochastic *s)
{
  struct th_variance_reduced *state = s->update_state;
  const struct th_minibatch *minibatch = &s->minibatch;
  for (int64_t r = 0; r < minibatch->rows; r++) {
    double change = s->eta[minibatch->index[r]] * minibatch->theta[r];
    th_row_add(&minibatch->row[r], change, mean_of(s));
    state->intercept_mean += change;
  }
}

/* Apply the mean and the prox: to the attributes of the mini-batch alone, while
 * the others wait; or to all. */
static void step_met(struct th_stochastic *s)
{
  for (int64_t r = 0; r < s->minibatch.rows; r++)
    for (int64_t k = 0; k < s->minibatch.row[r].count; k++)
      catch_up(s, s->minibatch.row[r].place[k]);
}

static void step_all(struct th_stochastic *s)
{
  struct th_row mean = {
      .type = TH_F64, .count = s->active.count, .values = mean_of(s)};
  th_row_add(&mean, -s->control.step_size, th_stochastic_coef(s));
  th_stochastic_prox(s, s->control.step_size, th_stochastic_coef(s));
}

void th_variance_reduced_step(struct th_stochastic *s, bool remember)
{
  struct th_variance_reduced *state = s->update_state;
  double g = s->control.step_size;
  th_stochastic_scaling_grow(&s->scaling, g * state->size * TH_FIXED_SLACK);
  s->intercept -= s->control.constant * g * state->intercept_mean;
  correct(s, remember);
  th_stochastic_descend(s, g, s->minibatch.factor, th_stochastic_coef(s));
  if (th_stochastic_is_lazy(s))
    step_met(s);
  else
    step_all(s);
  if (remember)
    move_mean(s);
}
