/* products.c - products of columns: every instruction set gives the bits
 * of the plain form, and that the sums of a double loop
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "math/kernels/kernels.h"

#include "base/random.h"
#include "math/kernels/column.h"
#include "math/kernels/dense.h"

#include <string.h>

enum {
  MOST_TILES = 5,
  MOST = MOST_TILES * TH_PRODUCTS_TILE,
  MOST_ROWS = TH_PRODUCTS_ROWS + TH_PRODUCTS_LANES,
  SUMS = (MOST + 3) * (MOST + 1)
};

struct sample {
  double left[MOST * MOST_ROWS];
  double right[MOST * MOST_ROWS];
  double plain[SUMS];
  double sum[SUMS];
};

static double uniform(uint64_t step, int64_t index)
{
  struct th_stream stream = {7, TH_PURPOSE_TEST};
  double pair[2];
  th_random_uniform(stream, step, (uint64_t)index, pair);
  return pair[0] - 0.3;
}

static void fill(struct sample *s)
{
  for (int64_t k = 0; k < MOST * MOST_ROWS; k++) {
    s->left[k] = uniform(0, k);
    s->right[k] = uniform(1, k);
  }
}

/* What sums are added to, also where no product belongs. */
static void start(double *sum)
{
  for (int64_t k = 0; k < SUMS; k++)
    sum[k] = (double)k;
}

/* The plain form against a double loop; nothing else is written to. */
static void test_plain(const struct sample *s, const struct th_products *p)
{
  for (int64_t at = 0; at < SUMS; at++) {
    int64_t j = at % p->stride;
    int64_t k = at / p->stride;
    double sum = 0;
    if (j >= p->left_tiles * TH_PRODUCTS_TILE ||
        k >= p->right_tiles * TH_PRODUCTS_TILE) {
      CHECK(s->plain[at] == (double)at);
      continue;
    }
    for (int64_t i = 0; i < p->rows; i++)
      sum += p->left[i + j * p->lead] * p->right[i + k * p->lead];
    CHECK_NEAR(s->plain[at], sum + (double)at, 1e-12);
  }
}

static void test_sets(struct sample *s, const struct th_products *p)
{
  for (const struct th_dense_set *set = th_kernel_sets(); set->name != NULL;
       set++) {
    if (!th_kernel_runs_here(set))
      continue;
    start(s->sum);
    set->products->add(p);
    if (memcmp(s->sum, s->plain, sizeof s->sum) == 0)
      continue;
    check_failures++;
    fprintf(stderr, "%s, %d rows, %d x %d tiles: other bits\n", set->name,
            (int)p->rows, (int)p->left_tiles, (int)p->right_tiles);
  }
}

static void test_case(struct sample *s, int64_t rows, int64_t lead,
                      int64_t left_tiles, int64_t right_tiles)
{
  struct th_products p = {.rows = rows,
                          .lead = lead,
                          .left = s->left,
                          .right = s->right,
                          .left_tiles = left_tiles,
                          .right_tiles = right_tiles,
                          .sum = s->plain,
                          .stride =
                              left_tiles * TH_PRODUCTS_TILE + 1 + rows % 3};
  start(s->plain);
  th_column_products_reference(&p);
  test_plain(s, &p);
  p.sum = s->sum;
  test_sets(s, &p);
  start(s->sum);
  th_column_products_add(&p);
  CHECK(memcmp(s->sum, s->plain, sizeof s->sum) == 0);
}

/* Left and right exchanged give the same bits. */
static void test_symmetry(struct sample *s)
{
  const struct th_products p = {.rows = MOST_ROWS,
                                .lead = MOST_ROWS,
                                .left = s->left,
                                .right = s->left,
                                .left_tiles = MOST_TILES,
                                .right_tiles = MOST_TILES,
                                .sum = s->sum,
                                .stride = MOST};
  memset(s->sum, 0, sizeof s->sum);
  th_column_products_add(&p);
  for (int64_t k = 0; k < MOST; k++)
    for (int64_t j = 0; j < k; j++)
      CHECK(s->sum[j + k * MOST] == s->sum[k + j * MOST]);
}

int main(void)
{
  static struct sample s;
  const int64_t rows[] = {0,  8,  16,  24, TH_PRODUCTS_ROWS - 8,
                          48, 64, 136, 64, MOST_ROWS};
  fill(&s);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    for (int64_t left = 0; left <= MOST_TILES; left++)
      for (int64_t right = 0; right <= MOST_TILES; right++)
        CASE(test_case(&s, rows[k], k % 2 ? rows[k] : MOST_ROWS, left, right));
  CASE(test_symmetry(&s));
  CHECK(th_column_products_tiles(0) == 0 && th_column_products_tiles(1) == 1);
  CHECK(th_column_products_tiles(4) == 1 && th_column_products_tiles(5) == 2);
  CHECK(th_column_products_whole(0) == 0 && th_column_products_whole(9) == 16);
  return check_finish(NULL);
}
