/* verify.c - a certificate on fresh examples: the same figures on any
 * number of ranks, also of groups that cross them; what holds, what is refuted,
 * what decides nothing
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "penalised.h"

#include "mpi/mpi_comm.h"
#include "solvers/driver/verify.h"

#include <string.h>

/* Attribute 257 of the true support is in the group 252..257, which lies on two
 * ranks: cells have 256 attributes. */
enum { ATTRIBUTES = 514, GROUP = 6, OLD = 1, FRESH = 2, PENALTIES = 3 };

static const char *const penalties[] = {"l1", "group", "sparse-group"};

/* Fresh examples of the model's law, or of one with other coefficients. */
struct trial {
  int64_t examples;
  int64_t fresh;
  bool other_law;
  double ratio; /* lambda over lambda_max */
  bool holds;
  bool decided;
};

static struct memory_store *store_of(const struct trial *trial, uint64_t print)
{
  bool other = print == FRESH && trial->other_law;
  struct problem p = {.training = print == OLD ? trial->examples : trial->fresh,
                      .attributes = ATTRIBUTES,
                      .true_size = other ? 9 : 3,
                      .noise = 0.3,
                      .seed = print,
                      .weighted = true};
  struct memory_store *m = problem_store(&p);
  m->cut = 90;
  m->store.fingerprint = print;
  memory_store_finish(m);
  return m;
}

/* The model, learnt alone and the same on every rank. */
static void learn(struct th_config *config, struct memory_store *m,
                  struct th_model *model)
{
  struct th_groups groups;
  struct th_comm self;
  th_comm_self(&self);
  plain_groups(&groups, &self, ATTRIBUTES, GROUP);
  config->group.all = &groups;
  problem_must_train(config, m, NULL, model);
  CHECK(model->support_size > 0);
  config->lambda = model->certificate.lambda;
  config->lambda_ratio = 0;
  config->group.all = NULL;
  th_groups_free(&groups);
}

static void verify(struct th_comm *comm, const struct th_config *given,
                   struct memory_store *m, const struct th_model *model,
                   struct th_verdict *verdict)
{
  struct th_config config = *given;
  struct th_profile profile = {.comm = comm};
  struct th_groups groups;
  struct th_plan plan;
  struct th_error err;
  th_error_clear(&err);
  plain_groups(&groups, comm, ATTRIBUTES, GROUP);
  config.group.all = &groups;
  CHECK(th_train_plan(&config, th_plan_size_of(&m->store, comm->size), &plan,
                      &err) == TH_OK);
  struct th_verify_setting setting = {
      .plan = &plan, .store = &m->store, .comm = comm, .profile = &profile};
  th_status rc = th_verify(&setting, model, config.confidence, verdict, &err);
  CHECK(rc == TH_OK);
  if (rc != TH_OK)
    fprintf(stderr, "%s\n", err.text);
  th_groups_free(&groups);
}

/* What rank 0 finds alone, told to all. */
static void verify_alone(struct th_comm *comm, const struct th_config *config,
                         struct memory_store *m, const struct th_model *model,
                         struct th_verdict *verdict)
{
  struct th_comm self;
  th_comm_self(&self);
  if (comm->rank == 0)
    verify(&self, config, m, model, verdict);
  comm->ops->bcast(comm, verdict, sizeof *verdict, 0);
  if (comm->rank > 0)
    verdict->now.path = NULL; /* rank 0's */
}

static void compare(const struct th_verdict *a, const struct th_verdict *b)
{
  CHECK(a->same == b->same && a->holds == b->holds);
  CHECK(a->decided == b->decided);
  CHECK(a->width == b->width && a->excess == b->excess);
  CHECK(a->now.objective == b->now.objective && a->now.gap == b->now.gap);
  CHECK(a->now.dual_norm == b->now.dual_norm);
  CHECK(a->now.violation == b->now.violation);
}

static void judge(const struct th_verdict *v, const struct trial *trial)
{
  CHECK(!v->same && v->now.confidence < 1);
  CHECK(v->holds == trial->holds && v->decided == trial->decided);
  CHECK(v->width > 0 && (v->excess > 0) == !v->holds);
  CHECK(trial->holds ? v->decided == (v->width < 1) : v->decided);
}

/* Verdicts on the data that a model was learnt from, and on fresh ones. */
static void test_penalty(struct th_comm *comm, const struct trial *trial,
                         const char *penalty, struct memory_store *const m[2],
                         struct th_verdict *fresh)
{
  struct th_config config = penalised_config("lasso", "squared", trial->ratio);
  struct th_verdict alone;
  struct th_model model;
  config.penalty = penalty;
  learn(&config, m[0], &model);
  for (int k = 0; k < 2; k++) {
    verify_alone(comm, &config, m[k], &model, &alone);
    verify(comm, &config, m[k], &model, fresh);
    compare(&alone, fresh);
    CHECK(k == 1 || (alone.same && alone.holds && alone.decided));
    th_claims_certificate_free(&alone.now);
    th_claims_certificate_free(&fresh->now);
  }
  judge(fresh, trial);
  th_model_free(&model);
}

/* Every penalty, and targets so large that their residuals are no floats. */
static void test_trial(struct th_comm *comm, const struct trial *trial)
{
  struct memory_store *m[2] = {store_of(trial, OLD), store_of(trial, FRESH)};
  struct th_verdict verdict[PENALTIES];
  struct th_verdict large;
  for (int k = 0; k < PENALTIES; k++)
    test_penalty(comm, trial, penalties[k], m, &verdict[k]);
  for (int k = 0; k < 2; k++)
    for (int64_t i = 0; i < m[k]->store.shape.training; i++)
      m[k]->target[i] *= 0x1p300;
  test_penalty(comm, trial, penalties[0], m, &large);
  CHECK_NEAR(large.width, verdict[0].width, 1e-9);
  CHECK_NEAR(large.excess, verdict[0].excess, 1e-6);
  for (int k = 0; k < 2; k++)
    memory_store_free(m[k]);
}

int main(int argc, char **argv)
{
  static const struct trial trials[] = {
      {300, 20000, false, 0.8, .holds = true, .decided = true},
      {300, 25, false, 0.8, .holds = true, .decided = false},
      {300, 30000, true, 0.1, .holds = false, .decided = true}};
  struct th_comm comm;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  for (int k = 0; k < 3; k++)
    CASE(test_trial(&comm, &trials[k]));
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
