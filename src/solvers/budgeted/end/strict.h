/* strict.h - the strict support made anew on a list, and fits on it
 *
 * This is what solver `sift` would find in a list of columns without some of
 * the rows. Attributes enter in batches if their scores are above sqrt(2 log
 * d), and leave by their t statistics. Folds of rows need it, because their
 * supports must not have seen these rows. Columns and results are replicated,
 * since sums run in a fixed order. All functions are local.
 *
 * Throughout: target (a number, or a label of -1, +1) and weight (>= 0; 0
 * leaves a row out) of each of `rows` rows, finite; neither their units nor
 * those of the columns matter. column: `count` of them, borrowed, as math/
 * column_kernels.h has them.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STRICT_H
#define TH_STRICT_H

#include "core/error.h"
#include "math/kernels/column_kernels.h"
#include "math/loss.h"

#include <stdbool.h>
#include <stdint.h>

/* The rows and columns that a support is selected on. All is borrowed. */
struct th_strict_data {
  int64_t rows;
  int64_t count;
  const struct th_vector *column; /* count */
  const double *target;
  const double *weight;
  int64_t attributes; /* d */
  int64_t largest;    /* 0: no limit */
  bool intercept;
};

/* The support, by squared loss also of labels, with n rows of weight above 0
 * and d = attributes, of all the data, that the list was taken from:
 * - columns and target of mean 0, columns of mean square 1, over the rows; no
 *   mean is taken away without `intercept`;
 * - four times at most: of the columns with |z| > sqrt(2 log d), z = x'r /
 *   sqrt(n r'r / n), the largest join, at most max(5, cap / 4) and no more than
 *   cap = max(1, min(.7 count, n / 5, 2048)) in all; least squares with a
 *   constant; while some have |t| < 2, the weakest half of these leaves;
 * - one by one, while |t| < sqrt(2 log d), the weakest leaves; and then, where
 *   largest > 0, while there are more.
 * Columns that depend on others (a rest of 1e-7 of their variance) leave; a
 * constant column never joins. From `all`: all columns are members already, of
 * which the last part keeps what stands. chosen has room for `count` and
 * receives *size places, ascending. TH_ENOMEM. */
th_status th_strict_select(const struct th_strict_data *data, bool all,
                           int64_t *chosen, int64_t *size,
                           struct th_error *err);

/* What other rows have said of all of the columns, less `centre` each, and of
 * the constant, which comes last where there is one: precision (order x order)
 * and moment = precision times (coef, constant), both over their variance. */
struct th_strict_known {
  double *precision;
  double *moment;
  double *centre; /* count */
  double *coef;   /* count */
  double constant;
  double variance; /* of what these coefficients leave of a target */
};

void th_strict_known_free(struct th_strict_known *known);

/* What stands of all columns on the rows and on that, together, and the
 * weighted least squares of it: coef[*size] of those that are chosen and
 * *constant, as th_strict_fit has them. TH_ENOMEM. */
th_status th_strict_join(const struct th_strict_known *known,
                         const struct th_strict_data *data, int64_t *chosen,
                         int64_t *size, double *coef, double *constant,
                         struct th_error *err);

/* The fit on all of the columns of the data, with a constant where they say so
 * (or *constant is 0): coef of the columns as given, predictions are *constant
 * + sum over k of coef_k x_ik. attributes and largest do not matter. Never
 * fails but for TH_ENOMEM.
 *
 * known: NULL, or, of labels, what others have said of the same columns; its
 * precision is that of the loss, not over a variance, and its coef, constant
 * and variance do not matter.
 *
 * Squared loss: weighted least squares; columns that depend on others get 0.
 *
 * Labels: the least of sum over the rows of w f(prediction, y) + 10^-3 / 2 sum
 * over k of (coef_k spread_k)^2, with weights w that add up to n and spread the
 * column's standard deviation (root mean square without a constant): a ridge of
 * 10^-3 / n for the mean loss. Without one separable labels have no least; with
 * it twins share a coefficient, and constant columns get 0. At most 30 of
 * Newton's steps, from the log odds of the classes: none changes a coefficient
 * in units of 1 / spread, or the constant, by more than 5, and one that does
 * not gain is halved. Labels of one class alone get the log odds of half a row
 * of the other, and coefficients of 0 (without a constant: the steps). */
th_status th_strict_fit(const struct th_strict_known *known,
                        const struct th_strict_data *data,
                        const struct th_loss *loss, double *coef,
                        double *constant, struct th_error *err);

/* out[i] = constant + sum over k of coef_k x_ik, of all rows. */
void th_strict_predict(int64_t rows, int64_t count,
                       const struct th_vector *column, const double *coef,
                       double constant, double *out);

#endif
