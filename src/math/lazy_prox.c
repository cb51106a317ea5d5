/* lazy_prox.c - many proximal steps under a constant gradient at once
 * SPDX-License-Identifier: MIT */
#include "math/lazy_prox.h"

#include "math/kernels/rows.h"

#include <math.h>

/* v > 0: it moves by -(a + t) as long as it stays positive. */
double th_lazy_prox(double v, double a, double t, int64_t steps)
{
  while (steps > 0) {
    double sign = v < 0 ? -1 : 1; /* mirrored: v >= 0 */
    double speed = sign * a + t;
    double most = (double)steps;
    if (v == 0 && fabs(a) <= t)
      return 0;
    if (v != 0 && speed > 0)
      most = floor(sign * v / speed);
    else if (v == 0)
      most = 0;
    if (most >= (double)steps)
      return v - sign * speed * (double)steps;
    if (most > 0) {
      v -= sign * speed * most;
      steps -= (int64_t)most;
    }
    v = th_row_soft(v - a, t); /* across zero, or away from it */
    steps--;
  }
  return v;
}
