/* screening.c - gap-safe screening at work: what the solution needs stays,
 * and the steps do not see the point that certifies it
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "penalised.h"

#include "solvers/algorithms.h"
#include "solvers/stochastic/stochastic.h"

#include <stdlib.h>
#include <string.h>

static const char *const losses[] = {"squared", "logistic", "squared-hinge"};
static const char *const penalties[] = {"l1", "group", "sparse-group"};
static const struct th_update *const updates[] = {
    &th_prox_sgd_update, &th_saga_update, &th_rda_update, &th_svrg_update};

enum { PROBLEMS = 72, LOOPS = 40, UPDATES = 4 };

/* A solver step by step, and the exact solution. */
struct trial {
  struct problem problem;
  struct memory_store *store;
  struct th_groups groups;
  struct th_config config;
  struct th_comm self;
  struct th_profile profile;
  struct th_plan plan;
  struct th_context context;
  struct th_stochastic *engine;
  double *exact;
};

static struct problem problem_of(int k)
{
  return (struct problem){.training = 30 + 7 * (k % 6),
                          .attributes = 90 + k,
                          .true_size = 1 + k % 5,
                          .noise = 0.2 * (k % 7),
                          .mean = k % 4 == 1 ? 0.5 : 0,
                          .seed = (uint64_t)k,
                          .labels = k % 3 != 0,
                          .weighted = k % 5 == 2};
}

static void solve_exactly(struct trial *t)
{
  struct th_config config = t->config;
  struct th_model model;
  config.solver = "lasso";
  config.epochs = 0;
  config.tolerance = 1e-13;
  problem_must_train(&config, t->store, NULL, &model);
  t->exact = calloc((size_t)t->problem.attributes, sizeof *t->exact);
  plain_coef(&model, t->exact);
  th_model_free(&model);
}

static void begin(struct trial *t, int k, const struct th_screening *screening)
{
  const struct th_shape *shape;
  struct th_error err = {0};
  memset(t, 0, sizeof *t);
  t->problem = problem_of(k);
  t->store = problem_store(&t->problem);
  shape = &t->store->store.shape;
  t->store->store.shape.type = k % 2 ? TH_F64 : TH_F32;
  memory_store_finish(t->store);
  th_comm_self(&t->self);
  plain_groups(&t->groups, &t->self, t->problem.attributes, 4);
  t->config = penalised_config("prox-sgd", losses[k % 3], 0.2 + 0.07 * (k % 9));
  t->config.penalty = penalties[k / 3 % 3];
  t->config.group.all = k / 3 % 3 > 0 ? &t->groups : NULL;
  t->config.intercept = k % 4 > 1;
  t->config.batch = k % 8 == 3 ? 3 : 1;
  t->config.epochs = 4 * LOOPS;
  t->profile.comm = &t->self;
  solve_exactly(t);
  CHECK(th_train_plan(&t->config,
                      (struct th_plan_size){.shape = shape,
                                            .ranks = 1,
                                            .owned = shape->attributes},
                      &t->plan, &err) == TH_OK);
  CHECK(th_context_init(&t->context, &t->plan, &t->store->store, &t->self, NULL,
                        &t->profile, &err) == TH_OK);
  CHECK(th_stochastic_create(&t->engine, &t->context, updates[k / 9 % UPDATES],
                             screening, &err) == TH_OK);
}

static void release(struct trial *t)
{
  th_stochastic_free(t->engine);
  th_context_free(&t->context);
  th_groups_free(&t->groups);
  memory_store_free(t->store);
  free(t->exact);
}

/* Attributes of the solution that are no longer active. */
static int64_t count_lost(const struct trial *t)
{
  const double significant = 1e-5;
  int64_t lost = 0;
  for (int64_t j = 0; j < t->problem.attributes; j++)
    lost += fabs(t->exact[j]) > significant &&
            th_active_place(&t->engine->active, j) < 0;
  return lost;
}

/* Attributes that are left in the end. */
static int64_t run(struct trial *t)
{
  struct th_error err = {0};
  bool more = true;
  while (more) {
    CHECK(th_stochastic_step(t->engine, &t->context, &more, &err) == TH_OK);
    CHECK(count_lost(t) == 0);
  }
  CHECK(th_stochastic_finish(t->engine, &t->context, &err) == TH_OK);
  return t->engine->active.total;
}

/* A check is for the attributes alone: coefficients that stay, b0 and what is
 * said of the iterate are those of a pass there. */
static th_status end_watched(struct th_stochastic *s, struct th_error *err)
{
  int64_t count = s->active.count;
  int64_t *attribute = calloc((size_t)count, sizeof *attribute);
  double *coef = calloc((size_t)count, sizeof *coef);
  CHECK(th_pass_make(s, err) == TH_OK);
  struct th_pass pass = s->full.pass;
  double intercept = s->intercept;
  memcpy(attribute, s->active.attribute, (size_t)count * sizeof *attribute);
  memcpy(coef, th_coef_of(s), (size_t)count * sizeof *coef);
  th_status rc = th_screen_gap_safe.end(s, err);
  for (int64_t p = 0, k = 0; p < s->active.count; p++, k++) {
    while (attribute[k] != s->active.attribute[p])
      k++;
    CHECK(th_coef_of(s)[p] == coef[k]);
  }
  CHECK(s->full.pass.objective == pass.objective &&
        s->full.pass.gap == pass.gap);
  CHECK(s->intercept == intercept);
  free(attribute);
  free(coef);
  return rc;
}

/* Nothing is lost on the way; both kinds of sphere; the further point leaves
 * hardly more than the solution, the iterate much more. */
static void test_problems(void)
{
  struct th_screening watched = th_screen_gap_safe;
  int64_t left[2] = {0, 0};
  int64_t needed = 0;
  watched.end = end_watched;
  for (int k = 0; k < PROBLEMS; k++)
    for (int kind = 0; kind < 2; kind++) {
      struct trial t;
      begin(&t, k, &watched);
      struct th_config config = *t.context.config;
      config.screening.rule = kind == 0 ? TH_RULE_PROJ : TH_RULE_PAPER;
      t.context.config = &config;
      left[kind] += run(&t);
      for (int64_t j = 0; kind == 0 && j < t.problem.attributes; j++)
        needed += t.exact[j] != 0;
      release(&t);
    }
  printf("%lld attributes in the solutions; left: %lld, by the iterates alone "
         "%lld\n",
         (long long)needed, (long long)left[0], (long long)left[1]);
  CHECK(needed > 0 && left[0] >= needed);
  CHECK((double)left[0] < 1.3 * (double)needed);
  CHECK(2 * left[0] < left[1]);
}

/* Checks become rare when nothing is left for them to find, and only then. */
static void test_intervals(void)
{
  for (int kind = 0; kind < 3; kind++) {
    struct trial t;
    struct th_error err = {0};
    bool more = true;
    int64_t loops = 0;
    begin(&t, 0, &th_screen_gap_safe);
    struct th_config config = *t.context.config;
    config.tolerance = kind == 1 ? 1e-300 : 0;
    config.screening.every = kind == 2 ? 4 * t.problem.training : 0;
    t.context.config = &config;
    for (; more; loops += more)
      CHECK(th_stochastic_step(t.engine, &t.context, &more, &err) == TH_OK);
    CHECK(kind == 0 ? loops < LOOPS / 2 : loops == LOOPS);
    release(&t);
  }
}

int main(void)
{
  CASE(test_problems());
  CASE(test_intervals());
  return check_finish(NULL);
}
