/* newton.h - fits on a fixed support for a loss with curvature
 *
 * On the rows of one batch on which the support has been observed. All
 * functions are collective.
 * SPDX-License-Identifier: MIT */
#ifndef TH_NEWTON_H
#define TH_NEWTON_H

#include "solvers/access/batch.h"

/* Minimise the sum over the rows of w f(prediction, y) + 10^-3 / 2 sum over k
 * of (coef_k spread_k)^2. The spread is weighted by the curvatures at the
 * start. Separable labels need this ridge. There are at most 30 Newton steps.
 * None changes a coefficient in units of 1 / spread, or the constant, by more
 * than 5. A step that does not gain is halved. Members that keep (NULL: all)
 * leaves out stay as they are. */
th_status th_newton_fit(struct th_support *support, struct th_batch *batch,
                        struct th_context *context, const bool *keep,
                        struct th_error *err);

/* Fit as th_newton_fit does, but only if that is expected to predict better
 * than the support as it is. With few rows, fits on either half of them must
 * lose less on the other half than the support does, by more than one standard
 * error of the difference. With many rows, the loss must fall by more than the
 * fit's parameters alone would make it fall, twice parameters / (2 rows)
 * (Akaike 1973). The weights of the rows end as they were. */
th_status th_newton_improve(struct th_support *support, struct th_batch *batch,
                            struct th_context *context, struct th_error *err);

#endif
