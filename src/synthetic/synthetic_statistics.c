/* synthetic_statistics.c - exact moments and bounds of the synthetic families
 *
 * The families' own, not those of a sample: they cost nothing per example, and
 * no value that can ever be drawn is outside of the bounds.
 *
 * toeplitz: |x| <= z sqrt((1 + r) / (1 - r)) with r = |rho| and z the largest
 * normal: x_j = rho x_(j-1) + sqrt(1 - rho^2) z_j keeps that bound, and the
 * first value of a walk, a normal, is within it.
 * sparse: a value is k with probability p 2^-k, k >= 1, of mean 2 p and mean
 * square 6 p.
 * SPDX-License-Identifier: MIT */
#include "synthetic/synthetic.h"

#include "core/random.h"
#include "synthetic/zipf.h"

#include <math.h>

/* Where recursions and storage types round. */
static const double outward = 1 + 0x1p-20;

static struct th_statistics count_moments(double p)
{
  return (struct th_statistics){.mean = 2 * p,
                                .deviation = sqrt(p * (6 - 4 * p)),
                                .lowest = 0,
                                .highest = TH_LARGEST_COUNT};
}

void th_synthetic_statistics(const struct th_ground_truth *truth,
                             int64_t attributes, struct th_range range,
                             struct th_statistics *statistics)
{
  double r = fabs(truth->correlation);
  double reach = TH_LARGEST_NORMAL * sqrt((1 + r) / (1 - r)) * outward;
  bool sparse = th_synthetic_family_find(truth->family)->layout == TH_SPARSE;
  struct th_zipf law = {0};
  if (sparse)
    law = th_zipf(attributes, truth->density);
  for (int64_t j = range.first; j < range.last; j++)
    statistics[j - range.first] =
        sparse ? count_moments(th_zipf_probability(&law, j))
               : (struct th_statistics){0, 1, -reach, reach};
}
