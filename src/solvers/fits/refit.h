/* refit.h - exact fits on a fixed support: least squares, Newton
 *
 * Solved on rank 0 and broadcast. All functions are collective.
 * SPDX-License-Identifier: MIT */
#ifndef TH_REFIT_H
#define TH_REFIT_H

#include "solvers/access/batch.h"
#include "solvers/access/gram.h"
#include "solvers/access/kept_rows.h"

/* Fit by a loss with curvature, on the rows of a batch on which the support has
 * been observed: minimise the sum over the rows of w f(prediction, y) + 10^-3 /
 * 2 sum over k of (coef_k spread_k)^2. The spread is weighted by the curvatures
 * at the start. Separable labels need this ridge. There are at most 30 Newton
 * steps. None changes a coefficient in units of 1 / spread, or the constant, by
 * more than 5. A step that does not gain is halved. Members that keep (NULL:
 * all) leaves out stay as they are. */
th_status th_refit_newton(struct th_support *support, struct th_batch *batch,
                          struct th_context *context, const bool *keep,
                          struct th_error *err);

/* Set the coefficients on S, and the intercept if there is one, to those that
 * minimise the squared error over the rows of the Gram matrix. Collinear
 * members and those that keep (NULL: all) leaves out get 0. Collective. */
th_status th_refit_squares(struct th_support *support,
                           struct th_context *context,
                           const struct th_gram *gram, const bool *keep,
                           struct th_error *err);

/* Fit all members over the rows of the Gram matrix with a small ridge, unless
 * --refit asks for least squares: rows that tell little about members, because
 * these are rare or nearly collinear, would give them large coefficients. There
 * are at least |S| + 2 rows. Collective. */
th_status th_refit_shrunk(struct th_support *support,
                          struct th_context *context,
                          const struct th_gram *gram, struct th_error *err);

/* Draw rows for Exploitation, observe only S of them, and add them to the Gram
 * matrix. Stops when rows run out. */
th_status th_refit_spend(struct th_gram *gram, struct th_batch *batch,
                         struct th_context *context,
                         const struct th_support *support, int64_t rows,
                         struct th_error *err);

/* Draw at most th_schedule_refit_rows of `rows` rows and observe S on them.
 * *complete: that many rows were left. Collective. */
th_status th_refit_draw(struct th_batch *batch, struct th_context *context,
                        const struct th_support *support, int64_t rows,
                        bool *complete, struct th_error *err);

/* What the end of a run works with. All of it borrowed. */
struct th_refit_state {
  struct th_support *support;
  struct th_batch *batch;
  struct th_gram *gram;      /* squared loss: rows seen since S last changed */
  struct th_kept_rows *kept; /* labels: the same */
};

/* The last fit of a run. Spend the rows that are left on S, and fit by the
 * configured loss on the rows seen since S last changed: least squares or
 * Newton steps. The coefficients stay as they are when refitting is off or the
 * rows are too few; by the automatic rule also when a fit is not expected to
 * predict better. Rows already in the Gram matrix do not count if a whole pass
 * is left. */
th_status th_refit_end(struct th_refit_state *state, struct th_context *context,
                       struct th_error *err);

/* Rows that the end of a run may spend: all that are left. If data are read
 * more than once, at most one pass. Local. */
int64_t th_refit_rows(const struct th_context *context);

#endif
