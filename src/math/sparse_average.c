/* sparse_average.c - a sparse anchor point from the average of a block's
 * iterates
 * SPDX-License-Identifier: MIT */
#include "math/sparse_average.h"

#include "core/elementary.h"

#include <math.h>

void th_sparse_average_levels(double largest, double level[TH_ANCHOR_LEVELS])
{
  const double deepest = 10; /* powers of two below the largest */
  for (int k = 0; k < TH_ANCHOR_LEVELS - 1; k++)
    level[k] = largest * th_exp2(-deepest * k / (TH_ANCHOR_LEVELS - 2));
  level[TH_ANCHOR_LEVELS - 1] = 0;
}

int th_sparse_average_level(const double level[TH_ANCHOR_LEVELS], double value)
{
  int k = 0;
  if (value == 0)
    return TH_ANCHOR_LEVELS;
  while (fabs(value) < level[k])
    k++;
  return k;
}

int th_sparse_average_best(const double objective[TH_ANCHOR_LEVELS])
{
  int best = 0;
  for (int k = 1; k < TH_ANCHOR_LEVELS; k++)
    if (objective[k] < objective[best] || isnan(objective[best]))
      best = k;
  return best;
}
