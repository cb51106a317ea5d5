/* variance_reduced.h - variance-reduced steps, which saga and svrg share
 *
 * The gradient of example i is corrected by its last known value: n eta_i
 * (theta - table_i) x_i + mean, with mean = sum eta_i table_i x_i.
 * SPDX-License-Identifier: MIT */
#ifndef TH_VARIANCE_REDUCED_H
#define TH_VARIANCE_REDUCED_H

#include "solvers/stochastic/stochastic.h"

/* Replicated; the state of both update rules, whose only vector is the mean. */
struct th_variance_reduced {
  double *table;         /* n: the last known theta_i */
  double intercept_mean; /* sum eta_i table_i */
  double size;           /* sum eta_i |table_i| */
};

enum { TH_REDUCED_FIELDS = 1 };

/* The table and its mean from the last full pass. Collective. TH_ENOMEM. */
th_status th_variance_reduced_create(struct th_stochastic *s,
                                     struct th_error *err);
/* Make them anew, after a full pass; describe them; release them. Local. */
void th_variance_reduced_restart(struct th_stochastic *s);
void th_variance_reduced_describe(struct th_stochastic *s,
                                  struct th_state *list);
void th_variance_reduced_free(struct th_stochastic *s);

/* b = prox of g lambda Omega at b - g (corrected gradient of the mini-batch).
 * remember: put the mini-batch's theta into the table, and update its mean.
 * theta then holds the corrections. Collective. */
void th_variance_reduced_step(struct th_stochastic *s, bool remember);

/* catch_up and flush of both rules. Coefficients that the mini-batch does not
 * have move along the mean later. Local. */
void th_variance_reduced_catch_up(struct th_stochastic *s,
                                  const struct th_row *row);
void th_variance_reduced_flush(struct th_stochastic *s);

#endif
