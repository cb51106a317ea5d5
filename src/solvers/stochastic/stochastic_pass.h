/* stochastic_pass.h - passes over all training examples of a stochastic method
 *
 * Steps see a few examples at a time. Outer loops, screening and certificates
 * need sums over all of them at one iterate. th_stochastic_pass forms these
 * into the engine's full (stochastic.h); th_stochastic_norms forms those that
 * step sizes need. Whether a pass is current is known by stochastic_known.h.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STOCHASTIC_PASS_H
#define TH_STOCHASTIC_PASS_H

#include "core/state.h"

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

/* Room for n examples. Local. TH_ENOMEM. */
th_status th_stochastic_pass_init(struct th_full_pass *full, int64_t n,
                                  struct th_error *err);
void th_stochastic_pass_free(struct th_full_pass *full);

/* Local. */
void th_stochastic_pass_describe(struct th_pass *pass, const char *name,
                                 struct th_state *state);

/* Fill in s->full with predictions, dual point, objective and gap at b over
 * all training examples, and the field of Z. All coefficients must be current,
 * as between outer loops. Collective. TH_ENUMERIC where values are out of
 * range, TH_ENOMEM, and of reading TH_EARG, TH_EDATA, TH_EBUDGET, TH_EFORMAT,
 * TH_EIO. */
th_status th_stochastic_pass(struct th_stochastic *s, struct th_error *err);

/* What a full pass has found becomes what is known again, and b0 what it was.
 * Local. */
void th_stochastic_pass_restore(struct th_stochastic *s,
                                const struct th_pass *pass, double intercept);

/* Compute N_j and the largest norm2(x_i)^2, with the parts of s->control and
 * s->scaling that follow from them. Collective. TH_ENUMERIC, TH_ENOMEM, and of
 * reading TH_EARG, TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO. */
th_status th_stochastic_norms(struct th_stochastic *s, struct th_error *err);

#endif
