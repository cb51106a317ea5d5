/* svrg.c - SVRG with a prox
 *
 * Johnson & Zhang 2013, Xiao & Zhang 2014, on min sum eta_i f(x_i'b; y_i) +
 * lambda Omega(b). Each outer loop begins with a full pass at an anchor a:
 *   theta_i = f'(x_i'a; y_i), mean = sum eta_i theta_i x_i;
 * then at each step, for an example i and theta = f'(x_i'b; y_i),
 *   b = prox_{lambda g Omega}(b - g (n eta_i (theta - theta_i) x_i + mean)),
 * constant step g = 1 / (3 Lmax). The next anchor is the last iterate.
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/screening.h"
#include "solvers/stochastic/variance_reduced.h"

static th_status begin(struct th_stochastic *s, struct th_error *err)
{
  th_status rc = th_stochastic_pass(s, err);
  if (rc == TH_OK)
    th_variance_reduced_restart(s);
  return rc;
}

static void step(struct th_stochastic *s)
{
  th_variance_reduced_step(s, false);
}

const struct th_update th_svrg_update = {
    .size = sizeof(struct th_variance_reduced),
    .fields = TH_REDUCED_FIELDS,
    .constant = 1.0 / 3,
    .create = th_variance_reduced_create,
    .begin = begin,
    .catch_up = th_variance_reduced_catch_up,
    .step = step,
    .flush = th_variance_reduced_flush,
    .describe = th_variance_reduced_describe,
    .free = th_variance_reduced_free};
