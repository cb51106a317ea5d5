/* penalty.c - norms of groups: prox against a numerical minimiser, dual
 * norm against a numerical maximum and its own definition, closed forms
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "math/penalty.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { MOST = 40, CASES = 1500 };

/* A group's norm and some values, all by the number of the case. */
struct sample {
  struct th_group_norm norm;
  double t;
  int64_t count;
  double v[MOST];
};

static double uniform(uint64_t number, uint64_t index)
{
  struct th_stream stream = {3, TH_PURPOSE_TEST};
  double pair[2];
  th_random_uniform(stream, number, index, pair);
  return pair[0];
}

/* Values of all signs, with zeros, ties and, in some samples, very different
 * sizes; weights from tiny to large. */
static struct sample make_sample(uint64_t number)
{
  struct th_stream stream = {4, TH_PURPOSE_TEST};
  struct sample s = {.count = 1 + (int64_t)(uniform(number, 0) * 9)};
  const struct th_penalty *penalty = &th_penalty_table()[number % 3];
  double weight = number % 5 == 0 ? 0 : exp(6 * uniform(number, 1) - 3);
  if (number % 50 == 49)
    s.count = MOST;
  s.norm = penalty->norm(weight, s.count,
                         number % 7 == 0 ? floor(2 * uniform(number, 2))
                                         : uniform(number, 2));
  s.t = 2 * uniform(number, 3);
  for (int64_t k = 0; k < s.count; k++) {
    double pair[2];
    th_random_normal(stream, number, (uint64_t)k, pair);
    s.v[k] = number % 3 == 1 ? pair[0] * exp(3 * pair[1]) : 2 * pair[0];
    if (uniform(number, 10 + (uint64_t)k) < 0.2)
      s.v[k] = k > 0 && number % 2 ? -s.v[k - 1] : 0;
  }
  return s;
}

static double dot(const double *a, const double *b, int64_t count)
{
  double sum = 0;
  for (int64_t k = 0; k < count; k++)
    sum += a[k] * b[k];
  return sum;
}

/* Omega written down once more. */
static double plain_norm(const struct sample *s, const double *v)
{
  double one = 0;
  for (int64_t k = 0; k < s->count; k++)
    one += fabs(v[k]);
  return s->norm.a * one + s->norm.c * sqrt(dot(v, v, s->count));
}

static double objective(const struct sample *s, const double *u)
{
  double sum = 0;
  for (int64_t k = 0; k < s->count; k++)
    sum += (u[k] - s->v[k]) * (u[k] - s->v[k]) / 2;
  return sum + s->t * plain_norm(s, u);
}

/* The minimiser in coordinate k alone, by golden section: the objective is
 * convex in it. */
static void minimise_coordinate(const struct sample *s, double *u, int64_t k)
{
  const double golden = 0.6180339887498949;
  double reach = fabs(s->v[k]) + 1;
  double low = -reach;
  double high = reach;
  double before = u[k];
  double best = objective(s, u);
  for (int step = 0; step < 90; step++) {
    double left = high - golden * (high - low);
    double right = low + golden * (high - low);
    u[k] = left;
    double at_left = objective(s, u);
    u[k] = right;
    if (at_left <= objective(s, u))
      high = right;
    else
      low = left;
  }
  u[k] = (low + high) / 2;
  if (objective(s, u) > best)
    u[k] = before;
}

/* Coordinate after coordinate. The group norm has a corner at 0 alone, where a
 * search by coordinates may get stuck: from v, which is no corner unless it is
 * the minimum, it does not stop there wrongly. */
static double numerical_minimum(const struct sample *s)
{
  double zero[MOST] = {0};
  double u[MOST];
  memcpy(u, s->v, sizeof u);
  for (int round = 0; round < 40; round++)
    for (int64_t k = 0; k < s->count; k++)
      minimise_coordinate(s, u, k);
  return fmin(objective(s, u), objective(s, zero));
}

static void test_prox(const struct sample *s)
{
  double u[MOST];
  memcpy(u, s->v, sizeof u);
  th_penalty_norm_prox(s->norm, s->t, u, s->count);
  double reached = objective(s, u);
  CHECK(reached <= numerical_minimum(s) + 1e-13 * fmax(1, reached));
}

/* prox of t Omega and the projection onto the dual ball of radius t add up to
 * v (Moreau): the rest is in the ball, and aligned with u. */
static void test_moreau(const struct sample *s)
{
  double u[MOST];
  double rest[MOST] = {0};
  double work[MOST];
  memcpy(u, s->v, sizeof u);
  th_penalty_norm_prox(s->norm, s->t, u, s->count);
  for (int64_t k = 0; k < s->count; k++)
    rest[k] = s->v[k] - u[k];
  double size = sqrt(dot(s->v, s->v, s->count));
  double dual = th_penalty_norm_dual(s->norm, rest, s->count, work);
  CHECK(dual <= s->t * (1 + 1e-12) + 1e-13 * size);
  CHECK(fabs(dot(u, rest, s->count) - s->t * plain_norm(s, u)) <=
        1e-13 * fmax(1, size * size));
}

/* nu is the least number with norm2((|z| - a nu)_+) <= c nu. */
static void test_dual_definition(const struct sample *s)
{
  double work[MOST];
  double nu = th_penalty_norm_dual(s->norm, s->v, s->count, work);
  for (int side = -1; side <= 1; side += 2) {
    double at = nu * (1 + side * 1e-12);
    double squares = 0;
    for (int64_t k = 0; k < s->count; k++) {
      double above = fmax(0, fabs(s->v[k]) - s->norm.a * at);
      squares += above * above;
    }
    double left = sqrt(squares);
    CHECK(side > 0 ? left <= s->norm.c * at : nu == 0 || left > s->norm.c * at);
  }
}

/* z'u <= Omega(u) Omega^D(z) for any u, with equality where u is the gradient
 * of the dual norm: z less what the l1 part explains. */
static void test_dual_maximum(const struct sample *s, uint64_t number)
{
  struct th_stream stream = {5, TH_PURPOSE_TEST};
  double work[MOST];
  double u[MOST];
  double nu = th_penalty_norm_dual(s->norm, s->v, s->count, work);
  for (uint64_t k = 0; k < 20; k++) {
    for (int64_t j = 0; j < s->count; j++) {
      double pair[2];
      th_random_normal(stream, number * 64 + k, (uint64_t)j, pair);
      u[j] = pair[0] + (k % 2 ? s->v[j] : 0);
    }
    CHECK(dot(s->v, u, s->count) <= plain_norm(s, u) * nu * (1 + 1e-13));
  }
  memcpy(u, s->v, sizeof u);
  th_penalty_norm_prox((struct th_group_norm){.a = s->norm.a}, nu * (1 - 1e-13),
                       u, s->count);
  if (s->norm.c == 0) /* all of the largest ones would do as well */
    for (int64_t j = 0; j < s->count; j++)
      u[j] = fabs(u[j]) > 0 ? copysign(1, s->v[j]) : 0;
  CHECK_NEAR(dot(s->v, u, s->count) / (nu > 0 ? nu : 1), plain_norm(s, u),
             1e-11);
}

/* Omega^D(x) <= norm2(x) / least: what N_g = sum N_j / (a + c)^2 rests on. */
static void test_norm_least(const struct sample *s)
{
  double work[MOST];
  double size = sqrt(dot(s->v, s->v, s->count));
  double least = th_penalty_norm_least(s->norm);
  CHECK(least == s->norm.a + s->norm.c);
  CHECK(th_penalty_norm_value(s->norm, s->v, s->count) >=
        least * size * (1 - 1e-14));
  CHECK(th_penalty_norm_dual(s->norm, s->v, s->count, work) <=
        size / least * (1 + 1e-14));
  CHECK_NEAR(th_penalty_norm_value(s->norm, s->v, s->count),
             plain_norm(s, s->v), 1e-14);
}

/* All functions are homogeneous, also where squares are out of range. */
static void test_scales(const struct sample *s)
{
  const double factor[] = {0x1p-700, 0x1p600};
  double work[MOST];
  double v[MOST];
  double dual = th_penalty_norm_dual(s->norm, s->v, s->count, work);
  double value = th_penalty_norm_value(s->norm, s->v, s->count);
  for (int f = 0; f < 2; f++) {
    for (int64_t k = 0; k < s->count; k++)
      v[k] = factor[f] * s->v[k];
    CHECK_NEAR(th_penalty_norm_dual(s->norm, v, s->count, work) / factor[f],
               dual, 1e-13);
    CHECK_NEAR(th_penalty_norm_value(s->norm, v, s->count) / factor[f], value,
               1e-13);
  }
}

static void test_closed_forms(void)
{
  const double z[] = {3, -4, 0};
  const struct th_group_norm l1 = th_penalty_find("l1")->norm(0, 3, 0.5);
  const struct th_group_norm group = th_penalty_find("group")->norm(0, 4, 0.5);
  const struct th_group_norm both =
      th_penalty_find("sparse-group")->norm(3, 4, 0.25);
  const struct th_penalty *net = th_penalty_find("elastic-net");
  const struct th_group_norm half = net->norm(3, 1, 0.5);
  double work[3];
  double v[3];
  CHECK(l1.a == 1 && l1.c == 0 && group.a == 0 && group.c == 2);
  CHECK(half.a == 1.5 && half.c == 0 && half.q == 3);
  CHECK(net->norm(0, 1, 1).a == l1.a && net->norm(0, 1, 1).q == l1.q);
  CHECK(net->ridge(0.25) == 0.75 && net->ridge(1) == 0);
  CHECK(group.q == 0 && both.q == 0);
  CHECK(both.a == 0.25 && both.c == 2.25);
  CHECK(th_penalty_norm_value(l1, z, 3) == 7 &&
        th_penalty_norm_dual(l1, z, 3, NULL) == 4);
  CHECK(th_penalty_norm_value(group, z, 3) == 10);
  CHECK(th_penalty_norm_dual(group, z, 3, NULL) == 2.5);
  CHECK(th_penalty_norm_value(both, z, 3) == 13);
  CHECK(th_penalty_norm_dual(both, z + 1, 1, NULL) == 4 / 2.5);
  memcpy(v, z, sizeof v);
  th_penalty_norm_prox(group, 1.25, v, 3);
  CHECK(v[0] == 1.5 && v[1] == -2 && v[2] == 0);
  th_penalty_norm_prox(group, 1.25, v, 3);
  CHECK(v[0] == 0 && v[1] == 0 && v[2] == 0);
  CHECK(th_penalty_norm_value(both, z, 0) == 0 &&
        th_penalty_norm_dual(both, z, 0, work) == 0);
  CHECK(th_penalty_norm_dual(both, z + 2, 1, work) == 0);
  th_penalty_norm_prox(both, 1, v, 0);
}

static void test_no_numbers(void)
{
  const double far[] = {1, -INFINITY, 2};
  const double none[] = {1, NAN, 2};
  const double nothing[] = {0, 0, 0};
  double work[3];
  for (int p = 0; p < 3; p++) {
    struct th_group_norm norm = th_penalty_table()[p].norm(1, 3, 0.5);
    CHECK(th_penalty_norm_dual(norm, far, 3, work) == INFINITY);
    CHECK(isnan(th_penalty_norm_dual(norm, none, 3, work)));
    CHECK(th_penalty_norm_value(norm, far, 3) == INFINITY);
    CHECK(isnan(th_penalty_norm_value(norm, none, 3)));
    CHECK(th_penalty_norm_dual(norm, nothing, 3, work) == 0);
    CHECK(th_penalty_norm_value(norm, nothing, 3) == 0);
  }
}

/* Close to l1 and close to the group norm, where a formula may cancel. */
static void test_limits(void)
{
  const double z[] = {5, -4.999999, 4.99, 0.1, -1e-8, 5};
  const double tiny[] = {1e-3, 1e-8, 1e-13, 1e-200};
  double work[6];
  for (int k = 0; k < 4; k++) {
    double l1_like = th_penalty_norm_dual(
        (struct th_group_norm){.a = 1, .c = tiny[k]}, z, 6, work);
    double group_like = th_penalty_norm_dual(
        (struct th_group_norm){.a = tiny[k], .c = 1}, z, 6, work);
    CHECK(l1_like <= 5 && l1_like >= 5 - 5 * tiny[k] - 1e-14);
    double size = sqrt(dot(z, z, 6));
    CHECK(group_like <= size * (1 + 1e-15) &&
          group_like >= size * (1 - 3 * tiny[k]) - 1e-14);
  }
}

/* Z of a step from v is a subgradient: Omega(u) >= Omega(v) + Z'(u - v) for
 * other u, and Z'v = Omega(v); it is 0 where v is. */
static void test_descend(const struct sample *s, uint64_t number)
{
  double after[MOST];
  double z[MOST] = {0};
  memcpy(after, s->v, sizeof after);
  th_penalty_norm_descend(s->norm, 1, after, s->count);
  for (int64_t k = 0; k < s->count; k++)
    z[k] = s->v[k] == 0 ? 0 : s->v[k] - after[k];
  double here = plain_norm(s, s->v);
  /* of the differences that are z, too */
  double rounding = 1e-12 * fmax(1, here) + 1e-14 * dot(s->v, s->v, s->count);
  CHECK(fabs(dot(z, s->v, s->count) - here) <= rounding);
  for (uint64_t trial = 0; trial < 20; trial++) {
    double u[MOST];
    for (int64_t k = 0; k < s->count; k++)
      u[k] = s->v[k] * (2 * uniform(number, 100 + trial) - 0.5) +
             uniform(number, 200 + trial * MOST + (uint64_t)k) - 0.5;
    double above =
        plain_norm(s, u) - here - dot(z, u, s->count) + dot(z, s->v, s->count);
    CHECK(above >= -rounding - 1e-12 * plain_norm(s, u));
  }
  for (int64_t k = 0; k < s->count; k++)
    CHECK(s->v[k] != 0 || after[k] == 0);
}

/* Bounds of one value: the prox is where the objective is least, the dual value
 * is that of the sides that are open, and Fenchel's inequality is an equality
 * at the prox. */
static void test_bounds(void)
{
  const double lower[] = {-INFINITY, -0.75, 0, -0.75, 0, -INFINITY};
  const double upper[] = {0.5, 0.5, 0.5, INFINITY, INFINITY, 0};
  for (int k = 0; k < 6; k++)
    for (double z = -4; z <= 4; z += 0.5) {
      struct th_group_norm norm = {
          .a = 1.5, .bounded = true, .lower = lower[k], .upper = upper[k]};
      double u = z;
      th_penalty_norm_prox(norm, 1, &u, 1);
      double least = (u - z) * (u - z) / 2 + 1.5 * fabs(u);
      CHECK(u >= lower[k] && u <= upper[k]);
      for (double v = -5; v <= 5; v += 1.0 / 64)
        CHECK(v < lower[k] || v > upper[k] ||
              (v - z) * (v - z) / 2 + 1.5 * fabs(v) >= least - 1e-12);
      double beyond = th_penalty_norm_beyond(norm, u, z - u, 1);
      CHECK_NEAR((z - u) * u, 1.5 * fabs(u) + beyond, 1e-12);
      CHECK(th_penalty_norm_dual_at(norm, u, z - u) <= 1 + 1e-12);
      double above = upper[k] > 0 ? fmax(z, 0) : 0;
      double below = lower[k] < 0 ? fmax(-z, 0) : 0;
      CHECK(th_penalty_norm_dual(norm, &z, 1, NULL) ==
            fmax(above, below) / 1.5);
      CHECK(th_penalty_norm_free(norm, u) ==
            (u != 0 && u != lower[k] && u != upper[k]));
    }
}

int main(void)
{
  for (uint64_t number = 0; number < CASES; number++) {
    struct sample s = make_sample(number);
    int before = check_failures;
    if (s.count < MOST)
      CASE(test_prox(&s));
    CASE(test_moreau(&s));
    CASE(test_dual_definition(&s));
    CASE(test_dual_maximum(&s, number));
    CASE(test_norm_least(&s));
    CASE(test_scales(&s));
    CASE(test_descend(&s, number));
    if (check_failures > before) {
      fprintf(stderr, "in sample %d: %d values, a %g, c %g, t %g\n",
              (int)number, (int)s.count, s.norm.a, s.norm.c, s.t);
      break;
    }
  }
  CASE(test_closed_forms());
  CASE(test_no_numbers());
  CASE(test_limits());
  CASE(test_bounds());
  for (const struct th_penalty *p = th_penalty_table(); p->name != NULL; p++)
    CHECK(th_penalty_find(p->name) == p && p->summary[0] != '\0');
  CHECK(th_penalty_find("none of this name") == NULL);
  return check_finish(NULL);
}
