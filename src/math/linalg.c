/* linalg.c - dense symmetric problems of one rank
 * SPDX-License-Identifier: MIT */
#include "math/linalg.h"

#include "math/lanczos.h"
#include "math/tiled.h"

#include <math.h>
#include <stddef.h>

static bool all_finite(const double *values, int64_t count)
{
  for (int64_t k = 0; k < count; k++)
    if (!isfinite(values[k]))
      return false;
  return true;
}

th_status th_linalg_solve(const struct th_linalg_system *system, double *x,
                          double *inverse, bool *kept, struct th_error *err)
{
  struct th_tiled factor = {0};
  int64_t rank = 0;
  th_status rc;
  TH_TRY(th_tiled_factor(&factor, system->n, system->a, system->tolerance, kept,
                         &rank, err));
  TH_TRY(th_tiled_solve(&factor, system->b, x, err));
  if (inverse != NULL)
    TH_TRY(th_tiled_invert(&factor, inverse, err));
  if (!all_finite(x, system->n))
    rc = th_fail(err, TH_ENUMERIC,
                 "least squares on %lld attributes failed; standardize, or "
                 "ask for fewer",
                 (long long)rank);
done:
  th_tiled_free(&factor);
  return rc;
}

/* Fill in the full matrix from its upper triangle. */
static void mirror(int64_t n, double *a)
{
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < j; i++)
      a[j + i * n] = a[i + j * n];
}

th_status th_linalg_largest_eigenvalue(int64_t n, double *a, double *value,
                                       struct th_error *err)
{
  mirror(n, a);
  return th_lanczos_largest(n, a, value, err);
}
