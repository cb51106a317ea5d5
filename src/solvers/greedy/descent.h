/* descent.h - averaged projected stochastic gradient descent on S
 *
 * Saad, Blanchard & Arlot 2024, Algorithm 7. The columns of S on the rows of a
 * batch go to all ranks, which make the same steps.
 * SPDX-License-Identifier: MIT */
#ifndef TH_DESCENT_H
#define TH_DESCENT_H

#include "solvers/access/batch.h"
#include "solvers/access/context.h"
#include "solvers/greedy/oomp.h"

/* Replicated. */
struct th_descent {
  double *coef; /* beta_t */
  double *mean; /* its average */
  int64_t capacity;
  int64_t size;  /* members */
  int64_t steps; /* t */
};

/* Steps that make the excess risk at most xi with probability 1 - delta; factor
 * 21 is that of Corollary D.2. Local. */
double th_descent_steps(int64_t members, const struct th_oomp_law *law,
                        double factor, double delta, double xi);

/* Begin at 0. Local. */
th_status th_descent_begin(struct th_descent *descent, int64_t members,
                           struct th_error *err);

/* One step for each row of a batch whose support has been observed.
 * Collective. */
th_status th_descent_add(struct th_descent *descent, struct th_context *context,
                         const struct th_batch *batch,
                         const struct th_support *support,
                         const struct th_oomp_law *law, struct th_error *err);

/* Its state. Local. */
void th_descent_describe(struct th_descent *descent, struct th_state *state);

/* Local. */
void th_descent_free(struct th_descent *descent);

#endif
