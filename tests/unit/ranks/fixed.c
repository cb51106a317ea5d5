/* fixed.c - fixed-point sums: any order, any split, the same bits
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "ranks/fixed.h"

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

/* Terms of every size, ties and both zeros among them. */
static double wild_term(uint64_t i)
{
  double t = term(i, 1);
  if (i % 5 == 0)
    return rint(t * 100) / 2; /* halves: rounded to even */
  if (i % 5 == 1)
    return ((double)(i % 3) - 1) * (0x1p31 + 0.5 * (double)(i % 4));
  return ldexp(t, (int)(i * 7 % 132) - 70);
}

/* th_fixed_add is th_fixed_from, term by term. */
static void test_add(void)
{
  enum { COUNT = 3001 };
  static double x[COUNT];
  static int64_t sums[COUNT];
  const struct th_fixed plain = {1, 1};
  struct th_fixed scaled;
  CHECK(th_fixed_init(&scaled, 0x1p62));
  for (int64_t i = 0; i < COUNT; i++)
    x[i] = wild_term((uint64_t)i);
  for (int64_t count = 0; count < COUNT; count += 1 + count / 3)
    for (int k = 0; k < 4; k++) {
      const struct th_fixed *fixed = k < 2 ? &plain : &scaled;
      double factor = k % 2 ? -0.75 : 1;
      int64_t wrong = 0;
      for (int64_t i = 0; i < COUNT; i++)
        sums[i] = i;
      CHECK(th_fixed_add(fixed, factor, x, count, sums));
      for (int64_t i = 0; i < COUNT; i++)
        wrong += sums[i] !=
                 i + (i < count ? th_fixed_from(fixed, factor * x[i]) : 0);
      CHECK(wrong == 0);
    }
}

static void test_add_bad(void)
{
  static const double bad[] = {NAN,      INFINITY,  -INFINITY,
                               0x1.1p61, -0x1.1p61, 1e300};
  const struct th_fixed plain = {1, 1};
  double x[37] = {0};
  int64_t sums[37] = {0};
  x[0] = 0x1p61;
  x[1] = -0x1p61;
  CHECK(th_fixed_add(&plain, 1, x, 37, sums));
  CHECK(sums[0] == (int64_t)1 << 61 && sums[1] == -sums[0]);
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    for (int at = 0; at < 37; at += 6) {
      double kept = x[at];
      x[at] = bad[k];
      CHECK(!th_fixed_add(&plain, 1, x, 37, sums));
      x[at] = kept;
    }
}

/* Many sums at once are those of each by itself, beside the constant. */
static void test_read(void)
{
  const int64_t sums[] = {0, 1, -3, INT64_C(1) << 60, -(INT64_C(1) << 40)};
  double out[5];
  struct th_fixed fixed;
  CHECK(th_fixed_init(&fixed, 3.5));
  th_fixed_read(&fixed, 0.25, sums, 5, out);
  for (int k = 0; k < 5; k++)
    CHECK(out[k] == 0.25 + th_fixed_to(&fixed, sums[k]));
}

int main(void)
{
  CASE(test_read());
  CASE(test_add());
  CASE(test_add_bad());
  CASE(test_order());
  CASE(test_scale());
  CASE(test_refused());
  return check_finish(NULL);
}
