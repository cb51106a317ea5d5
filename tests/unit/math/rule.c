/* rule.c - the eigenvalue rule against simulated spectra, schedules
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "normal.h"

#include "math/linalg.h"
#include "math/schedule.h"

#include <string.h>

enum { WIDTH = 40, ROWS = 4 * WIDTH };

/* Largest eigenvalue of the Gram matrix of WIDTH attributes on ROWS rows; a
 * common factor gives them the covariance (1 - c) I + c 11'. */
static double simulated(uint64_t step, double c)
{
  static double z[WIDTH * ROWS];
  static double gram[WIDTH * WIDTH];
  struct th_error err = {0};
  double value = 0;
  for (int64_t i = 0; i < ROWS; i++)
    for (int64_t j = 0; j < WIDTH; j++)
      z[j + i * WIDTH] =
          sqrt(1 - c) * test_normal(11, step, j + i * (WIDTH + 1)) +
          sqrt(c) * test_normal(11, step, WIDTH + i * (WIDTH + 1));
  for (int64_t j = 0; j < WIDTH; j++)
    for (int64_t k = 0; k <= j; k++) {
      double sum = 0;
      for (int64_t i = 0; i < ROWS; i++)
        sum += z[j + i * WIDTH] * z[k + i * WIDTH];
      gram[k + j * WIDTH] = sum / ROWS;
    }
  CHECK(th_linalg_largest_eigenvalue(WIDTH, gram, &value, &err) == TH_OK);
  return value;
}

static void test_eigenvalue(void)
{
  const double ratio = (double)WIDTH / ROWS;
  const double common[] = {0.1, 0.3, 0.6, 0.9};
  int64_t noise = 0;
  for (uint64_t k = 0; k < 40; k++)
    noise += th_schedule_eigenvalue(simulated(k, 0), ratio) == 1;
  CHECK(noise >= 38); /* pure noise means 1 */
  for (int c = 0; c < 4; c++) {
    double mean = 0;
    double truth = 1 + (WIDTH - 1) * common[c];
    for (uint64_t k = 0; k < 40; k++)
      mean += th_schedule_eigenvalue(simulated(100 + k, common[c]), ratio) / 40;
    CHECK_NEAR(mean / truth, 1.0, 0.08);
  }
}

/* The rule inverts l = lambda (1 + ratio / (lambda - 1)) above the edge. */
static void test_inversion(void)
{
  for (double ratio = 0.05; ratio < 3; ratio *= 1.7)
    for (double lambda = 2.5 + 2 * sqrt(ratio); lambda < 1e6; lambda *= 3) {
      double l = lambda * (1 + ratio / (lambda - 1));
      double edge = (1 + sqrt(ratio)) * (1 + sqrt(ratio));
      if (l > 1.16 * edge)
        CHECK_NEAR(th_schedule_eigenvalue(l, ratio) / lambda, 1.0, 1e-9);
    }
  CHECK(th_schedule_eigenvalue(0, 0.25) == 1);
  CHECK(th_schedule_eigenvalue(1, 0) == 1);
  CHECK_NEAR(th_schedule_eigenvalue(3, 0), 3.0, 1e-12);
}

static void test_schedules(void)
{
  CHECK(th_schedule_exploit_updates(20, 0.25) == 3); /* 3.0 / 1.39 */
  CHECK(th_schedule_exploit_updates(1, 0.25) == 1);
  CHECK(th_schedule_exploit_updates(0, 0.25) == 1);
  CHECK(th_schedule_exploit_updates(20, 0.5) == 1);
  CHECK(th_schedule_exploit_updates(20, 0.7) == 1);
  CHECK(th_schedule_exploit_updates(20, 0.125) == 6);
  for (int64_t blocks = 2; blocks < 100000; blocks *= 3)
    for (double eta = 0.01; eta < 0.5; eta += 0.07) {
      int64_t t = th_schedule_exploit_updates(blocks, eta);
      CHECK(t >= 1);
      double shrunk = (double)blocks * pow(1 - 2 * eta, 2 * (double)t);
      CHECK(shrunk <= 1 + 1e-9); /* enough updates, and not one too many */
      CHECK(t == 1 || shrunk / pow(1 - 2 * eta, 2) > 1 - 1e-9);
    }
  CHECK(th_schedule_explore_rows(1) == 20 && th_schedule_explore_rows(7) == 21);
  CHECK(th_schedule_grow(100, 1.2, 0) == 100 &&
        th_schedule_grow(100, 1.2, 1) == 120);
  CHECK(th_schedule_grow(7, 1, 1000) == 7);
  CHECK(th_schedule_grow(10, 1.4, 3) == 28); /* 27.44 */
  CHECK(th_schedule_grow(1000, 2, 100000) >
        1000000); /* neither endless nor over */
  for (int64_t k = 0; k < 50; k++)
    CHECK(th_schedule_grow(3, 1.1, k + 1) >= th_schedule_grow(3, 1.1, k));
}

int main(void)
{
  CASE(test_eigenvalue());
  CASE(test_inversion());
  CASE(test_schedules());
  return check_finish(NULL);
}
