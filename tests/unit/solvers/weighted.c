/* weighted.c - an example of weight 3 is three examples, whatever the
 * attributes are divided by
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "penalised.h"

#include <string.h>

static const char *const losses[] = {"squared", "logistic", "squared-hinge"};

enum { ATTRIBUTES = 40, CONSTANT = 7, FLAT_ZERO = 8, OPTIONS = 4 };

/* Attributes of very different means and deviations; those two vary on examples
 * of weight 0 alone. */
static void fill(struct memory_store *m, bool sparse)
{
  int64_t n = m->store.shape.examples;
  m->store.shape.row_group = 32;
  m->store.shape.layout = sparse ? TH_SPARSE : TH_DENSE;
  m->cut = 11;
  for (int64_t i = 0; i < n; i++) {
    m->weight[i] = (double)(i % 4);
    for (int64_t j = 0; j < ATTRIBUTES; j++) {
      float *x = &m->values[j * n + i];
      *x *= (float)(1 + j % 5) * (i % 4 == 3 ? 4.F : 1.F);
      if (sparse && fabsf(*x) < 1.F)
        *x = 0;
      else if (j % 3 == 0)
        *x += 20;
    }
    if (i % 4 != 0)
      m->values[CONSTANT * n + i] = 0.3F;
    if (i % 4 != 0)
      m->values[FLAT_ZERO * n + i] = 0;
  }
}

/* The same with every example as often as its weight says. */
static struct memory_store *repeated(const struct memory_store *m)
{
  int64_t n = m->store.shape.examples;
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++)
    count += (int64_t)m->weight[i];
  struct memory_store *r = memory_store_new(count, count, ATTRIBUTES);
  r->store.shape.layout = m->store.shape.layout;
  int64_t at = 0;
  for (int64_t i = 0; i < n; i++)
    for (double w = 0; w < m->weight[i]; w++, at++) {
      r->target[at] = m->target[i];
      for (int64_t j = 0; j < ATTRIBUTES; j++)
        r->values[j * count + at] = m->values[j * n + i];
    }
  return r;
}

/* Nothing does the work of a constant attribute but an intercept. */
static void compare(const struct th_model *a, const struct th_model *b,
                    bool intercept, double tolerance)
{
  double one[ATTRIBUTES];
  double other[ATTRIBUTES];
  CHECK(strcmp(a->statistics, "weighted") == 0);
  CHECK(strcmp(b->statistics, "import") == 0);
  CHECK(a->support_size > 2);
  CHECK_NEAR(a->certificate.lambda_max, b->certificate.lambda_max, 1e-12);
  CHECK_NEAR(a->certificate.objective, b->certificate.objective, tolerance);
  CHECK_NEAR(a->intercept, b->intercept, 1e3 * tolerance);
  plain_coef(a, one);
  plain_coef(b, other);
  for (int64_t j = 0; j < ATTRIBUTES; j++)
    CHECK_NEAR(one[j], other[j], 1e3 * tolerance);
  CHECK((!intercept || one[CONSTANT] == 0) && one[FLAT_ZERO] == 0);
}

static void test_solver(const char *solver, int loss, int option)
{
  struct problem p = {.training = 120,
                      .attributes = ATTRIBUTES,
                      .true_size = 4,
                      .noise = 0.5,
                      .intercept = 1,
                      .seed = (uint64_t)option,
                      .labels = loss > 0,
                      .weighted = true};
  struct th_config config = penalised_config(solver, losses[loss], 0.2);
  struct memory_store *m = problem_store(&p);
  struct th_model weighted;
  struct th_model plain;
  fill(m, option / 2);
  struct memory_store *r = repeated(m);
  memory_store_finish(m);
  memory_store_finish(r);
  config.standardize = true;
  config.intercept = option % 2;
  config.epochs = 0;
  config.tolerance = 1e-13;
  problem_must_train(&config, m, NULL, &weighted);
  problem_must_train(&config, r, NULL, &plain);
  compare(&weighted, &plain, config.intercept, 1e-10);
  th_model_free(&weighted);
  th_model_free(&plain);
  memory_store_free(m);
  memory_store_free(r);
}

int main(void)
{
  for (int option = 0; option < OPTIONS; option++)
    for (int loss = 0; loss < 3; loss++)
      CASE(test_solver("lasso", loss, option));
  for (int option = 0; option < OPTIONS; option++)
    CASE(test_solver("os-prox-sgd", 0, option));
  return check_finish(NULL);
}
