/* backward.h - backward elimination, the member first that costs least to lose
 *
 * The columns and the target have mean 0, so a constant is fitted as well. The
 * system is factored once. A member that leaves is taken out of the inverse (an
 * exact down-date), which gives the t statistics of the others. All functions
 * are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_BACKWARD_H
#define TH_BACKWARD_H

#include "math/cholesky.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: empty. Memory is reused for the next system. */
struct th_backward {
  int64_t size;    /* members at the beginning */
  int64_t left;    /* members that have not left */
  double rows;     /* n */
  double square;   /* residual sum of squares */
  bool *stays;     /* size */
  double *coef;    /* size; 0 for those that have left */
  double *inverse; /* size x size; 0 in their rows and columns */
  int64_t *weak;   /* work array */
  double *loss;    /* size: of squares, when the member leaves; work array */
  struct th_cholesky factor;
  int64_t room;
};

void th_backward_free(struct th_backward *b);

/* Begin with the sums over n rows of z z', z y and y^2: products (size x size),
 * moment and square. Members that depend on others leave at once. */
th_status th_backward_start(struct th_backward *b, int64_t size, double rows,
                            const double *products, const double *moment,
                            double square, struct th_error *err);

/* Remove members while |t| < limit for some of them: half of these at a time,
 * at least one, or one by one. t = coef / sqrt(s^2 inverse_jj) with
 * s^2 = square / max(1, n - left - 1); of equals the one with the lower number
 * leaves. */
void th_backward_prune(struct th_backward *b, double limit, bool by_halves);

/* Remove the weakest while there are more than `most`. */
void th_backward_reduce(struct th_backward *b, int64_t most);

/* --- On normal equations as they are ---------------------------------------
 */

/* Normal equations a theta = b of n members, and which of them may stay. */
struct th_backward_equations {
  int64_t n;
  double *a; /* n x n, overwritten */
  const double *b;
  int64_t most;        /* largest number of members that stay */
  const double *least; /* n: what each must cost to stay; NULL: nothing */
  const bool *fixed;   /* n: these stay, unless they depend on others, and do
                          not count; NULL: none */
};

/* Solve theta and keep the `most` members that cost most to lose. While there
 * are more, the one with the smallest cost theta_j^2 / inv(a)_jj leaves, by an
 * exact down-date. Then those leave whose cost is below their least. keep[n]
 * and x[n] receive the result. Local. */
th_status th_backward_eliminate(const struct th_backward_equations *given,
                                double *x, bool *keep, struct th_error *err);

#endif
