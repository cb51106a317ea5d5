/* stochastic_control.h - step sizes and counters of a stochastic method
 *
 * The engine (stochastic.h) has one struct th_step_control. It measures the
 * data by th_stochastic_norms and th_stochastic_batch_speedup, once before the
 * first step and again when screening has made examples shorter
 * (th_stochastic_renew_steps). Before each mini-batch it calls
 * th_stochastic_choose_step. Update rules read step_size.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STOCHASTIC_CONTROL_H
#define TH_STOCHASTIC_CONTROL_H

#include "state/state.h"

struct th_stochastic;

/* Replicated. */
struct th_step_control {
  int64_t measured;     /* number of active attributes when the next three were
                           measured */
  double smoothness;    /* L of the loss f */
  double largest;       /* max_i norm2(x_i)^2 */
  double curvature;     /* L max_i weight_i norm2(x_i)^2 */
  double heaviest;      /* max_i weight_i */
  double constant;      /* c^2, where the intercept is b0 = c u
                           (stochastic_pass.c) */
  double batch_speedup; /* how much longer steps of a mini-batch may be */
  double step_size;     /* of the present mini-batch */
  int64_t epoch_half;   /* the half epoch that step_size was made for */
  int64_t drawn;        /* examples used by steps so far */
  int64_t steps;        /* mini-batches so far */
  double threshold; /* sum of the soft thresholds since the last flush, for lazy
                       updates */
  int64_t flushed_at; /* steps at the last flush */
  double loss;        /* mean over the mini-batches of the last outer loop */
};

/* Its state. Local. */
void th_stochastic_control_describe(struct th_step_control *control,
                                    struct th_state *state);

/* The first step size: --eta, else 1 / Lmax, longer for mini-batches; Lmax = L
 * max_i weight_i (norm2(x_i)^2 + constant). Local. */
double th_stochastic_first_step(const struct th_stochastic *s);

/* Choose the step size of the next mini-batch. Local. */
void th_stochastic_choose_step(struct th_stochastic *s);

/* After screening the active part of an example is shorter, so steps may be
 * longer: measure again if enough attributes have left. Collective. */
th_status th_stochastic_renew_steps(struct th_stochastic *s,
                                    struct th_error *err);

/* Set batch_speedup, by how much steps of mini-batches may be longer than those
 * of single examples: max norm2(x)^2 over the largest eigenvalue of X_b'X_b /
 * b, at least 1. Set constant, too. Call it after th_stochastic_norms.
 * Collective (stochastic_pass.c). */
th_status th_stochastic_batch_speedup(struct th_stochastic *s,
                                      struct th_error *err);

#endif
