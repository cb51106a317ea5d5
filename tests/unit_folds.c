/* unit_folds.c - folds are of even sizes, also of each class
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "normal.h"

#include "solvers/budgeted/end/folds.h"

#include <stdlib.h>

enum { MOST_ROWS = 1200, MOST_FOLDS = 10 };

static void count_folds(int64_t rows, const double *target, int64_t folds,
                        const uint8_t *fold, int64_t size[2][MOST_FOLDS])
{
  for (int64_t f = 0; f < MOST_FOLDS; f++)
    size[0][f] = size[1][f] = 0;
  for (int64_t i = 0; i < rows; i++) {
    CHECK(fold[i] < folds);
    size[target[i] > 0][fold[i]]++;
  }
}

/* Sizes differ by one at most. */
static void check_even(const int64_t *one, const int64_t *two, int64_t folds)
{
  for (int64_t f = 1; f < folds; f++)
    for (int64_t g = 0; g < f; g++)
      CHECK(llabs(one[f] + (two ? two[f] : 0) - one[g] - (two ? two[g] : 0)) <=
            1);
}

static void test_folds(void)
{
  double target[MOST_ROWS];
  uint8_t fold[MOST_ROWS];
  uint8_t again[MOST_ROWS];
  int64_t size[2][MOST_FOLDS];
  CHECK(th_folds_count(499) == 10 && th_folds_count(500) == 5);
  for (int64_t rows = 1; rows < MOST_ROWS; rows += rows / 3 + 1)
    for (uint64_t seed = 0; seed < 6; seed++) {
      int64_t folds = th_folds_count(rows);
      bool labels = seed % 2 == 0;
      int64_t differ = 0;
      int least = (int)(seed / 2);
      for (int64_t i = 0; i < rows; i++)
        target[i] = test_normal(13, seed, i) > least ? 1 : -1;
      th_folds_make(rows, labels ? target : NULL, labels, seed, folds, fold);
      th_folds_make(rows, labels ? target : NULL, labels, seed, folds, again);
      for (int64_t i = 0; i < rows; i++)
        CHECK(fold[i] == again[i]);
      count_folds(rows, target, folds, fold, size);
      check_even(size[0], size[1], folds);
      for (int which = 0; which < 2 && labels; which++)
        check_even(size[which], NULL, folds);
      th_folds_make(rows, target, labels, seed + 10, folds, again);
      for (int64_t i = 0; i < rows; i++)
        differ += fold[i] != again[i];
      CHECK(differ > 0 || rows < 20);
    }
}

int main(void)
{
  test_folds();
  return check_finish(NULL);
}
