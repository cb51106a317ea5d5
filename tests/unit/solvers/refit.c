/* refit.c - how a run under a budget ends: as well as the rows that were
 * observed allow, and never worse than without a refit
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "problem.h"

#include "math/linalg.h"

#include <stdlib.h>
#include <string.h>

/* Mean logistic loss of a model over the training examples. */
static double log_loss(const struct memory_store *m,
                       const struct th_model *model)
{
  int64_t all = m->store.shape.examples;
  int64_t n = m->store.shape.training;
  double sum = 0;
  double weights = 0;
  for (int64_t i = 0; i < n; i++) {
    double z = model->intercept;
    double w = m->weight != NULL ? m->weight[i] : 1;
    for (int64_t k = 0; k < model->support_size; k++)
      z += model->coef[k] * (double)m->values[model->support[k] * all + i];
    double y = m->target[i] > 3 ? 1 : -1;
    sum += w * (fmax(0, -y * z) + log1p(exp(-fabs(z))));
    weights += w;
  }
  return sum / weights;
}

/* Add one row's gradient and Hessian of the maximum-likelihood problem; x ends
 * in the constant. */
static void add_row(int64_t size, const double *x, double y, double w,
                    const double *b, double *gradient, double *hessian)
{
  double z = 0;
  for (int64_t k = 0; k < size; k++)
    z += b[k] * x[k];
  double p = 1 / (1 + exp(-z));
  for (int64_t k = 0; k < size; k++) {
    gradient[k] += w * (y - p) * x[k];
    for (int64_t l = 0; l < size; l++)
      hessian[k + l * size] += w * p * (1 - p) * x[k] * x[l];
  }
}

/* The maximum-likelihood fit on the true support, by plain Newton steps. */
static void likelihood_fit(const struct problem *p,
                           const struct memory_store *m, struct th_model *model)
{
  enum { STEPS = 25, MOST = PROBLEM_MOST + 1 };
  int64_t size = p->true_size + 1;
  double b[MOST] = {0};
  double *hessian = malloc((size_t)(size * size) * sizeof *hessian);
  struct th_error err = {0};
  for (int step = 0; step < STEPS; step++) {
    double gradient[MOST] = {0};
    double x[MOST];
    double move[MOST];
    bool kept[MOST];
    memset(hessian, 0, (size_t)(size * size) * sizeof *hessian);
    for (int64_t i = 0; i < p->training; i++) {
      for (int64_t k = 0; k < p->true_size; k++)
        x[k] = (double)m->values[p->support[k] * m->store.shape.examples + i];
      x[p->true_size] = 1;
      add_row(size, x, m->target[i] > 3, m->weight ? m->weight[i] : 1, b,
              gradient, hessian);
    }
    CHECK(th_linalg_solve(
              &(struct th_linalg_system){size, hessian, gradient, 1e-12}, move,
              NULL, kept, &err) == TH_OK);
    for (int64_t k = 0; k < size; k++)
      b[k] += move[k];
  }
  CHECK(th_model_reserve(model, p->true_size, &err) == TH_OK);
  memcpy(model->support, p->support, (size_t)p->true_size * sizeof *p->support);
  memcpy(model->coef, b, (size_t)p->true_size * sizeof *b);
  model->intercept = b[p->true_size];
  free(hessian);
}

static struct th_config label_config(const char *solver,
                                     const struct problem *p, int64_t passes,
                                     enum th_refit refit)
{
  bool start = strcmp(solver, "exploitation") == 0;
  struct th_config config =
      problem_config(solver, start ? 0 : p->true_size, 16);
  config.loss = "logistic";
  config.passes = passes;
  config.refit = refit;
  config.start.support = start ? p->support : NULL;
  config.start.size = start ? p->true_size : 0;
  return config;
}

static double loss_of_run(const struct th_config *config,
                          struct memory_store *m, struct th_model *model)
{
  problem_must_train(config, m, NULL, model);
  return log_loss(m, model);
}

/* With rows enough the end is the maximum-likelihood fit of all that was
 * observed, not of what happened to be left over. */
static void test_likelihood(const char *solver, bool weighted, int64_t passes)
{
  struct problem p = {.training = 12000,
                      .attributes = 20,
                      .true_size = 6,
                      .noise = 2,
                      .intercept = 0.5,
                      .seed = 3,
                      .labels = true,
                      .weighted = weighted};
  struct memory_store *m = problem_store(&p);
  struct th_model fit = {.solver = NULL};
  struct th_model model;
  memory_store_finish(m);
  likelihood_fit(&p, m, &fit);
  double best = log_loss(m, &fit);
  struct th_config config = label_config(solver, &p, passes, TH_REFIT_AUTO);
  double loss = loss_of_run(&config, m, &model);
  printf("%s, passes %lld: log loss %.6f, maximum likelihood %.6f\n", solver,
         (long long)passes, loss, best);
  CHECK(problem_solved(&p, &model));
  CHECK(loss >= best - 1e-9 && loss < best + 5e-4);
  if (passes > 1) /* every example was kept, once */
    for (int64_t k = 0; k < p.true_size && k < model.support_size; k++)
      CHECK_NEAR(model.coef[k], fit.coef[k], 1e-3);
  th_model_free(&model);
  config.refit = TH_REFIT_NO;
  double without = loss_of_run(&config, m, &model);
  CHECK(loss <= without && without < best + 0.02);
  th_model_free(&model);
  th_model_free(&fit);
  memory_store_free(m);
}

/* Few rows, which any fit separates: the coefficients stay as they are. */
static void test_few_rows(void)
{
  struct problem p = {.training = 30,
                      .attributes = 20,
                      .true_size = 10,
                      .noise = 1,
                      .seed = 5,
                      .labels = true};
  struct memory_store *m = problem_store(&p);
  struct th_model with;
  struct th_model without;
  memory_store_finish(m);
  struct th_config config = label_config("exploitation", &p, 3, TH_REFIT_AUTO);
  problem_must_train(&config, m, NULL, &with);
  config.refit = TH_REFIT_NO;
  problem_must_train(&config, m, NULL, &without);
  CHECK(with.support_size == without.support_size);
  CHECK(memcmp(with.coef, without.coef,
               (size_t)with.support_size * sizeof *with.coef) == 0);
  config.refit = TH_REFIT_YES; /* who asks for it has it */
  th_model_free(&with);
  problem_must_train(&config, m, NULL, &with);
  CHECK(memcmp(with.coef, without.coef,
               (size_t)with.support_size * sizeof *with.coef) != 0);
  th_model_free(&with);
  th_model_free(&without);
  memory_store_free(m);
}

/* Batches do not shrink towards the end, so neither does what was learnt. */
struct course {
  const struct problem *problem;
  double half; /* error after half of the examples */
  double last;
};

static void follow(void *self, const struct th_progress *progress)
{
  struct course *course = self;
  struct th_model model = {.support_size = progress->support_size,
                           .support = (int64_t *)progress->support,
                           .coef = (double *)progress->coef,
                           .intercept = progress->intercept};
  course->last = problem_mse(course->problem, &model);
  if (2 * progress->examples <= course->problem->training)
    course->half = course->last;
}

static void test_end_of_hybrid(void)
{
  for (uint64_t seed = 1; seed <= 2; seed++) {
    struct problem p = {.training = 60000,
                        .attributes = 500,
                        .true_size = 25,
                        .noise = 1,
                        .seed = seed};
    struct memory_store *m = problem_store(&p);
    struct th_config config = problem_config("hybrid", 25, 50);
    struct course course = {&p, INFINITY, INFINITY};
    struct th_monitor monitor = {.progress = follow, .self = &course};
    struct th_model model;
    memory_store_finish(m);
    config.refit = TH_REFIT_NO;
    config.seed = seed;
    problem_must_train(&config, m, &monitor, &model);
    printf("hybrid without refit: %.4f at half, %.4f at the end\n", course.half,
           course.last);
    CHECK(course.last < 1.01 && course.last <= course.half);
    th_model_free(&model);
    memory_store_free(m);
  }
}

/* Least squares on hardly more rows than members are no gain, either. */
static void test_few_squares(void)
{
  for (uint64_t seed = 1; seed <= 6; seed++) {
    struct problem p = {.training = 44,
                        .attributes = 40,
                        .true_size = 18,
                        .noise = 6,
                        .seed = seed};
    struct memory_store *m = problem_store(&p);
    struct th_model with;
    struct th_model without;
    memory_store_finish(m);
    struct th_config config = problem_config("exploitation", 0, 0);
    config.start.support = p.support;
    config.start.size = p.true_size;
    config.start.coef = p.coef; /* nothing is better than these */
    config.eta = 1e-6;
    problem_must_train(&config, m, NULL, &with);
    config.refit = TH_REFIT_NO;
    problem_must_train(&config, m, NULL, &without);
    CHECK(problem_mse(&p, &with) <= problem_mse(&p, &without));
    th_model_free(&with);
    th_model_free(&without);
    memory_store_free(m);
  }
}

/* A step size that asks for more Exploitation than there are examples: there is
 * a first round all the same, and a model. */
static void test_first_round(void)
{
  struct problem p = {.training = 3000,
                      .attributes = 100,
                      .true_size = 4,
                      .noise = 1,
                      .seed = 2,
                      .labels = true};
  struct memory_store *m = problem_store(&p);
  struct th_model model;
  memory_store_finish(m);
  struct th_config config = label_config("hybrid", &p, 1, TH_REFIT_AUTO);
  config.sparsity = 8;
  config.budget = 24;
  config.eta = 0.05;
  problem_must_train(&config, m, NULL, &model);
  CHECK(model.support_size == 8);
  th_model_free(&model);
  memory_store_free(m);
}

static double largest(const struct th_model *model)
{
  double most = 0;
  for (int64_t k = 0; k < model->support_size; k++)
    most = fmax(most, fabs(model->coef[k]));
  return most;
}

/* Few rows, on which two members are nearly the same: least squares give them
 * large coefficients of opposite signs, which another row would pay for. */
static void test_nearly_collinear(void)
{
  struct problem p = {.training = 60,
                      .attributes = 8,
                      .true_size = 8,
                      .noise = 2,
                      .intercept = 1,
                      .seed = 4};
  struct memory_store *m = problem_store(&p);
  struct th_model model;
  for (int64_t i = 0; i < p.training; i++)
    m->values[p.training + i] =
        m->values[i] + 1e-3F * m->values[p.training + i];
  memory_store_finish(m);
  struct th_config config = problem_config("exploitation", 0, 8);
  config.start.support = p.support;
  config.start.size = p.true_size;
  config.refit = TH_REFIT_YES;
  problem_must_train(&config, m, NULL, &model);
  CHECK(largest(&model) > 20);
  th_model_free(&model);
  config.refit = TH_REFIT_AUTO;
  problem_must_train(&config, m, NULL, &model);
  CHECK(largest(&model) < 3 && model.support_size >= 7);
  th_model_free(&model);
  memory_store_free(m);
}

int main(void)
{
  CASE(test_nearly_collinear());
  CASE(test_likelihood("exploitation", false, 1));
  CASE(test_likelihood("exploitation", true, 2));
  CASE(test_likelihood("exploration", false, 1));
  CASE(test_likelihood("hybrid", true, 1));
  CASE(test_few_rows());
  CASE(test_first_round());
  CASE(test_end_of_hybrid());
  CASE(test_few_squares());
  return check_finish(NULL);
}
