/* draws.c - alias tables and sums of masses draw what they should
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "math/discrete.h"

#include <string.h>

enum { MOST = 700, GRID = 200000 };

static const struct th_stream chance = {3, TH_PURPOSE_TEST};

/* Masses of very different sizes; every third is 0, and so are the last. */
static void make_masses(int64_t count, double *mass)
{
  double pair[2];
  for (int64_t k = 0; k < count; k++) {
    th_random_uniform(chance, (uint64_t)count, (uint64_t)k, pair);
    mass[k] = k % 3 == 1 || (k > 5 && k >= count - 2) ? 0 : pair[0];
    mass[k] *= k % 7 == 0 ? 1e-9 : 1;
  }
  mass[0] = count < 3 ? 1 : mass[0];
}

static double sum_of(const double *mass, int64_t count)
{
  double sum = 0;
  for (int64_t k = 0; k < count; k++)
    sum += mass[k];
  return sum;
}

/* What a table gives to each item, place by place. */
static void test_alias(int64_t count)
{
  double mass[MOST] = {0};
  double given[MOST] = {0};
  struct th_alias_place place[MOST];
  int32_t work[MOST];
  struct th_alias alias = {count, place};
  make_masses(count, mass);
  th_discrete_alias_build(&alias, mass, work);
  for (int64_t k = 0; k < count; k++) {
    double keep = fmin(place[k].keep, 1);
    CHECK(keep >= 0 && place[k].other >= 0 && place[k].other < count);
    given[k] += keep / (double)count;
    given[place[k].other] += (1 - keep) / (double)count;
  }
  for (int64_t k = 0; k < count; k++)
    CHECK(fabs(given[k] - mass[k] / sum_of(mass, count)) < 1e-12);
  for (int64_t i = 0; i < GRID; i++) {
    int64_t k = th_discrete_alias_draw(&alias, ((double)i + 0.5) / GRID);
    CHECK(k >= 0 && k < count && mass[k] > 0);
  }
}

/* Draws at equal distances hit each leaf in proportion. */
static void test_draws(const struct th_sum_tree *tree, const double *mass)
{
  static int64_t hits[MOST];
  double sum = sum_of(mass, tree->leaves);
  memset(hits, 0, sizeof hits);
  for (int64_t i = 0; i < GRID; i++)
    hits[th_discrete_draw(tree, 0, ((double)i + 0.5) / GRID)]++;
  for (int64_t k = 0; k < tree->leaves; k++) {
    CHECK(fabs((double)hits[k] - mass[k] / sum * GRID) <= 1.01);
    CHECK(mass[k] > 0 || hits[k] == 0);
  }
  int64_t last = th_discrete_draw(tree, 0, 1 - 0x1p-53);
  CHECK(mass[last] > 0);
}

/* Changes one by one lead to the same bits as all at once. */
static void test_tree(int64_t count)
{
  double mass[MOST] = {0};
  struct th_sum_tree one;
  struct th_sum_tree all;
  struct th_error err;
  make_masses(count, mass);
  CHECK(th_discrete_init(&one, count, TH_SUM_LEVELS - 1, &err) == TH_OK);
  CHECK(th_discrete_init(&all, count, TH_SUM_LEVELS - 1, &err) == TH_OK);
  for (int64_t k = 0; k < count; k++) {
    one.level[0][k] = 7;
    th_discrete_update(&one, k);
  }
  for (int64_t k = count - 1; k >= 0; k--) {
    one.level[0][k] = mass[k];
    th_discrete_update(&one, k);
  }
  memcpy(all.level[0], mass, (size_t)count * sizeof *mass);
  th_discrete_refresh(&all);
  CHECK(th_discrete_top(&one, 0) == th_discrete_top(&all, 0));
  CHECK_NEAR(th_discrete_top(&all, 0), sum_of(mass, count), 1e-14);
  test_draws(&one, mass);
  th_discrete_free(&one);
  th_discrete_free(&all);
}

/* A tree that ends below the root: each top draws its own leaves. */
static void test_tops(void)
{
  struct th_sum_tree tree;
  struct th_error err;
  CHECK(th_discrete_init(&tree, MOST, 2, &err) == TH_OK);
  make_masses(MOST, tree.level[0]);
  th_discrete_refresh(&tree);
  for (int64_t i = 0; i < 1000; i++)
    for (int64_t top = 0; top < 3; top++) {
      int64_t leaf = th_discrete_draw(&tree, top, ((double)i + 0.5) / 1000);
      CHECK(leaf / 256 == top && tree.level[0][leaf] > 0);
    }
  th_discrete_free(&tree);
}

int main(void)
{
  static const int64_t counts[] = {1, 2, 3, 16, 17, 255, 256, 257, MOST};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    CASE(test_alias(counts[k]));
    CASE(test_tree(counts[k]));
  }
  CASE(test_tops());
  return check_finish(NULL);
}
