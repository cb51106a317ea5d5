/* steps.c - once its arrays have their size, a step allocates nothing
 *
 * Linked with --wrap, so that nothing in the sources needs to know. Solves on
 * rank 0 (least squares, eigenvalues) are no part of the steps tested here.
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "problem.h"

#include "solvers/access/gram.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 400, WARM = 5 };

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_malloc(size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);

static int64_t allocations = 0;

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
  allocations++;
  return __real_aligned_alloc(alignment, size);
}

void *__wrap_malloc(size_t size)
{
  allocations++;
  return __real_malloc(size);
}

/* The count of allocations after each step. */
struct steps {
  int64_t count;
  int64_t after[MOST_STEPS];
};

static void on_progress(void *self, const struct th_progress *progress)
{
  struct steps *steps = self;
  (void)progress;
  if (steps->count < MOST_STEPS)
    steps->after[steps->count++] = allocations;
}

static struct memory_store *make_store(struct problem *p)
{
  *p = (struct problem){.training = 20000,
                        .attributes = 60,
                        .true_size = 4,
                        .noise = 0.3,
                        .seed = 4,
                        .weighted = true};
  struct memory_store *m = problem_store(p);
  memory_store_finish(m);
  return m;
}

/* Batches of one size, with the options given: then every step is alike. */
static void test_solver(const char *solver, const struct problem *p,
                        struct memory_store *m)
{
  bool start = strcmp(solver, "exploitation") == 0;
  struct th_config config = problem_config(solver, start ? 0 : 4, 30);
  struct steps steps = {.count = 0};
  struct th_monitor monitor = {.progress = on_progress, .self = &steps};
  struct th_model model;
  config.passes = 1; /* another pass takes up what is left of the last */
  config.rounds.growth = 1;
  config.rounds.batch_explore = (struct th_schedule_rows){1, {40}};
  config.rounds.batch_exploit = (struct th_schedule_rows){1, {90}};
  config.rounds.updates_explore = config.rounds.updates_exploit = 2;
  config.eta = 0.1;
  config.refit = TH_REFIT_NO;
  if (start) {
    config.start.support = p->support;
    config.start.size = p->true_size;
  }
  problem_must_train(&config, m, &monitor, &model);
  CHECK(steps.count > 2 * WARM && steps.count < MOST_STEPS);
  CHECK(model.support_size > 0);
  int64_t wrong = 0; /* the last call of the monitor is after the end */
  for (int64_t k = WARM; k < steps.count - 1; k++)
    wrong += steps.after[k] != steps.after[k - 1];
  if (wrong > 0)
    fprintf(stderr, "%s: %lld of %lld steps allocate\n", solver,
            (long long)wrong, (long long)steps.count);
  CHECK(wrong == 0);
  th_model_free(&model);
}

/* A Gram matrix and a selection, again and again. */
static void test_pieces(struct memory_store *m)
{
  struct th_config config = problem_config("sift", 0, 30);
  struct th_plan plan;
  struct th_profile profile = {.comm = NULL};
  struct th_comm self;
  struct th_error err = {0};
  struct th_context context;
  struct th_support support = {0};
  struct th_batch batch = {.rows = 0};
  struct th_gram gram = {0};
  struct th_selection work = {0};
  const struct th_index_value members[3] = {{3, 1}, {5, 1}, {40, 1}};
  struct th_index_value chosen[8];
  int64_t found = 0;
  bool complete = false;
  int64_t before = 0;
  const struct th_batch_draw draw = {.rows = 700,
                                     .consumer = TH_CONSUMER_EXPLOIT};
  const struct th_batch_request view = {
      .draw = &draw, .draws = 1, .support = &support};
  th_comm_self(&self);
  CHECK(th_train_plan(&config,
                      (struct th_plan_size){
                          .shape = &m->store.shape, .ranks = 1, .owned = 60},
                      &plan, &err) == TH_OK);
  CHECK(th_context_init(&context, &plan, &m->store, &self, NULL, &profile,
                        &err) == TH_OK);
  for (int k = 0; k < 12; k++) {
    if (k == WARM)
      before = allocations;
    CHECK(th_support_assign(&support, &context, members, 2 + k % 2, &err) ==
          TH_OK);
    CHECK(th_batch_observe(&batch, &context, &view, &complete, &err) == TH_OK);
    CHECK(th_gram_start(&gram, &context, support.size, &err) == TH_OK);
    CHECK(th_gram_add(&gram, &context, &batch, &support, NULL, NULL, &err) ==
          TH_OK);
    struct th_select_among among = {
        .values = batch.target, .count = batch.rows, .k = 8};
    CHECK(th_select_largest(&self, &work, &among, TH_OK, chosen, &found,
                            &err) == TH_OK);
  }
  CHECK(complete && found == 8);
  CHECK(before > 0 && allocations == before);
  th_select_free(&work);
  th_gram_free(&gram);
  th_batch_free(&batch);
  th_support_free(&support);
  th_context_free(&context);
}

int main(void)
{
  struct problem p;
  struct memory_store *m = make_store(&p);
  CASE(test_solver("exploration", &p, m));
  CASE(test_solver("hybrid", &p, m));
  CASE(test_solver("exploitation", &p, m));
  CASE(test_pieces(m));
  memory_store_free(m);
  return check_finish(NULL);
}
