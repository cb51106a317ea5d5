/* oomp_fit.h - Optim: the fit of S to fresh examples
 *
 * Where a comment names no code, a status is one of TH_ENUMERIC, TH_ENOMEM, and
 * of reading TH_EARG, TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO.
 * SPDX-License-Identifier: MIT */
#ifndef TH_OOMP_FIT_H
#define TH_OOMP_FIT_H

#include "math/cholesky.h"
#include "solvers/data/gram.h"
#include "solvers/greedy/descent.h"

#include <stdbool.h>
#include <stdint.h>

struct th_oomp_fit {
  enum th_optim optim;
  const struct th_oomp_law *law; /* borrowed */
  double factor;                 /* of the steps of descent */
  int64_t rows;                  /* so far */
  struct th_gram gram;           /* least squares: of all rows so far */
  struct th_cholesky factored;
  double *room; /* work */
  int64_t capacity;
  struct th_descent descent;
};

/* Local. */
void th_oomp_fit_init(struct th_oomp_fit *fit, const struct th_config *config,
                      const struct th_oomp_law *law);

/* Rows that make the excess risk at most xi with probability 1 - delta. Least
 * squares: by the chi-squared law of the excess for residuals of this mean
 * square (Laurent & Massart 2000, lemma 1). Descent: th_descent_steps. Local.
 */
int64_t th_oomp_fit_rows(const struct th_oomp_fit *fit, int64_t members,
                         double noise, double delta, double xi);

/* Forget all rows, for another S. Collective. TH_ENOMEM. */
th_status th_oomp_fit_begin(struct th_oomp_fit *fit, struct th_context *context,
                            const struct th_support *support,
                            struct th_error *err);

/* Look at so many fresh rows of S. *more: there were so many. Collective. */
th_status th_oomp_fit_look(struct th_oomp_fit *fit, struct th_context *context,
                           struct th_batch *batch,
                           const struct th_support *support, int64_t rows,
                           bool *more, struct th_error *err);

/* Set the coefficients of S. Collective. TH_ENOMEM. */
th_status th_oomp_fit_solve(struct th_oomp_fit *fit, struct th_context *context,
                            struct th_support *support, struct th_error *err);

/* Its state. Local. */
void th_oomp_fit_describe(struct th_oomp_fit *fit, struct th_state *state);

/* Local. */
void th_oomp_fit_free(struct th_oomp_fit *fit);

#endif
