/* nomem.c - training with an allocator that fails at call 0, 1, 2, ...
 *
 * Linked with --wrap, so that nothing in the sources needs to know.
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "penalised.h"

#include "math/grouping.h"

#include <stdlib.h>
#include <string.h>

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_malloc(size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);

static bool armed = false;
static int64_t calls_left = 0; /* until one fails */
static bool failed = false;

static bool fails(void)
{
  bool now = armed && !failed && calls_left-- == 0;
  failed |= now;
  return now;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
  return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

void *__wrap_malloc(size_t size)
{
  return fails() ? NULL : __real_malloc(size);
}

static th_status train_with_failure(const struct th_config *config,
                                    struct memory_store *m, int64_t call,
                                    struct th_error *err)
{
  struct th_comm self;
  struct th_model model;
  th_comm_self(&self);
  failed = false;
  calls_left = call;
  armed = true;
  th_status rc = problem_train(config, &m->store, &self, NULL, &model, err);
  armed = false;
  th_model_free(&model);
  return rc;
}

/* thin: of long runs fewer and fewer calls; 0: every one. */
static void test_calls(const struct th_config *config, struct memory_store *m,
                       int64_t thin)
{
  struct th_error err;
  int64_t call = 0;
  th_status rc;
  do {
    rc = train_with_failure(config, m, call, &err);
    call += 1 + (thin > 0 ? call / thin : 0);
    if (failed)
      CHECK(rc == TH_ENOMEM && strstr(err.text, "memory") != NULL);
    else
      CHECK(rc == TH_OK);
  } while (failed && call < 100000);
  printf("%s, %s, %s: %lld allocations\n", config->solver, config->loss,
         config->penalty == NULL ? "no penalty" : config->penalty,
         (long long)call - 1);
  CHECK(call > 10);
}

static void test_solver(const struct th_config *config, struct memory_store *m)
{
  test_calls(config, m, 0);
}

/* Groups of two attributes far apart, on one rank. */
static th_status group_with_failure(int64_t call, struct th_error *err)
{
  enum { ATTRIBUTES = 20 };
  struct th_group_piece piece[ATTRIBUTES];
  int64_t attribute[ATTRIBUTES];
  struct th_groups groups;
  struct th_grouping grouping = {0};
  struct th_comm self;
  th_comm_self(&self);
  th_error_clear(err);
  for (int64_t j = 0; j < ATTRIBUTES; j++) {
    piece[j] = (struct th_group_piece){
        .range = {j, j + 1}, .group = j % (ATTRIBUTES / 2), .size = 2};
    attribute[j] = j;
  }
  failed = false;
  calls_left = call;
  armed = true;
  th_status rc = th_groups_share(&groups, &self, ATTRIBUTES, piece, ATTRIBUTES,
                                 TH_OK, err);
  struct th_grouping_penalty of = {.penalty = th_penalty_find("group"),
                                   .groups = &groups};
  if (rc == TH_OK)
    rc = th_grouping_build(&grouping, &of, &self, attribute, ATTRIBUTES, err);
  armed = false;
  CHECK(rc != TH_OK || grouping.groups == ATTRIBUTES / 2);
  CHECK(rc == TH_OK || grouping.groups == 0);
  th_grouping_free(&grouping);
  th_groups_free(&groups);
  return rc;
}

static void test_groups(void)
{
  struct th_error err;
  int64_t call = 0;
  th_status rc;
  do {
    rc = group_with_failure(call++, &err);
    CHECK(rc == (failed ? TH_ENOMEM : TH_OK));
  } while (failed && call < 1000);
  CHECK(call > 20);
}

/* Solvers under a budget. */
static void test_budgets(bool labels)
{
  const char *const solvers[] = {"sift", "exploration", "hybrid",
                                 "exploitation"};
  struct problem p = {.training = 600,
                      .attributes = 40,
                      .true_size = 4,
                      .noise = 0.3,
                      .seed = 4,
                      .labels = labels,
                      .weighted = true};
  struct memory_store *m = problem_store(&p);
  memory_store_finish(m);
  for (int k = 0; k < 4; k++) {
    struct th_config config =
        problem_config(solvers[k], k == 3 ? 0 : 4, k == 3 ? 0 : 20);
    config.loss = labels ? "logistic" : "squared";
    config.passes = 3;
    config.validation = 0.1;
    if (k == 3) {
      config.start.support = p.support;
      config.start.size = p.true_size;
    }
    test_solver(&config, m);
  }
  memory_store_free(m);
}

/* An end that predicts, in small data and in large, of one pass or several. */
static void test_predicting(bool labels, int64_t training, int64_t passes)
{
  struct problem p = {.training = training,
                      .attributes = 30,
                      .true_size = 4,
                      .noise = 0.3,
                      .seed = 4,
                      .labels = labels};
  struct memory_store *m = problem_store(&p);
  struct th_config config = problem_config("sift", 0, 16);
  m->store.shape.layout = labels ? TH_SPARSE : TH_DENSE;
  memory_store_finish(m);
  config.loss = labels ? "logistic" : "squared";
  config.passes = passes;
  config.validation = -1;
  config.select = TH_SELECT_PREDICT;
  test_calls(&config, m, training < 1000 ? 12 : 8);
  memory_store_free(m);
}

/* The exact solver where products of columns pay. */
static void test_tall(void)
{
  struct problem p = {.training = 700,
                      .attributes = 60,
                      .true_size = 6,
                      .noise = 0.3,
                      .seed = 9};
  struct memory_store *m = problem_store(&p);
  struct th_config config = penalised_config("lasso", "squared", 0);
  memory_store_finish(m);
  config.path = 6;
  config.path_min = 0.05;
  test_solver(&config, m);
  memory_store_free(m);
}

/* Solvers with a penalty: all of them in each of three forms. */
static void test_penalised(int form)
{
  const char *const solvers[] = {
      "lasso", "prox-sgd", "fs-prox-sgd",        "os-prox-sgd",
      "saga",  "svrg",     "truncated-gradient", "rda"};
  const char *const losses[] = {"squared", "logistic", "squared-hinge"};
  const char *const penalties[] = {"l1", "group", "sparse-group"};
  struct problem p = {.training = 90,
                      .attributes = 60,
                      .true_size = 4,
                      .noise = 0.3,
                      .seed = 4,
                      .labels = form > 0,
                      .weighted = form == 1};
  struct memory_store *m = problem_store(&p);
  struct th_groups groups;
  struct th_comm self;
  th_comm_self(&self);
  m->store.shape.layout = form == 2 ? TH_SPARSE : TH_DENSE;
  memory_store_finish(m);
  plain_groups(&groups, &self, p.attributes, 5);
  for (int k = 0; k < 8; k++) {
    struct th_config config = penalised_config(solvers[k], losses[form], 0.3);
    config.penalty = penalties[form];
    config.groups = form > 0 ? &groups : NULL;
    config.standardize = form == 1;
    config.intercept = form == 1;
    config.batch = form == 2 ? 4 : 1;
    config.epochs = 12;
    config.screening.every = 100;
    config.path = form == 0 ? 3 : 0;
    config.path_min = 0.3;
    config.lambda_ratio = form == 0 ? 0 : 0.3;
    test_solver(&config, m);
  }
  th_groups_free(&groups);
  memory_store_free(m);
}

/* Solvers in a ball, with both phases and held-out examples. */
static void test_balls(void)
{
  const char *const solvers[] = {"aerr", "aelr", "ogd-ridge", "eg-lasso"};
  struct problem p = {.training = 60,
                      .attributes = 40,
                      .true_size = 4,
                      .noise = 0.3,
                      .seed = 4};
  struct memory_store *m = problem_store(&p);
  memory_store_finish(m);
  for (int k = 0; k < 4; k++) {
    struct th_config config = problem_config(solvers[k], 0, 12);
    config.passes = 3;
    config.validation = 0.2;
    config.ball.adagrad = k % 2 ? TH_ADAGRAD_COORDINATE : TH_ADAGRAD_NORM;
    test_solver(&config, m);
  }
  memory_store_free(m);
}

int main(void)
{
  CASE(test_budgets(false));
  CASE(test_budgets(true));
  CASE(test_predicting(false, 60, 0));
  CASE(test_predicting(true, 60, 0));
  CASE(test_predicting(true, 90, 1));
  CASE(test_predicting(false, 5000, 0));
  for (int form = 0; form < 3; form++)
    CASE(test_penalised(form));
  CASE(test_tall());
  CASE(test_groups());
  CASE(test_balls());
  return check_finish(NULL);
}
