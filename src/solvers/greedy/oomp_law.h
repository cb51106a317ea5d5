/* oomp_law.h - what the theory of online orthogonal matching pursuit takes as
 * given
 * SPDX-License-Identifier: MIT */
#ifndef TH_OOMP_LAW_H
#define TH_OOMP_LAW_H

#include "core/claims.h"
#include "solvers/data/context.h"

/* Saad, Blanchard & Arlot 2024, Assumptions 2 to 4: |x| <= reach and |y| <=
 * span on attributes and targets as solvers see them; the paper has span = 1.
 */
struct th_oomp_law {
  double mu;    /* irrepresentable constant of the true support, below 1 */
  double least; /* rho: eigenvalues of the covariance of the true attributes */
  double most;  /* L */
  double reach; /* M */
  double span;
  double own; /* brings any coefficient to the data's own units, or above */
  enum th_constant_from mu_from;
  enum th_constant_from least_from;
  enum th_constant_from most_from;
};

/* What options do not give is known to the generator of the data, or assumed.
 * The smallest variance is at least the smallest eigenvalue and the largest one
 * at most the largest (Cauchy), so assumed ones err on the unsafe side. What is
 * given is contradicted where the generator knows a worse one. Collective.
 * TH_EARG, TH_EFORMAT, TH_EIO, TH_ENOMEM. */
th_status th_oomp_law_find(struct th_oomp_law *law,
                           const struct th_context *context,
                           struct th_error *err);

/* Whether the constants hold on which the bound on what remains rests; the
 * guarantee rests on mu alone, and with descent on rho. Local. */
bool th_oomp_law_bounds(const struct th_oomp_law *law);
bool th_oomp_law_guarantees(const struct th_oomp_law *law, bool descends);

/* An upper bound of the root mean square of the true coefficients that are
 * left out, in the data's own units, where |Z| of all attributes is at most
 * `most` (Lemma J.1). Local. */
double th_oomp_law_remaining(const struct th_oomp_law *law, double most);

#endif
