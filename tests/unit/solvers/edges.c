/* edges.c - solvers on data and options at the edge of what makes sense
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "problem.h"

#include "base/random.h"
#include "solvers/driver/predict.h"

#include <string.h>

static const char *const solvers[] = {"sift", "exploration", "hybrid",
                                      "exploitation"};
enum { SOLVERS = 4, S_TRUE = 5 };

static struct problem small_problem(int64_t n, int64_t d)
{
  return (struct problem){.training = n,
                          .test = 0,
                          .attributes = d,
                          .true_size = S_TRUE,
                          .noise = 0.5,
                          .intercept = 3,
                          .seed = 21};
}

/* Options for a solver by number; exploitation starts on S*. */
static struct th_config config_of(int solver, const struct problem *p)
{
  int64_t budget = p->attributes < 40 ? p->attributes : 40;
  int64_t sparsity = solver == 0 ? 0 : p->true_size;
  struct th_config config = problem_config(solvers[solver], sparsity, budget);
  if (strcmp(config.solver, "exploitation") == 0) {
    config.sparsity = 0;
    config.budget = 0;
    config.start.support = p->support;
    config.start.size = p->true_size;
  }
  return config;
}

/* Mean squared error on the training examples. */
static double training_mse(struct memory_store *m, const struct th_model *model)
{
  static double prediction[12000];
  int64_t n = m->store.shape.training;
  struct th_comm self;
  struct th_error err = {0};
  double sum = 0;
  th_comm_self(&self);
  CHECK(th_predict(model, 1, &m->store, &self, (struct th_rows){0, n},
                   prediction, &err) == TH_OK);
  for (int64_t i = 0; i < n; i++)
    sum += pow(prediction[i] - m->target[i], 2);
  return sum / (double)n;
}

/* Every solver solves an easy problem. */
static void test_easy(void)
{
  for (int solver = 0; solver < SOLVERS; solver++) {
    struct problem p = small_problem(4000, 120);
    struct memory_store *m = problem_store(&p);
    struct th_model model;
    memory_store_finish(m);
    struct th_config config = config_of(solver, &p);
    problem_must_train(&config, m, NULL, &model);
    CHECK(problem_solved(&p, &model));
    CHECK(problem_mse(&p, &model) < 0.26);
    th_model_free(&model);
    memory_store_free(m);
  }
}

/* Constant, all-zero and duplicated attributes. */
static void spoil(struct memory_store *m, const struct problem *p)
{
  int64_t n = m->store.shape.examples;
  for (int64_t j = 0; j < p->attributes; j++)
    for (int64_t i = 0; i < n; i++) {
      float *x = &m->values[j * n + i];
      if (j % 10 == 3)
        *x = 0;
      if (j % 10 == 1)
        *x = 1e6F;
      if (j % 10 == 5) /* a copy, or a copy turned around */
        *x = (j % 20 == 5 ? 1.0F : -1.0F) * m->values[(j - 3) * n + i];
    }
}

static void test_degenerate_attributes(void)
{
  for (int solver = 0; solver < SOLVERS; solver++)
    for (int intercept = 0; intercept < 2; intercept++) {
      struct problem p = small_problem(3000, 120);
      p.intercept = intercept ? 3 : 0;
      struct memory_store *m = problem_store(&p);
      struct th_model model;
      spoil(m, &p);
      memory_store_finish(m);
      struct th_config config = config_of(solver, &p);
      config.intercept = intercept;
      problem_must_train(&config, m, NULL, &model);
      for (int64_t k = 0; k < model.support_size; k++)
        CHECK(model.support[k] % 10 != 3 && model.support[k] % 10 != 1);
      CHECK(training_mse(m, &model) < 0.28);
      th_model_free(&model);
      memory_store_free(m);
    }
}

/* All targets alike: nothing but the intercept. */
static void test_constant_target(void)
{
  for (int solver = 0; solver < SOLVERS; solver++)
    for (int passes = 1; passes <= 3; passes++) {
      struct problem p = small_problem(1000, 60);
      struct memory_store *m = problem_store(&p);
      struct th_model model;
      for (int64_t i = 0; i < p.training; i++)
        m->target[i] = passes == 2 ? 0 : 42.5;
      memory_store_finish(m);
      struct th_config config = config_of(solver, &p);
      config.passes = passes;
      problem_must_train(&config, m, NULL, &model);
      CHECK(model.support_size == 0);
      CHECK_NEAR(model.intercept, m->target[0], 1e-12);
      th_model_free(&model);
      memory_store_free(m);
    }
}

/* No noise: the fit is exact. design 0: normal; 1: signs with mean exactly 0,
 * for which first guesses are exact already. */
static void test_perfect_fit(int design, int passes)
{
  for (int solver = 0; solver < SOLVERS; solver++) {
    struct problem p = small_problem(4096, 100);
    p.noise = 0;
    p.true_size = design == 0 ? S_TRUE : 1;
    struct memory_store *m = problem_store(&p);
    struct th_model model;
    for (int64_t j = 0; j < p.attributes && design == 1; j++)
      for (int64_t i = 0; i < p.training; i++) {
        int64_t bits = i & (j + 1); /* Walsh functions */
        for (int shift = 8; shift > 0; shift /= 2)
          bits ^= bits >> shift;
        m->values[j * p.training + i] = bits & 1 ? 1.0F : -1.0F;
        if (j == 50)
          m->target[i] = 2 * (double)m->values[j * p.training + i];
      }
    if (design == 1)
      p.coef[0] = 2;
    p.intercept = design == 1 ? 0 : p.intercept;
    memory_store_finish(m);
    struct th_config config = config_of(solver, &p);
    config.passes = passes;
    problem_must_train(&config, m, NULL, &model);
    bool exact = problem_solved(&p, &model) && problem_mse(&p, &model) < 1e-12;
    if (!exact)
      fprintf(stderr, "%s, design %d, passes %d: %lld attributes, mse %g\n",
              config.solver, design, passes, (long long)model.support_size,
              problem_mse(&p, &model));
    CHECK(exact);
    th_model_free(&model);
    memory_store_free(m);
  }
}

/* Fewer examples than anyone would want; budgets of all sizes. */
static void test_tiny(void)
{
  const int64_t rows[] = {2, 3, 5, 9};
  for (int solver = 0; solver < SOLVERS; solver++)
    for (int n = 0; n < 4; n++)
      for (int passes = 0; passes < 30; passes += 7) {
        struct problem p = small_problem(rows[n], 12);
        p.true_size = 2;
        struct memory_store *m = problem_store(&p);
        struct th_model model;
        memory_store_finish(m);
        struct th_config config = config_of(solver, &p);
        config.passes = passes;
        problem_must_train(&config, m, NULL, &model);
        th_model_free(&model);
        memory_store_free(m);
      }
}

static void test_budgets(void)
{
  for (int64_t d = 1; d <= 12; d++)
    for (int64_t budget = d > 1 ? 2 : 1; budget <= d; budget++) {
      struct problem p = small_problem(2000, d);
      p.true_size = 1;
      struct memory_store *m = problem_store(&p);
      struct th_model model;
      memory_store_finish(m);
      struct th_config config = problem_config("sift", 0, budget);
      problem_must_train(&config, m, NULL, &model);
      CHECK(problem_mse(&p, &model) < 0.3);
      th_model_free(&model);
      memory_store_free(m);
    }
}

/* Means that dwarf the deviations, in f32. */
static void test_huge_means(void)
{
  for (int solver = 0; solver < SOLVERS; solver++)
    for (int standardize = 0; standardize < 2; standardize++) {
      struct problem p = small_problem(4000, 120);
      p.mean = 1e4;
      struct memory_store *m = problem_store(&p);
      struct th_model model;
      memory_store_finish(m);
      struct th_config config = config_of(solver, &p);
      config.standardize = standardize;
      problem_must_train(&config, m, NULL, &model);
      CHECK(problem_solved(&p, &model));
      double excess = 0;
      for (int64_t k = 0; k < p.true_size && k < model.support_size; k++)
        excess += pow(model.coef[k] - p.coef[k], 2);
      CHECK(excess < 0.02);
      th_model_free(&model);
      memory_store_free(m);
    }
}

/* The same support whatever the unit of y; with powers of two even the same
 * bits. */
static void test_target_scale(void)
{
  const double scales[] = {1, 0x1p-20, 1e-6, 1e9, 1e-15, 1e15, 1e-30, 1e30};
  for (int solver = 0; solver < SOLVERS; solver++) {
    struct th_model first = {.solver = NULL};
    for (int k = 0; k < 8; k++) {
      struct problem p = small_problem(3000, 120);
      struct memory_store *m = problem_store(&p);
      struct th_model model;
      for (int64_t i = 0; i < p.training; i++)
        m->target[i] *= scales[k];
      memory_store_finish(m);
      struct th_config config = config_of(solver, &p);
      problem_must_train(&config, m, NULL, k == 0 ? &first : &model);
      if (k > 0) {
        bool same = model.support_size == first.support_size;
        for (int64_t j = 0; j < first.support_size && same; j++) {
          double ratio = model.coef[j] / scales[k] / first.coef[j];
          same = model.support[j] == first.support[j] &&
                 fabs(ratio - 1) < (k == 1 ? 1e-15 : 1e-5);
        }
        if (!same)
          fprintf(stderr, "%s, y times %g: %lld attributes, not %lld\n",
                  config.solver, scales[k], (long long)model.support_size,
                  (long long)first.support_size);
        CHECK(same);
        th_model_free(&model);
      }
      memory_store_free(m);
    }
    th_model_free(&first);
  }
}

/* Weights are relative: a common factor changes nothing. Most weights may be
 * 0. */
static void test_weights(void)
{
  const double factors[] = {1, 1024, 0x1p-10, 0};
  for (int solver = 0; solver < SOLVERS; solver++) {
    struct th_model first = {.solver = NULL};
    for (int k = 0; k < 4; k++) {
      struct problem p = small_problem(k == 3 ? 12000 : 3000, 120);
      p.weighted = true;
      struct memory_store *m = problem_store(&p);
      struct th_model model;
      for (int64_t i = 0; i < p.training; i++)
        m->weight[i] *= k < 3 ? factors[k] : i % 4 == 0;
      for (int64_t i = 0; i < p.training && k == 3; i++)
        m->target[i] = i % 4 == 0 ? m->target[i] : 1e6;
      memory_store_finish(m);
      struct th_config config = config_of(solver, &p);
      problem_must_train(&config, m, NULL, k == 0 ? &first : &model);
      if (k == 1 || k == 2)
        CHECK(problem_digest(&model) == problem_digest(&first));
      CHECK(problem_solved(&p, k == 0 ? &first : &model));
      if (k > 0)
        th_model_free(&model);
      memory_store_free(m);
    }
    th_model_free(&first);
  }
}

/* One label much rarer than the other, and weights that remove one. */
static void test_labels(void)
{
  for (int solver = 0; solver < SOLVERS; solver++) {
    struct problem p = small_problem(8000, 120);
    p.labels = true;
    p.intercept = 3; /* about a tenth is negative */
    struct memory_store *m = problem_store(&p);
    struct th_model model;
    struct th_comm self;
    struct th_error err;
    memory_store_finish(m);
    struct th_config config = config_of(solver, &p);
    config.loss = "logistic";
    config.passes = 3;
    problem_must_train(&config, m, NULL, &model);
    int64_t right = 0;
    for (int64_t k = 0; k < model.support_size; k++)
      for (int64_t t = 0; t < p.true_size; t++)
        right += model.support[k] == p.support[t];
    if (right < p.true_size || model.support_size > p.true_size + 1)
      fprintf(stderr, "%s: %lld right of %lld\n", config.solver,
              (long long)right, (long long)model.support_size);
    CHECK(right == p.true_size && model.support_size <= p.true_size + 1);
    CHECK(model.intercept > 1);
    th_model_free(&model);
    m->weight = memory_store_weights(m);
    for (int64_t i = 0; i < p.training; i++)
      m->weight[i] = m->target[i] > 3;
    th_comm_self(&self);
    CHECK(problem_train(&config, &m->store, &self, NULL, &model, &err) ==
          TH_EDATA);
    th_model_free(&model);
    memory_store_free(m);
  }
}

int main(void)
{
  CASE(test_easy());
  CASE(test_degenerate_attributes());
  CASE(test_constant_target());
  for (int passes = 1; passes <= 3; passes++) {
    CASE(test_perfect_fit(0, passes));
    CASE(test_perfect_fit(1, passes));
  }
  CASE(test_tiny());
  CASE(test_budgets());
  CASE(test_huge_means());
  CASE(test_target_scale());
  CASE(test_weights());
  CASE(test_labels());
  return check_finish(NULL);
}
