/* truncated_gradient.c - gradient steps, truncated every K of them
 *
 * Langford, Li & Zhang 2009: b = b - gamma theta x at each step; after each K
 * of them every coefficient is pulled towards 0 by the sum of K steps times the
 * gravity, and stops there. Gravity is lambda, so that the problem is that of
 * the other methods, K = 10, and the paper's bound on the coefficients that are
 * pulled is infinity. For group penalties the pull is their prox.
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "solvers/stochastic/screening.h"

#include <stdlib.h>

enum { K = 10 };

struct truncation {
  double pending; /* sum of the steps since the last truncation */
};

static th_status create(struct th_stochastic *s, struct th_error *err)
{
  struct truncation *state = NULL;
  th_status rc = TH_NEW(&state, 1, "truncated gradients", err);
  s->update_state = state;
  return th_agree(s->context->comm, rc, err);
}

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

static void release(struct th_stochastic *s)
{
  free(s->update_state);
}

const struct th_update th_truncated_gradient_update = {
    .memoryless = true,
    .create = create,
    .catch_up = th_stochastic_lazy_catch_up,
    .step = step,
    .flush = th_stochastic_lazy_flush,
    .describe = describe,
    .free = release};
