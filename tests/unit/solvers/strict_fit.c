/* strict_fit.c - fits on given columns, of any kind
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "sample.h"

#include <string.h>

static struct sample sample; /* too large for the stack */

/* Spread of a column over the weighted rows: what the ridge is measured by. */
static double spread(const struct sample *s, int64_t k, bool centred)
{
  double sums[3] = {0};
  for (int64_t i = 0; i < s->rows; i++) {
    double x = sample_value(s, k, i);
    sums[0] += s->weight[i];
    sums[1] += s->weight[i] * x;
    sums[2] += s->weight[i] * x * x;
  }
  double mean = centred ? sums[1] / sums[0] : 0;
  return sqrt(sums[2] / sums[0] - mean * mean);
}

/* The derivative of what a fit makes least, with weights whose sum is that of
 * their squares; `k` below 0: for the constant. */
static double slope(const struct sample *s, const struct th_loss *loss,
                    bool centred, int64_t k)
{
  double weights = 0;
  double sum = 0;
  double squares = 0;
  for (int64_t i = 0; i < s->rows; i++) {
    double p = s->constant;
    for (int64_t j = 0; j < s->count; j++)
      p += s->coef[j] * sample_value(s, j, i);
    double x = k < 0 ? 1 : sample_value(s, k, i);
    sum += s->weight[i] * th_loss_df(loss, p, s->y[i]) * x;
    weights += s->weight[i];
    squares += s->weight[i] * s->weight[i];
  }
  sum *= weights / squares;
  if (!loss->labels || k < 0)
    return sum;
  double unit = spread(s, k, centred);
  return sum + 1e-3 * s->coef[k] * unit * unit;
}

/* Fits are where their equations hold, also far from the optimum's start. */
static void test_equations(void)
{
  const char *const losses[] = {"squared", "logistic", "squared-hinge"};
  for (int turn = 0; turn < 12; turn++) {
    const char *loss = losses[turn % 3];
    bool intercept = turn % 2 == 0;
    sample_fill(&sample, 600, turn < 6 ? 12 : 30, 300 + (uint64_t)turn);
    sample_plant(&sample, 4, 0.5);
    if (turn % 3 > 0)
      sample_label(&sample, turn < 6 ? 5 : 7);
    if (turn % 4 < 2)
      sample_weigh(&sample);
    CHECK(sample_fit(&sample, loss, intercept) == TH_OK);
    CHECK(intercept || sample.constant == 0);
    for (int64_t k = intercept ? -1 : 0; k < sample.count; k++)
      CHECK_NEAR(slope(&sample, th_loss_find(loss), intercept, k), 0, 1e-7);
    sample_predict(&sample);
    for (int64_t i = 0; i < 600; i += 50) {
      double p = sample.constant;
      for (int64_t j = 0; j < sample.count; j++)
        p += sample.coef[j] * sample_value(&sample, j, i);
      CHECK_NEAR(sample.prediction[i], p, 1e-12);
    }
  }
}

/* Column k becomes a copy of another, the sum of two, or a constant. */
static void make_dependent(struct sample *s)
{
  for (int64_t i = 0; i < s->rows; i++) {
    s->x[2][i] = s->x[1][i];
    s->x[5][i] = s->x[4][i] + s->x[3][i];
    s->x[6][i] = 0;
    s->x[7][i] = 0.1;
    s->x[8][i] = 1e9 * s->x[9][i];
  }
  for (int64_t k = 1; k < 10; k++)
    sample_vector(s, k, TH_VECTOR_DOUBLE);
  s->vector[6].scale = 0;
  sample_vector(s, 7, TH_VECTOR_ENTRIES);
}

static void test_dependent(void)
{
  static double before[SAMPLE_ROWS];
  for (uint64_t seed = 0; seed < 4; seed++) {
    sample_fill(&sample, 250, 40, 400 + seed);
    sample_plant(&sample, 6, 0.7);
    CHECK(sample_fit(&sample, "squared", true) == TH_OK);
    make_dependent(&sample);
    CHECK(sample_select(&sample, 40, 0) == TH_OK);
    bool chosen[SAMPLE_COLUMNS] = {false};
    for (int64_t k = 0; k < sample.size; k++)
      chosen[sample.chosen[k]] = true;
    CHECK(chosen[1] != chosen[2] && !chosen[6] && !chosen[7]);
    CHECK(!(chosen[3] && chosen[4] && chosen[5]) && !(chosen[8] && chosen[9]));
    CHECK(sample_fit(&sample, "squared", true) == TH_OK);
    CHECK((sample.coef[1] == 0) != (sample.coef[2] == 0));
    CHECK((sample.coef[3] == 0) + (sample.coef[4] == 0) +
              (sample.coef[5] == 0) ==
          1);
    CHECK(sample.coef[6] == 0 && sample.coef[7] == 0);
    CHECK((sample.coef[8] == 0) != (sample.coef[9] == 0));
    for (int64_t k = -1; k < 40; k++)
      if (k != 8)
        CHECK_NEAR(slope(&sample, th_loss_find("squared"), true, k), 0, 1e-8);
    sample_predict(&sample);
    memcpy(before, sample.prediction, sizeof before);
    CHECK(sample_fit(&sample, "squared", true) ==
          TH_OK); /* the same bits again */
    sample_predict(&sample);
    CHECK(memcmp(before, sample.prediction, 250 * sizeof *before) == 0);
    sample_label(&sample, 5);
    CHECK(sample_fit(&sample, "logistic", true) == TH_OK);
    CHECK_NEAR(sample.coef[1], sample.coef[2], 1e-9);
    CHECK(sample.coef[6] == 0 && sample.coef[7] == 0);
    for (int64_t k = 0; k < 40; k++)
      CHECK(fabs(sample.coef[k]) < 1e3);
  }
}

/* More columns than rows, too. */
static void test_wide(void)
{
  sample_fill(&sample, 40, SAMPLE_COLUMNS, 450);
  sample_plant(&sample, 1, 3);
  CHECK(sample_select(&sample, SAMPLE_COLUMNS, 0) == TH_OK);
  CHECK(sample.size <= 8 && sample_count_planted(&sample, 1) == 1);
  CHECK(sample_fit(&sample, "squared", true) == TH_OK);
  sample_predict(&sample);
  for (int64_t i = 0; i < 40; i++)
    CHECK_NEAR(sample.prediction[i], sample.y[i], 1e-4);
}

static void check_finite(double most)
{
  for (int64_t k = 0; k < sample.count; k++)
    CHECK(fabs(sample.coef[k]) <= most);
  CHECK(fabs(sample.constant) <= most);
}

static void test_separable(void)
{
  for (int turn = 0; turn < 8; turn++) {
    sample_fill(&sample, turn < 4 ? 60 : 900, turn < 4 ? SAMPLE_COLUMNS : 30,
                500 + (uint64_t)turn);
    for (int64_t i = 0; i < sample.rows; i++)
      sample.y[i] = sample_value(&sample, 1, i) - sample_value(&sample, 4, i);
    sample_label(&sample, turn % 4 - 1);
    CHECK(sample_fit(&sample, "logistic", turn % 2 == 0) == TH_OK);
    check_finite(100);
    sample_predict(&sample);
    int64_t wrong = 0;
    for (int64_t i = 0; i < sample.rows; i++)
      wrong += sample.prediction[i] * sample.y[i] <= 0;
    CHECK(wrong == 0 || turn % 2 == 1);
  }
}

/* One class, no weight, no column, no row: nothing to learn from. */
static void test_nothing(void)
{
  for (int labels = 0; labels < 2; labels++) {
    const char *loss = labels ? "logistic" : "squared";
    sample_fill(&sample, 50, 20, 600);
    for (int64_t i = 0; i < 50; i++)
      sample.y[i] = 1;
    CHECK(sample_select(&sample, 20, 0) == TH_OK && sample.size == 0);
    CHECK(sample_fit(&sample, loss, true) == TH_OK);
    CHECK_NEAR(sample.constant, labels ? log(100) : 1, 1e-12);
    check_finite(5);
    CHECK(sample_fit(&sample, loss, false) == TH_OK);
    check_finite(100);
    memset(sample.weight, 0, sizeof sample.weight);
    CHECK(sample_select(&sample, 20, 0) == TH_OK && sample.size == 0);
    CHECK(sample_fit(&sample, loss, true) == TH_OK);
    check_finite(0);
    sample.weight[3] = 1;
    CHECK(sample_select(&sample, 20, 0) == TH_OK && sample.size == 0);
    CHECK(sample_fit(&sample, loss, true) == TH_OK);
    sample.count = 0;
    CHECK(sample_select(&sample, 20, 0) == TH_OK && sample.size == 0);
    CHECK(sample_fit(&sample, loss, true) == TH_OK);
    sample.rows = 0;
    CHECK(sample_select(&sample, 20, 0) == TH_OK && sample.size == 0);
    CHECK(sample_fit(&sample, loss, true) == TH_OK && sample.constant == 0);
  }
}

int main(void)
{
  CASE(test_equations());
  CASE(test_dependent());
  CASE(test_wide());
  CASE(test_separable());
  CASE(test_nothing());
  return check_finish(NULL);
}
