/* quantile.c - weighted quantiles beside those of sorted numbers
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "math/select.h"

#include <stddef.h>
#include <stdlib.h>

enum { COUNT = 3000 };

struct sample {
  double value[COUNT];
  double weight[COUNT];
  double low;
  double high;
  double sum;
};

/* Of each kind: all different; few values; one far out; one value. */
static struct sample make_sample(int kind)
{
  struct th_stream stream = {(uint64_t)kind, TH_PURPOSE_TEST};
  struct sample s = {.low = INFINITY, .high = -INFINITY};
  for (uint64_t i = 0; i < COUNT; i++) {
    double pair[2];
    th_random_normal(stream, 0, i, pair);
    s.value[i] = kind == 0   ? pair[0]
                 : kind == 1 ? floor(pair[0])
                 : kind == 2 ? (i == 7 ? 1e9 : pair[0])
                             : 3.7;
    s.weight[i] = i % 4 == 0 ? 0 : fabs(pair[1]);
    s.low = fmin(s.low, s.value[i]);
    s.high = fmax(s.high, s.value[i]);
    s.sum += s.weight[i];
  }
  return s;
}

static double quantile_of(const struct sample *s, double goal)
{
  struct th_select_quantile quantile;
  th_select_quantile_begin(&quantile, s->low, s->high, goal);
  do {
    th_select_quantile_add(&quantile, 1000, s->value, s->weight);
    th_select_quantile_add(&quantile, COUNT - 1000, s->value + 1000,
                           s->weight + 1000);
  } while (th_select_quantile_narrow(&quantile));
  return quantile.low;
}

/* The weight of numbers below `most`. */
static double weight_below(const struct sample *s, double most)
{
  double sum = 0;
  for (int i = 0; i < COUNT; i++)
    sum += s->value[i] < most ? s->weight[i] : 0;
  return sum;
}

/* The weight reaches the goal just above the quantile, and not just below. */
static void test_quantile(int kind, double share)
{
  static struct sample s;
  s = make_sample(kind);
  double goal = share * s.sum;
  double rounding = 1e-9 * s.sum;
  double value = quantile_of(&s, goal);
  double hair = 2e-12 * fmax(s.high - s.low, 1);
  CHECK(weight_below(&s, value + hair) >= goal - rounding);
  CHECK(weight_below(&s, value - hair) <= goal + rounding);
}

int main(void)
{
  for (int kind = 0; kind < 4; kind++) {
    CASE_OF(kind, test_quantile(kind, 0.25));
    CASE_OF(kind, test_quantile(kind, 0.5));
    CASE_OF(kind, test_quantile(kind, 0.75));
    CASE_OF(kind, test_quantile(kind, 1));
    CASE_OF(kind, test_quantile(kind, 0));
  }
  return check_finish(NULL);
}
