/* truncated_gradient.c - gradient steps, truncated every K of them
 *
 * Langford, Li & Zhang 2009: b = b - gamma theta x at each step; after each K
 * of them every coefficient is pulled towards 0 by the sum of K steps times the
 * gravity, and stops there. Gravity is lambda, so that the problem is that of
 * the other methods, K = 10, and the paper's bound on the coefficients that are
 * pulled is infinity. For group penalties the pull is their prox.
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/screening.h"

enum { K = 10 };

struct truncation {
  double pending; /* sum of the steps since the last truncation */
};

static void step(struct th_stochastic *s)
{
  struct truncation *state = s->update_state;
  th_stochastic_descend(s, s->control.step_size, s->minibatch.factor,
                        th_stochastic_coef(s));
  state->pending += s->control.step_size;
  if (s->control.steps % K != 0)
    return;
  th_stochastic_batch_prox(s, state->pending);
  state->pending = 0;
}

static void describe(struct th_stochastic *s, struct th_state *list)
{
  struct truncation *state = s->update_state;
  TH_STATE_ONE(list, state, pending);
}

const struct th_update th_truncated_gradient_update = {
    .size = sizeof(struct truncation),
    .memoryless = true,
    .catch_up = th_stochastic_lazy_catch_up,
    .step = step,
    .flush = th_stochastic_lazy_flush,
    .describe = describe};
