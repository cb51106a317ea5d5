/* backward.c - members that leave a least-squares fit
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "sample.h"

#include "solvers/fits/backward.h"

static struct sample sample; /* too large for the stack */

/* Sums over 100 rows of the first columns' products, those that `keep` names,
 * and with the target; the number of columns. */
static int64_t sum_products(const struct sample *s, int64_t count,
                            const bool *keep, double *products, double *moment)
{
  int64_t size = 0;
  for (int64_t k = 0; k < count; k++)
    size += keep == NULL || keep[k];
  for (int64_t k = 0, column = 0; k < count; k++) {
    if (keep != NULL && !keep[k])
      continue;
    moment[column] = th_column_dot_plain(s->x[k], s->y, 100);
    for (int64_t j = 0, row = 0; j < count; j++)
      if (keep == NULL || keep[j])
        products[row++ + column * size] =
            th_column_dot_plain(s->x[j], s->x[k], 100);
    column++;
  }
  return size;
}

/* When some have left, the others are as if these had never been. */
static void check_as_new(const struct th_backward *b, int64_t count,
                         double square)
{
  double products[900];
  double moment[30];
  struct th_backward new = {0};
  struct th_error err = {0};
  int64_t size = sum_products(&sample, count, b->stays, products, moment);
  CHECK(th_backward_start(&new, size, 100, products, moment, square, &err) ==
        TH_OK);
  CHECK(size == b->left && size == new.left);
  CHECK_NEAR(new.square, b->square, 1e-11);
  for (int64_t k = 0, at = 0; k < count; k++) {
    double inverse = b->inverse[k + k * count];
    if (!b->stays[k])
      CHECK(b->coef[k] == 0 && inverse == 0);
    if (!b->stays[k])
      continue;
    CHECK_NEAR(b->coef[k], new.coef[at], 1e-11);
    CHECK_NEAR(inverse * 100, 100 * new.inverse[at + at * size], 1e-11);
    at++;
  }
  th_backward_free(&new);
}

/* None is weak in the end, and the last that left was. */
static void test_backward(void)
{
  double products[900];
  double moment[30];
  struct th_backward b = {0};
  struct th_error err = {0};
  for (uint64_t seed = 0; seed < 6; seed++) {
    int64_t count = 5 * (int64_t)(seed + 1);
    sample_fill(&sample, 100, count, 80 + seed);
    sample_plant(&sample, 6, 0.3);
    double square = th_column_dot_plain(sample.y, sample.y, 100);
    sum_products(&sample, count, NULL, products, moment);
    CHECK(th_backward_start(&b, count, 100, products, moment, square, &err) ==
          TH_OK);
    check_as_new(&b, count, square);
    th_backward_prune(&b, 2.5, seed % 2);
    check_as_new(&b, count, square);
    CHECK(b.left > 0 && (b.left < count || seed < 2));
    double variance = b.square / (99 - (double)b.left);
    for (int64_t k = 0; k < count; k++)
      CHECK(!b.stays[k] || b.coef[k] * b.coef[k] >=
                               2.5 * 2.5 * variance * b.inverse[k + k * count]);
    th_backward_reduce(&b, 2);
    CHECK(b.left <= 2);
    check_as_new(&b, count, square);
    th_backward_reduce(&b, 0);
    CHECK(b.left == 0);
    CHECK_NEAR(b.square, square, 1e-11);
  }
  th_backward_free(&b);
}

int main(void)
{
  CASE(test_backward());
  return check_finish(NULL);
}
