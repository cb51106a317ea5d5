/* strict_known.c - a strict support on rows, and on what others have said
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "sample.h"

#include <string.h>

enum { ROWS = 600, BEFORE = 400, COLUMNS = 12 };

static struct sample sample; /* too large for the stack */

/* Known rows weigh nothing any more, or nothing but they weigh. */
static void weigh(bool before)
{
  for (int64_t i = 0; i < ROWS; i++)
    sample.weight[i] = (i < BEFORE) == before;
}

/* Of row i: x_k less its centre, and 1. */
static double known_value(const struct th_strict_known *known, int64_t k,
                          int64_t i)
{
  return k == COLUMNS ? 1 : sample_value(&sample, k, i) - known->centre[k];
}

static double left_of(const struct th_strict_known *known, int64_t i)
{
  double left = sample.y[i] - known->constant;
  for (int64_t k = 0; k < COLUMNS; k++)
    left -= known->coef[k] * known_value(known, k, i);
  return left;
}

/* What the rows before say, over the variance that the others show. */
static void learn(struct th_strict_known *known, bool intercept)
{
  int64_t order = COLUMNS + intercept;
  double variance = 0;
  weigh(true);
  CHECK(sample_fit(&sample, "squared", intercept) == TH_OK);
  known->constant = sample.constant;
  for (int64_t k = 0; k < COLUMNS; k++) {
    known->centre[k] = intercept ? (double)(k % 3) : 0;
    known->coef[k] = sample.coef[k];
    known->constant += sample.coef[k] * known->centre[k];
  }
  for (int64_t i = BEFORE; i < ROWS; i++)
    variance += left_of(known, i) * left_of(known, i) / (ROWS - BEFORE);
  memset(known->precision, 0, (size_t)(order * order) * sizeof(double));
  memset(known->moment, 0, (size_t)order * sizeof(double));
  for (int64_t i = 0; i < BEFORE; i++)
    for (int64_t k = 0; k < order; k++) {
      double x = known_value(known, k, i) / variance;
      known->moment[k] += x * sample.y[i];
      for (int64_t j = 0; j < order; j++)
        known->precision[j + k * order] += x * known_value(known, j, i);
    }
  weigh(false);
}

static void join(const struct th_strict_known *known, int64_t largest,
                 bool intercept)
{
  struct th_error err = {0};
  struct th_strict_data data = sample_data(&sample, COLUMNS, COLUMNS, largest);
  data.intercept = intercept;
  CHECK(th_strict_join(known, &data, sample.chosen, &sample.size, sample.coef,
                       &sample.constant, &err) == TH_OK);
}

/* Both together are least squares on all rows; what does not stand out on them
 * leaves, also where it is there by order. */
static void test_turn(struct th_strict_known *known, int turn)
{
  bool intercept = turn % 2 == 0;
  double coef[COLUMNS];
  sample_fill(&sample, ROWS, COLUMNS, 700 + (uint64_t)turn);
  sample_plant(&sample, COLUMNS, turn < 6 ? 3 : 0.15);
  for (int64_t k = 0; k < COLUMNS; k++)
    for (int64_t i = 0; i < ROWS && k % 3 != 1; i++)
      sample.y[i] += 2 * sample.x[k][i];
  for (int64_t i = 0; i < ROWS && !intercept; i++)
    sample.y[i] -= 5;
  learn(known, intercept);
  join(known, 0, intercept);
  memcpy(coef, sample.coef, sizeof coef);
  double constant = sample.constant;
  if (turn < 6) {
    CHECK(sample.size == COLUMNS);
    for (int64_t i = 0; i < ROWS; i++)
      sample.weight[i] = 1;
    CHECK(sample_fit(&sample, "squared", intercept) == TH_OK);
    for (int64_t k = 0; k < COLUMNS; k++)
      CHECK_NEAR(coef[k], sample.coef[k], 1e-8);
    CHECK_NEAR(constant, sample.constant, 1e-8);
    weigh(false);
  }
  join(known, 3, intercept);
  CHECK(sample.size == 3);
}

/* Weak columns that the rows alone would lose stay by what is known. */
static void test_weak(struct th_strict_known *known)
{
  struct th_error err = {0};
  int64_t alone = 0;
  int64_t both = 0;
  int64_t wrong = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    sample_fill(&sample, ROWS, COLUMNS, 800 + seed);
    sample_plant(&sample, 4, 0.12);
    learn(known, true);
    const struct th_strict_data data =
        sample_data(&sample, COLUMNS, COLUMNS, 0);
    CHECK(th_strict_select(&data, true, sample.chosen, &sample.size, &err) ==
          TH_OK);
    alone += sample_count_planted(&sample, 4);
    join(known, 0, true);
    both += sample_count_planted(&sample, 4);
    wrong += sample.size - sample_count_planted(&sample, 4);
  }
  CHECK(both >= 50 && alone <= 25); /* of 80 */
  CHECK(wrong <= 12);               /* 160 of probability .026 */
}

/* The rows before, at their own fit, by the curvature of the loss. */
static void learn_labels(struct th_strict_known *known)
{
  const struct th_loss *loss = th_loss_find("logistic");
  int64_t order = COLUMNS + 1;
  weigh(true);
  CHECK(sample_fit(&sample, "logistic", true) == TH_OK);
  sample_predict(&sample);
  memset(known->precision, 0, (size_t)(order * order) * sizeof(double));
  memset(known->moment, 0, (size_t)order * sizeof(double));
  double constant = sample.constant;
  for (int64_t k = 0; k < COLUMNS; k++) {
    known->centre[k] = (double)(k % 3);
    constant += sample.coef[k] * known->centre[k];
  }
  for (int64_t i = 0; i < BEFORE; i++) {
    double h = loss->half * loss->curvature(sample.prediction[i], sample.y[i]);
    for (int64_t k = 0; k < order; k++)
      for (int64_t j = 0; j < order; j++) {
        double x = h * known_value(known, j, i) * known_value(known, k, i);
        known->precision[j + k * order] += x;
        known->moment[k] += x * (j < COLUMNS ? sample.coef[j] : constant);
      }
  }
  weigh(false);
}

/* Labels: rows and what is known together are nearly the fit on all rows, from
 * which the rows alone are far. */
static void test_labels(struct th_strict_known *known)
{
  struct th_error err = {0};
  double off_alone = 0;
  double off_both = 0;
  for (uint64_t seed = 0; seed < 6; seed++) {
    double coef[COLUMNS];
    double constant = 0;
    sample_fill(&sample, ROWS, COLUMNS, 900 + seed);
    sample_plant(&sample, 4, 0.4);
    sample_label(&sample, 5);
    learn_labels(known);
    const struct th_strict_data data = sample_data(&sample, COLUMNS, 0, 0);
    CHECK(th_strict_fit(known, &data, th_loss_find("logistic"), coef, &constant,
                        &err) == TH_OK);
    CHECK(sample_fit(&sample, "logistic", true) == TH_OK);
    double alone[COLUMNS];
    memcpy(alone, sample.coef, sizeof alone);
    for (int64_t i = 0; i < ROWS; i++)
      sample.weight[i] = 1;
    CHECK(sample_fit(&sample, "logistic", true) == TH_OK);
    for (int64_t k = 0; k < COLUMNS; k++) {
      off_alone += fabs(alone[k] - sample.coef[k]);
      off_both += fabs(coef[k] - sample.coef[k]);
    }
  }
  CHECK(off_both < off_alone / 8);
}

/* Without a column there is the constant: that of all rows. */
static void test_nothing(struct th_strict_known *known)
{
  struct th_error err = {0};
  int64_t size = 1;
  double constant = 0;
  double all = 0;
  sample_fill(&sample, ROWS, 1, 950);
  weigh(false);
  known->precision[0] = BEFORE / 0.8;
  known->moment[0] = BEFORE / 0.8 * 7;
  known->variance = 0.8;
  known->constant = 7;
  double variance = 0;
  for (int64_t i = BEFORE; i < ROWS; i++) {
    variance += (sample.y[i] - 7) * (sample.y[i] - 7) / (ROWS - BEFORE);
    all += sample.y[i];
  }
  const struct th_strict_data data = sample_data(&sample, 0, 5, 0);
  CHECK(th_strict_join(known, &data, sample.chosen, &size, sample.coef,
                       &constant, &err) == TH_OK);
  double share = BEFORE / 0.8 * variance;
  CHECK(size == 0);
  CHECK_NEAR(constant, (all + 7 * share) / (ROWS - BEFORE + share), 1e-9);
  sample_label(&sample, 5);
  known->precision[0] = 1e9;
  known->moment[0] = -1e9;
  CHECK(th_strict_fit(known, &data, th_loss_find("logistic"), sample.coef,
                      &constant, &err) == TH_OK);
  CHECK_NEAR(constant, -1, 1e-5);
}

int main(void)
{
  static double precision[(COLUMNS + 1) * (COLUMNS + 1)];
  double moment[COLUMNS + 1];
  double centre[COLUMNS];
  double coef[COLUMNS];
  struct th_strict_known known = {
      .precision = precision, .moment = moment, .centre = centre, .coef = coef};
  for (int turn = 0; turn < 8; turn++)
    CASE(test_turn(&known, turn));
  CASE(test_weak(&known));
  CASE(test_labels(&known));
  CASE(test_nothing(&known));
  return check_finish(NULL);
}
