/* elimination.h - backward elimination on normal equations
 * SPDX-License-Identifier: MIT */
#ifndef TH_ELIMINATION_H
#define TH_ELIMINATION_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Normal equations a theta = b of n members, and which of them may stay. */
struct th_elimination {
  int64_t n;
  double *a; /* n x n, overwritten */
  const double *b;
  int64_t most;        /* largest number of members that stay */
  const double *least; /* n: what each must cost to stay; NULL: nothing */
};

/* Solve theta and keep the `most` members that cost most to lose. While there
 * are more, the one with the smallest cost theta_j^2 / inv(a)_jj leaves, by an
 * exact down-date. Then those leave whose cost is below their least. keep[n]
 * and x[n] receive the result. Local. */
th_status th_elimination_backward(const struct th_elimination *given, double *x,
                                  bool *keep, struct th_error *err);

#endif
