/* strict.h - selects the strict support anew on a list, and fits it
 *
 * This is what solver `sift` would find in a list of columns without some of
 * the rows. Attributes enter in batches if their scores are above sqrt(2 log
 * d), and leave by their t statistics. Folds of rows need it, because their
 * supports must not have seen these rows. Columns and results are replicated,
 * since sums run in a fixed order. All functions are local.
 *
 * Throughout: target (a number, or a label of -1, +1) and weight (>= 0; 0
 * leaves a row out) of each of `rows` rows, finite; neither their units nor
 * those of the columns matter. column: `count` of them, borrowed, as
 * math/kernels/column.h has them.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STRICT_H
#define TH_STRICT_H

#include "base/error.h"
#include "math/kernels/column.h"
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

/* The support, by squared loss also of labels, with n rows
 * (solvers/access/standard.h) and d = attributes, of all the data, that the
 * list was taken from:
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
 * receives *size places, ascending. */
th_status th_strict_select(const struct th_strict_data *data, bool all,
                           int64_t *chosen, int64_t *size,
                           struct th_error *err);

/* What other rows have said about the columns, less `centre` each, and about
 * the constant, which comes last if there is one. It is a precision (order x
 * order) and moment = precision times (coef, constant), both divided by their
 * variance. */
struct th_strict_known {
  double *precision;
  double *moment;
  double *centre; /* count */
  double *coef;   /* count */
  double constant;
  double variance; /* of the target less these predictions */
};

void th_strict_known_free(struct th_strict_known *known);

/* Select the columns that stand out on the rows and on what is known, together,
 * and fit them by weighted least squares: coef[*size] of the chosen columns and
 * *constant, as in th_strict_fit. */
th_status th_strict_join(const struct th_strict_known *known,
                         const struct th_strict_data *data, int64_t *chosen,
                         int64_t *size, double *coef, double *constant,
                         struct th_error *err);

/* Fit all columns of the data, with a constant if data->intercept is set (else
 * *constant is 0). coef is for the columns as given: predictions are *constant
 * + sum over k of coef_k x_ik. attributes and largest are not used.
 *
 * known: NULL, or for labels what other rows have said about the same columns.
 * Its precision is that of the loss, not divided by a variance. Its coef,
 * constant and variance are not used.
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
 * not gain is halved. If all labels are of one class, the constant is the log
 * odds with half a row of the other class, and the coefficients are 0. Without
 * a constant, the steps are made. */
th_status th_strict_fit(const struct th_strict_known *known,
                        const struct th_strict_data *data,
                        const struct th_loss *loss, double *coef,
                        double *constant, struct th_error *err);

/* out[i] = constant + sum over k of coef_k x_ik, for all rows. */
void th_strict_predict(int64_t rows, int64_t count,
                       const struct th_vector *column, const double *coef,
                       double constant, double *out);

#endif
