/* example_rows.c - what a stochastic step is made of: rows of examples,
 * lazy updates and the order of examples
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "data/deal.h"
#include "math/kernels/rows.h"
#include "math/online.h"
#include "ranks/partition.h"
#include "solvers/access/example_order.h"

#include <stdlib.h>
#include <string.h>

static double noise(uint64_t step, int64_t index)
{
  struct th_stream stream = {7, TH_PURPOSE_TEST};
  double pair[2];
  th_random_normal(stream, step, (uint64_t)index, pair);
  return pair[0];
}

/* Dense rows and the same values stored sparsely, against plain sums. */
static void test_rows(void)
{
  enum { COUNT = 700 };
  float x32[COUNT];
  double x64[COUNT];
  double v[COUNT];
  double w[COUNT];
  int32_t place[COUNT];
  int64_t attribute[COUNT];
  int64_t edge[5] = {0, 3, 20, 276, COUNT};
  static const int64_t cell[4] = {0, 2, 5, 6};
  struct th_fixed fixed;
  double sum = 0;
  int64_t cells = 0;
  CHECK(th_fixed_init(&fixed, 1e4));
  for (int64_t k = 0; k < COUNT; k++) {
    cells += k >= edge[cells + 1];
    attribute[k] = cell[cells] * TH_CELL + (k - edge[cells]) % TH_CELL;
    place[k] = (int32_t)k;
    x32[k] = (float)noise(1, k);
    x64[k] = (double)x32[k];
    v[k] = noise(2, k);
    sum += x64[k] * v[k];
  }
  struct th_cells all = {4, edge, attribute};
  struct th_row rows[3] = {{TH_F32, COUNT, x32, NULL},
                           {TH_F64, COUNT, x64, NULL},
                           {TH_F64, COUNT, x64, place}};
  int64_t first[2] = {0, 0};
  for (int r = 0; r < 3; r++) {
    int64_t integer = 0;
    CHECK(th_row_product(&rows[r], v, &all, &fixed, &integer));
    CHECK_NEAR(th_fixed_to(&fixed, integer), sum, 1e-12);
    if (r < 2)
      first[r] = integer;
    memcpy(w, v, sizeof w);
    th_row_add(&rows[r], 0.3, w);
    for (int64_t k = 0; k < COUNT; k++)
      CHECK(w[k] == v[k] + 0.3 * x64[k]);
    if (r == 2)
      continue;
    memcpy(w, v, sizeof w);
    th_row_step(&rows[r], -0.4, 0.25, w);
    for (int64_t k = 0; k < COUNT; k++) {
      double moved = v[k] - 0.4 * x64[k];
      CHECK_NEAR(w[k], copysign(fmax(fabs(moved) - 0.25, 0), moved), 1e-15);
    }
  }
  CHECK(first[0] == first[1]);
  int64_t bad = 0;
  CHECK(th_fixed_init(&fixed, 1e-3));
  CHECK(!th_row_product(&rows[0], v, &all, &fixed, &bad));
}

/* Many steps at once are those steps one by one. */
static void test_drift(void)
{
  for (int64_t k = 0; k < 2000; k++) {
    double v = 3 * noise(3, k);
    double a = k % 5 == 0 ? 0 : 0.1 * noise(4, k);
    double t = k % 7 == 0 ? 0 : 0.1 * fabs(noise(5, k));
    int64_t steps = k % 90;
    double slow = k % 11 == 0 ? 0 : v;
    double fast = th_online_lazy_prox(slow, a, t, steps);
    for (int64_t s = 0; s < steps; s++)
      slow = th_row_soft(slow - a, t);
    CHECK(fabs(fast - slow) <= 1e-13);
  }
}

/* Every pass deals each row once, in another order. */
static void test_order(void)
{
  struct th_deal_plan plan = {
      .seed = 3, .training = 77, .row_group = 64, .unit = 8, .passes = 2};
  struct th_deal deal;
  struct th_example_order order;
  struct th_error err;
  int64_t seen[2][77];
  int64_t row = -1;
  bool more = true;
  int same = 0;
  th_error_clear(&err);
  CHECK(th_deal_init(&deal, &plan, &err) == TH_OK);
  CHECK(th_example_order_init(&order, plan.unit, &err) == TH_OK);
  for (int pass = 0; pass < 2; pass++) {
    bool met[77] = {false};
    for (int64_t k = 0; k < plan.training; k++) {
      CHECK(th_example_order_next(&order, &deal, &row, &more, &err) == TH_OK &&
            more);
      CHECK(row >= 0 && row < plan.training && !met[row]);
      met[row] = true;
      seen[pass][k] = row;
    }
  }
  for (int64_t k = 0; k < plan.training; k++)
    same += seen[0][k] == seen[1][k];
  CHECK(same < 20);
  CHECK(th_example_order_next(&order, &deal, &row, &more, &err) == TH_OK &&
        !more);
  th_example_order_free(&order);
  th_deal_free(&deal);
}

int main(void)
{
  CASE(test_rows());
  CASE(test_drift());
  CASE(test_order());
  return check_finish(NULL);
}
