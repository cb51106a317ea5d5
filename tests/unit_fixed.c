/* unit_fixed.c - fixed-point sums: any order, any split, the same bits
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "core/fixed.h"
#include "core/random.h"

static double term(uint64_t i, double size)
{
  struct th_stream stream = {3, TH_PURPOSE_TEST};
  double u[2];
  th_random_uniform(stream, 0, i, u);
  return size * (2 * u[0] - 1);
}

/* The sum of terms in some order: stride is coprime to the count. */
static int64_t sum_terms(const struct th_fixed *fixed, uint64_t count,
                         uint64_t stride, double size)
{
  int64_t sum = 0;
  for (uint64_t i = 0; i < count; i++)
    sum += th_fixed_from(fixed, term(i * stride % count, size));
  return sum;
}

static void test_order(void)
{
  enum { COUNT = 9973 };
  static const double sizes[] = {1, 1e-200, 1e200, 3e-7, 12345.678};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    struct th_fixed fixed;
    CHECK(th_fixed_init(&fixed, sizes[k] * COUNT));
    int64_t forward = sum_terms(&fixed, COUNT, 1, sizes[k]);
    CHECK(forward == sum_terms(&fixed, COUNT, 17, sizes[k]));
    CHECK(forward == sum_terms(&fixed, COUNT, COUNT - 1, sizes[k]));
    double plain = 0;
    for (uint64_t i = 0; i < COUNT; i++)
      plain += term(i, sizes[k]) / sizes[k];
    CHECK_NEAR(th_fixed_to(&fixed, forward) / sizes[k], plain, 1e-12);
  }
}

static void test_scale(void)
{
  static const double bounds[] = {0.1, 0.5, 1, 1.5, 2, 1e-250, 1e250, 7};
  for (size_t k = 0; k < sizeof bounds / sizeof bounds[0]; k++) {
    struct th_fixed fixed;
    CHECK(th_fixed_init(&fixed, bounds[k]));
    int exponent;
    double mantissa = frexp(fixed.scale, &exponent);
    CHECK(mantissa == 0.5); /* a power of two */
    CHECK(fixed.scale * fixed.inverse == 1.0);
    CHECK(bounds[k] * fixed.scale <= 0x1p61);
    CHECK(bounds[k] * fixed.scale >= 0x1p59); /* few bits are given away */
    int64_t all = th_fixed_from(&fixed, bounds[k]);
    CHECK(all > 0 && all < (int64_t)1 << 62);
    CHECK(th_fixed_to(&fixed, all) == bounds[k]);
    CHECK(th_fixed_from(&fixed, -bounds[k]) == -all);
    CHECK(th_fixed_from(&fixed, 0.0) == 0);
    CHECK(th_fixed_from(&fixed, bounds[k] * 4.5) == TH_FIXED_BAD);
  }
}

static void test_refused(void)
{
  struct th_fixed fixed;
  CHECK(!th_fixed_init(&fixed, NAN));
  CHECK(!th_fixed_init(&fixed, INFINITY));
  CHECK(!th_fixed_init(&fixed, -INFINITY));
  CHECK(!th_fixed_init(&fixed, 1e300));
  CHECK(!th_fixed_init(&fixed, 1e-300));
  CHECK(th_fixed_init(&fixed, 0));
  CHECK(th_fixed_from(&fixed, 1) != TH_FIXED_BAD);
  CHECK(th_fixed_init(&fixed, -5));
  CHECK(th_fixed_from(&fixed, 1) != TH_FIXED_BAD);
  CHECK(th_fixed_from(&fixed, NAN) == TH_FIXED_BAD);
  CHECK(th_fixed_from(&fixed, INFINITY) == TH_FIXED_BAD);
  CHECK(th_fixed_from(&fixed, -INFINITY) == TH_FIXED_BAD);
}

int main(void)
{
  test_order();
  test_scale();
  test_refused();
  return check_finish(NULL);
}
