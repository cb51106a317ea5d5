/* folds.c - folds are of even sizes, also of each class, and groups are whole
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
      CHECK(th_folds_make(&given, seed, folds, fold, NULL) == TH_OK);
      CHECK(th_folds_make(&given, seed, folds, again, NULL) == TH_OK);
      for (int64_t i = 0; i < rows; i++)
        CHECK(fold[i] == again[i]);
      count_folds(rows, target, folds, fold, size);
      check_even(size[0], size[1], folds);
      for (int which = 0; which < 2 && labels; which++)
        check_even(size[which], NULL, folds);
      CHECK(th_folds_make(&given, seed + 10, folds, again, NULL) == TH_OK);
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
  const struct th_folds_rows given = {ROWS, target, labels, weight, twin, NULL};
  const struct th_folds_rows less = {ALONE, alone, labels, NULL, NULL, NULL};
  CHECK(th_folds_distinct(&given) == ALONE);
  CHECK(th_folds_make(&given, 4, 10, fold, NULL) == TH_OK);
  CHECK(th_folds_make(&less, 4, 10, folds_alone, NULL) == TH_OK);
  for (int64_t i = 0; i < ROWS; i++) {
    CHECK(fold[i] < 10);
    CHECK(i % 3 == 1 || fold[i] == fold[twin[i]]);
    CHECK(i % 3 != 0 || fold[i] == folds_alone[i / 3]);
  }
  count_folds(ALONE, alone, 10, folds_alone, size);
  check_even(size[0], size[1], 10);
}

/* Groups of random sizes over the rows, in any order of these. Rows of a group
 * are not next to each other. */
static void make_groups(int64_t rows, int64_t groups, uint64_t seed,
                        int64_t *group)
{
  int64_t first[MOST_ROWS];
  for (int64_t g = 0; g < groups; g++)
    first[g] = -1;
  for (int64_t i = 0; i < rows; i++) {
    double far = test_normal(14, seed, i);
    int64_t g = (int64_t)(far * far * 7919) % groups;
    first[g] = first[g] < 0 ? i : first[g];
    group[i] = first[g];
  }
}

/* Groups are whole, and a fold without its smallest group has no more rows than
 * any other: it was the smallest when it got that. */
static void check_groups(const struct th_folds_rows *given, int64_t folds,
                         const uint8_t *fold)
{
  int64_t size[MOST_ROWS] = {0};
  int64_t all[MOST_FOLDS] = {0};
  int64_t least[MOST_FOLDS];
  for (int64_t f = 0; f < folds; f++)
    least[f] = MOST_ROWS;
  for (int64_t i = 0; i < given->rows; i++) {
    bool counts = given->weight == NULL || given->weight[i] > 0;
    CHECK(fold[i] < folds && fold[i] == fold[given->group[i]]);
    size[given->group[i]] += counts;
    all[fold[i]] += counts;
  }
  for (int64_t i = 0; i < given->rows; i++)
    if (given->group[i] == i && size[i] > 0 && size[i] < least[fold[i]])
      least[fold[i]] = size[i];
  for (int64_t f = 0; f < folds; f++)
    for (int64_t g = 0; g < folds; g++)
      CHECK(all[f] - least[f] <= all[g]);
}

static void test_groups(void)
{
  enum { ROWS = 900 };
  int64_t group[ROWS];
  double weight[ROWS];
  uint8_t fold[ROWS];
  uint8_t again[ROWS];
  for (uint64_t seed = 0; seed < 8; seed++) {
    int64_t folds = 2 + (int64_t)seed;
    int64_t differ = 0;
    make_groups(ROWS, 40 * folds, seed, group);
    for (int64_t i = 0; i < ROWS; i++)
      weight[i] = i % 5 == 0 ? 0 : 1;
    const struct th_folds_rows given = {
        .rows = ROWS, .weight = seed % 2 ? weight : NULL, .group = group};
    CHECK(th_folds_make(&given, seed, folds, fold, NULL) == TH_OK);
    CHECK(th_folds_make(&given, seed, folds, again, NULL) == TH_OK);
    check_groups(&given, folds, fold);
    for (int64_t i = 0; i < ROWS; i++)
      CHECK(fold[i] == again[i]);
    CHECK(th_folds_make(&given, seed + 10, folds, again, NULL) == TH_OK);
    for (int64_t i = 0; i < ROWS; i++)
      differ += fold[i] != again[i];
    CHECK(differ > ROWS / 4);
  }
}

/* A class of which a few groups have examples is in all folds alike. */
static void test_classes_of_groups(void)
{
  enum { GROUPS = 60, EACH = 10, FOLDS = 5, ROWS = GROUPS * EACH };
  int64_t group[ROWS];
  double target[ROWS];
  uint8_t fold[ROWS];
  int64_t size[2][MOST_FOLDS];
  for (int64_t i = 0; i < ROWS; i++) {
    group[i] = i % GROUPS;
    target[i] = i % GROUPS < 2 * FOLDS && i / GROUPS < 3 ? 1 : -1;
  }
  const struct th_folds_rows given = {
      .rows = ROWS, .target = target, .labels = true, .group = group};
  CHECK(th_folds_make(&given, 3, FOLDS, fold, NULL) == TH_OK);
  count_folds(ROWS, target, FOLDS, fold, size);
  for (int64_t f = 0; f < FOLDS; f++)
    CHECK(size[1][f] == 6 && size[0][f] == ROWS / FOLDS - 6);
}

/* Chains of equal rows make one group of several. */
static void test_unite(void)
{
  int64_t first[] = {0, 1, 2, 1, 4, 2, 6};
  int64_t row[] = {4, 5, 6};
  int64_t other[] = {3, 4, 0};
  const int64_t joined[] = {0, 1, 1, 1, 1, 1, 0};
  const struct th_twins twins = {3, row, other};
  CHECK(th_folds_unite(first, 7, NULL) == 5);
  CHECK(th_folds_unite(first, 7, &twins) == 2);
  for (int64_t i = 0; i < 7; i++)
    CHECK(first[i] == joined[i]);
}

int main(void)
{
  CASE(test_folds());
  CASE(test_twins(false));
  CASE(test_twins(true));
  CASE(test_groups());
  CASE(test_classes_of_groups());
  CASE(test_unite());
  return check_finish(NULL);
}
