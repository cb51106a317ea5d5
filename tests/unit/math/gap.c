/* gap.c - intercepts against bisection, sums that would cancel, numbers
 * that are none
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "math/gap.h"

#include <stddef.h>
#include <string.h>

enum { ROWS = 30, COUNTED = 24, CASES = 300 };

struct sample {
  double eta[ROWS];
  double target[ROWS];
  double prediction[ROWS];
};

/* Predictions from small to far out; both classes, or counts; some examples
 * without weight. */
static struct sample make_sample(uint64_t number, const struct th_loss *loss)
{
  struct th_stream stream = {number, TH_PURPOSE_TEST};
  bool steep = th_loss_is_steep(loss);
  double size = exp((double)(number % (steep ? 6 : 12)) - 3);
  struct sample s;
  for (uint64_t i = 0; i < ROWS; i++) {
    double pair[2];
    th_random_normal(stream, 0, i, pair);
    s.prediction[i] = size * pair[0] + (double)(number % 7) * size;
    s.target[i] = loss->labels ? (i < 2 + number % 25 ? 1 : -1)
                  : steep      ? floor(fabs(3 * pair[1]))
                               : pair[1];
    s.eta[i] = i % 5 == 4 ? 0 : 1.0 / COUNTED;
  }
  return s;
}

static double slope(const struct th_loss *loss, const struct sample *s,
                    double b0)
{
  double sum = 0;
  for (int i = 0; i < ROWS; i++)
    sum += s->eta[i] * th_loss_df(loss, s->prediction[i] + b0, s->target[i]);
  return sum;
}

static void test_intercept(const struct th_loss *loss, uint64_t number)
{
  struct sample s = make_sample(number, loss);
  struct th_error err = {0};
  double low = -1e6;
  double high = 1e6;
  double b0 = number % 3 == 0 ? 1000 : 0;
  for (int k = 0; k < 200; k++) {
    double middle = (low + high) / 2;
    if (slope(loss, &s, middle) < 0)
      low = middle;
    else
      high = middle;
  }
  CHECK(th_gap_intercept(loss, ROWS, s.eta, s.target, s.prediction, &b0,
                         &err) == TH_OK);
  CHECK(fabs(slope(loss, &s, b0)) <=
        fabs(slope(loss, &s, low)) + 1e-14 * fmax(1, fabs(low)));
  /* an interval may have the least sum */
  CHECK(loss->labels || loss->scaled ||
        fabs(b0 - low) <= 1e-10 * fmax(1, fabs(low)));
}

/* The classes' sums become equal, and f* stays finite. */
static void test_centre(const struct th_loss *loss, uint64_t number)
{
  struct sample s = make_sample(number, loss);
  double theta[ROWS];
  double sum = 0;
  for (int i = 0; i < ROWS; i++)
    theta[i] = th_loss_df(loss, s.prediction[i], s.target[i]);
  th_gap_centre(loss, ROWS, s.eta, s.target, theta);
  for (int i = 0; i < ROWS; i++)
    sum += s.eta[i] * theta[i];
  double size = exp((double)(number % 12) - 3);
  for (int i = 0; i < ROWS && th_loss_is_steep(loss); i++)
    size += s.eta[i] * fabs(theta[i]);
  CHECK(fabs(sum) <= 1e-14 * size);
  CHECK(isfinite(th_gap_dual(loss, ROWS, s.eta, s.target, theta, 1)));
  CHECK(isfinite(th_gap_dual(loss, ROWS, s.eta, s.target, theta, 0.3)));
}

static void test_one_class(const struct th_loss *loss)
{
  struct sample s = make_sample(1, loss);
  struct th_error err = {0};
  double b0 = 0;
  for (int i = 0; i < ROWS; i++)
    s.target[i] = s.eta[i] > 0 ? 1 : -1;
  CHECK(th_gap_intercept(loss, ROWS, s.eta, s.target, s.prediction, &b0,
                         &err) == (loss->labels ? TH_EDATA : TH_OK));
  s = make_sample(1, loss);
  s.prediction[3] = NAN;
  CHECK(th_gap_intercept(loss, ROWS, s.eta, s.target, s.prediction, &b0,
                         &err) != TH_OK);
}

/* Both classes' sums are 0: the dual point 0 is what is left. */
static void test_nothing_to_centre(void)
{
  const double eta[] = {0.5, 0.5};
  const double target[] = {1, -1};
  double theta[] = {-0.5, 0};
  th_gap_centre(th_loss_find("squared-hinge"), 2, eta, target, theta);
  CHECK(theta[0] == 0 && theta[1] == 0);
}

/* Examples without weight do not count, whatever they are. */
static void test_without_weight(void)
{
  const struct th_loss *loss = th_loss_find("logistic");
  const double eta[] = {1, 0};
  const double target[] = {1, 1};
  const double far[] = {0, -INFINITY};
  const double outside[] = {-0.5, 7};
  CHECK_NEAR(th_gap_primal(loss, 2, eta, target, far), log(2), 1e-15);
  CHECK_NEAR(th_gap_dual(loss, 2, eta, target, outside, 1), log(2), 1e-15);
  CHECK(th_gap_dual(loss, 1, eta, target, outside + 1, 1) == -INFINITY);
}

/* 1 in 10^16: lost where terms are simply added up. */
static void test_compensated(void)
{
  enum { MANY = 10001 };
  static double eta[MANY];
  static double target[MANY];
  static double prediction[MANY];
  const struct th_loss *loss = th_loss_find("squared");
  for (int i = 0; i < MANY; i++) {
    eta[i] = 1;
    prediction[i] = i == 0 ? sqrt(2e16) : sqrt(2);
  }
  double sum = th_gap_primal(loss, MANY, eta, target, prediction);
  CHECK(fabs(sum - 1e16 - (MANY - 1)) < 10);
}

static void test_bounds(void)
{
  CHECK(th_gap_bound(1, 1) > 0 && th_gap_bound(1, 1) < 1e-14);
  CHECK(th_gap_bound(1, 1 + 1e-10) < 1e-14 && th_gap_bound(3, 1) >= 2);
  CHECK(th_gap_bound(0, 0) == 0);
  CHECK(th_gap_bound(1, -INFINITY) == INFINITY);
  CHECK(th_gap_bound(NAN, 1) == INFINITY);
  CHECK(th_gap_radius(1, 2, 4, 0.5) == 8);
  CHECK(th_gap_radius(1, 0x1p-801, 0x1p-800, 0x1p-800) == 1);
  CHECK(th_gap_radius(1, INFINITY, 0, 0.5) == 0);
  CHECK(th_gap_removes(0.5, 0.4, th_gap_margin(TH_F64)));
  CHECK(!th_gap_removes(0.5, 0.5, 0));
  CHECK(!th_gap_removes(0.5, 0.5 - 1e-7, th_gap_margin(TH_F32)));
  CHECK(!th_gap_removes(NAN, 0, 0) && !th_gap_removes(0, INFINITY, 0));
}

int main(void)
{
  for (const struct th_loss *loss = th_loss_table(); loss->name; loss++) {
    for (uint64_t number = 0; number < CASES; number++) {
      CASE(test_intercept(loss, number));
      CASE(test_centre(loss, number));
    }
    CASE(test_one_class(loss));
  }
  CASE(test_nothing_to_centre());
  CASE(test_without_weight());
  CASE(test_compensated());
  CASE(test_bounds());
  return check_finish(NULL);
}
