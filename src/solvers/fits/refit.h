/* refit.h - exact fits on a fixed support: least squares, Newton
 *
 * Solved on rank 0 and broadcast. All functions are collective.
 * SPDX-License-Identifier: MIT */
#ifndef TH_REFIT_H
#define TH_REFIT_H

#include "solvers/access/gram.h"
#include "solvers/access/kept_rows.h"

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

/* --- Normal equations of (x_S, 1), solved on rank 0
 *
 * The least-squares fits of refit.c and the Newton steps of newton.c end in a
 * system of normal equations. th_refit_normal_solve solves it from a Gram
 * matrix (solvers/access/gram.h) and gives every rank the solution. */

/* The equations: least squares by the Gram matrix. A ridge pulls coef +
 * solution towards 0, so that the solution can be a step from coef. */
struct th_normal {
  const struct th_gram *gram;
  bool intercept;      /* without one, the constant's equation is 1 * b = 0 */
  const double *ridge; /* on each member; NULL: none */
  const double *coef;  /* of each member; used only with a ridge */
  const bool *keep;    /* NULL: all; the others get 0 */
};

/* (*solution)[|S| + 1] receives the coefficients, then the constant; the caller
 * frees it. Collinear members get 0. Collective. */
th_status th_refit_normal_solve(const struct th_normal *equations,
                                struct th_context *context, double **solution,
                                struct th_error *err);

#endif
