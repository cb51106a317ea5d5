/* zipf.c - how often an attribute of the sparse family is not zero
 * SPDX-License-Identifier: MIT */
#include "synthetic/zipf.h"

#include "base/elementary.h"

#include <math.h>

static const double exponent = 0.8;
static const double cap = 0.5;

/* The integral of x^-a. */
static double power_integral(double low, double high, double a)
{
  const double t = (1 - a) * th_log(high / low);
  if (fabs(t) < 1e-5) /* to the first rounded term */
    return th_pow(low, 1 - a) * th_log(high / low) * (1 + t / 2 + t * t / 6);
  return (th_pow(high, 1 - a) - th_pow(low, 1 - a)) / (1 - a);
}

/* The first terms one by one, the others by Euler and Maclaurin's formula,
 * whose next term is below 1e-16 for a up to 1 and, for larger a, below that
 * share of the sum. */
double th_zipf_power_sum(int64_t n, double a)
{
  enum { DIRECT = 64 };
  double sum = 0;
  for (int64_t k = 1; k <= n && k < DIRECT; k++)
    sum += th_pow((double)k, -a);
  if (n < DIRECT)
    return sum;
  const double low = DIRECT;
  const double high = (double)n;
  double integral = power_integral(low, high, a);
  double ends = (th_pow(high, -a) + th_pow(low, -a)) / 2;
  double slope = a * (th_pow(low, -a - 1) - th_pow(high, -a - 1)) / 12;
  double third = a * (a + 1) * (a + 2) *
                 (th_pow(low, -a - 3) - th_pow(high, -a - 3)) / 720;
  return sum + integral + ends + slope - third;
}

/* c when the first `common` attributes are at the cap. */
static double scale_behind(int64_t attributes, double density, int64_t common)
{
  double rest = density * (double)attributes - cap * (double)common;
  return rest / (th_zipf_power_sum(attributes, exponent) -
                 th_zipf_power_sum(common, exponent));
}

struct th_zipf th_zipf(int64_t attributes, double density)
{
  /* the smallest number at the cap that leaves the next one below it */
  int64_t low = 0;
  int64_t high = attributes;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    double scale = scale_behind(attributes, density, middle);
    if (scale * th_pow((double)middle + 1, -exponent) <= cap)
      high = middle;
    else
      low = middle + 1;
  }
  struct th_zipf law = {.common = low};
  if (low < attributes)
    law.scale = scale_behind(attributes, density, low);
  return law;
}

void th_zipf_probabilities(const struct th_zipf *law, int64_t first,
                           int64_t count, double *p)
{
  for (int64_t k = 0; k < count; k++)
    p[k] = (double)(first + k) + 1;
  th_pow_array(count, p, -exponent, p);
  for (int64_t k = 0; k < count; k++) {
    double each = law->scale * p[k];
    p[k] = first + k < law->common || each > cap ? cap : fmax(0.0, each);
  }
}

double th_zipf_probability(const struct th_zipf *law, int64_t attribute)
{
  if (attribute < law->common)
    return cap;
  double p = law->scale * th_pow((double)attribute + 1, -exponent);
  return fmin(cap, fmax(0.0, p));
}
