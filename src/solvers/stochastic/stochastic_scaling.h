/* stochastic_scaling.h - predictions in fixed point while coefficients move
 *
 * coef_bound bounds sum |b_j| bound_j, and so every prediction. A gradient step
 * of length g along theta x adds at most g |theta| step_bound to it.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STOCHASTIC_SCALING_H
#define TH_STOCHASTIC_SCALING_H

#include "core/fixed.h"
#include "core/state.h"

struct th_stochastic;

/* Replicated. */
struct th_scaling {
  double coef_bound;
  double anchor_coef_bound; /* the same of the anchor */
  double step_bound;        /* norm2(bound) max_i norm2(x_i) */
  double scaled_for;        /* the bound that fixed was made for; 0: none */
  struct th_fixed fixed;
};

/* Its state. Local. */
void th_stochastic_scaling_describe(struct th_scaling *scaling,
                                    struct th_state *state);

/* Set the bound to a new value; the scale is adapted when it is needed. Local.
 */
void th_stochastic_scaling_restart(struct th_scaling *scaling,
                                   double coef_bound);

/* Let the bound grow by a gradient step; length includes |theta|. Local. */
void th_stochastic_scaling_grow(struct th_scaling *scaling, double length);

/* Adapt the scale so that it holds predictions within the present bound. Local.
 * TH_ENUMERIC. */
th_status th_stochastic_scale(struct th_stochastic *s, struct th_error *err);

/* sum |v_j| bound_j over the active places, which no prediction with such
 * coefficients exceeds but for rounding: TH_FIXED_SLACK. Collective.
 * TH_ENUMERIC. */
th_status th_stochastic_bound(struct th_stochastic *s, const double *v,
                              double *bound, struct th_error *err);

/* coef_bound = sum |b_j| bound_j. Collective. TH_ENUMERIC. */
th_status th_stochastic_coef_bound(struct th_stochastic *s,
                                   struct th_error *err);

#endif
