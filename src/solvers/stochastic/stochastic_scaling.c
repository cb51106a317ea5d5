/* stochastic_scaling.c - predictions in fixed point while coefficients move
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/stochastic.h"

#include <math.h>

static const double room_to_grow = 16; /* a new scale lasts for some steps */

void th_stochastic_scaling_describe(struct th_scaling *scaling,
                                    struct th_state *state)
{
  th_state_enter(state, "scaling");
  TH_STATE_ONE(state, scaling, coef_bound);
  TH_STATE_ONE(state, scaling, anchor_coef_bound);
  TH_STATE_ONE(state, scaling, step_bound);
  TH_STATE_ONE(state, scaling, scaled_for);
  TH_STATE_ONE(state, &scaling->fixed, scale);
  TH_STATE_ONE(state, &scaling->fixed, inverse);
  th_state_leave(state);
}

void th_stochastic_scaling_restart(struct th_scaling *scaling,
                                   double coef_bound)
{
  scaling->coef_bound = coef_bound;
  scaling->scaled_for = 0;
}

void th_stochastic_scaling_grow(struct th_scaling *scaling, double length)
{
  scaling->coef_bound += length * scaling->step_bound;
}

th_status th_stochastic_scale(struct th_stochastic *s, struct th_error *err)
{
  double coef_bound = fmax(s->scaling.coef_bound, s->scaling.anchor_coef_bound);
  if (coef_bound <= s->scaling.scaled_for)
    return TH_OK;
  s->scaling.scaled_for = room_to_grow * coef_bound;
  if (!th_fixed_init(&s->scaling.fixed, s->scaling.scaled_for))
    return th_fail(err, TH_ENUMERIC,
                   "the coefficients have become infinite; standardize, or "
                   "take a smaller step size");
  return TH_OK;
}

th_status th_stochastic_bound(struct th_stochastic *s, const double *v,
                              double *bound, struct th_error *err)
{
  double *work = s->places.group_second;
  for (int64_t p = 0; p < s->active.count; p++)
    work[p] = fabs(v[p]) * s->active.bound[p];
  return th_stochastic_total(s, work, bound, err);
}

th_status th_stochastic_coef_bound(struct th_stochastic *s,
                                   struct th_error *err)
{
  double coef_bound = 0;
  th_status rc =
      th_stochastic_bound(s, th_stochastic_coef(s), &coef_bound, err);
  if (rc == TH_OK)
    th_stochastic_scaling_restart(&s->scaling, coef_bound * TH_FIXED_SLACK);
  return rc;
}
