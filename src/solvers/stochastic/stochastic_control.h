/* stochastic_control.h - how long steps are, and how many there have been
 * SPDX-License-Identifier: MIT */
#ifndef TH_STOCHASTIC_CONTROL_H
#define TH_STOCHASTIC_CONTROL_H

#include "core/state.h"

struct th_stochastic;

/* Replicated. */
struct th_step_control {
  int64_t measured;     /* active attributes that the next three are for */
  double smoothness;    /* L of the loss f */
  double largest;       /* max_i norm2(x_i)^2 */
  double curvature;     /* L max_i weight_i norm2(x_i)^2 */
  double heaviest;      /* max_i weight_i */
  double constant;      /* square of what b0 is multiplied with
                           (stochastic_speedup.c) */
  double batch_speedup; /* how much longer steps of a mini-batch may be */
  double step_size;     /* of the present sample */
  int64_t epoch_half;   /* the half epoch that step_size was made for */
  int64_t drawn;        /* examples used by steps so far */
  int64_t steps;        /* mini-batches so far */
  double threshold;     /* of all coefficients since the last flush: lazily */
  int64_t flushed_at;   /* the number of steps then */
  double loss;          /* mean over the samples of the last outer loop */
};

/* Its state. Local. */
void th_stochastic_control_describe(struct th_step_control *control,
                                    struct th_state *state);

/* The first step size: --eta, else 1 / Lmax, longer for mini-batches; Lmax = L
 * max_i weight_i (norm2(x_i)^2 + constant). Local. */
double th_stochastic_first_step(const struct th_stochastic *s);

/* The step size of the next sample. Local. */
void th_stochastic_choose_step(struct th_stochastic *s);

/* What is left of an example is shorter than the whole: steps may be longer.
 * Collective. TH_ENUMERIC; of reading: TH_EBUDGET, TH_EDATA, TH_EFORMAT,
 * TH_EIO. */
th_status th_stochastic_renew_steps(struct th_stochastic *s,
                                    struct th_error *err);

/* How much longer the steps of mini-batches may be than those of single
 * examples: max norm2(x)^2 over the largest eigenvalue of X_b'X_b / b, at least
 * 1; and what b0 is multiplied with, the constant. Follows th_stochastic_norms.
 * Collective (stochastic_speedup.c). TH_ENUMERIC, TH_ENOMEM; of reading as
 * above.
 */
th_status th_stochastic_batch_speedup(struct th_stochastic *s,
                                      struct th_error *err);

#endif
