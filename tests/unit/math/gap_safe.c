/* gap_safe.c - gap-safe screening against exact solutions of many small
 * random problems: no group with a coefficient is ever removed, and the
 * solution is never further away than the radius says
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "random_problem.h"

#include "math/gap.h"
#include "math/penalty.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 5000, SWEEPS = 4000 };

struct point {
  double b[RANDOM_COLUMNS];
  double b0;
};

/* A dual point and what it certifies. */
struct certificate {
  double theta[RANDOM_ROWS];
  double dual_norm[RANDOM_COLUMNS]; /* of each group */
  double gap;
};

static void predict(const struct random_problem *p, const struct point *at,
                    double *prediction)
{
  for (int64_t i = 0; i < p->n; i++)
    prediction[i] = at->b0;
  for (int64_t j = 0; j < p->d; j++)
    for (int64_t i = 0; i < p->n && at->b[j] != 0; i++)
      prediction[i] += at->b[j] * p->x[j][i];
}

static double penalty_of(const struct random_problem *p, const double *b)
{
  double omega = 0;
  for (int64_t g = 0; g < p->groups; g++)
    omega += th_penalty_norm_value(p->norm[g], b + p->start[g],
                                   p->start[g + 1] - p->start[g]);
  return omega;
}

/* -sum eta theta x of a column. */
static double correlation(const struct random_problem *p, const double *theta,
                          int64_t j)
{
  double sum = 0;
  for (int64_t i = 0; i < p->n; i++)
    sum -= p->eta[i] * theta[i] * p->x[j][i];
  return sum;
}

/* Omega_g^D of the correlations, for all groups; the largest. */
static double dual_norms(const struct random_problem *p, const double *theta,
                         double *dual_norm)
{
  double z[RANDOM_COLUMNS];
  double work[RANDOM_COLUMNS];
  double largest = 0;
  for (int64_t j = 0; j < p->d; j++)
    z[j] = correlation(p, theta, j);
  for (int64_t g = 0; g < p->groups; g++) {
    dual_norm[g] = th_penalty_norm_dual(p->norm[g], z + p->start[g],
                                        p->start[g + 1] - p->start[g], work);
    largest = fmax(largest, dual_norm[g]);
  }
  return largest;
}

/* The dual point of a primal one, feasible and with sum eta theta = 0 where
 * there is an intercept. */
static void certify(const struct random_problem *p, const struct point *at,
                    struct certificate *c)
{
  double prediction[RANDOM_ROWS];
  predict(p, at, prediction);
  for (int64_t i = 0; i < p->n; i++)
    c->theta[i] = th_loss_df(p->loss, prediction[i], p->y[i]);
  if (p->intercept)
    th_gap_centre(p->loss, p->n, p->eta, p->y, c->theta);
  double scale = 1 / fmax(1, dual_norms(p, c->theta, c->dual_norm) / p->lambda);
  double primal = th_gap_primal(p->loss, p->n, p->eta, p->y, prediction) +
                  p->lambda * penalty_of(p, at->b);
  double dual = th_gap_dual(p->loss, p->n, p->eta, p->y, c->theta, scale);
  c->gap = th_gap_bound(primal, dual);
  for (int64_t i = 0; i < p->n; i++)
    c->theta[i] *= scale;
  for (int64_t g = 0; g < p->groups; g++)
    c->dual_norm[g] *= scale / p->lambda;
}

static void fit_intercept(const struct random_problem *p, struct point *at)
{
  double prediction[RANDOM_ROWS];
  struct th_error err = {0};
  struct point without = *at;
  without.b0 = 0;
  predict(p, &without, prediction);
  CHECK(th_gap_intercept(p->loss, p->n, p->eta, p->y, prediction, &at->b0,
                         &err) == TH_OK);
}

/* A step of one group by its own Lipschitz constant; how far it went. */
static double descend_group(const struct random_problem *p, struct point *at,
                            double *prediction, int64_t g)
{
  double theta[RANDOM_ROWS];
  double v[RANDOM_COLUMNS];
  double trace = 0;
  double moved = 0;
  int64_t first = p->start[g];
  int64_t count = p->start[g + 1] - first;
  for (int64_t i = 0; i < p->n; i++)
    theta[i] = th_loss_df(p->loss, prediction[i], p->y[i]);
  for (int64_t k = 0; k < count; k++)
    for (int64_t i = 0; i < p->n; i++)
      trace += p->eta[i] * p->x[first + k][i] * p->x[first + k][i];
  if (!(trace > 0))
    return 0;
  double step = 1 / (th_loss_L(p->loss) * trace);
  for (int64_t k = 0; k < count; k++)
    v[k] = at->b[first + k] + step * correlation(p, theta, first + k);
  th_penalty_norm_prox(p->norm[g], step * p->lambda, v, count);
  for (int64_t k = 0; k < count; k++) {
    double change = v[k] - at->b[first + k];
    for (int64_t i = 0; i < p->n && change != 0; i++)
      prediction[i] += change * p->x[first + k][i];
    at->b[first + k] = v[k];
    moved = fmax(moved, fabs(change));
  }
  return moved;
}

static double sweep(const struct random_problem *p, struct point *at)
{
  double prediction[RANDOM_ROWS];
  double moved = 0;
  if (p->intercept)
    fit_intercept(p, at);
  predict(p, at, prediction);
  for (int64_t g = 0; g < p->groups; g++)
    moved = fmax(moved, descend_group(p, at, prediction, g));
  return moved;
}

/* Block coordinate descent until the gap is rounding, then on until hardly
 * anything moves. False where that takes too long. */
static bool solve(const struct random_problem *p, struct point *at,
                  struct certificate *c)
{
  bool good = false;
  *at = (struct point){.b0 = 0};
  for (int k = 0; k < SWEEPS; k++) {
    double moved = sweep(p, at);
    if (k % 16 == 15 || moved == 0) {
      certify(p, at, c);
      good = c->gap <= 1e-14;
      if (good && moved <= 1e-11)
        break;
    }
  }
  return good;
}

/* Euclidean in eta, as the bound of strong concavity is. */
static double distance(const struct random_problem *p, const double *a,
                       const double *b)
{
  double sum = 0;
  for (int64_t i = 0; i < p->n; i++)
    sum += p->eta[i] * (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

static double largest_of(const struct random_problem *p, const double *b,
                         int64_t g)
{
  double largest = 0;
  for (int64_t j = p->start[g]; j < p->start[g + 1]; j++)
    largest = fmax(largest, fabs(b[j]));
  return largest;
}

struct totals {
  int64_t problems;
  int64_t given_up;
  int64_t checks;
  int64_t removed;
  int64_t true_groups;
  int64_t outside;  /* groups without coefficient, certificates of solutions */
  int64_t detected; /* of those */
};

/* Coefficients below this may be what is left of convergence. */
static const double significant = 1e-7;

/* What is certified at one point against the solution; how many groups are
 * removed. */
static int64_t check_point(const struct random_problem *p,
                           const struct point *at, const struct point *solution,
                           const struct certificate *exact,
                           struct totals *totals)
{
  struct certificate c;
  int64_t removed = 0;
  double lipschitz = th_loss_L(p->loss);
  certify(p, at, &c);
  CHECK(distance(p, c.theta, exact->theta) <=
        sqrt(2 * lipschitz * c.gap) + sqrt(2 * lipschitz * exact->gap));
  for (int64_t g = 0; g < p->groups; g++) {
    double radius = th_gap_radius(lipschitz, c.gap, p->second[g], p->lambda);
    double slack =
        th_gap_radius(lipschitz, exact->gap, p->second[g], p->lambda);
    bool out = th_gap_removes(c.dual_norm[g], radius, th_gap_margin(TH_F64));
    CHECK(fabs(c.dual_norm[g] - exact->dual_norm[g]) <= radius + slack);
    CHECK(!(out && largest_of(p, solution->b, g) > significant));
    totals->true_groups += largest_of(p, solution->b, g) > significant;
    removed += out;
  }
  totals->checks++;
  totals->removed += removed;
  return removed;
}

/* From 0 on, as a solver would come along, then around the solution. */
static void check_points(struct random_problem *p, const struct point *solution,
                         const struct certificate *exact, struct totals *totals)
{
  struct point at = {.b0 = 0};
  for (int k = 0; k < 40; k++) {
    if ((k & (k - 1)) == 0) {
      if (p->intercept && k % 4 == 0)
        fit_intercept(p, &at);
      check_point(p, &at, solution, exact, totals);
    }
    sweep(p, &at);
  }
  for (double noise = 1; noise > 1e-12; noise /= 30) {
    at = *solution;
    for (int64_t j = 0; j < p->d; j++)
      at.b[j] += random_problem_uniform(p) < 0.5
                     ? noise * random_problem_normal(p)
                     : 0;
    at.b0 += p->intercept ? noise * random_problem_normal(p) : 0;
    check_point(p, &at, solution, exact, totals);
  }
  totals->detected += check_point(p, solution, solution, exact, totals);
  for (int64_t g = 0; g < p->groups; g++)
    totals->outside += largest_of(p, solution->b, g) <= significant;
}

/* Of the smallest lambda that makes all coefficients 0, a part. */
static bool choose_lambda(struct random_problem *p)
{
  struct certificate c;
  struct point zero = {.b0 = 0};
  double prediction[RANDOM_ROWS];
  if (p->intercept)
    fit_intercept(p, &zero);
  predict(p, &zero, prediction);
  for (int64_t i = 0; i < p->n; i++)
    c.theta[i] = th_loss_df(p->loss, prediction[i], p->y[i]);
  p->lambda = dual_norms(p, c.theta, c.dual_norm) *
              (0.05 + 0.94 * random_problem_uniform(p));
  return p->lambda > 1e-9;
}

static void test_problem(struct random_problem *p, struct totals *totals)
{
  struct point solution;
  struct certificate exact;
  if (!choose_lambda(p))
    return;
  totals->problems++;
  if (solve(p, &solution, &exact))
    check_points(p, &solution, &exact, totals);
  else
    totals->given_up++;
}

static void describe(const struct random_problem *p)
{
  fprintf(stderr,
          "in problem %d: %s, a %g, c %g, %d x %d, %d groups, intercept %d, "
          "lambda %g\n",
          (int)p->number, p->loss->name, p->norm[0].a, p->norm[0].c, (int)p->n,
          (int)p->d, (int)p->groups, p->intercept, p->lambda);
}

int main(int argc, char **argv)
{
  struct totals totals = {0};
  int problems = argc > 1 ? atoi(argv[1]) : PROBLEMS;
  for (int k = 0; k < problems; k++) {
    struct random_problem p;
    int before = check_failures;
    random_problem_init(&p, (uint64_t)k);
    CASE(test_problem(&p, &totals));
    if (check_failures > before)
      describe(&p);
  }
  printf("%lld problems, %lld not solved exactly; %lld certificates, %lld "
         "removals, %lld groups that must stay; of %lld others %lld were "
         "removed at the solution\n",
         (long long)totals.problems, (long long)totals.given_up,
         (long long)totals.checks, (long long)totals.removed,
         (long long)totals.true_groups, (long long)totals.outside,
         (long long)totals.detected);
  CHECK(10 * totals.problems > 9 * (int64_t)problems);
  CHECK((double)totals.given_up < 0.05 * (double)totals.problems);
  CHECK((double)totals.detected > 0.9 * (double)totals.outside);
  return check_finish(NULL);
}
