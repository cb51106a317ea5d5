/* fold_losses.h - what the models of a path lose on examples that were held out
 *
 * Folds f are held out one after the other. With the weights w_i of their
 * examples, W_f the sum of those of fold f, and u_i the loss of an example
 * under the model of a lambda that has not seen the fold:
 *   L_f    sum over fold f of w_i u_i / W_f
 *   loss   L = sum of W_f L_f / sum of W_f
 *   se     by folds: root of sum of W_f (L_f - L)^2 / sum of W_f / (folds - 1);
 *          of a single part by its examples: root of the sum of
 *          (w_i (u_i - L))^2, by W_f
 * These are the numbers of cv.glmnet (Friedman, Hastie & Tibshirani 2010), but
 * that its single losses are those of prediction errors as they are here.
 *
 * All functions are local; sums run in a fixed order.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FOLD_LOSSES_H
#define TH_FOLD_LOSSES_H

#include "base/error.h"

#include <stdint.h>

struct th_fold_losses {
  int64_t folds;
  int64_t points; /* lambdas that there is room for */
  double *weight; /* folds: W_f */
  double *mean;   /* folds x points: L_f */
  double *square; /* folds x points: sum of (w_i (u_i - L_f))^2 */
};

th_status th_fold_losses_init(struct th_fold_losses *losses, int64_t folds,
                              int64_t points, struct th_error *err);
void th_fold_losses_free(struct th_fold_losses *losses);

/* Take the losses u of so many examples of fold f with weights w under the
 * model of lambda k. */
void th_fold_losses_take(struct th_fold_losses *losses, int64_t f, int64_t k,
                         const double *u, const double *w, int64_t count);

/* L at lambda k, and its standard error. */
double th_fold_losses_mean(const struct th_fold_losses *losses, int64_t k,
                           double *se);

/* The lambda of the least L among the first `points`; of equals the first.
 * *one_se: the first whose L is at most that and its standard error. */
int64_t th_fold_losses_best(const struct th_fold_losses *losses, int64_t points,
                            int64_t *one_se);

#endif
