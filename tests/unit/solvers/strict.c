/* strict.c - the strict support made anew
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "sample.h"

#include <string.h>

enum { MEMBERS = 40, SEEDS = 50 };

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

/* Allocations until one fails; below 0: none does. */
static int64_t calls_left = -1;

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
  if (calls_left == 0)
    return NULL;
  calls_left -= calls_left > 0;
  return __real_aligned_alloc(alignment, size);
}

static struct sample sample; /* too large for the stack */
static struct sample other;

/* Everything that is there is found, next to nothing else. */
static void test_planted(void)
{
  int64_t chosen = 0;
  for (uint64_t seed = 0; seed < 10; seed++) {
    int64_t members = seed % 2 ? MEMBERS : 5;
    sample_fill(&sample, seed % 2 ? SAMPLE_ROWS : 300, SAMPLE_COLUMNS,
                20 + seed);
    sample_plant(&sample, members, seed % 2 ? 0.4 : 0.8);
    if (seed % 3 == 2)
      sample_weigh(&sample);
    CHECK(sample_select(&sample, 2000, 0) == TH_OK);
    CHECK(sample_count_planted(&sample, members) == members);
    chosen += sample.size - members;
    for (int64_t k = 1; k < sample.size; k++)
      CHECK(sample.chosen[k] > sample.chosen[k - 1]);
    CHECK(sample_select(&sample, 2000, 3) == TH_OK);
    CHECK(sample.size == 3 && sample_count_planted(&sample, members) == 3);
  }
  printf("planted: %lld false in 10 seeds\n", (long long)chosen);
  CHECK(chosen <= 3);
}

/* Of columns that are all members what is there stays; a limit takes the
 * weakest. Rows without weight have no say. */
static void test_pruned(void)
{
  enum { ALL = 60, TRUE = 6 };
  struct th_strict_data data;
  struct th_error err = {0};
  int64_t kept = 0;
  for (uint64_t seed = 0; seed < 10; seed++) {
    sample_fill(&sample, 400, ALL, 70 + seed);
    sample_plant(&sample, TRUE, 0.8);
    sample_weigh(&sample);
    for (int64_t i = 0; i < sample.rows; i++)
      sample.y[i] += sample.weight[i] > 0 ? 0 : 1e6;
    data = sample_data(&sample, ALL, 2000, 0);
    CHECK(th_strict_select(&data, true, sample.chosen, &sample.size, &err) ==
          TH_OK);
    CHECK(sample_count_planted(&sample, TRUE) == TRUE);
    kept += sample.size - TRUE;
    data.largest = 2;
    CHECK(th_strict_select(&data, true, sample.chosen, &sample.size, &err) ==
          TH_OK);
    CHECK(sample.size == 2 && sample_count_planted(&sample, TRUE) == 2);
  }
  CHECK(kept <= 2);
  data = sample_data(&sample, 0, 2000, 0);
  CHECK(th_strict_select(&data, true, NULL, &sample.size, &err) == TH_OK);
  CHECK(sample.size == 0);
}

/* The residual sum of squares of least squares on those chosen but one. */
static double squares_without(const struct sample *s, int64_t left_out)
{
  static double prediction[SAMPLE_ROWS];
  struct th_vector column[SAMPLE_COLUMNS];
  double coef[SAMPLE_COLUMNS];
  double constant;
  double sum = 0;
  int64_t count = 0;
  struct th_error err = {0};
  for (int64_t k = 0; k < s->size; k++)
    if (k != left_out)
      column[count++] = s->vector[s->chosen[k]];
  struct th_strict_data data = sample_data(s, count, 0, 0);
  data.column = column;
  CHECK(th_strict_fit(NULL, &data, th_loss_find("squared"), coef, &constant,
                      &err) == TH_OK);
  th_strict_predict(s->rows, count, column, coef, constant, prediction);
  for (int64_t i = 0; i < s->rows; i++)
    sum += s->weight[i] * pow(s->y[i] - prediction[i], 2);
  return sum;
}

/* How many rows of equal weight tell as much as all. */
static double counted(const struct sample *s)
{
  double sum = 0;
  double squares = 0;
  for (int64_t i = 0; i < s->rows; i++) {
    sum += s->weight[i];
    squares += s->weight[i] * s->weight[i];
  }
  return sum * sum / squares;
}

/* Weak coefficients: those that stay have |t| >= sqrt(2 log d), which follows
 * from what their loss costs. */
static void test_limit(void)
{
  const int64_t attributes = 2000;
  for (uint64_t seed = 0; seed < 10; seed++) {
    sample_fill(&sample, 400, SAMPLE_COLUMNS, 40 + seed);
    sample_plant(&sample, 12, seed % 2 ? 0.3 : 0.25);
    if (seed % 2)
      sample_weigh(&sample);
    CHECK(sample_select(&sample, attributes, 0) == TH_OK);
    CHECK(sample.size > 0 && sample.size < 14);
    double n = counted(&sample);
    double all = squares_without(&sample, -1);
    for (int64_t k = 0; k < sample.size; k++) {
      double more = squares_without(&sample, k) - all;
      double square = more / (all / (n - (double)sample.size - 1));
      CHECK(square >= 2 * log((double)attributes));
    }
  }
}

/* Labels by squared loss. */
static void test_labels(void)
{
  sample_fill(&sample, SAMPLE_ROWS, SAMPLE_COLUMNS, 60);
  sample_plant(&sample, 5, 0.8);
  sample_label(&sample, 5);
  CHECK(sample_select(&sample, SAMPLE_COLUMNS, 0) == TH_OK);
  CHECK(sample_count_planted(&sample, 5) == 5 && sample.size <= 6);
}

static void test_noise(void)
{
  int64_t all = 0;
  int64_t worst = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    sample_fill(&sample, 200, SAMPLE_COLUMNS, 100 + seed);
    CHECK(sample_select(&sample, SAMPLE_COLUMNS, 0) == TH_OK);
    all += sample.size;
    worst = sample.size > worst ? sample.size : worst;
  }
  printf("noise: %.2f attributes in the mean, at most %lld, of %d seeds\n",
         (double)all / SEEDS, (long long)worst, SEEDS);
  CHECK(all <= SEEDS / 2 && worst <= 3);
}

/* What stands in rows without weight leaves no trace in any bit. */
static void test_weightless_rows(void)
{
  const char *const losses[] = {"squared", "logistic"};
  for (int labels = 0; labels < 2; labels++)
    for (int junk = 0; junk < 2; junk++) {
      sample_fill(&sample, 300, 60, 200);
      sample_plant(&sample, 4, 0.5);
      sample_weigh(&sample);
      if (labels)
        sample_label(&sample, 5);
      for (int64_t i = 0; i < 300 && junk; i++) {
        sample.y[i] = sample.weight[i] > 0 ? sample.y[i] : -1;
        for (int64_t k = 0; k < 60 && sample.weight[i] == 0; k++)
          sample.x[k][i] = sample.x[k][i] != 0 ? 77 : 0;
      }
      for (int64_t k = 0; k < 60; k++)
        sample_vector(&sample, k, sample_form(k));
      CHECK(sample_select(&sample, 60, 0) == TH_OK);
      CHECK(sample_fit(&sample, losses[labels], true) == TH_OK);
      if (junk) {
        CHECK(sample.size == other.size && sample.constant == other.constant);
        CHECK(memcmp(sample.chosen, other.chosen, 8 * (size_t)other.size) == 0);
        CHECK(memcmp(sample.coef, other.coef, 8 * 60) == 0);
      } else
        memcpy(&other, &sample, sizeof other);
    }
}

/* Units of weights, columns and targets do not matter. */
static void test_units(void)
{
  sample_fill(&sample, 300, SAMPLE_COLUMNS, 210);
  sample_plant(&sample, 5, 0.4);
  sample_weigh(&sample);
  CHECK(sample_select(&sample, 400, 0) == TH_OK);
  CHECK(sample_fit(&sample, "squared", true) == TH_OK);
  memcpy(&other, &sample, sizeof other);
  for (int64_t i = 0; i < 300; i++) {
    sample.weight[i] *= 1024;
    sample.y[i] *= 0.25;
  }
  for (int64_t k = 0; k < SAMPLE_COLUMNS; k++)
    sample.vector[k].scale *= k % 2 ? 64 : -1;
  CHECK(sample_select(&sample, 400, 0) == TH_OK);
  CHECK(sample_fit(&sample, "squared", true) == TH_OK);
  CHECK(sample.size == other.size);
  CHECK(memcmp(sample.chosen, other.chosen, 8 * (size_t)other.size) == 0);
  for (int64_t k = 0; k < SAMPLE_COLUMNS; k++)
    CHECK_NEAR(sample.coef[k] * 4 * (k % 2 ? 64 : -1), other.coef[k], 1e-11);
  CHECK_NEAR(sample.constant * 4, other.constant, 1e-11);
}

/* Allocation after allocation fails, without a leak. */
static void test_no_memory(void)
{
  const char *const losses[] = {NULL, "squared", "logistic"};
  sample_fill(&sample, 200, 40, 700);
  sample_plant(&sample, 5, 0.6);
  sample_label(&sample, 5);
  for (int which = 0; which < 3; which++) {
    th_status rc = TH_ENOMEM;
    for (int64_t call = 0; rc == TH_ENOMEM && call < 1000; call++) {
      calls_left = call;
      rc = which == 0 ? sample_select(&sample, 40, 0)
                      : sample_fit(&sample, losses[which], true);
    }
    calls_left = -1;
    CHECK(rc == TH_OK);
  }
}

int main(void)
{
  CASE(test_planted());
  CASE(test_pruned());
  CASE(test_limit());
  CASE(test_labels());
  CASE(test_noise());
  CASE(test_weightless_rows());
  CASE(test_units());
  CASE(test_no_memory());
  return check_finish(NULL);
}
