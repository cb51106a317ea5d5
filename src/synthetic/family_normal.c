/* family_normal.c - families with normal attributes
 *
 * murata: Murata & Suzuki 2018, section 6. x_ij independent standard normal.
 * toeplitz: AR(1) along the attributes, covariance rho^|j - k|:
 * x_j = rho x_(j-1) + sqrt(1 - rho^2) z_j. Cell c starts anew W attributes
 * before its first, where rho^W < 2^-60: cells are independent to compute, and
 * the covariance is rho^|j - k| to rounding, also across cells, since the z_j
 * are the same.
 * SPDX-License-Identifier: MIT */
#include "core/elementary.h"
#include "core/partition.h"
#include "core/random.h"
#include "synthetic/families.h"

#include <math.h>
#include <string.h>

/* Where recursions and storage types round. */
static const double outward = 1 + 0x1p-20;

/* The first K attributes, +1 for the first half, then -1. */
static void plant(struct th_ground_truth *truth, int64_t attributes)
{
  const int64_t size = truth->support_size;
  (void)attributes;
  for (int64_t k = 0; k < size; k++) {
    truth->support[k] = k;
    truth->coef[k] = k < (size + 1) / 2 ? 1.0 : -1.0;
  }
}

/* |x| <= z sqrt((1 + r) / (1 - r)) with r = |rho| and z the largest normal: the
 * recursion keeps that bound, and the first value of a walk, a normal, is
 * within it. */
static void prepare(struct th_synthetic_law *law)
{
  double r = fabs(law->truth->own.correlation);
  law->share = 1;
  law->bound = TH_LARGEST_NORMAL * sqrt((1 + r) / (1 - r)) * outward;
}

static void moments(const struct th_synthetic_law *law, struct th_range range,
                    struct th_statistics *of)
{
  for (int64_t j = range.first; j < range.last; j++)
    of[j - range.first] = (struct th_statistics){0, 1, -law->bound, law->bound};
}

/* Standard normals of one attribute, two neighbouring examples per draw. */
static void normals(const struct th_ground_truth *truth, int64_t attribute,
                    int64_t first, int64_t rows, double *out)
{
  struct th_stream stream = {truth->seed, TH_PURPOSE_ATTRIBUTE};
  th_random_normals(stream, (uint64_t)attribute, first, rows, out);
}

static void next_murata(struct th_family_walk *walk, int64_t attribute)
{
  normals(walk->law->truth, attribute, walk->first, walk->rows, walk->value);
}

const struct th_family_rules th_murata_family = {.plant = plant,
                                                 .prepare = prepare,
                                                 .moments = moments,
                                                 .next = next_murata};

/* ---- toeplitz ---- */

int64_t th_families_start(double correlation, int64_t attribute)
{
  double magnitude = fabs(correlation);
  int64_t cell = attribute / TH_CELL * TH_CELL;
  int64_t warm = 1;
  if (magnitude > 0)
    warm = (int64_t)floor(-60.0 / th_log2(magnitude)) + 1;
  return cell > warm ? cell - warm : 0;
}

static void next_toeplitz(struct th_family_walk *walk, int64_t attribute)
{
  double rho = walk->law->truth->own.correlation;
  normals(walk->law->truth, attribute, walk->first, walk->rows, walk->fresh);
  for (int64_t k = 0; k < walk->rows; k++)
    walk->value[k] = rho * walk->value[k] + walk->innovation * walk->fresh[k];
  walk->innovation = sqrt((1 - rho) * (1 + rho));
}

static void start_toeplitz(struct th_family_walk *walk, int64_t attribute)
{
  int64_t j = th_families_start(walk->law->truth->own.correlation, attribute);
  memset(walk->value, 0, sizeof walk->value);
  walk->innovation = 1; /* the first is stationary */
  for (; j < attribute; j++)
    next_toeplitz(walk, j);
}

const struct th_family_rules th_toeplitz_family = {.plant = plant,
                                                   .prepare = prepare,
                                                   .moments = moments,
                                                   .start = start_toeplitz,
                                                   .next = next_toeplitz};
