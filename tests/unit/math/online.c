/* online.c - the online rule against the sums that it stands for
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "math/online.h"

#include <stddef.h>
#include <string.h>

enum { D = 7, STEPS = 90, BATCH = 3 };

/* What happened in a run: everything that the weighted sums need. */
struct history {
  double x[STEPS][BATCH][D];
  double y[STEPS][BATCH];
  double theta[STEPS][BATCH];
  double factor[STEPS][BATCH];
  double anchored[STEPS][BATCH];
};

static double uniform(uint64_t step, uint64_t index)
{
  double pair[2];
  th_random_uniform((struct th_stream){11, TH_PURPOSE_TEST}, step, index, pair);
  return 2 * pair[0] - 1;
}

static void invent(struct history *h, const struct th_loss *loss)
{
  for (int t = 0; t < STEPS; t++)
    for (int i = 0; i < BATCH; i++) {
      uint64_t at = (uint64_t)(t * BATCH + i);
      for (int j = 0; j < D; j++)
        h->x[t][i][j] = uniform(at, (uint64_t)j);
      h->y[t][i] =
          loss->labels ? (uniform(at, D) > 0 ? 1 : -1) : uniform(at, D);
      h->theta[t][i] = th_loss_df(loss, uniform(at, D + 1), h->y[t][i]);
      h->anchored[t][i] = uniform(at, D + 2);
      h->factor[t][i] = (1 + uniform(at, D + 3) / 2) / BATCH;
    }
}

/* eta_s after `last` steps, the first of which had t = before + 1. */
static double eta_of(int s, int last, double w, int before)
{
  double eta = pow(before + s + 1, -w);
  for (int i = s + 1; i < last; i++)
    eta *= 1 - pow(before + i + 1, -w);
  return eta;
}

static void add_row(struct th_online *online, struct th_online_vectors v,
                    const struct history *h, int t, int i)
{
  double dual = th_online_dual_factor(online, h->factor[t][i], h->theta[t][i]);
  double second = th_online_second_factor(online, h->factor[t][i]);
  for (int j = 0; j < D; j++) {
    v.X[j] += dual * h->x[t][i][j];
    v.N[j] += second * h->x[t][i][j] * h->x[t][i][j];
  }
  th_online_example(online, h->factor[t][i], h->y[t][i], h->theta[t][i],
                    h->anchored[t][i]);
}

/* What the rule is to be told of a block: any dual norm will do. */
static double norm_of_block(int block)
{
  return block == 1 ? 0.8 : 1.1 + 0.3 * block;
}

/* Every sum from its definition. */
static void check_sums(const struct th_online *online,
                       struct th_online_vectors v, const struct history *h,
                       const int *begins, int blocks, int before,
                       const double *omega)
{
  int last = begins[blocks];
  double mass = 0;
  double primal = 0;
  double dual = 0;
  double Z[D] = {0};
  double N[D] = {0};
  for (int b = 0; b < blocks; b++) {
    double beyond = fmax(norm_of_block(b) - 1, 0);
    bool proj = online->rule == TH_RULE_PROJ;
    double a = proj ? 1 / (1 + beyond) : 1;
    for (int t = begins[b]; t < begins[b + 1]; t++) {
      double eta = eta_of(t, last, online->exponent, before);
      double up = eta * (proj ? 1 : 1 + beyond);
      mass += eta;
      primal += up * online->lambda * omega[b];
      for (int i = 0; i < BATCH; i++) {
        double f = h->factor[t][i];
        primal +=
            up * f * th_loss_f(online->loss, h->anchored[t][i], h->y[t][i]);
        dual -= eta * f *
                th_loss_conjugate(online->loss, a * h->theta[t][i], h->y[t][i]);
        for (int j = 0; j < D; j++) {
          Z[j] -= eta * f * a * h->theta[t][i] * h->x[t][i][j] / online->lambda;
          N[j] += eta * f * h->x[t][i][j] * h->x[t][i][j];
        }
      }
    }
  }
  CHECK_NEAR(1 - online->before, mass, 1e-12);
  if (online->loss->quadratic_conjugate || online->rule != TH_RULE_PROJ)
    CHECK_NEAR(online->gap, fmax((primal - dual) / mass, 0), 1e-11);
  else /* a chord lies below: the gap is never too small */
    CHECK(online->gap >= (primal - dual) / mass - 1e-12 &&
          online->gap <= (primal - dual) / mass + 0.02);
  for (int j = 0; j < D; j++) {
    CHECK_NEAR(v.Z[j], Z[j] / mass, 1e-11);
    CHECK_NEAR(v.N[j], N[j] / mass, 1e-11);
    double radius =
        sqrt(2 * th_loss_L(online->loss) * online->gap * N[j] / mass) /
        online->lambda;
    CHECK_NEAR(th_online_radius(online, v.N[j]), online->shrink * radius,
               1e-10);
  }
}

/* Blocks of 2, 4, ... steps or all of 2; every block's end is compared. */
static void test_recursion(const char *name, enum th_screen_rule rule, double w,
                           int before)
{
  static struct history h;
  double X[D] = {0};
  double Z[D] = {0};
  double N[D] = {0};
  struct th_online_vectors v = {D, X, Z, N};
  struct th_online online;
  const struct th_loss *loss = th_loss_find(name);
  int begins[STEPS + 1] = {0};
  double omega[STEPS];
  int blocks = 0;
  invent(&h, loss);
  struct th_online_problem problem = {
      .loss = loss, .lambda = 0.3, .n = 25, .rule = rule};
  th_online_init(&online, &problem, w, 2, before);
  CHECK(online.shrink == (rule == TH_RULE_VOTES ? 0.2 : 1));
  CHECK(!(th_online_radius(&online, 1) < INFINITY));
  for (int t = 0; t < STEPS; t++) {
    if (t == begins[blocks]) {
      omega[blocks] = 0.5 + 0.1 * blocks;
      th_online_begin(&online, omega[blocks], 0, v);
    }
    th_online_step(&online, v);
    for (int i = 0; i < BATCH; i++)
      add_row(&online, v, &h, t, i);
    if (online.block.steps < online.length)
      continue;
    th_online_mean(&online, v);
    th_online_end(&online, norm_of_block(blocks), v);
    begins[++blocks] = t + 1;
    check_sums(&online, v, &h, begins, blocks, before, omega);
  }
  CHECK(blocks == (rule == TH_RULE_PROJ ? 5 : STEPS / 2));
}

/* A scale that runs low goes into the vector: the sums stay what they are. */
static void test_lazy_scales(void)
{
  double X[1] = {0};
  double Z[1] = {0};
  double N[1] = {0};
  struct th_online_vectors v = {1, X, Z, N};
  struct th_online online;
  double second = 0;
  struct th_online_problem problem = {.loss = th_loss_find("squared"),
                                      .lambda = 1,
                                      .n = 1,
                                      .rule = TH_RULE_PAPER};
  th_online_init(&online, &problem, 0.5, 4000, 1);
  th_online_begin(&online, 0, 0, v);
  for (int t = 0; t < 4000; t++) {
    th_online_step(&online, v);
    N[0] += th_online_second_factor(&online, 1) * (t % 3);
    second = (1 - online.share) * second + online.share * (t % 3);
    CHECK(online.second_scale > 0);
  }
  CHECK_NEAR(N[0] * online.second_scale, second, 1e-11);
}

/* D(a) of a block is concave, 0 at 0, and below the exact value. */
static void test_grid(void)
{
  static struct history h;
  struct th_online online;
  double zero[D] = {0};
  struct th_online_vectors v = {D, zero, zero, zero};
  const struct th_loss *loss = th_loss_find("logistic");
  invent(&h, loss);
  struct th_online_problem problem = {
      .loss = loss, .lambda = 0.3, .n = 25, .rule = TH_RULE_PROJ};
  th_online_init(&online, &problem, 0.75, STEPS, 0);
  th_online_begin(&online, 0, 0, v);
  for (int t = 0; t < STEPS; t++) {
    th_online_step(&online, v);
    for (int i = 0; i < BATCH; i++)
      th_online_example(&online, h.factor[t][i], h.y[t][i], h.theta[t][i], 0);
  }
  CHECK(th_online_block_dual(&online, 0) == 0);
  for (double a = 0; a <= 1; a += 1. / 64) {
    double exact = 0;
    for (int t = 0; t < STEPS; t++)
      for (int i = 0; i < BATCH; i++)
        exact -= eta_of(t, STEPS, 0.75, 0) * h.factor[t][i] *
                 th_loss_conjugate(loss, a * h.theta[t][i], h.y[t][i]);
    CHECK(th_online_block_dual(&online, a) <= exact + 1e-12);
    CHECK(th_online_block_dual(&online, a) >= exact - (a < 0.5 ? 0.05 : 0.01));
  }
}

/* An intercept: T b0 has a lower bound among the b0 that the block has seen. */
static void test_intercept(void)
{
  double X[1] = {0};
  struct th_online_vectors v = {1, X, X, X};
  struct th_online online;
  const struct th_loss *loss = th_loss_find("squared");
  struct th_online_problem problem = {
      .loss = loss, .lambda = 1, .n = 1, .rule = TH_RULE_PROJ};
  th_online_init(&online, &problem, 1, 2, 0);
  th_online_begin(&online, 0, 0.5, v);
  for (int t = 0; t < 2; t++) { /* w = 1: both have a half in the end */
    th_online_step(&online, v);
    th_online_intercept(&online, t == 0 ? 0.25 : 0.6);
    th_online_example(&online, 1, 2, t == 0 ? -1 : -0.5, 0);
  }
  th_online_mean(&online, v);
  th_online_end(&online, 0.5, v);
  /* f = 2, f* = theta^2 / 2 + 2 theta, T = -0.75, b0 within 0.25 of 0.5 */
  double dual = -(0.5 - 2 + 0.125 - 1) / 2 - 0.75 * 0.75;
  CHECK_NEAR(online.gap, 2 - dual, 1e-12);
}

static void test_judge(void)
{
  struct th_online online;
  double dual[] = {0.2, 0.6, 1.0, NAN};
  double second[] = {0.5, 0.5, 0, 0.5};
  bool keep[4];
  struct th_online_problem problem = {.loss = th_loss_find("squared"),
                                      .lambda = 1,
                                      .n = 1,
                                      .rule = TH_RULE_PROJ};
  th_online_init(&online, &problem, 0.75, 2, 0);
  th_online_judge(&online, 4, dual, second, 0, keep);
  CHECK(keep[0] && keep[1] && keep[2] && keep[3]); /* no block has ended */
  online.gap = 0.25;                               /* radius 0.5 */
  th_online_judge(&online, 4, dual, second, 0, keep);
  CHECK(!keep[0] && keep[1] && keep[2] && keep[3]);
}

int main(void)
{
  const char *const losses[] = {"squared", "squared-hinge", "logistic"};
  for (int k = 0; k < 3; k++)
    for (int rule = 0; rule < TH_RULE_COUNT; rule++) {
      CASE(test_recursion(losses[k], (enum th_screen_rule)rule, 0.75, 0));
      CASE(test_recursion(losses[k], (enum th_screen_rule)rule, 0.51, 40));
    }
  CASE(test_lazy_scales());
  CASE(test_grid());
  CASE(test_intercept());
  CASE(test_judge());
  return check_finish(NULL);
}
