/* refit.h - exact fits on a fixed support: least squares, Newton
 *
 * Solved on rank 0 and broadcast. All functions are collective.
 * SPDX-License-Identifier: MIT */
#ifndef TH_REFIT_H
#define TH_REFIT_H

#include "solvers/gram.h"

/* The coefficients on S (and the intercept, where there is one) that minimise
 * the squared error over the rows of the Gram matrix; collinear members and
 * those that keep (NULL: all) leaves out get 0. Collective. */
th_status th_refit_squares(struct th_support *support,
                           struct th_context *context,
                           const struct th_gram *gram, const bool *keep,
                           struct th_error *err);

/* Rows spent on S alone: drawn for Exploitation, observed, added to the Gram
 * matrix. Stops where rows run out. */
th_status th_refit_spend(struct th_gram *gram, struct th_batch *batch,
                         struct th_context *context,
                         const struct th_support *support, int64_t rows,
                         struct th_error *err);

/* Of `rows` rows, as many as may be kept for Newton's steps. Local. */
int64_t th_refit_most(const struct th_support *support, int64_t rows);

/* Draw at most th_refit_most of `rows` rows and observe S on them, for what
 * follows. *complete: there were so many. Collective. */
th_status th_refit_draw(struct th_batch *batch, struct th_context *context,
                        const struct th_support *support, int64_t rows,
                        bool *complete, struct th_error *err);

/* At most 12 damped Newton steps on S for a loss with curvature, on the rows of
 * the batch; members that keep (NULL: all) leaves out stay as they are.
 * Collective. */
th_status th_refit_newton(struct th_support *support, struct th_batch *batch,
                          struct th_context *context, const bool *keep,
                          struct th_error *err);

/* How the fit of a run ends: spend `rows` on S and fit by the configured loss.
 * Keeps the coefficients as they are when refitting is off, or the rows are too
 * few to do better. gram may hold rows already; they do not count when `rows`
 * are a whole pass. */
th_status th_refit_end(struct th_support *support, struct th_gram *gram,
                       struct th_batch *batch, struct th_context *context,
                       int64_t rows, struct th_error *err);

/* Rows that the end of a run may spend: what is left, at most one pass of data
 * that is read more than once. Local. */
int64_t th_refit_rows(const struct th_context *context);

#endif
