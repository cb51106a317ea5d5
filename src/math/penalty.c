/* penalty.c - l1, group, sparse-group and elastic-net penalties: value, prox,
 * dual norm
 * SPDX-License-Identifier: MIT */
#include "math/penalty.h"

#include "base/elementary.h"
#include "base/search.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* --- How far a mean of few examples may be from what it estimates --------- */

double th_penalty_confidence_share(double delta, int64_t check)
{
  return delta / ((double)check * ((double)check + 1));
}

double th_penalty_confidence_bernstein(double variance, double bound,
                                       int64_t samples, int64_t entries,
                                       double delta)
{
  if (samples < 2)
    return INFINITY;
  /* both sides of every entry, and Theorem 4's own log(2 / delta) */
  double risk = th_log(4 * (double)entries / delta);
  return sqrt(2 * variance * risk / (double)samples) +
         14 * bound * risk / (3 * ((double)samples - 1));
}

/* --- The norm of a group: value, prox, dual norm -------------------------- */

static double norm1(const double *v, int64_t count)
{
  double sum = 0;
  for (int64_t k = 0; k < count; k++)
    sum += fabs(v[k]);
  return sum;
}

/* Return the largest magnitude, or NaN if a value is NaN. */
static double largest_magnitude(const double *v, int64_t count)
{
  double most = 0;
  for (int64_t k = 0; k < count; k++)
    if (!(fabs(v[k]) <= most))
      most = isnan(most) ? most : fabs(v[k]);
  return most;
}

/* Return norm2 of values whose squares may be out of range. */
static double norm2_scaled(const double *v, int64_t count)
{
  double most = largest_magnitude(v, count);
  double sum = 0;
  if (!(most > 0) || isinf(most))
    return most;
  for (int64_t k = 0; k < count; k++)
    sum += (v[k] / most) * (v[k] / most);
  return most * sqrt(sum);
}

static double norm2(const double *v, int64_t count)
{
  double sum = 0;
  if (count == 1)
    return fabs(v[0]);
  for (int64_t k = 0; k < count; k++)
    sum += v[k] * v[k];
  return sum > 1e-200 && sum < 1e200 ? sqrt(sum) : norm2_scaled(v, count);
}

double th_penalty_norm_value(struct th_group_norm norm, const double *v,
                             int64_t count)
{
  double one = norm.a > 0 ? norm.a * norm1(v, count) : 0;
  double two = norm.c > 0 ? norm.c * norm2(v, count) : 0;
  return one + two;
}

/* Without branches: four times faster on values of mixed signs. */
static void soft_threshold_all(double t, double *v, int64_t count)
{
  for (int64_t k = 0; k < count; k++) {
    double cut = v[k] < t ? v[k] : t;
    v[k] -= cut > -t ? cut : -t;
  }
}

static void shrink_norm2(double t, double *v, int64_t count)
{
  double size = norm2(v, count);
  double factor = size > t ? 1 - t / size : 0;
  for (int64_t k = 0; k < count; k++)
    v[k] *= factor;
}

void th_penalty_norm_prox(struct th_group_norm norm, double t, double *v,
                          int64_t count)
{
  if (norm.a > 0)
    soft_threshold_all(t * norm.a, v, count);
  if (norm.c > 0)
    shrink_norm2(t * norm.c, v, count);
  for (int64_t k = 0; norm.bounded && k < count; k++)
    v[k] = th_penalty_norm_clip(norm, v[k]);
}

void th_penalty_norm_descend(struct th_group_norm norm, double t, double *v,
                             int64_t count)
{
  double size = norm.c > 0 ? norm2(v, count) : 0;
  double share = size > 0 ? t * norm.c / size : 0;
  for (int64_t k = 0; k < count; k++)
    v[k] -= t * norm.a * ((v[k] > 0) - (v[k] < 0)) + share * v[k];
}

static int descending(const void *a, const void *b)
{
  double left = *(const double *)a;
  double right = *(const double *)b;
  return (left < right) - (left > right);
}

/* The root nu of sum (s_i - a nu)_+^2 = (c nu)^2, where s descends from 1. The
 * left side less the right one decreases in nu, so that entry s_k is kept, with
 * s_k > a nu, while it is negative at nu = s_k / a. With k kept entries of mean
 * m and sum of squared deviations M: S1 = k m, S2 = M + k m^2, and
 *   nu = S2 / (a S1 + sqrt(c^2 S2 - a^2 k M)).
 * Deviations in place of a^2 S1^2 - (k a^2 - c^2) S2 keep what cancels there
 * when c is small. */
static double root(struct th_group_norm norm, const double *s, int64_t count)
{
  double mean = 0;
  double spread = 0; /* M */
  double c = norm.c;
  double a = norm.a;
  int64_t k = 0;
  for (; k < count && s[k] > 0; k++) {
    double below = mean - s[k];
    double left = spread + (double)k * below * below;
    if (k > 0 && !(a * a * left < c * c * s[k] * s[k]))
      break;
    spread += below * below * (double)k / (double)(k + 1);
    mean -= below / (double)(k + 1);
  }
  double kept = (double)k;
  double squares = spread + kept * mean * mean;
  double inside = c * c * squares - a * a * kept * spread;
  return squares / (a * kept * mean + sqrt(fmax(0, inside)));
}

/* a and c are scaled too, so that their squares stay in range. */
static double dual_of_both(struct th_group_norm norm, const double *z,
                           int64_t count, double *work)
{
  double most = largest_magnitude(z, count);
  double unit = norm.a + norm.c;
  struct th_group_norm scaled = {.a = norm.a / unit, .c = norm.c / unit};
  if (!(most > 0) || isinf(most))
    return most;
  for (int64_t k = 0; k < count; k++)
    work[k] = fabs(z[k]) / most;
  qsort(work, (size_t)count, sizeof *work, descending);
  return most / unit * root(scaled, work, count);
}

double th_penalty_norm_dual(struct th_group_norm norm, const double *z,
                            int64_t count, double *work)
{
  if (norm.a == 0 && norm.c == 0)
    return 0;
  if (norm.bounded)
    return th_penalty_norm_dual_at(norm, 0, z[0]);
  if (norm.c == 0)
    return largest_magnitude(z, count) / norm.a;
  if (norm.a == 0)
    return norm2(z, count) / norm.c;
  if (count == 1)
    return fabs(z[0]) / (norm.a + norm.c);
  return dual_of_both(norm, z, count, work);
}

double th_penalty_norm_least(struct th_group_norm norm)
{
  return norm.a + norm.c;
}

/* --- Bounds of single values ---------------------------------------------- */

double th_penalty_norm_dual_at(struct th_group_norm norm, double v, double z)
{
  double least = th_penalty_norm_least(norm);
  if (!(least > 0))
    return 0;
  if (!norm.bounded || !isfinite(z))
    return fabs(z) / least;
  double above = v < norm.upper ? z : 0;
  double below = v > norm.lower ? -z : 0;
  return fmax(fmax(above, below), 0) / least;
}

double th_penalty_norm_beyond(struct th_group_norm norm, double v, double z,
                              double lambda)
{
  double most = lambda * th_penalty_norm_least(norm);
  if (!norm.bounded || v == 0)
    return 0;
  if (v >= norm.upper)
    return norm.upper * fmax(lambda * z - most, 0);
  if (v <= norm.lower)
    return -norm.lower * fmax(-lambda * z - most, 0);
  return 0;
}

double th_penalty_norm_clip(struct th_group_norm norm, double v)
{
  return norm.bounded ? fmin(fmax(v, norm.lower), norm.upper) : v;
}

bool th_penalty_norm_free(struct th_group_norm norm, double v)
{
  return v != 0 && !(norm.bounded && (v <= norm.lower || v >= norm.upper));
}

static struct th_group_norm l1_norm(double weight, int64_t size, double mix)
{
  (void)size;
  (void)mix;
  double of_each = weight > 0 ? weight : 1;
  return (struct th_group_norm){.a = of_each, .q = of_each};
}

static struct th_group_norm elastic_net_norm(double weight, int64_t size,
                                             double mix)
{
  struct th_group_norm norm = l1_norm(weight, size, 1);
  norm.a *= mix;
  return norm;
}

static double elastic_net_ridge(double mix)
{
  return 1 - mix;
}

static struct th_group_norm sparse_group_norm(double weight, int64_t size,
                                              double mix)
{
  double of_group = weight > 0 ? weight : sqrt((double)size);
  return (struct th_group_norm){.a = mix, .c = (1 - mix) * of_group};
}

static struct th_group_norm group_norm(double weight, int64_t size, double mix)
{
  (void)mix;
  return sparse_group_norm(weight, size, 0);
}

static const struct th_penalty penalties[] = {
    {.name = "l1",
     .summary = "sum of w_j |b_j|; w_j: the weight of the attribute's group, "
                "or 1",
     .norm = l1_norm},
    {.name = "group",
     .summary = "sum over groups of w norm2(b_g); w: its weight, or sqrt(size)",
     .grouped = true,
     .norm = group_norm},
    {.name = "sparse-group",
     .summary = "sum over groups of mix norm1(b_g) + (1 - mix) w norm2(b_g)",
     .grouped = true,
     .mixes = true,
     .norm = sparse_group_norm},
    {.name = "elastic-net",
     .summary = "sum of w_j (mix |b_j| + (1 - mix)/2 b_j^2); w_j as for l1",
     .mixes = true,
     .norm = elastic_net_norm,
     .ridge = elastic_net_ridge},
    {.name = NULL},
};

const struct th_penalty *th_penalty_table(void)
{
  return penalties;
}

const struct th_penalty *th_penalty_find(const char *name)
{
  int64_t k = TH_SEARCH_NAME(penalties, name);
  return k < 0 ? NULL : &penalties[k];
}
