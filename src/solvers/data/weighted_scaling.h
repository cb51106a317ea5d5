/* weighted_scaling.h - means and deviations under the weights of the examples
 * SPDX-License-Identifier: MIT */
#ifndef TH_WEIGHTED_SCALING_H
#define TH_WEIGHTED_SCALING_H

#include "solvers/data/context.h"

/* Whether these data and options need them. Solvers with a penalty, which may
 * read everything, standardize by the weights of their loss. Local. */
bool th_weighted_wanted(const struct th_context *context);

/* Compute centre, scale and bound of every attribute anew, with weighted means
 * and deviations in place of those from import. With an intercept, an
 * attribute that never changes among examples with a weight is left out.
 * Observes everything once. Declares active attributes, so the solver must
 * declare its own afterwards. Collective. TH_ENOMEM, and of reading TH_EARG,
 * TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO. */
th_status th_weighted_scales(struct th_context *context, struct th_error *err);

#endif
