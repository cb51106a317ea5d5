/* quadratic_extrapolate.c - combines the last iterates of descent
 *
 * Anderson's acceleration as in celer (Massias, Gramfort & Salmon 2018).
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/quadratic_parts.h"

#include <math.h>
#include <string.h>

void th_quadratic_keep(struct th_quadratic *q, int at)
{
  int64_t variables = q->working->members + 1;
  memcpy(q->kept[0] + at * variables, q->coef,
         (size_t)variables * sizeof *q->coef);
  memcpy(q->kept[1] + at * q->states, q->state,
         (size_t)q->states * sizeof *q->state);
}

void th_quadratic_restore(struct th_quadratic *q, int at)
{
  int64_t variables = q->working->members + 1;
  memcpy(q->coef, q->kept[0] + at * variables,
         (size_t)variables * sizeof *q->coef);
  memcpy(q->state, q->kept[1] + at * q->states,
         (size_t)q->states * sizeof *q->state);
}

/* Solve a x = 1 for a small symmetric matrix, by elimination. False if it is
 * singular. */
static bool solve_ones(double a[TH_EXTRAPOLATED][TH_EXTRAPOLATED],
                       double x[TH_EXTRAPOLATED])
{
  for (int j = 0; j < TH_EXTRAPOLATED; j++)
    x[j] = 1;
  for (int j = 0; j < TH_EXTRAPOLATED; j++) {
    if (!(a[j][j] > 0))
      return false;
    for (int i = j + 1; i < TH_EXTRAPOLATED; i++) {
      double factor = a[i][j] / a[j][j];
      for (int k = j; k < TH_EXTRAPOLATED; k++)
        a[i][k] -= factor * a[j][k];
      x[i] -= factor * x[j];
    }
  }
  for (int j = TH_EXTRAPOLATED - 1; j >= 0; j--) {
    for (int k = j + 1; k < TH_EXTRAPOLATED; k++)
      x[j] -= a[j][k] * x[k];
    x[j] /= a[j][j];
  }
  return true;
}

/* Weights of the last iterates, adding up to 1, for which the combined step is
 * the shortest. */
static bool weigh(const struct th_quadratic *q, double weight[TH_EXTRAPOLATED])
{
  double a[TH_EXTRAPOLATED][TH_EXTRAPOLATED];
  int64_t variables = q->working->members + 1;
  double sum = 0;
  for (int i = 0; i < TH_EXTRAPOLATED; i++)
    for (int j = 0; j <= i; j++) {
      const double *x = q->kept[0] + i * variables;
      const double *y = q->kept[0] + j * variables;
      double product = 0;
      for (int64_t k = 0; k < variables; k++)
        product += (x[variables + k] - x[k]) * (y[variables + k] - y[k]);
      a[i][j] = a[j][i] = product;
    }
  for (int i = 0; i < TH_EXTRAPOLATED; i++)
    sum += a[i][i];
  for (int i = 0; i < TH_EXTRAPOLATED; i++)
    a[i][i] += 1e-12 * sum;
  if (!solve_ones(a, weight))
    return false;
  sum = 0;
  for (int i = 0; i < TH_EXTRAPOLATED; i++)
    sum += weight[i];
  for (int i = 0; i < TH_EXTRAPOLATED; i++)
    weight[i] /= sum;
  return isfinite(sum) && sum != 0;
}

static void combine(const double *kept, int64_t count, const double *weight,
                    double *out)
{
  memset(out, 0, (size_t)count * sizeof *out);
  for (int i = 0; i < TH_EXTRAPOLATED; i++)
    for (int64_t k = 0; k < count; k++)
      out[k] += weight[i] * kept[(i + 1) * count + k];
}

void th_quadratic_extrapolate(struct th_quadratic *q, double lambda)
{
  int64_t variables = q->working->members + 1;
  double weight[TH_EXTRAPOLATED];
  if (!weigh(q, weight))
    return;
  double now = th_quadratic_value(q, lambda, q->coef, q->state);
  /* the first iterate is not combined, so its room is free */
  double *coef = q->kept[0];
  double *state = q->kept[1];
  combine(q->kept[0], variables, weight, coef);
  combine(q->kept[1], q->states, weight, state);
  if (th_quadratic_value(q, lambda, coef, state) < now)
    th_quadratic_restore(q, 0);
}
