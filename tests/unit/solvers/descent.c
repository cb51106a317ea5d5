/* descent.c - averaged gradient descent: step by step, and to the minimum
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "solvers/greedy/descent.h"

#include <math.h>
#include <string.h>

enum { MEMBERS = 3, ROWS = 40, BATCHES = 500 };

static const double truth[MEMBERS] = {0.4, -0.3, 0.1};
static const struct th_oomp_law law = {
    .least = 1.0 / 12, .most = 1.0 / 12, .reach = 0.5, .span = 1};

/* Values are uniform in [-.5, .5], as in section 6 of the paper. */
static void fill(int64_t number, double *x, double *y)
{
  const struct th_stream chance = {5, TH_PURPOSE_TEST};
  double pair[2];
  for (int64_t i = 0; i < ROWS; i++) {
    th_random_uniform(chance, (uint64_t)number, (uint64_t)(MEMBERS * ROWS + i),
                      pair);
    y[i] = 0.2 * (pair[0] - 0.5);
    for (int64_t k = 0; k < MEMBERS; k++) {
      th_random_uniform(chance, (uint64_t)number, (uint64_t)(k * ROWS + i),
                        pair);
      x[k * ROWS + i] = pair[0] - 0.5;
      y[i] += truth[k] * x[k * ROWS + i];
    }
  }
}

/* Algorithm 7 with the average written out: the mean of beta_t by weights t. */
struct plain {
  double coef[MEMBERS];
  double sum[MEMBERS];
  double t;
};

static void take_step(struct plain *p, const double *x, double y)
{
  double residual = -y;
  double square = 0;
  p->t++;
  for (int64_t k = 0; k < MEMBERS; k++)
    residual += x[k * ROWS] * p->coef[k];
  for (int64_t k = 0; k < MEMBERS; k++) {
    p->coef[k] -= 2 * residual * x[k * ROWS] / (law.least * (p->t + 1));
    square += p->coef[k] * p->coef[k];
  }
  double radius = 2 / sqrt(law.least);
  for (int64_t k = 0; k < MEMBERS; k++) {
    p->coef[k] *= fmin(1, radius / sqrt(square));
    p->sum[k] += p->t * p->coef[k];
  }
}

static void test_steps(void)
{
  static double x[MEMBERS * ROWS];
  static double y[ROWS];
  struct th_comm comm;
  struct th_error err;
  struct plain plain = {.t = 0};
  struct th_descent descent = {0};
  const struct th_support support = {.size = MEMBERS};
  th_comm_self(&comm);
  th_error_clear(&err);
  struct th_context context = {.comm = &comm};
  const struct th_batch batch = {
      .rows = ROWS, .mine = {0, MEMBERS}, .columns = x, .target = y};
  CHECK(th_descent_begin(&descent, MEMBERS, &err) == TH_OK);
  for (int64_t b = 0; b < BATCHES; b++) {
    fill(b, x, y);
    CHECK(th_descent_add(&descent, &context, &batch, &support, &law, &err) ==
          TH_OK);
    for (int64_t i = 0; i < ROWS; i++)
      take_step(&plain, x + i, y[i]);
    for (int64_t k = 0; k < MEMBERS; k++)
      CHECK(fabs(descent.mean[k] -
                 plain.sum[k] * 2 / (plain.t * (plain.t + 1))) < 1e-12);
  }
  CHECK(descent.steps == ROWS * BATCHES);
  for (int64_t k = 0; k < MEMBERS; k++)
    CHECK(fabs(descent.mean[k] - truth[k]) < 0.02);
  th_descent_free(&descent);
  th_comm_free(&comm);
}

/* Corollary D.2, for the paper's design: 8 k M^2 / sqrt(rho) + 4 sqrt(k) M. */
static void test_number(void)
{
  double g = 8 * 4 * 0.25 * sqrt(12) + 4 * 2 * 0.5;
  double steps = 21 * g * g * log(1 / 0.05) * 12 / 0.01;
  CHECK(fabs(th_descent_steps(4, &law, 21, 0.05, 0.01) / steps - 1) < 1e-12);
}

int main(void)
{
  CASE(test_steps());
  CASE(test_number());
  return check_finish(NULL);
}
