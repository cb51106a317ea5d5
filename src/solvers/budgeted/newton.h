/* newton.h - fits on a fixed support for a loss with curvature
 *
 * On the rows of one batch on which the support has been observed. All
 * functions are collective.
 * SPDX-License-Identifier: MIT */
#ifndef TH_NEWTON_H
#define TH_NEWTON_H

#include "solvers/data/batch.h"

/* The least of sum over the rows of w f(prediction, y) + 10^-3 / 2 sum over k
 * of (coef_k spread_k)^2, spread by the curvatures at the start: a ridge that
 * separable labels need. At most 30 of Newton's steps; none changes a
 * coefficient in units of 1 / spread, or the constant, by more than 5, and one
 * that does not gain is halved. Members that keep (NULL: all) leaves out stay
 * as they are. TH_ENUMERIC, TH_ENOMEM. */
th_status th_newton_fit(struct th_support *support, struct th_batch *batch,
                        struct th_context *context, const bool *keep,
                        struct th_error *err);

/* The same where such a fit is expected to predict better than the support as
 * it is, which else stays. Few rows: when fits on either half of them lose less
 * on the other half than the support does, by more than one standard error of
 * that difference. Many: when the loss
 * falls by more than the fit's parameters alone would make it fall, twice
 * parameters / (2 rows) (Akaike 1973). The weights of the rows end as they
 * were. TH_ENUMERIC, TH_ENOMEM. */
th_status th_newton_improve(struct th_support *support, struct th_batch *batch,
                            struct th_context *context, struct th_error *err);

#endif
