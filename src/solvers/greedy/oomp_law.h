/* oomp_law.h - what the theory of online orthogonal matching pursuit takes as
 * given
 * SPDX-License-Identifier: MIT */
#ifndef TH_OOMP_LAW_H
#define TH_OOMP_LAW_H

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
};

/* What options do not give comes from the statistics of the data. Collective.
 * TH_EARG, TH_EFORMAT, TH_EIO, TH_ENOMEM. */
th_status th_oomp_law_find(struct th_oomp_law *law,
                           const struct th_context *context,
                           struct th_error *err);

#endif
