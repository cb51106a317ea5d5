/* schedule.c - step sizes and schedules by rule
 * SPDX-License-Identifier: MIT */
#include "math/schedule.h"

#include "base/elementary.h"

#include <math.h>

double th_schedule_eigenvalue(double l, double ratio)
{
  double edge = (1 + sqrt(ratio)) * (1 + sqrt(ratio));
  if (l <= 1.15 * edge)
    return 1;
  double b = l + 1 - ratio;
  return (b + sqrt(b * b - 4 * l)) / 2;
}

int64_t th_schedule_exploit_updates(int64_t blocks, double eta)
{
  double shrink = 1 - 2 * eta;
  if (blocks <= 1 || shrink <= 0)
    return 1;
  double updates = ceil(th_log((double)blocks) / (-2 * th_log(shrink)));
  return updates > 1 ? (int64_t)updates : 1;
}

int64_t th_schedule_sift_support(int64_t attributes, int64_t budget,
                                 int64_t sparsity, int64_t rows)
{
  const int64_t usual = 2048;
  int64_t most = 2 * sparsity > usual ? 2 * sparsity : usual;
  double observed =
      budget < attributes ? 0.7 * (double)budget : (double)attributes;
  double share = fmin(observed, (double)rows / 5);
  most = share < (double)most ? (int64_t)share : most;
  return most > 1 ? most : 1;
}

int64_t th_schedule_explore_rows(int64_t sparsity)
{
  return 3 * sparsity > 20 ? 3 * sparsity : 20;
}

int64_t th_schedule_refit_rows(int64_t members, int64_t rows)
{
  int64_t most = ((int64_t)1 << 25) / (members + 2);
  return rows < most ? rows : most;
}

int64_t th_schedule_grow(int64_t rows, double growth, int64_t rounds)
{
  double grown = (double)rows;
  for (int64_t k = 0; k < rounds && grown < 0x1p52; k++)
    grown *= growth;
  return (int64_t)ceil(grown);
}

double th_schedule_sift_round(double used, double members)
{
  const double least = 100;
  const double share = 0.03;
  const double each = 5;
  return fmax(least, fmax(share * used, each * members));
}

int64_t th_schedule_given(const struct th_schedule_rows *given, double growth,
                          int64_t round)
{
  int64_t last = given->count - 1;
  return round < last
             ? given->rows[round]
             : th_schedule_grow(given->rows[last], growth, round - last);
}
