/* family_chain.c - uniform attributes in a renewal chain
 *
 * Saad, Blanchard & Arlot 2024, section 6: x_j uniform on [-1/2, 1/2], the
 * noise uniform as well, and coefficients that fall linearly, beta_i = (1 - (i
 * - 1) / s) / sqrt(s), i = 1 .. s. Attributes are independent (design
 * orthogonal), or have correlation rho^|j - k| (toeplitz): x_j is x_(j-1) with
 * probability |rho|, with the sign of rho, and else drawn afresh. A cell begins
 * afresh so far before its first attribute that nobody can tell (families.h).
 * SPDX-License-Identifier: MIT */
#include "core/elementary.h"
#include "core/random.h"
#include "synthetic/families.h"

#include <math.h>
#include <string.h>

static const double half = 0.5;

/* log2 d, as in the paper. */
static int64_t count(const struct th_ground_truth *truth, int64_t attributes)
{
  int64_t size = (int64_t)floor(th_log2((double)attributes) + 0.5);
  if (truth->support_size > 0)
    return truth->support_size;
  return size > 1 ? size : 1;
}

static void plant(struct th_ground_truth *truth, int64_t attributes)
{
  const double size = (double)truth->support_size;
  (void)attributes;
  for (int64_t k = 0; k < truth->support_size; k++) {
    truth->support[k] = k;
    truth->coef[k] = (1 - (double)k / size) / sqrt(size);
  }
  if (truth->own.design == TH_FAMILY_ORTHOGONAL)
    truth->own.correlation = 0;
}

static void prepare(struct th_synthetic_law *law)
{
  law->share = 1;
  law->bound = half;
}

static void moments(const struct th_synthetic_law *law, struct th_range range,
                    struct th_statistics *of)
{
  (void)law;
  for (int64_t j = range.first; j < range.last; j++)
    of[j - range.first] = (struct th_statistics){0, 1 / sqrt(12), -half, half};
}

/* Numbers of one attribute, two neighbouring examples per draw. */
static void uniforms(const struct th_family_walk *walk, enum th_purpose purpose,
                     int64_t attribute, double *out)
{
  struct th_stream stream = {walk->law->truth->seed, purpose};
  th_random_uniforms(stream, (uint64_t)attribute, walk->first, walk->rows, out);
}

static void next(struct th_family_walk *walk, int64_t attribute)
{
  double rho = walk->law->truth->own.correlation;
  double stays[TH_FAMILY_STRIP] = {0};
  uniforms(walk, TH_PURPOSE_ATTRIBUTE, attribute, walk->fresh);
  if (rho != 0)
    uniforms(walk, TH_PURPOSE_POSITION, attribute, stays);
  for (int64_t k = 0; k < walk->rows; k++) {
    bool renews = rho == 0 || walk->innovation > 0 || stays[k] >= fabs(rho);
    double before = rho < 0 ? -walk->value[k] : walk->value[k];
    walk->value[k] = renews ? walk->fresh[k] - half : before;
  }
  walk->innovation = 0;
}

static void start(struct th_family_walk *walk, int64_t attribute)
{
  double rho = walk->law->truth->own.correlation;
  int64_t j = th_families_start(rho, attribute);
  memset(walk->value, 0, sizeof walk->value);
  walk->innovation = 1; /* the first is drawn afresh */
  for (; j < attribute; j++)
    next(walk, j);
}

/* Correlations are those of a stationary process of first order. The true
 * attributes are neighbours, and explain others by the last of them alone.
 * Eigenvalues lie within its spectrum (Grenander & Szego 1958), divided by the
 * 12 of a uniform law. */
static struct th_design design(const struct th_ground_truth *truth)
{
  double rho = fabs(truth->own.correlation);
  return (struct th_design){.mu = rho,
                            .least = (1 - rho) / (1 + rho) / 12,
                            .most = (1 + rho) / (1 - rho) / 12};
}

const struct th_family_rules th_oomp_family = {.count = count,
                                               .plant = plant,
                                               .prepare = prepare,
                                               .moments = moments,
                                               .start = start,
                                               .next = next,
                                               .design = design,
                                               .uniform_noise = true};
