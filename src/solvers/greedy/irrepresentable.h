/* irrepresentable.h - how well some attributes explain another one
 *
 * mu_S = max over j outside of S of |inv(Sigma_S) Cov(x_S, x_j)|_1 (Saad,
 * Blanchard & Arlot 2024, Assumption 2). Where S is the true support and mu_S
 * is below 1, orthogonal matching pursuit finds it, given enough examples.
 * Where it is 1 or more, it can be misled.
 * SPDX-License-Identifier: MIT */
#ifndef TH_IRREPRESENTABLE_H
#define TH_IRREPRESENTABLE_H

#include "ranks/comm.h"
#include "solvers/plan.h"

enum { TH_IRREPRESENTABLE_MOST = 4000 }; /* attributes of S */

/* What is asked for, and the answer. */
struct th_irrepresentable {
  const int64_t *support; /* S, ascending; borrowed */
  int64_t size;
  double mu;         /* 0 where S has all attributes */
  int64_t attribute; /* the one that S explains best; -1: none */
  double least;      /* eigenvalue of the covariance of S: the rho of Saad, */
  double most;       /* Blanchard & Arlot 2024, and their L */
};

/* Find mu_S, and eigenvalues, for the training examples of a store, with their
 * weights, in the units and with the centring that the plan's solver, omp,
 * works in. One pass over the data for sixteen members of S. Collective. An
 * error where members of S depend on one another, or S has more than
 * TH_IRREPRESENTABLE_MOST. */
th_status th_irrepresentable_find(struct th_irrepresentable *question,
                                  const struct th_plan *plan,
                                  struct th_store *store, struct th_comm *comm,
                                  struct th_profile *profile,
                                  struct th_error *err);

#endif
