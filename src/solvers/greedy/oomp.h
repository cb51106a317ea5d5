/* oomp.h - what the theory of online orthogonal matching pursuit takes as given
 * SPDX-License-Identifier: MIT */
#ifndef TH_OOMP_H
#define TH_OOMP_H

#include "model/claims.h"

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

#endif
