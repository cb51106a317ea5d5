/* mpi_stochastic.c - stochastic methods give the same bits on any number of
 * ranks, whatever is kept in memory
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "penalised.h"

#include "core/integer.h"
#include "mpi/mpi_comm.h"

#include <string.h>

static const char *const solvers[] = {
    "prox-sgd", "fs-prox-sgd", "rda", "truncated-gradient", "saga", "svrg"};
static const char *const losses[] = {"squared", "logistic", "squared-hinge"};
static const char *const penalties[] = {"l1", "group", "sparse-group"};

enum { SOLVERS = 6, CASES = 10, GROUP = 100 };

/* Case k mixes the yes-or-no options so that all pairs occur. */
static bool mixed(int k, int option)
{
  return ((k * (2 * option + 3) + option) >> (option % 3)) & 1;
}

static struct problem problem_of(int k)
{
  return (struct problem){.training = 83,
                          .test = 20,
                          .attributes = mixed(k, 0) ? 400 : 2100,
                          .true_size = 6,
                          .noise = 0.5,
                          .mean = 0.2,
                          .seed = (uint64_t)k,
                          .labels = k % 3 != 0,
                          .weighted = mixed(k, 3)};
}

static struct th_config config_of(int solver, int k)
{
  struct th_config config =
      penalised_config(solvers[solver], losses[k % 3], 0.6);
  config.penalty = penalties[(k / 2) % 3];
  config.seed = (uint64_t)k;
  config.intercept = mixed(k, 2) && k % 3 != 1;
  config.standardize = mixed(k, 4) && k % 3 != 1;
  config.batch = mixed(k, 5) ? 4 : 1;
  config.epochs = 25;
  if (mixed(k, 1))
    config.screen = TH_SCREEN_GAP_SAFE;
  return config;
}

static struct memory_store *store_of(int k, struct problem *p)
{
  struct memory_store *m = problem_store(p);
  int64_t count = m->store.shape.examples * m->store.shape.attributes;
  m->store.shape.layout = k % 3 == 1 ? TH_SPARSE : TH_DENSE;
  m->store.shape.type = k % 4 == 3 ? TH_F64 : TH_F32;
  m->cut = k % 2 ? 70 : 0;
  m->placed = mixed(k, 7);
  for (int64_t i = 0; k % 3 == 1 && i < count; i++)
    m->values[i] = fabsf(m->values[i]) < 1 ? 0 : m->values[i];
  memory_store_finish(m);
  return m;
}

static uint64_t learn(struct th_comm *comm, struct th_config *config,
                      struct memory_store *m, bool grouped)
{
  struct th_groups groups = {0};
  struct th_model model;
  struct th_error err;
  if (grouped)
    plain_groups(&groups, comm, m->store.shape.attributes, GROUP);
  config->groups = grouped ? &groups : NULL;
  th_status rc = problem_train(config, &m->store, comm, NULL, &model, &err);
  CHECK(rc == TH_OK);
  if (rc != TH_OK)
    fprintf(stderr, "%s: %s\n", config->solver, err.text);
  uint64_t digest = problem_digest(&model);
  digest = th_fnv(digest, &model.certificate.objective, sizeof(double));
  digest = th_fnv(digest, &model.certificate.gap, sizeof(double));
  th_model_free(&model);
  th_groups_free(&groups);
  return digest;
}

static void test_case(struct th_comm *comm, int solver, int k)
{
  struct problem p = problem_of(k);
  struct memory_store *m = store_of(k, &p);
  struct th_config config = config_of(solver, k);
  struct th_comm self;
  struct th_error err;
  bool grouped = strcmp(config.penalty, "l1") != 0 || k % 5 == 0;
  uint64_t alone = 0;
  th_error_clear(&err);
  th_comm_self(&self);
  if (comm->rank == 0)
    alone = learn(&self, &config, m, grouped);
  comm->ops->bcast(comm, &alone, sizeof alone, 0);
  CHECK(th_store_place(&m->store, comm, &err) == TH_OK);
  config.panel_memory = k % 2; /* one byte: nothing stays */
  bool same = learn(comm, &config, m, grouped) == alone;
  CHECK(same);
  if (!same)
    fprintf(stderr, "rank %d of %d, %s, case %d: another model than alone\n",
            comm->rank, comm->size, config.solver, k);
  memory_store_free(m);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  th_mpi_start(&comm, &argc, &argv);
  for (int k = 0; k < CASES; k++)
    for (int solver = 0; solver < SOLVERS; solver++)
      test_case(&comm, solver, k);
  int failed = check_finish(&comm);
  th_mpi_stop(&comm);
  return failed;
}
