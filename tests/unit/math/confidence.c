/* confidence.c - half-widths: closed forms, and that they cover
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "math/penalty.h"

#include <stddef.h>

enum { TRIALS = 400, ENTRIES = 20, SAMPLES = 60 };

static void test_closed_forms(void)
{
  double spent = 0;
  for (int64_t c = 1; c <= 100000; c++)
    spent += th_penalty_confidence_share(0.05, c);
  CHECK(spent < 0.05 && spent > 0.0499);
  CHECK_NEAR(th_penalty_confidence_bernstein(0, 3, 50, 10, 40 * exp(-6)),
             14. * 18 / 147, 1e-14);
  CHECK_NEAR(th_penalty_confidence_bernstein(2, 0, 50, 10, 40 * exp(-6)),
             sqrt(0.48), 1e-14);
  CHECK(!(th_penalty_confidence_bernstein(0, 1, 1, 10, 0.1) < INFINITY));
}

static double draw(int kind, uint64_t trial, uint64_t index)
{
  double pair[2];
  th_random_uniform((struct th_stream){5, TH_PURPOSE_TEST}, trial, index, pair);
  if (kind == 0) /* -1 or 1: the largest variance there is */
    return pair[0] < 0.5 ? -1 : 1;
  return pair[0] < 0.02 ? 1 : 0; /* rare: few samples see it */
}

/* How often all entries are within the half-width: their mean is known. */
static void test_coverage(int kind, double truth)
{
  const double delta = 0.2;
  int outside = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    bool misses = false;
    for (int e = 0; e < ENTRIES; e++) {
      double sum = 0;
      double squares = 0;
      for (int k = 0; k < SAMPLES; k++) {
        double v = draw(kind, (uint64_t)trial, (uint64_t)(e * SAMPLES + k));
        sum += v;
        squares += v * v;
      }
      double mean = sum / SAMPLES;
      double variance = (squares - mean * sum) / (SAMPLES - 1);
      misses = misses ||
               fabs(mean - truth) > th_penalty_confidence_bernstein(
                                        variance, 1, SAMPLES, ENTRIES, delta);
    }
    outside += misses;
  }
  CHECK(outside <= delta * TRIALS);
}

int main(void)
{
  CASE(test_closed_forms());
  CASE(test_coverage(0, 0));
  CASE(test_coverage(1, 0.02));
  return check_finish(NULL);
}
