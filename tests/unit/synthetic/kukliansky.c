/* kukliansky.c - the family of binary attributes: moments, law, truth and
 * targets against the definitions of Kukliansky & Shamir 2015, section 5.1
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "synthetic/synthetic.h"

#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTES = 600, ROWS = 10000, FEWEST = 12 };

static double *dense(const struct th_ground_truth *truth, int64_t rows)
{
  struct th_synthetic_law law = th_synthetic_law_of(truth, ATTRIBUTES);
  struct th_error err;
  double *x = calloc((size_t)rows * ATTRIBUTES, sizeof *x);
  struct th_synthetic_room room = {.attributes = {0, ATTRIBUTES},
                                   .examples = {0, rows},
                                   .type = TH_F64,
                                   .values = x,
                                   .stride = rows};
  th_error_clear(&err);
  CHECK(th_synthetic_dense(&law, &room, &err) == TH_OK);
  return x;
}

static struct th_ground_truth make(double alpha, int task)
{
  struct th_ground_truth truth = {.family = "kukliansky",
                                  .seed = 11,
                                  .own = {.alpha = alpha, .task = task}};
  struct th_error err;
  th_error_clear(&err);
  CHECK(th_synthetic_truth_init(&truth, ATTRIBUTES, &err) == TH_OK);
  return truth;
}

/* u of the paper, from its definition. */
static void expect_probabilities(double alpha, int task, double *u)
{
  double squares = 0;
  for (int j = 0; j < ATTRIBUTES; j++) {
    u[j] = pow(j + 1, alpha);
    squares += u[j] * u[j];
  }
  for (int j = 0; j < ATTRIBUTES && task == TH_FAMILY_RIDGE && squares > 1; j++)
    u[j] /= sqrt(squares);
}

/* Squared distances, each divided by its variance: their sum less its mean, in
 * standard errors. */
struct squares {
  double sum;
  int count;
};

static void squares_add(struct squares *squares, double miss, double variance)
{
  if (variance == 0 && miss == 0)
    return;
  squares->sum += miss * miss / variance;
  squares->count++;
}

static double squares_errors(const struct squares *squares)
{
  return (squares->sum - squares->count) / sqrt(2.0 * squares->count + 1);
}

/* The means of the attributes against u. */
static double means_off(const double *x, const double *u)
{
  struct squares squares = {0, 0};
  for (int j = 0; j < ATTRIBUTES; j++) {
    double mean = 0;
    for (int i = 0; i < ROWS; i++)
      mean += x[j * ROWS + i];
    if (u[j] * ROWS > FEWEST)
      squares_add(&squares, mean / ROWS - u[j], u[j] * (1 - u[j]) / ROWS);
  }
  return squares_errors(&squares);
}

/* Covariances of neighbours, and of attributes a cell apart, against zero. */
static double covariances_off(const double *x, const double *u)
{
  const int lags[] = {1, 2, 256};
  struct squares squares = {0, 0};
  for (int k = 0; k < 3; k++) {
    for (int j = 0; j + lags[k] < ATTRIBUTES; j++) {
      int other = j + lags[k];
      double product = 0;
      for (int i = 0; i < ROWS; i++)
        product += (x[j * ROWS + i] - u[j]) * (x[other * ROWS + i] - u[other]);
      if (u[j] * u[other] * ROWS > FEWEST)
        squares_add(&squares, product / ROWS,
                    u[j] * (1 - u[j]) * u[other] * (1 - u[other]) / ROWS);
    }
  }
  return squares_errors(&squares);
}

/* Values 0 and 1 with the means of the paper, independent; other means or an
 * attribute that follows another one do not pass. */
static void test_values(double alpha, int task)
{
  struct th_ground_truth truth = make(alpha, task);
  double u[ATTRIBUTES];
  double *x = dense(&truth, ROWS);
  int64_t others = 0;
  for (int64_t k = 0; k < (int64_t)ATTRIBUTES * ROWS; k++)
    others += x[k] != 0 && x[k] != 1;
  CHECK(others == 0);
  expect_probabilities(alpha - 0.1, task, u);
  CHECK(means_off(x, u) > 4);
  expect_probabilities(alpha, task, u);
  CHECK(fabs(means_off(x, u)) < 4);
  CHECK(fabs(covariances_off(x, u)) < 4);
  u[3] = u[2];
  memcpy(x + (size_t)3 * ROWS, x + (size_t)2 * ROWS, ROWS * sizeof *x);
  CHECK(u[2] == 1 || covariances_off(x, u) > 4);
  free(x);
  th_synthetic_truth_free(&truth);
}

static void test_law(double alpha, int task)
{
  struct th_ground_truth truth = make(alpha, task);
  struct th_statistics statistics[ATTRIBUTES];
  double u[ATTRIBUTES];
  double share = 0;
  struct th_synthetic_law law = th_synthetic_law_of(&truth, ATTRIBUTES);
  expect_probabilities(alpha, task, u);
  th_synthetic_statistics(&law, (struct th_range){0, ATTRIBUTES}, statistics);
  for (int j = 0; j < ATTRIBUTES; j++) {
    CHECK_NEAR(statistics[j].mean, u[j], 1e-12);
    CHECK_NEAR(statistics[j].deviation, sqrt(u[j] * (1 - u[j])), 1e-7);
    share += u[j] / ATTRIBUTES;
  }
  CHECK_NEAR(law.share, share, 1e-12);
  th_synthetic_truth_free(&truth);
}

/* Shares of the coefficients within 4 standard errors; one bit of the seed
 * changes them. */
static void test_truth(int task, double negative)
{
  enum { D = 20000 };
  struct th_ground_truth truth = {
      .family = "kukliansky", .seed = 11, .own.task = task};
  struct th_ground_truth other = truth;
  struct th_error err;
  int64_t count[3] = {0, 0, 0};
  int64_t same = 0;
  th_error_clear(&err);
  other.seed = 10;
  CHECK(th_synthetic_truth_init(&truth, D, &err) == TH_OK);
  CHECK(th_synthetic_truth_init(&other, D, &err) == TH_OK);
  for (int64_t k = 0; k < truth.support_size; k++) {
    CHECK(truth.coef[k] == 1 || truth.coef[k] == -1);
    CHECK(truth.support[k] < D);
    CHECK(k == 0 || truth.support[k] > truth.support[k - 1]);
    count[1 + (int)truth.coef[k]]++;
    same += k < other.support_size && truth.coef[k] == other.coef[k];
  }
  double error = 4 * sqrt(negative * (1 - negative) * D);
  CHECK(fabs((double)count[0] - negative * D) < error);
  CHECK(fabs((double)count[2] - negative * D) < error);
  CHECK(same < truth.support_size * 6 / 10);
  th_synthetic_truth_free(&truth);
  th_synthetic_truth_free(&other);
}

/* The fast way to the targets against the sums of all values: exact. */
static void test_targets(double alpha, int task)
{
  enum { N = 701, CUT = 333 };
  struct th_ground_truth truth = make(alpha, task);
  struct th_error err;
  double *x = dense(&truth, N);
  double y[N];
  th_error_clear(&err);
  CHECK(th_synthetic_targets(&truth, ATTRIBUTES, N, 0, CUT, y, &err) == TH_OK);
  CHECK(th_synthetic_targets(&truth, ATTRIBUTES, N, CUT, N - CUT, y + CUT,
                             &err) == TH_OK);
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int64_t k = 0; k < truth.support_size; k++)
      sum += truth.coef[k] * x[truth.support[k] * N + i];
    CHECK(y[i] == sum);
  }
  free(x);
  th_synthetic_truth_free(&truth);
}

/* The expected share of ones, which is a sum of powers, against its terms. */
static void test_share(void)
{
  const double exponents[] = {0, 0.5, 0.8, 1 - 1e-7, 1, 1.0001, 1.7, 2, 4, 30};
  const int64_t sizes[] = {1, 2, 63, 64, 65, 1000, 54321};
  for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
    const struct th_ground_truth truth = {
        .family = "kukliansky",
        .own = {.alpha = -exponents[e], .task = TH_FAMILY_LASSO}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      double sum = 0;
      for (int64_t k = sizes[s]; k >= 1; k--)
        sum += pow((double)k, -exponents[e]);
      double share = th_synthetic_law_of(&truth, sizes[s]).share;
      CHECK_NEAR(share * (double)sizes[s] / sum, 1, 1e-11);
    }
  }
}

int main(void)
{
  const double alphas[] = {0, -0.5, -1, -2};
  for (int k = 0; k < 4; k++) {
    int other = k % 2 == 0 ? TH_FAMILY_LASSO : TH_FAMILY_RIDGE;
    CASE(test_values(alphas[k], TH_FAMILY_RIDGE));
    CASE(test_law(alphas[k], other));
    CASE(test_targets(alphas[k], other));
  }
  CASE(test_values(-1, TH_FAMILY_LASSO));
  CASE(test_truth(TH_FAMILY_RIDGE, 0.5));
  CASE(test_truth(TH_FAMILY_LASSO, 0.15));
  CASE(test_share());
  return check_finish(NULL);
}
