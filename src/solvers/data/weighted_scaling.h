/* weighted_scaling.h - means and deviations under the weights of the examples
 * SPDX-License-Identifier: MIT */
#ifndef TH_WEIGHTED_SCALING_H
#define TH_WEIGHTED_SCALING_H

#include "solvers/data/context.h"

/* Whether these data and options want them: solvers with a penalty, which may
 * read everything, standardize by the weights that their loss has. Local. */
bool th_weighted_wanted(const struct th_context *context);

/* Centre, scale and bound of every attribute anew, with weighted means and
 * deviations in place of those from import; where there is an intercept, an
 * attribute that never changes while the weight is not 0 is left out. Observes
 * everything once; declares active attributes, as a solver does again after it.
 * Collective. TH_ENOMEM, and of reading TH_EARG, TH_EDATA, TH_EBUDGET,
 * TH_EFORMAT, TH_EIO. */
th_status th_weighted_scales(struct th_context *context, struct th_error *err);

#endif
