/* elimination.c - backward elimination on normal equations
 * SPDX-License-Identifier: MIT */
#include "solvers/fits/elimination.h"

#include "base/memory.h"
#include "math/linalg.h"

#include <math.h>
#include <stdlib.h>

static const double tiny_pivot = 1e-10; /* against its diagonal */

/* Take member j out of x and of the inverse. */
static void downdate(int64_t n, int64_t j, double *inverse, double *x)
{
  double pivot = inverse[j + j * n];
  double share = x[j] / pivot;
  for (int64_t k = 0; k < n; k++)
    x[k] -= inverse[k + j * n] * share;
  for (int64_t c = 0; c < n; c++) {
    if (c == j)
      continue;
    double factor = inverse[j + c * n] / pivot;
    for (int64_t r = 0; r < n; r++)
      inverse[r + c * n] -= inverse[r + j * n] * factor;
  }
  for (int64_t k = 0; k < n; k++)
    inverse[k + j * n] = inverse[j + k * n] = 0;
  x[j] = 0;
}

/* The member that costs least to lose. With a limit: of those below it. -1:
 * none. */
static int64_t cheapest(int64_t n, const double *inverse, const double *x,
                        const bool *keep, const double *limit)
{
  int64_t found = -1;
  double least = INFINITY;
  for (int64_t k = 0; k < n; k++) {
    double cost = keep[k] ? x[k] * x[k] / inverse[k + k * n] : INFINITY;
    if (cost < least && (limit == NULL || cost < limit[k])) {
      least = cost;
      found = k;
    }
  }
  return found;
}

th_status th_elimination_backward(const struct th_elimination *given, double *x,
                                  bool *keep, struct th_error *err)
{
  const int64_t n = given->n;
  double *inverse = NULL;
  int64_t left = 0;
  th_status rc;
  TH_TRY(TH_NEW(&inverse, n * n, "backward elimination", err));
  TH_TRY(th_linalg_solve(
      &(struct th_linalg_system){n, given->a, given->b, tiny_pivot}, x, inverse,
      keep, err));
  for (int64_t k = 0; k < n; k++)
    left += keep[k];
  for (;;) {
    bool many = left > given->most;
    const double *limit = many ? NULL : given->least;
    int64_t worst = many || given->least != NULL
                        ? cheapest(n, inverse, x, keep, limit)
                        : -1;
    if (worst < 0)
      break;
    downdate(n, worst, inverse, x);
    keep[worst] = false;
    left--;
  }
done:
  free(inverse);
  return rc;
}
