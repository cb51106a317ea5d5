/* prox_sgd.c - proximal stochastic gradient descent
 *
 * min P(b) = E f(x'b; y) + lambda Omega(b). Duchi & Singer 2009, in the form of
 * Liang & Poon 2022, section 1.2: with theta_t = f'(x_t'b_t; y_t),
 *   b_{t+1} = prox_{lambda gamma_t Omega}(b_t - gamma_t theta_t x_t).
 * A mini-batch takes the mean of theta x over its examples.
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/screening.h"

static void step(struct th_stochastic *s)
{
  th_stochastic_prox_step(s, s->control.step_size);
}

const struct th_update th_prox_sgd_update = {.memoryless = true,
                                             .catch_up =
                                                 th_stochastic_lazy_catch_up,
                                             .step = step,
                                             .flush = th_stochastic_lazy_flush};
