/* selector.c - what the Dantzig selector ends at is feasible, and its dual
 * says that nothing smaller is
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "solvers/competitors/selector.h"

#include <math.h>

enum { D = 20, HALF = 10 };

static double soft(double v, double t)
{
  return v > t ? v - t : v < -t ? v + t : 0;
}

struct square {
  int n;
  const double *a;
};

static void multiply(void *self, const double *v, double *out)
{
  const struct square *g = self;
  for (int i = 0; i < g->n; i++) {
    out[i] = 0;
    for (int j = 0; j < g->n; j++)
      out[i] += g->a[i * g->n + j] * v[j];
  }
}

/* The largest |c - G w| and |G u|. */
static double reach(struct square *g, const double *c, const double *v)
{
  double out[D] = {0};
  double most = 0;
  multiply(g, v, out);
  for (int j = 0; j < D; j++)
    most = fmax(most, fabs((c != NULL ? c[j] : 0) - out[j]));
  return most;
}

/* A Gram matrix and so much noise that it is not one any more. */
static void test_selector(double noise, double share)
{
  struct th_stream stream = {7, TH_PURPOSE_TEST};
  struct th_selector selector;
  struct th_error err;
  double a[D * D];
  double c[D];
  struct square g = {D, a};
  struct th_selector_problem problem = {multiply, &g, c, 0.3};
  for (int i = 0; i < D; i++)
    for (int j = 0; j <= i; j++) {
      double pair[2];
      th_random_normal(stream, (uint64_t)i, (uint64_t)j, pair);
      a[i * D + j] = a[j * D + i] = (i == j ? 1 : 0) + noise * pair[0];
      c[i] = 2 * pair[1];
    }
  CHECK(th_selector_init(&selector, D, &err) == TH_OK);
  for (int k = 0; k < 2; k++) { /* from 0, and from the last solution */
    double size = 0;
    double bound = 0;
    double scale;
    CHECK(th_selector_solve(&selector, &problem, share));
    scale = fmax(1, reach(&g, NULL, selector.u));
    for (int j = 0; j < D; j++) {
      size += fabs(selector.w[j]);
      bound += c[j] * selector.u[j] - problem.lambda * fabs(selector.u[j]);
    }
    CHECK(reach(&g, c, selector.w) <= problem.lambda * (1 + 1.01 * share));
    CHECK(fabs(size - bound / scale) <= 1.01 * share * size);
    problem.lambda /= 2;
  }
  th_selector_free(&selector);
}

/* Without correlations it is the soft threshold. */
static void test_orthogonal(void)
{
  struct th_selector selector;
  struct th_error err;
  double a[D * D] = {0};
  double c[D];
  struct square g = {D, a};
  struct th_selector_problem problem = {multiply, &g, c, 0.5};
  for (int j = 0; j < D; j++) {
    a[j * D + j] = 1;
    c[j] = 0.2 * (j - HALF);
  }
  CHECK(th_selector_init(&selector, D, &err) == TH_OK);
  CHECK(th_selector_solve(&selector, &problem, 1e-9));
  for (int j = 0; j < D; j++)
    CHECK(fabs(selector.w[j] - soft(c[j], 0.5)) < 1e-6);
  problem.lambda = 10; /* nothing is left */
  CHECK(th_selector_solve(&selector, &problem, 1e-6));
  for (int j = 0; j < D; j++)
    CHECK(fabs(selector.w[j]) < 1e-6);
  th_selector_free(&selector);
}

int main(void)
{
  CASE(test_selector(0, 1e-6));
  CASE(test_selector(0.1, 1e-4));
  CASE(test_selector(0.5, 0.01));
  CASE(test_orthogonal());
  return check_finish(NULL);
}
