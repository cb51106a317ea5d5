/* newton.h - fits on a fixed support for a loss with curvature
 *
 * On the rows of one batch on which the support has been observed. All
 * functions are collective.
 * SPDX-License-Identifier: MIT */
#ifndef TH_NEWTON_H
#define TH_NEWTON_H

#include "solvers/batch.h"

/* At most 12 damped Newton steps on S; members that keep (NULL: all) leaves out
 * stay as they are. */
th_status th_newton_fit(struct th_support *support, struct th_batch *batch,
                        struct th_context *context, const bool *keep,
                        struct th_error *err);

/* Whether such a fit predicts better than the support as it is: *pays when fits
 * on either half of the rows lose no more on the other half than the support
 * does on both. The support and the weights of the rows end as they were. */
th_status th_newton_pays(struct th_support *support, struct th_batch *batch,
                         struct th_context *context, bool *pays,
                         struct th_error *err);

#endif
