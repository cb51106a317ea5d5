/* folds.c - folds are of even sizes, also of each class
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "normal.h"

#include "solvers/access/folds.h"

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
  CHECK(th_folds_count(10) == 10 && th_folds_count(8) == 8);
  CHECK(th_folds_count(0) == 0);
  for (int64_t rows = 1; rows < MOST_ROWS; rows += rows / 3 + 1)
    for (uint64_t seed = 0; seed < 6; seed++) {
      int64_t folds = th_folds_count(rows);
      bool labels = seed % 2 == 0;
      int64_t differ = 0;
      int least = (int)(seed / 2);
      for (int64_t i = 0; i < rows; i++)
        target[i] = test_normal(13, seed, i) > least ? 1 : -1;
      const struct th_folds_rows given = {
          .rows = rows, .target = labels ? target : NULL, .labels = labels};
      CHECK(th_folds_distinct(&given) == rows);
      th_folds_make(&given, seed, folds, fold);
      th_folds_make(&given, seed, folds, again);
      for (int64_t i = 0; i < rows; i++)
        CHECK(fold[i] == again[i]);
      count_folds(rows, target, folds, fold, size);
      check_even(size[0], size[1], folds);
      for (int which = 0; which < 2 && labels; which++)
        check_even(size[which], NULL, folds);
      th_folds_make(&given, seed + 10, folds, again);
      for (int64_t i = 0; i < rows; i++)
        differ += fold[i] != again[i];
      CHECK(differ > 0 || rows < 20);
    }
}

/* Rows that equal others follow them, and rows without a weight take no part:
 * the others are dealt as if they were alone. */
static void test_twins(bool labels)
{
  enum { ALONE = 83, ROWS = 3 * ALONE };
  double target[ROWS];
  double weight[ROWS];
  double alone[ALONE];
  int64_t twin[ROWS];
  uint8_t fold[ROWS];
  uint8_t folds_alone[ALONE];
  int64_t size[2][MOST_FOLDS];
  for (int64_t i = 0; i < ROWS; i++) { /* itself, without a weight, a twin */
    alone[i / 3] = test_normal(13, 9, i / 3) > 0 ? 1 : -1;
    target[i] = alone[i / 3];
    weight[i] = i % 3 == 1 ? 0 : 1 + (double)(i % 5);
    twin[i] = i % 3 == 2 ? 3 * (i / 6) : i;
    if (i % 3 == 2)
      target[i] = target[twin[i]];
  }
  const struct th_folds_rows given = {ROWS, target, labels, weight, twin};
  const struct th_folds_rows less = {ALONE, alone, labels, NULL, NULL};
  CHECK(th_folds_distinct(&given) == ALONE);
  th_folds_make(&given, 4, 10, fold);
  th_folds_make(&less, 4, 10, folds_alone);
  for (int64_t i = 0; i < ROWS; i++) {
    CHECK(fold[i] < 10);
    CHECK(i % 3 == 1 || fold[i] == fold[twin[i]]);
    CHECK(i % 3 != 0 || fold[i] == folds_alone[i / 3]);
  }
  count_folds(ALONE, alone, 10, folds_alone, size);
  check_even(size[0], size[1], 10);
}

int main(void)
{
  CASE(test_folds());
  CASE(test_twins(false));
  CASE(test_twins(true));
  return check_finish(NULL);
}
