/* stochastic_scaling.c - predictions in fixed point while coefficients move
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/stochastic.h"

#include <math.h>

static const double room_to_grow = 16; /* a new scale lasts for some steps */
static const double slack = 1.000001;  /* of bounds: sums are rounded */

void th_stochastic_scaling_describe(struct th_scaling *scaling,
                                    struct th_state *state)
{
  th_state_enter(state, "scaling");
  TH_STATE_ONE(state, scaling, reach);
  TH_STATE_ONE(state, scaling, anchor_reach);
  TH_STATE_ONE(state, scaling, stride);
  TH_STATE_ONE(state, scaling, scaled_for);
  TH_STATE_ONE(state, &scaling->fixed, scale);
  TH_STATE_ONE(state, &scaling->fixed, inverse);
  th_state_leave(state);
}

void th_stochastic_scaling_restart(struct th_scaling *scaling, double reach)
{
  scaling->reach = reach;
  scaling->scaled_for = 0;
}

void th_stochastic_scaling_widen(struct th_scaling *scaling, double length)
{
  scaling->reach += length * scaling->stride;
}

th_status th_stochastic_scale(struct th_stochastic *s, struct th_error *err)
{
  double reach = fmax(s->scaling.reach, s->scaling.anchor_reach);
  if (reach <= s->scaling.scaled_for)
    return TH_OK;
  s->scaling.scaled_for = room_to_grow * reach;
  if (!th_fixed_init(&s->scaling.fixed, s->scaling.scaled_for))
    return th_fail(err, TH_ENUMERIC,
                   "the coefficients have become infinite; standardize, or "
                   "take a smaller step size");
  return TH_OK;
}

th_status th_stochastic_reach(struct th_stochastic *s, struct th_error *err)
{
  double *work = s->active.field[TH_FIELD_DUAL];
  double reach = 0;
  th_status rc;
  for (int64_t p = 0; p < s->active.count; p++)
    work[p] = fabs(th_stochastic_coef(s)[p]) * s->active.bound[p];
  TH_TRY(th_stochastic_total(s, work, &reach, err));
  th_stochastic_scaling_restart(&s->scaling, reach * slack);
done:
  return rc;
}
