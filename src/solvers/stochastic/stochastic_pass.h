/* stochastic_pass.h - passes over all training examples of a stochastic method
 *
 * Steps see a few examples at a time. Outer loops, screening and certificates
 * need sums over all of them at one iterate. th_stochastic_pass forms these
 * into the engine's full (stochastic.h); th_stochastic_norms forms those that
 * step sizes need. The engine knows whether a pass is current.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STOCHASTIC_PASS_H
#define TH_STOCHASTIC_PASS_H

#include "ranks/fixed.h"
#include "state/state.h"

struct th_stochastic;

/* What a full pass finds, on the active attributes. Replicated. */
struct th_pass {
  double lambda;    /* that Z was made for */
  double objective; /* P(b) */
  double omega;     /* Omega(b) */
  double dual;      /* D(theta / c) */
  double gap;       /* P - D, at least 0 */
  double dual_norm; /* Omega^D(Z) */
};

/* The work arrays and results of a pass. Replicated. */
struct th_full_pass {
  double *prediction; /* of the last full pass */
  double *theta;      /* its dual point, before it is scaled */
  int64_t *sums;      /* of a full pass, and a flag */
  struct th_pass pass;
};

/* Room for n examples. Local. */
th_status th_stochastic_pass_init(struct th_full_pass *full, int64_t n,
                                  struct th_error *err);

/* Local. */
void th_stochastic_pass_describe(struct th_pass *pass, const char *name,
                                 struct th_state *state);

/* Fill in s->full with predictions, dual point, objective and gap at b over all
 * training examples, and the field of Z. All coefficients must be current, as
 * between outer loops. Collective. An error where values are out of range. */
th_status th_stochastic_pass(struct th_stochastic *s, struct th_error *err);

/* What a full pass has found becomes what is known again, and b0 what it was.
 * Local. */
void th_stochastic_pass_restore(struct th_stochastic *s,
                                const struct th_pass *pass, double intercept);

/* Compute N_j and the largest norm2(x_i)^2, with the parts of s->control and
 * s->scaling that follow from them. Collective. */
th_status th_stochastic_norms(struct th_stochastic *s, struct th_error *err);

/* --- Predictions in fixed point while coefficients move
 *
 * coef_bound bounds sum |b_j| bound_j, and so every prediction. A gradient step
 * of length g along theta x adds at most g |theta| step_bound to it. */

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

/* Let the bound grow by a gradient step; length includes |theta|. Local. */
void th_stochastic_scaling_grow(struct th_scaling *scaling, double length);

/* Adapt the scale so that it holds predictions within the present bound.
 * Local. */
th_status th_stochastic_scale(struct th_stochastic *s, struct th_error *err);

/* sum |v_j| bound_j over the active places, which no prediction with such
 * coefficients exceeds but for rounding: TH_FIXED_SLACK. Collective. */
th_status th_stochastic_bound(struct th_stochastic *s, const double *v,
                              double *bound, struct th_error *err);

/* coef_bound = sum |b_j| bound_j. Collective. */
th_status th_stochastic_coef_bound(struct th_stochastic *s,
                                   struct th_error *err);

#endif
