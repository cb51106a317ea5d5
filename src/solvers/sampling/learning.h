/* learning.h - what the solvers of this folder learn with: coefficients in a
 * ball, steps, targets
 * SPDX-License-Identifier: MIT */
#ifndef TH_LEARNING_H
#define TH_LEARNING_H

#include "solvers/access/context.h"
#include "solvers/sampling/iterate.h"
#include "solvers/sampling/moments.h"
#include "solvers/sampling/steps.h"

struct th_learning {
  const struct th_ball *ball;
  struct th_moments moments;
  struct th_iterate w;
  struct th_steps steps;
  struct th_all_targets targets;
  double loss;               /* on the last mini-batch */
  struct th_support support; /* as it was published last */
};

/* Read targets and moments, and set w to the start in a ball of the radius that
 * is given, or that the data suggest. Collective. Release with
 * th_learning_free. */
th_status th_learning_init(struct th_learning *learning,
                           struct th_context *context, struct th_error *err);
/* Local. */
void th_learning_free(struct th_learning *learning);

/* What theory knows of a phase of so many examples: all but the draws. Local,
 * replicated. */
struct th_ball_theory th_learning_theory(const struct th_learning *learning,
                                         const struct th_context *context,
                                         int64_t examples);

/* Begin a phase: sizes of steps, and a new average. Local. */
void th_learning_begin(struct th_learning *learning,
                       const struct th_context *context,
                       const struct th_ball_theory *theory);

/* Is w = 0 the only point of the ball, since targets or attributes do not
 * change? Local, replicated. */
bool th_learning_is_over(const struct th_learning *learning);

/* An error if w or the loss of the last mini-batch is no number any more.
 * Local, replicated. */
th_status th_learning_check(const struct th_learning *learning,
                            struct th_error *err);

/* Bring the support up to date. Collective. */
th_status th_learning_publish(struct th_learning *learning,
                              struct th_context *context, struct th_error *err);

/* Its state; what follows from it is computed by th_iterate_derive. Local. */
void th_learning_describe(struct th_learning *learning,
                          const struct th_context *context,
                          struct th_state *state);

#endif
