/* stochastic_control.c - step sizes and counters of a stochastic method
 * SPDX-License-Identifier: MIT */
#include "base/elementary.h"
#include "base/integer.h"
#include "solvers/stochastic/stochastic.h"

#include <math.h>

/* gamma_t = 1 / (Lmax ceil(t / (n/2))^0.55): the printed 1 / (n L t^0.51) is
 * for the sum of the losses, and hardly moves on their mean. */
static const double step_decay = 0.55;

/* Lmax is computed anew, for the active attributes, when a tenth of them has
 * left. */
static const double worth_renewing = 0.9;

void th_stochastic_control_describe(struct th_step_control *control,
                                    struct th_state *state)
{
  th_state_enter(state, "control");
  TH_STATE_ONE(state, control, measured);
  TH_STATE_ONE(state, control, largest);
  TH_STATE_ONE(state, control, curvature);
  TH_STATE_ONE(state, control, heaviest);
  TH_STATE_ONE(state, control, constant);
  TH_STATE_ONE(state, control, batch_speedup);
  TH_STATE_ONE(state, control, step_size);
  TH_STATE_ONE(state, control, epoch_half);
  TH_STATE_ONE(state, control, drawn);
  TH_STATE_ONE(state, control, steps);
  TH_STATE_ONE(state, control, threshold);
  TH_STATE_ONE(state, control, flushed_at);
  TH_STATE_ONE(state, control, loss);
  th_state_leave(state);
}

double th_stochastic_first_step(const struct th_stochastic *s)
{
  double given = s->context->config->eta;
  if (given > 0)
    return given;
  double curvature = s->control.curvature + s->control.smoothness *
                                                s->control.heaviest *
                                                s->control.constant;
  return curvature > 0 ? s->control.batch_speedup / curvature : 1;
}

/* t counts examples, so that a mini-batch decays by the same number of epochs.
 */
void th_stochastic_choose_step(struct th_stochastic *s)
{
  double constant = s->update->constant;
  int64_t half = th_integer_ceil_divide(2 * (s->control.drawn + 1), s->n);
  if (half == s->control.epoch_half ||
      (constant > 0 && s->control.epoch_half > 0))
    return;
  s->control.epoch_half = half;
  s->control.step_size =
      th_stochastic_first_step(s) *
      (constant > 0 ? constant : 1 / th_pow((double)half, step_decay));
}

th_status th_stochastic_renew_steps(struct th_stochastic *s,
                                    struct th_error *err)
{
  th_status rc = TH_OK;
  if ((double)s->active.total > worth_renewing * (double)s->control.measured)
    return rc;
  TH_TRY(th_stochastic_norms(s, err));
  TH_TRY(th_stochastic_batch_speedup(s, err));
done:
  return rc;
}
