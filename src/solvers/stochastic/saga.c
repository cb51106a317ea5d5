/* saga.c - SAGA with a prox
 *
 * Defazio, Bach & Lacoste-Julien 2014, on min sum eta_i f(x_i'b; y_i) + lambda
 * Omega(b): at each step, for an example i,
 *   b = prox_{lambda g Omega}(b - g (n eta_i (theta - theta_i) x_i + mean)),
 *   mean += eta_i (theta - theta_i) x_i,  theta_i = theta,
 * theta = f'(x_i'b; y_i), mean = sum eta_i theta_i x_i, constant step g = 1 /
 * (3 Lmax). The paper draws examples with replacement; here they come in a new
 * order in each pass. The table of theta starts from a full pass.
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/screening.h"
#include "solvers/stochastic/variance_reduced.h"

static void step(struct th_stochastic *s)
{
  th_variance_reduced_step(s, true);
}

const struct th_update th_saga_update = {
    .size = sizeof(struct th_variance_reduced),
    .fields = TH_REDUCED_FIELDS,
    .constant = 1.0 / 3,
    .create = th_variance_reduced_create,
    .catch_up = th_variance_reduced_catch_up,
    .step = step,
    .flush = th_variance_reduced_flush,
    .describe = th_variance_reduced_describe,
    .restart = th_variance_reduced_restart,
    .free = th_variance_reduced_free};
