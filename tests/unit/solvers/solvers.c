/* solvers.c - solvers against their targets, closed forms and brute force
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "problem.h"

#include "math/linalg.h"
#include "math/loss.h"
#include "solvers/driver/predict.h"
#include "solvers/fits/backward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Murata & Suzuki, section 6: d = 500, s* = 25, s' = 50, noise 1. */
static struct problem paper_problem(uint64_t seed)
{
  return (struct problem){.training = 20000,
                          .attributes = 500,
                          .true_size = 25,
                          .noise = 1,
                          .seed = seed};
}

struct curve {
  const struct problem *problem;
  double mse; /* of the last model within 20,000 examples */
};

static void follow(void *self, const struct th_progress *progress)
{
  struct curve *curve = self;
  struct th_model model = {.support_size = progress->support_size,
                           .support = (int64_t *)progress->support,
                           .coef = (double *)progress->coef,
                           .intercept = progress->intercept};
  if (progress->examples <= 20000)
    curve->mse = problem_mse(curve->problem, &model);
}

/* The mean MSE after 20,000 examples, over two data sets of that many, or on
 * the way through more. */
static double mean_mse(const struct th_config *config, int64_t examples)
{
  double mean = 0;
  for (uint64_t seed = 1; seed <= 2; seed++) {
    struct problem p = paper_problem(seed);
    p.training = examples;
    struct memory_store *m = problem_store(&p);
    struct th_config seeded = *config;
    struct th_model model;
    struct curve curve = {&p, INFINITY};
    struct th_monitor monitor = {.progress = follow, .self = &curve};
    seeded.seed = seed;
    memory_store_finish(m);
    problem_must_train(&seeded, m, &monitor, &model);
    CHECK(model.ledger.examples <= p.training);
    CHECK(model.ledger.max_attributes_per_example == 50);
    CHECK(model.ledger.attributes <= 50 * model.ledger.examples);
    mean += curve.mse / 2;
    th_model_free(&model);
    memory_store_free(m);
  }
  printf("%s: mean MSE %.4f\n", config->solver, mean);
  return mean;
}

/* The table of targets at 20,000 examples. */
static void test_paper_problem(void)
{
  struct th_config sift = problem_config("sift", 0, 50);
  CHECK(mean_mse(&sift, 20000) <= 1.006);
  struct th_config hybrid = problem_config("hybrid", 25, 50);
  CHECK(mean_mse(&hybrid, 60000) <= 1.04);
  hybrid.eta = 0.25;
  hybrid.rounds.batch_explore = (struct th_schedule_rows){1, {80}};
  hybrid.rounds.batch_exploit = (struct th_schedule_rows){1, {320}};
  hybrid.rounds.updates_explore = 1;
  hybrid.rounds.updates_exploit = 3;
  hybrid.rounds.growth = 1.4;
  CHECK(mean_mse(&hybrid, 20000) <= 1.03);
  struct th_config exploration = problem_config("exploration", 25, 50);
  exploration.eta = 0.25;
  exploration.rounds.batch_explore = (struct th_schedule_rows){1, {160}};
  exploration.rounds.growth = 1.1;
  CHECK(mean_mse(&exploration, 20000) <= 1.4);
}

/* Everything at once for the normal equations of a small problem. */
enum { SMALL = 9 };

static void normal_equations(const struct memory_store *m, double *a, double *b)
{
  int64_t n = m->store.shape.examples;
  for (int64_t j = 0; j < SMALL; j++) {
    b[j] = 0;
    for (int64_t i = 0; i < n; i++)
      b[j] += (double)m->values[j * n + i] * m->target[i];
    for (int64_t k = 0; k < SMALL; k++) {
      a[k + j * SMALL] = 0;
      for (int64_t i = 0; i < n; i++)
        a[k + j * SMALL] +=
            (double)m->values[j * n + i] * (double)m->values[k * n + i];
    }
  }
}

/* What a fit on the kept attributes explains of y'y. */
static double explained(const double *a, const double *b, const bool *keep,
                        double *x)
{
  double part[SMALL * SMALL];
  bool kept[SMALL];
  struct th_error err = {0};
  double sum = 0;
  memcpy(part, a, sizeof part);
  for (int64_t k = 0; k < SMALL; k++)
    if (!keep[k])
      part[k + k * SMALL] = 0;
  CHECK(th_linalg_solve(&(struct th_linalg_system){SMALL, part, b, 1e-12}, x,
                        NULL, kept, &err) == TH_OK);
  for (int64_t k = 0; k < SMALL; k++)
    sum += b[k] * x[k];
  return sum;
}

/* Brute force: leave each one out in turn and solve again. */
static void eliminate_plainly(const double *a, const double *b, int64_t most,
                              bool *keep, double *x)
{
  for (int64_t k = 0; k < SMALL; k++)
    keep[k] = true;
  for (int64_t left = SMALL; left > most; left--) {
    double best = -INFINITY;
    int64_t worst = 0;
    for (int64_t k = 0; k < SMALL; k++) {
      if (!keep[k])
        continue;
      keep[k] = false;
      double rest = explained(a, b, keep, x);
      keep[k] = true;
      worst = rest > best ? k : worst;
      best = fmax(best, rest);
    }
    keep[worst] = false;
  }
  explained(a, b, keep, x);
}

static void test_elimination(void)
{
  for (uint64_t seed = 0; seed < 20; seed++) {
    struct problem p = {.training = 40,
                        .attributes = SMALL,
                        .true_size = 4,
                        .noise = 3,
                        .mean = 1,
                        .seed = seed};
    struct memory_store *m = problem_store(&p);
    struct th_error err = {0};
    double a[SMALL * SMALL];
    double copy[SMALL * SMALL];
    double b[SMALL];
    double x[SMALL];
    double plain_x[SMALL];
    bool keep[SMALL];
    bool plain_keep[SMALL];
    normal_equations(m, a, b);
    for (int64_t most = 0; most <= SMALL; most++) {
      memcpy(copy, a, sizeof copy);
      struct th_backward_equations given = {
          .n = SMALL, .a = copy, .b = b, .most = most};
      CHECK(th_backward_eliminate(&given, x, keep, &err) == TH_OK);
      eliminate_plainly(a, b, most, plain_keep, plain_x);
      CHECK(memcmp(keep, plain_keep, sizeof keep) == 0);
      for (int64_t k = 0; k < SMALL; k++)
        CHECK_NEAR(x[k], plain_x[k], 1e-10);
    }
    memory_store_free(m);
  }
}

/* -s below what sift finds: that many are left, all of them true. */
static void test_sift_sparsity(void)
{
  struct problem p = paper_problem(3);
  p.attributes = 200;
  p.training = 8000;
  struct memory_store *m = problem_store(&p);
  memory_store_finish(m);
  for (int64_t s = 1; s <= 33; s += 8)
    for (int passes = 1; passes <= 3; passes += 2) {
      struct th_config config = problem_config("sift", s, 50);
      struct th_model model;
      config.passes = passes;
      problem_must_train(&config, m, NULL, &model);
      CHECK(model.support_size == (s < 25 ? s : model.support_size));
      CHECK(model.support_size <= s);
      for (int64_t k = 0, t = 0; k < model.support_size && s <= 25; k++) {
        while (t < p.true_size && p.support[t] < model.support[k])
          t++;
        CHECK(t < p.true_size && p.support[t] == model.support[k]);
      }
      th_model_free(&model);
    }
  memory_store_free(m);
}

/* Sums over the training examples of residual or derivative times (x, 1), per
 * example. */
static void gradient_of(struct memory_store *m, const struct th_model *model,
                        bool labels, double *gradient)
{
  const struct th_loss *loss = th_loss_find(model->loss);
  int64_t n = m->store.shape.training;
  double *prediction = calloc((size_t)n, sizeof *prediction);
  struct th_comm self;
  struct th_error err = {0};
  th_comm_self(&self);
  CHECK(th_predict(model, 1, &m->store, &self, (struct th_rows){0, n},
                   prediction, &err) == TH_OK);
  for (int64_t k = 0; k <= model->support_size; k++) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
      double y = labels ? (m->target[i] > 3 ? 1 : -1) : m->target[i];
      double x =
          k == model->support_size
              ? 1
              : (double)
                    m->values[model->support[k] * m->store.shape.examples + i];
      sum += (m->weight ? m->weight[i] : 1) * x *
             loss->derivative(prediction[i], y);
    }
    gradient[k] = sum / (double)n;
  }
  free(prediction);
}

/* The last pass of several is the whole data: the refit solves the normal
 * equations, Newton the gradient equation; a ridge is not asked for. */
static void test_refit(bool labels, double tolerance)
{
  struct problem p = {.training = 3000,
                      .attributes = 80,
                      .true_size = 6,
                      .noise = 2,
                      .mean = 4,
                      .intercept = 1,
                      .seed = 8,
                      .labels = labels,
                      .weighted = true};
  const char *const names[] = {"sift", "hybrid", "exploitation"};
  struct memory_store *m = problem_store(&p);
  memory_store_finish(m);
  for (int k = 0; k < 3; k++) {
    struct th_config config = problem_config(names[k], k == 1 ? 6 : 0, 30);
    struct th_model model;
    double gradient[40];
    config.loss = labels ? "logistic" : "squared";
    config.passes = 4;
    config.refit = labels ? TH_REFIT_AUTO : TH_REFIT_YES;
    config.rounds.most = k == 0 ? 0 : 2;
    if (k == 2) {
      config.start.support = p.support;
      config.start.size = p.true_size;
    }
    problem_must_train(&config, m, NULL, &model);
    CHECK(model.support_size >= 5 && model.support_size < 30);
    gradient_of(m, &model, labels, gradient);
    for (int64_t j = 0; j <= model.support_size; j++)
      if (config.rounds.most > 0 || !labels)
        CHECK(fabs(gradient[j]) < tolerance);
    th_model_free(&model);
  }
  memory_store_free(m);
}

/* Step sizes that must diverge: the guard brings them back. */
static void test_guard(const char *solver, double eta)
{
  struct problem p = paper_problem(5);
  struct memory_store *m = problem_store(&p);
  struct th_model model;
  struct th_comm self;
  struct th_error err;
  memory_store_finish(m);
  struct th_config config = problem_config(solver, 25, 50);
  config.eta = eta;
  if (strcmp(solver, "exploitation") == 0) {
    config.sparsity = 0;
    config.start.support = p.support;
    config.start.size = p.true_size;
  }
  th_comm_self(&self);
  th_status rc = problem_train(&config, &m->store, &self, NULL, &model, &err);
  double mse = problem_mse(&p, &model);
  printf("%s with eta %g: MSE %.3f\n", solver, eta, mse);
  if (rc == TH_OK)
    CHECK(mse < 26.1); /* no worse than nothing */
  else
    CHECK(rc == TH_ENUMERIC && eta > 1e9 &&
          strstr(err.text, "leave {eta} out"));
  th_model_free(&model);
  memory_store_free(m);
}

static void usage(struct th_config config, int64_t d, const char *names)
{
  struct th_shape shape = {
      .examples = 1000, .training = 1000, .attributes = d, .row_group = 64};
  struct th_plan plan;
  struct th_error err;
  th_error_clear(&err);
  CHECK(th_train_plan(
            &config,
            (struct th_plan_size){.shape = &shape, .ranks = 1, .owned = d},
            &plan, &err) == TH_EUSAGE);
  if (strstr(err.text, names) == NULL) {
    check_failures++;
    fprintf(stderr, "%s: does not name %s\n", err.text, names);
  }
}

static void test_usage(void)
{
  const int64_t beyond[] = {3, 100};
  const int64_t falling[] = {7, 7};
  usage(problem_config("none", 5, 10), 100, "solver none");
  struct th_config config = problem_config("sift", 5, 10);
  config.loss = "absent";
  usage(config, 100, "absent");
  usage(problem_config("hybrid", 10, 10), 100, "{sparsity} 10");
  usage(problem_config("exploration", 11, 10), 100, "{sparsity} 11");
  usage(problem_config("sift", 10, 10), 100, "{sparsity} 10");
  usage(problem_config("sift", 0, 101), 100, "{budget} 101");
  usage(problem_config("sift", 0, 1), 100, "{budget} 1");
  usage(problem_config("hybrid", 0, 10), 100, "{sparsity}");
  usage(problem_config("exploration", 5, 0), 100, "{budget}");
  usage(problem_config("exploitation", 0, 10), 100, "{start}");
  config = problem_config("exploitation", 0, 0);
  config.start.size = 2;
  config.start.support = beyond;
  usage(config, 100, "attribute 100");
  config.start.support = falling;
  usage(config, 100, "ascend");
}

static void test_plan_is_complete(void)
{
  struct th_shape shape = {
      .examples = 50, .training = 1, .attributes = 100, .row_group = 64};
  struct th_config config = problem_config("sift", 0, 0);
  struct th_plan plan;
  struct th_error err;
  th_error_clear(&err);
  CHECK(th_train_plan(
            &config,
            (struct th_plan_size){.shape = &shape, .ranks = 1, .owned = 100},
            &plan, &err) == TH_EDATA);
  th_error_clear(&err);
  shape.training = 50;
  config.passes = 0;
  config.validation = -1;
  CHECK(th_train_plan(
            &config,
            (struct th_plan_size){.shape = &shape, .ranks = 3, .owned = 34},
            &plan, &err) == TH_OK);
  CHECK(plan.config.budget == 64 && plan.config.passes > 1);
  CHECK(plan.config.validation >= 0 && plan.deal_unit >= 1);
  CHECK(plan.blocks >= 1 && plan.memory > 0 && plan.read_bytes > 0);
  config.select = TH_SELECT_AUTO;
  CHECK(th_train_plan(
            &config,
            (struct th_plan_size){.shape = &shape, .ranks = 3, .owned = 34},
            &plan, &err) == TH_OK);
  CHECK(plan.config.select == TH_SELECT_PREDICT && plan.config.budget == 100);
  CHECK(plan.screens >= 1 && plan.list == 100 && plan.config.passes > 1);
  config.passes = 1; /* none is left for the list */
  CHECK(th_train_plan(
            &config,
            (struct th_plan_size){.shape = &shape, .ranks = 3, .owned = 34},
            &plan, &err) == TH_OK);
  CHECK(plan.config.select == TH_SELECT_TRUTH && plan.list == 0);
}

/* What a run says of how far it is. */
struct shares {
  int parts;
  double last;    /* of this part */
  double rounds;  /* the last of the rounds */
  int64_t shares; /* of the nets */
};

static void begin_part(void *self, bool at_most)
{
  struct shares *s = self;
  CHECK(at_most == (s->parts > 0));
  s->parts++;
  s->last = 0;
}

static void see_update(void *self, const struct th_progress *progress)
{
  struct shares *s = self;
  CHECK(s->parts <= 1 || progress->done == 1);
  CHECK(progress->done >= s->last && progress->done <= 1);
  s->last = s->rounds = progress->done;
}

static void see_path(void *self, double done, const char *text)
{
  struct shares *s = self;
  CHECK(strncmp(text, "path ", 5) != 0 || (done > s->last && done <= 1));
  s->last = fmax(s->last, done);
  s->shares += s->parts > 1;
}

/* Rounds come to the whole of their part, and so do the paths of the nets. */
static void test_shares(int64_t training, enum th_select_for select)
{
  struct problem p = paper_problem(1);
  p.training = training;
  p.attributes = 200;
  struct memory_store *m = problem_store(&p);
  struct th_config config = problem_config("sift", 0, 50);
  struct th_model model;
  struct shares shares = {0};
  struct th_monitor monitor = {.progress = see_update,
                               .going = see_path,
                               .part = begin_part,
                               .self = &shares};
  bool predicts = select == TH_SELECT_PREDICT;
  config.select = select;
  config.passes = 0;
  config.validation = -1;
  memory_store_finish(m);
  problem_must_train(&config, m, &monitor, &model);
  printf("rounds up to %g, parts %d, shares of nets %lld\n", shares.rounds,
         shares.parts, (long long)shares.shares);
  CHECK(shares.rounds > 0.9);
  CHECK(predicts ? shares.parts > 1 && shares.shares > 2 : shares.parts == 0);
  th_model_free(&model);
  memory_store_free(m);
}

int main(void)
{
  CASE(test_usage());
  CASE(test_shares(600, TH_SELECT_PREDICT));
  CASE(test_shares(6000, TH_SELECT_PREDICT));
  CASE(test_shares(6000, TH_SELECT_TRUTH));
  CASE(test_plan_is_complete());
  CASE(test_elimination());
  CASE(test_sift_sparsity());
  CASE(test_refit(false, 1e-9));
  CASE(test_refit(true, 1e-6));
  const double steps[] = {0.5, 1, 1.5, 1e3, 1e60};
  for (int k = 0; k < 5; k++) {
    CASE(test_guard("exploration", steps[k]));
    CASE(test_guard("hybrid", steps[k]));
    CASE(test_guard("exploitation", steps[k]));
  }
  CASE(test_paper_problem());
  return check_finish(NULL);
}
