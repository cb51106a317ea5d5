/* active_set.c - minima on the support: optimal, the factor that of the
 * products
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "solvers/exact/active_set.h"
#include "solvers/exact/quadratic.h"

#include <stdlib.h>
#include <string.h>

enum { EXAMPLES = 60, MEMBERS = 24, LAMBDAS = 40, PROBLEMS = 60 };

/* sum of h (x'b + b0 - y)^2 / 2 + lambda norm1(b), at one lambda after the
 * other. Two columns of every third problem are the same, or nearly so, and
 * then another depends on two, too; h is even or not, and columns are dense or
 * their entries. */
struct sample {
  double x[MEMBERS][EXAMPLES];
  double y[EXAMPLES];
  double h[EXAMPLES]; /* adds up to 1 */
  double entry[MEMBERS][EXAMPLES];
  int32_t row[MEMBERS][EXAMPLES];
  double product[MEMBERS * MEMBERS];
  struct th_vector vector[MEMBERS];
  int64_t key[MEMBERS];
  int64_t start[MEMBERS + 1];
  int64_t slot[MEMBERS];
  struct th_group_norm norm[MEMBERS];
  double q[MEMBERS];
  double coef[MEMBERS];
  double slope[MEMBERS];
  double intercept;
  struct th_working_set working;
  struct th_replicated_columns columns;
  struct th_covariance covariance;
  struct th_quadratic quadratic;
  struct th_active_set active_set;
  struct th_error err;
};

/* Descent would trade such a column for the other by steps of 1e-8. */
static const double nearly = 1 + 1e-8;

static double normal(uint64_t number, uint64_t index)
{
  struct th_stream stream = {5, TH_PURPOSE_TEST};
  double pair[2];
  th_random_normal(stream, number, index, pair);
  return pair[0];
}

/* A third of the values, as entries. */
static struct th_vector thin_out(struct sample *s, int64_t k)
{
  int64_t count = 0;
  for (int64_t i = 0; i < EXAMPLES; i++) {
    if ((i + k) % 3 > 0) {
      s->x[k][i] = 0;
      continue;
    }
    s->row[k][count] = (int32_t)i;
    s->entry[k][count++] = s->x[k][i];
  }
  return (struct th_vector){.form = TH_VECTOR_ENTRIES,
                            .items = count,
                            .scale = 1,
                            .values = s->entry[k],
                            .row = s->row[k]};
}

/* Slots are in the opposite order of members. */
static void fill_member(struct sample *s, uint64_t number, int64_t k)
{
  for (int64_t i = 0; i < EXAMPLES; i++)
    s->x[k][i] = normal(number, (uint64_t)(k * EXAMPLES + i)) +
                 (k > 0 ? 0.7 * s->x[k - 1][i] : 0);
  for (int64_t i = 0; i < EXAMPLES && number % 3 == 2; i++) {
    if (k == MEMBERS / 2)
      s->x[k][i] = s->x[k - 1][i] * (number % 6 == 5 ? nearly : 1);
    if (k == MEMBERS / 2 + 3 && number % 6 == 5)
      s->x[k][i] = 0.6 * (s->x[k - 1][i] - s->x[k - 2][i]);
  }
  s->slot[k] = MEMBERS - 1 - k;
  s->vector[s->slot[k]] = (struct th_vector){.form = TH_VECTOR_DOUBLE,
                                             .items = EXAMPLES,
                                             .scale = 1,
                                             .values = s->x[k]};
  if (number % 6 == 4)
    s->vector[s->slot[k]] = thin_out(s, k);
  s->key[k] = s->start[k] = k;
  s->q[k] = k % 4 == 1 ? 1.5 : 1;
  s->norm[k] = (struct th_group_norm){.a = s->q[k], .q = s->q[k]};
}

static double product_of(const struct sample *s, const double *a,
                         const double *b)
{
  double sum = 0;
  for (int64_t i = 0; i < EXAMPLES; i++)
    sum += s->h[i] * a[i] * b[i];
  return sum;
}

/* Uneven: from 0 to twice the mean. */
static void fill_weights(struct sample *s, bool even)
{
  for (int64_t i = 0; i < EXAMPLES; i++)
    s->h[i] = (even ? 1 : 2.0 * (double)i / (EXAMPLES - 1)) / EXAMPLES;
}

static void fill(struct sample *s, uint64_t number)
{
  for (int64_t k = 0; k < MEMBERS; k++)
    fill_member(s, number, k);
  s->start[MEMBERS] = MEMBERS;
  fill_weights(s, number % 4 < 2);
  for (int64_t i = 0; i < EXAMPLES; i++) {
    s->y[i] = 3 + normal(number + 1000, (uint64_t)i);
    for (int64_t k = 0; k < MEMBERS; k += 5)
      s->y[i] += s->x[k][i];
  }
  for (int64_t j = 0; j < MEMBERS; j++)
    for (int64_t k = 0; k < MEMBERS; k++)
      s->product[s->slot[j] * MEMBERS + s->slot[k]] =
          product_of(s, s->x[j], s->x[k]);
  s->covariance = (struct th_covariance){
      .count = MEMBERS, .capacity = MEMBERS, .product = s->product};
  s->columns = (struct th_replicated_columns){
      .examples = EXAMPLES, .count = MEMBERS, .vector = s->vector};
  s->working = (struct th_working_set){.units = MEMBERS,
                                       .members = MEMBERS,
                                       .key = s->key,
                                       .start = s->start,
                                       .norm = s->norm,
                                       .slot = s->slot,
                                       .slope = s->slope,
                                       .q = s->q,
                                       .coef = s->coef};
}

/* The residual at the coefficients; its mean square. */
static double residual_of(const struct sample *s, double *residual)
{
  double sum = 0;
  for (int64_t i = 0; i < EXAMPLES; i++) {
    residual[i] = s->intercept - s->y[i];
    for (int64_t k = 0; k < MEMBERS; k++)
      residual[i] += s->coef[k] * s->x[k][i];
    sum += s->h[i] * residual[i] * residual[i];
  }
  return sum;
}

/* The model of the problem, by examples or by products. */
static void begin(struct sample *s, bool by_products)
{
  struct th_quadratic *q = &s->quadratic;
  double residual[EXAMPLES];
  double square = residual_of(s, residual);
  bool fits = false;
  CHECK(th_quadratic_reserve(q, by_products ? MEMBERS : EXAMPLES, MEMBERS,
                             MEMBERS, &s->err) == TH_OK);
  q->working = &s->working;
  q->columns = &s->columns;
  q->covariance = by_products ? &s->covariance : NULL;
  q->h = by_products ? NULL : s->h;
  q->intercept = !by_products;
  q->constant = square / 2;
  for (int64_t i = 0; i < EXAMPLES && !by_products; i++)
    q->state[i] = s->h[i] * residual[i];
  for (int64_t k = 0; k < MEMBERS && by_products; k++)
    q->state[s->slot[k]] = product_of(s, s->x[k], residual);
  CHECK(th_quadratic_begin(q, &s->err) == TH_OK);
  CHECK(th_active_set_begin(&s->active_set, q, &fits, &s->err) == TH_OK);
  CHECK(th_active_set_room(&s->active_set, q, &s->err) == TH_OK);
  CHECK(fits);
  q->active_set = &s->active_set;
}

/* Nothing in the problem's slopes, formed anew, asks for another coefficient.
 */
static void check_optimal(const struct sample *s, double lambda,
                          bool with_intercept)
{
  double residual[EXAMPLES];
  double sum = 0;
  residual_of(s, residual);
  for (int64_t i = 0; i < EXAMPLES; i++)
    sum += s->h[i] * residual[i];
  if (with_intercept)
    CHECK_NEAR(sum, 0, 1e-10);
  for (int64_t k = 0; k < MEMBERS; k++) {
    double slope = product_of(s, s->x[k], residual);
    double bound = lambda * s->norm[k].a;
    CHECK(fabs(slope) <= bound + 1e-6);
    CHECK_NEAR(s->coef[k] * slope, -fabs(s->coef[k]) * bound, 1e-10);
  }
}

static double entry(const struct th_active_set *f, int64_t i, int64_t k)
{
  return k <= i ? f->factor.entry[i * (i + 1) / 2 + k] : 0;
}

/* What the factor multiplies to is what it stands for. */
static void check_factor(const struct sample *s)
{
  const struct th_active_set *f = &s->active_set;
  double ones[EXAMPLES];
  for (int64_t i = 0; i < EXAMPLES; i++)
    ones[i] = 1;
  for (int64_t i = 0; i < f->factor.size; i++)
    for (int64_t j = 0; j <= i; j++) {
      const double *x = f->name[i] < 0 ? ones : s->x[MEMBERS - 1 - f->name[i]];
      const double *y = f->name[j] < 0 ? ones : s->x[MEMBERS - 1 - f->name[j]];
      double sum = 0;
      for (int64_t k = 0; k <= j; k++)
        sum += entry(f, i, k) * entry(f, j, k);
      CHECK_NEAR(sum, product_of(s, x, y), 1e-12);
    }
}

/* Every coefficient of the support, but for what depends on others, is in the
 * factor. */
static void check_size(const struct sample *s, uint64_t number)
{
  int64_t support = 0;
  for (int64_t k = 0; k < MEMBERS; k++)
    support += s->coef[k] != 0;
  CHECK(s->active_set.factor.size <= support + 1);
  if (number % 3 != 2)
    CHECK(s->active_set.factor.size >= support);
}

/* The factor of a whole support at once is that of the products, too. */
static void check_form(struct sample *s, uint64_t number)
{
  CHECK(th_active_set_form(&s->active_set, &s->quadratic, &s->err) == TH_OK);
  check_factor(s);
  check_size(s, number);
  CHECK(th_active_set_changes(&s->active_set, &s->quadratic) == 0);
}

/* A model at the present coefficients, and cycles to that aim. */
static int cycle(struct sample *s, double lambda, double aim, uint64_t *turn)
{
  double residual[EXAMPLES];
  residual_of(s, residual);
  for (int64_t k = 0; k < MEMBERS; k++)
    s->slope[k] = product_of(s, s->x[k], residual);
  begin(s, false);
  int made = th_quadratic_cycles(&s->quadratic, lambda, aim, 2000, turn);
  memcpy(s->coef, s->quadratic.coef, sizeof s->coef);
  s->intercept += s->quadratic.coef[MEMBERS];
  return made;
}

/* From zero, cycles in random order come to the same minimum in some models. */
static void check_cycles(struct sample *s, double lambda)
{
  double coef[MEMBERS];
  uint64_t turn = 0;
  memcpy(coef, s->coef, sizeof coef);
  memset(s->coef, 0, sizeof s->coef);
  CHECK(cycle(s, lambda, INFINITY, &turn) == 1);
  for (int model = 0; model < 8; model++)
    cycle(s, lambda, 1e-13, &turn);
  check_optimal(s, lambda, true);
  for (int64_t k = 0; k < MEMBERS; k++)
    CHECK_NEAR(s->coef[k], coef[k], 1e-6);
}

/* Lambdas down and up again: members join and leave. */
static void walk(struct sample *s, uint64_t number, bool by_products)
{
  for (int64_t at = 0; at < LAMBDAS; at++) {
    double lambda = 2 * exp(-6.0 * (double)(at < 30 ? at : 58 - at) / 30);
    double gap;
    begin(s, by_products);
    gap = th_active_set_solve(&s->quadratic, lambda, 1e-13, 200);
    CHECK(gap <= 1e-12);
    memcpy(s->coef, s->quadratic.coef, sizeof s->coef);
    s->intercept += s->quadratic.coef[MEMBERS];
    check_optimal(s, lambda, !by_products);
    check_factor(s);
    check_size(s, number);
    if (number % 6 == 4) {
      check_form(s, number);
      check_cycles(s, lambda);
    }
  }
}

/* One step from the right signs is enough; what changes its sign stops at 0. */
static void check_step(struct sample *s)
{
  double lambda = 0.1;
  double before;
  begin(s, true);
  th_active_set_solve(&s->quadratic, lambda, 1e-13, 200);
  memcpy(s->coef, s->quadratic.coef, sizeof s->coef);
  for (int64_t k = 0; k < MEMBERS; k++)
    s->coef[k] *= 1.5;
  begin(s, true);
  CHECK(th_active_set_step(&s->active_set, &s->quadratic, lambda));
  memcpy(s->coef, s->quadratic.coef, sizeof s->coef);
  check_optimal(s, lambda, false);
  for (int64_t k = 0; k < MEMBERS; k++)
    s->coef[k] = k % 2 ? 1 : -1;
  begin(s, true);
  before = s->quadratic.constant;
  CHECK(th_active_set_step(&s->active_set, &s->quadratic, lambda));
  for (int64_t k = 0; k < MEMBERS; k++)
    CHECK(s->quadratic.coef[k] * s->coef[k] >= 0);
  memcpy(s->coef, s->quadratic.coef, sizeof s->coef);
  begin(s, true);
  CHECK(s->quadratic.constant < before);
}

int main(void)
{
  for (uint64_t number = 0; number < PROBLEMS; number++) {
    struct sample *s = calloc(1, sizeof *s);
    if (s == NULL)
      return 1;
    fill(s, number);
    CASE(walk(s, number, number % 2 == 1));
    if (number % 6 == 1)
      CASE(check_step(s));
    th_quadratic_free(&s->quadratic);
    th_active_set_free(&s->active_set);
    free(s);
  }
  return check_finish(NULL);
}
