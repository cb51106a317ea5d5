/* state_trial.h - what the test of states trains: data and options of case k
 * SPDX-License-Identifier: MIT */
#ifndef TH_STATE_TRIAL_H
#define TH_STATE_TRIAL_H

#include "penalised.h"

#include "solvers/sampling/ball.h"

#include <math.h>
#include <string.h>

enum { CASES = 8, CASES_OF_SIFT = 12, PATH = 3 };

static const char *const penalties[] = {"l1", "group", "sparse-group"};

/* What is trained, and how. */
struct trial {
  struct problem problem;
  struct memory_store *data;
  struct th_config config;
  struct th_groups groups;
  bool grouped;
  int number;
};

/* Many rounds for sift; for lasso, in every fourth case, products of columns.
 */
static inline int64_t examples_of(const struct th_solver_row *row, int k)
{
  if (strcmp(row->name, "sift") == 0)
    return k % 4 == 1 || k >= CASES ? 12000 : 4000;
  if (strcmp(row->name, "lasso") == 0 && k % 4 == 0)
    return 700;
  if (strcmp(row->name, "oomp") == 0)
    return 6000;
  if (strcmp(row->name, "dantzig") == 0)
    return 700;
  if (strcmp(row->name, "exploitation") == 0)
    return 500 * (k + 1);
  return row->penalised ? 90 : 600;
}

static inline struct problem problem_of(const struct th_solver_row *row, int k)
{
  bool sift = strcmp(row->name, "sift") == 0;
  bool pairs = strcmp(row->name, "dantzig") == 0; /* keeps d x d numbers */
  return (struct problem){.training = examples_of(row, k),
                          .test = 20,
                          .attributes = sift || pairs ? 300
                                        : k % 3 == 2  ? 1300
                                                      : 700,
                          .true_size = sift ? (k % 4 == 3 ? 3 : 12) : 6,
                          .noise = 0.5,
                          .mean = 0.2,
                          .intercept = k % 4 == 1 ? 2 : 0,
                          .seed = (uint64_t)k,
                          .labels = k % 2,
                          .weighted =
                              k % 5 == 2 && strcmp(row->name, "oomp") != 0};
}

/* Values are rare in the later cases, so that trials of sift last over rounds.
 */
static inline float zero_below(int k)
{
  static const float rare[] = {2, 2, 1.5F, 3};
  return k < CASES ? 1 : rare[k % 4];
}

static inline struct memory_store *store_of(struct problem *p, int k)
{
  struct memory_store *m = problem_store(p);
  int64_t count = m->store.shape.examples * m->store.shape.attributes;
  m->store.shape.layout = (k / 2) % 2 ? TH_SPARSE : TH_DENSE;
  m->store.shape.type = k % 7 == 3 ? TH_F64 : TH_F32;
  m->cut = k % 3 ? 70 : 0;
  m->placed = k % 2;
  for (int64_t i = 0; m->store.shape.layout == TH_SPARSE && i < count; i++)
    m->values[i] = fabsf(m->values[i]) < zero_below(k) ? 0 : m->values[i];
  memory_store_finish(m);
  return m;
}

static inline struct th_config budgeted(const struct th_solver_row *row,
                                        const struct problem *p, int k)
{
  struct th_config config =
      problem_config(row->name, row->needs_sparsity ? 8 : 0, 60);
  config.standardize = k % 3 > 0;
  config.intercept = k % 4 > 0;
  config.passes = 1 + k % 3;
  config.validation = k % 4 >= 2 ? 0.1 : 0;
  config.refit = (enum th_refit)((k / 2) % 3);
  config.select = k % 3 ? TH_SELECT_AUTO : TH_SELECT_TRUTH;
  if (row->needs_start) { /* more passes: rows that the last update leaves */
    config.start.support = p->support;
    config.start.size = p->true_size;
    config.passes = 3 + k % 4;
  }
  config.loss = solver_loss(&config, p->labels ? "logistic" : "squared");
  return config;
}

/* Case by case the screening rules, with and without a path. */
static inline struct th_config penalised(const struct th_solver_row *row,
                                         const struct problem *p, int k)
{
  struct th_config config =
      penalised_config(row->name, p->labels ? "logistic" : "squared", 0.5);
  config.penalty = penalties[k % 5 == 4 ? 1 + (k / 5) % 2 : 0];
  config.intercept = k % 3 == 1;
  config.standardize = k % 3 == 1;
  config.batch = k % 2 ? 4 : 1;
  config.epochs = k % 4 == 2 ? 40 : 12;
  config.tolerance = k == 2 ? 1e-3 : k == 6 ? 1e-9 : 0;
  config.screening.how = k == 6   ? TH_SCREEN_NONE
                         : k == 7 ? TH_SCREEN_GAP_SAFE
                                  : 0;
  if (k % 3 == 0 && strcmp(row->name, "truncated-gradient") == 0)
    config.screening.how = TH_SCREEN_ONLINE;
  config.screening.rule = (enum th_screen_rule)(k % TH_RULE_COUNT);
  config.screening.every = k % 4 != 2 ? 20 : 0;
  if (k % 3 == 2) {
    config.lambda_ratio = 0;
    config.path = PATH;
    config.choice.path_min = 0.4;
  }
  return config;
}

/* All ways of draws and of steps, with starts, early stops and both kinds of
 * balls. */
static inline struct th_config in_a_ball(const struct th_solver_row *row,
                                         const struct problem *p, int k)
{
  struct th_config config = problem_config(row->name, 0, 40 + k);
  config.standardize = k % 4 == 1;
  config.intercept = k % 3 > 0;
  config.passes = 1 + k % 3;
  config.validation = k % 4 >= 2 ? 0.1 : 0;
  config.batch = 10 * (k % 3);
  config.ball.moments = (enum th_moments_from)((k + k / 3) % TH_MOMENTS_COUNT);
  if (config.ball.moments == TH_MOMENTS_NORM && row->ball->largest)
    config.ball.moments = TH_MOMENTS_AUTO; /* it is refused */
  config.ball.moment_norm = config.ball.moments == TH_MOMENTS_NORM ? 10 : 0;
  config.ball.inner = (enum th_inner)(k % TH_INNER_COUNT);
  config.ball.adagrad = (enum th_adagrad)(k % TH_ADAGRAD_COUNT);
  config.eta = k % 5 == 4 ? TH_ETA_THEORY : 0;
  config.ball.radius = k % 2 ? 0 : 8;
  if (config.eta != 0)
    config.ball.adagrad = TH_ADAGRAD_AUTO;
  if (k % 4 == 3) {
    config.start.support = p->support;
    config.start.coef = p->coef;
    config.start.size = p->true_size;
  }
  return config;
}

/* By a number, by folds, by the loss, and by what is held out after a start. */
static inline struct th_config pursues(const struct th_solver_row *row,
                                       const struct problem *p, int k)
{
  struct th_config config = penalised(row, p, 0);
  config.loss = p->labels ? "logistic" : "squared";
  config.intercept = k % 3 > 0;
  config.standardize = k % 2;
  config.sparsity = k % 4 == 0 ? 12 : k % 4 == 1 ? 0 : 20;
  config.greedy.residual = k % 4 == 2 ? 0.1 : 0;
  config.validation = k % 4 == 3 ? 0.2 : -1;
  if (k % 4 == 3) {
    config.start.support = p->support;
    config.start.size = 2;
  }
  return config;
}

/* Bounds so small that some attributes stand out of few examples. */
static inline struct th_config selects_online(const struct th_solver_row *row,
                                              int k)
{
  struct th_config config = problem_config(row->name, k % 2 ? 4 : 0, 0);
  config.loss = "squared";
  config.standardize = k % 3 > 0;
  config.intercept = k % 4 > 0;
  config.passes = 1 + k % 2;
  config.greedy.mu = k % 4 < 2 ? 0 : 0.3;
  config.greedy.bound = 0.05;
  config.greedy.rho = 1;
  config.greedy.smoothness = 1;
  config.greedy.max_examples = k % 4 == 3 ? 2500 : 0;
  config.greedy.optim = k % 3 == 1 ? TH_OPTIM_DESCENT : TH_OPTIM_SQUARES;
  return config;
}

/* A few attributes of each example, or all of them; with steps that are too
 * long at first. */
static inline struct th_config looks(const struct th_solver_row *row, int k)
{
  struct th_config config = problem_config(row->name, 5 + k % 3, 40);
  bool whole = strcmp(row->name, "ssr") == 0 && k % 3 == 0;
  config.sparsity = whole && k % 2 ? 0 : config.sparsity;
  config.budget = whole ? 0 : config.budget;
  config.loss = "squared";
  config.standardize = k % 3 > 0;
  config.intercept = k % 4 > 0;
  config.passes = 1 + k % 3;
  config.validation = k % 4 >= 2 ? 0.1 : 0;
  config.batch = whole ? 20 : 5 * (k % 4);
  config.eta = k % 4 == 1 ? 0.5 : 0;
  config.lambda = k % 4 != 3 ? 0 : strcmp(row->name, "dantzig") == 0 ? 30 : 1;
  config.rounds.growth = k % 2 ? 2 : 4;
  return config;
}

/* Options that a solver does not have. */
static inline void fit_options(struct th_config *config, int k)
{
  if (strcmp(config->solver, "lasso") == 0) {
    config->batch = 0;
    config->epochs = 0;
    config->tolerance = 0;
    config->path = 12;
    config->choice.path_min = 0.15;
    config->lambda_ratio = 0;
    if (k % 4 == 1) { /* folds choose */
      config->choice.how = k % 8 == 1 ? TH_CHOOSE_BEST : TH_CHOOSE_1SE;
      config->choice.folds = 3;
    }
    if (k % 4 == 2) { /* the search for a ball */
      config->path = 0;
      config->ball.radius = 2;
    }
  }
  if (strcmp(config->solver, "ridge") == 0) {
    config->loss = "squared";
    config->penalty = "l1";
    config->tolerance = 0;
    config->epochs = 200;
    config->path = 4;
    config->choice.path_min = 0.05;
    config->lambda_ratio = 0;
  }
}

/* Ways whose bits do not depend on the ranks. */
static inline enum th_factoring factoring_of(int k)
{
  return k % 2 ? TH_FACTORING_CG : TH_FACTORING_OWN;
}

static inline void make_trial(struct trial *t, const struct th_solver_row *row,
                              int k)
{
  *t = (struct trial){.problem = problem_of(row, k), .number = k};
  t->data = store_of(&t->problem, k);
  t->config = solver_uses(row, "mu") ? selects_online(row, k)
              : solver_looks(row)    ? looks(row, k)
              : row->ball != NULL    ? in_a_ball(row, &t->problem, k)
              : row->selects         ? pursues(row, &t->problem, k)
              : row->penalised       ? penalised(row, &t->problem, k)
                                     : budgeted(row, &t->problem, k);
  fit_options(&t->config, k);
  t->config.method.factoring = factoring_of(k);
  t->config.seed = (uint64_t)k + 1;
  t->grouped = row->penalised && strcmp(t->config.penalty, "l1") != 0;
}

static inline int cases_of(const struct th_solver_row *row)
{
  return strcmp(row->name, "sift") == 0 ? CASES_OF_SIFT : CASES;
}

#endif
