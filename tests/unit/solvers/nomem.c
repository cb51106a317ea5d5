/* nomem.c - training with an allocator that fails at call 0, 1, 2, ...
 *
 *   unit_nomem [all]
 *
 * takes fewer and fewer of the calls of a long run; with an argument every one.
 *
 * Linked with --wrap, so that nothing in the sources needs to know.
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "penalised.h"

#include "math/grouping.h"
#include "solvers/sampling/ball.h"
#include "solvers/solver_table.h"

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

/* From this call on some are left out; 0: none is. */
static int64_t thin_from = 100;

static void test_solver(const struct th_config *config, struct memory_store *m)
{
  test_calls(config, m, thin_from);
}

enum { MOST_SOLVERS = 64 };

/* Of a solver of the table: its options, or false where the case is not for
 * it. */
typedef bool solver_options(struct th_config *config,
                            const struct th_solver_row *row);

/* A data set or a loss that the solver does not take is refused in any memory.
 */
static bool refuses(const struct th_config *config, struct memory_store *m)
{
  struct th_error err = {0};
  th_status rc = train_with_failure(config, m, INT64_MAX, &err);
  CHECK(rc == TH_OK || rc == TH_EUSAGE || rc == TH_EDATA);
  if (rc != TH_OK)
    printf("%s, %s: refused: %s\n", config->solver, config->loss, err.text);
  return rc != TH_OK;
}

/* All solvers of the table that the case is for; took[k]: how often row k was
 * trained. */
static void test_rows(struct memory_store *m, const struct th_config *common,
                      solver_options *options, int *took)
{
  const struct th_solver_row *table = th_solver_table();
  for (int k = 0; table[k].name != NULL; k++) {
    struct th_config config = *common;
    config.solver = table[k].name;
    CHECK(k < MOST_SOLVERS);
    if (!options(&config, &table[k]) || refuses(&config, m))
      continue;
    test_solver(&config, m);
    took[k]++;
  }
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

static const int64_t start[] = {5, 15, 25, 35};

/* Solvers without a penalty, with what they need. */
static bool under_a_budget(struct th_config *config,
                           const struct th_solver_row *row)
{
  if (row->penalised || row->ball != NULL)
    return false;
  config->sparsity = row->needs_start ? 0 : 4;
  config->budget = row->needs_start ? 0 : 20;
  if (row->needs_start)
    config->start = (struct th_config_start){.support = start, .size = 4};
  return true;
}

static void test_budgets(bool labels, bool weighted, int *took)
{
  struct problem p = {.training = 600,
                      .attributes = 40,
                      .true_size = 4,
                      .noise = 0.3,
                      .seed = 4,
                      .labels = labels,
                      .weighted = weighted};
  struct memory_store *m = problem_store(&p);
  struct th_config config = problem_config("", 0, 0);
  memory_store_finish(m);
  config.loss = labels ? "logistic" : "squared";
  config.passes = 3;
  config.validation = 0.1;
  test_rows(m, &config, under_a_budget, took);
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
  config.choice.path_min = 0.05;
  test_solver(&config, m);
  memory_store_free(m);
}

/* Solvers with a penalty. */
static bool with_a_penalty(struct th_config *config,
                           const struct th_solver_row *row)
{
  (void)config;
  return row->penalised;
}

/* In each of three forms. */
static void test_penalised(int form, int *took)
{
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
  struct th_config config = penalised_config("", losses[form], 0.3);
  th_comm_self(&self);
  m->store.shape.layout = form == 2 ? TH_SPARSE : TH_DENSE;
  memory_store_finish(m);
  plain_groups(&groups, &self, p.attributes, 5);
  config.penalty = penalties[form];
  config.group.all = form > 0 ? &groups : NULL;
  config.standardize = form == 1;
  config.intercept = form == 1;
  config.batch = form == 2 ? 4 : 1;
  config.epochs = 12;
  config.screening.every = 100;
  config.path = form == 0 ? 3 : 0;
  config.choice.path_min = 0.3;
  config.lambda_ratio = form == 0 ? 0 : 0.3;
  test_rows(m, &config, with_a_penalty, took);
  th_groups_free(&groups);
  memory_store_free(m);
}

/* Solvers in a ball, with both phases and held-out examples. */
static bool in_a_ball(struct th_config *config, const struct th_solver_row *row)
{
  config->ball.adagrad =
      row->ball == &th_ball_l1 ? TH_ADAGRAD_COORDINATE : TH_ADAGRAD_NORM;
  return row->ball != NULL;
}

static void test_balls(int *took)
{
  struct problem p = {.training = 60,
                      .attributes = 40,
                      .true_size = 4,
                      .noise = 0.3,
                      .seed = 4};
  struct memory_store *m = problem_store(&p);
  struct th_config config = problem_config("", 0, 12);
  memory_store_finish(m);
  config.passes = 3;
  config.validation = 0.2;
  test_rows(m, &config, in_a_ball, took);
  memory_store_free(m);
}

/* No solver of the table is refused in all cases. */
static void test_took(int times)
{
  CHECK(times > 0);
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "all") == 0)
    thin_from = 0;
  int took[MOST_SOLVERS] = {0};
  CASE(test_budgets(false, true, took));
  CASE(test_budgets(true, true, took));
  CASE(test_budgets(false, false, took));
  CASE(test_predicting(false, 60, 0));
  CASE(test_predicting(true, 60, 0));
  CASE(test_predicting(true, 90, 1));
  CASE(test_predicting(false, 5000, 0));
  for (int form = 0; form < 3; form++)
    CASE(test_penalised(form, took));
  CASE(test_tall());
  CASE(test_groups());
  CASE(test_balls(took));
  for (int k = 0; th_solver_table()[k].name != NULL; k++)
    CASE_NAMED(th_solver_table()[k].name, test_took(took[k]));
  return check_finish(NULL);
}
