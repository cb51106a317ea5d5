/* improvement.h - what choosing attributes by their second moments can gain
 *
 * Kukliansky & Shamir 2015, equations 11 and 12: the factors by which the
 * regret bounds of attribute-efficient ridge and lasso shrink where attributes
 * are drawn by their second moments, not uniformly.
 * SPDX-License-Identifier: MIT */
#ifndef TH_IMPROVEMENT_H
#define TH_IMPROVEMENT_H

#include "core/source.h"

/* 1: all second moments are the same, there is nothing to gain; near 0: few
 * attributes have nearly all of it. NaN where every value is zero, or where
 * moments are not finite. */
struct th_improvement {
  double ridge; /* (sum sqrt(m))^2 / (d sum m), m = E x^2 of an attribute */
  double lasso; /* sum m / (d max m) */
};

/* Compute both from the store's statistics of all attributes, a few at a time
 * and in their order: the same whatever the shards. Local. TH_ENOMEM, and
 * failures of the statistics. Also TH_EARG, TH_EDATA, TH_EFORMAT, TH_EIO. */
th_status th_improvement_compute(struct th_improvement *improvement,
                                 struct th_store *store, struct th_error *err);

#endif
