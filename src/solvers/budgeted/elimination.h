/* elimination.h - backward elimination on normal equations
 * SPDX-License-Identifier: MIT */
#ifndef TH_ELIMINATION_H
#define TH_ELIMINATION_H

#include "core/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Solve theta and keep the `most` members that cost most to lose: while there
 * are more, the one with the smallest cost theta_j^2 / inv(a)_jj goes (exact
 * down-date); then those whose cost is below least[j], where least is not NULL.
 * a (n x n) and b are the normal equations; members `most` counts
 * are the first `members` of them, the rest always stays. keep and x receive
 * the result. Local. */
th_status th_elimination_backward(int64_t n, int64_t members, double *a,
                                  const double *b, int64_t most,
                                  const double *least, double *x, bool *keep,
                                  struct th_error *err);

#endif
