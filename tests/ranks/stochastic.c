/* stochastic.c - solvers with a penalty give the same bits on any number of
 * ranks, whatever is kept in memory
 * SPDX-License-Identifier: MIT */
#include "cases.h"
#include "check.h"
#include "penalised.h"
#include "ranks/partition.h"

#include "base/integer.h"
#include "solvers/algorithms.h"
#include "solvers/solver_table.h"
#include "solvers/stochastic/stochastic.h"

#include <stdlib.h>
#include <string.h>

static const char *const losses[] = {"squared", "logistic", "squared-hinge"};
static const char *const penalties[] = {"l1", "group", "sparse-group"};

enum { CASES = 10, GROUP = 100 };

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

static struct th_config config_of(const char *solver, int k)
{
  bool blocks = strcmp(solver, "os-prox-sgd") == 0;
  struct th_config config = penalised_config(solver, losses[k % 3], 0.6);
  config.penalty = penalties[(k / 2) % 3];
  config.seed = (uint64_t)k;
  config.intercept = mixed(k, 2) && k % 3 != 1;
  config.standardize = mixed(k, 4) && k % 3 != 1;
  config.batch = mixed(k, 5) ? 4 : 1;
  config.epochs = blocks ? 120 : 25; /* some of them */
  config.screening.rule = (enum th_screen_rule)(k % TH_RULE_COUNT);
  if (mixed(k, 1) && !blocks)
    config.screening.how = TH_SCREEN_GAP_SAFE;
  return config;
}

static struct memory_store *store_of(int k, struct problem *p)
{
  struct memory_store *m = problem_store(p);
  int64_t count = m->store.shape.examples * m->store.shape.attributes;
  m->store.shape.layout = k % 3 == 1 ? TH_SPARSE : TH_DENSE;
  m->store.shape.type = k % 4 == 3 ? TH_F64 : TH_F32;
  if (mixed(k, 6)) /* deal units that do not divide it */
    m->store.shape.row_group = 20;
  m->cut = k % 2 ? 70 : 0;
  m->placed = mixed(k, 7);
  for (int64_t i = 0; k % 3 == 1 && i < count; i++)
    m->values[i] = fabsf(m->values[i]) < 1 ? 0 : m->values[i];
  memory_store_finish(m);
  return m;
}

static uint64_t learn(struct th_comm *comm, const struct th_config *given,
                      struct memory_store *m, bool grouped)
{
  struct th_config config = *given;
  struct th_groups groups = {0};
  struct th_model model;
  struct th_error err;
  if (grouped)
    plain_groups(&groups, comm, m->store.shape.attributes, GROUP);
  config.group.all = grouped ? &groups : NULL;
  th_status rc = problem_train(&config, &m->store, comm, NULL, &model, &err);
  CHECK(rc == TH_OK);
  if (rc != TH_OK)
    fprintf(stderr, "%s: %s\n", config.solver, err.text);
  uint64_t digest = problem_digest(&model);
  digest =
      th_integer_hash(digest, &model.certificate.objective, sizeof(double));
  digest = th_integer_hash(digest, &model.certificate.gap, sizeof(double));
  th_model_free(&model);
  th_groups_free(&groups);
  return digest;
}

static void test_case(struct th_comm *comm, const char *solver, int k)
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
  config.row_cache_memory = k % 2; /* one byte: nothing stays */
  bool same = learn(comm, &config, m, grouped) == alone;
  CHECK(same);
  if (!same)
    fprintf(stderr, "rank %d of %d, %s, case %d: another model than alone\n",
            comm->rank, comm->size, config.solver, k);
  memory_store_free(m);
}

/* ---- ranks that are left with more and with less ---- */

enum { HEAVY = 600 };

/* Attributes from HEAVY on are small, hence screened at once: what is left lies
 * on the first ranks. */
static struct memory_store *uneven_store(struct problem *p, bool sparse)
{
  struct memory_store *m = problem_store(p);
  int64_t n = m->store.shape.examples;
  for (int64_t k = HEAVY * n; k < p->attributes * n; k++)
    m->values[k] *= 0.02F;
  m->store.shape.layout = sparse ? TH_SPARSE : TH_DENSE;
  for (int64_t k = 0; sparse && k < p->attributes * n; k++)
    m->values[k] = fabsf(m->values[k]) < 0.01F ? 0 : m->values[k];
  memory_store_finish(m);
  return m;
}

/* All that was screened comes back: so do N_j, and the step sizes of then. */
static void readmit(struct th_stochastic *s, struct th_context *context,
                    double curvature)
{
  struct th_range owned = context->owned;
  int64_t *missing =
      calloc((size_t)(owned.last - owned.first + 1), sizeof *missing);
  struct th_error err = {0};
  int64_t count = 0;
  for (int64_t j = owned.first; j < owned.last; j++)
    if (th_active_place(&s->active, j) < 0)
      missing[count++] = j;
  CHECK(s->control.curvature < curvature);
  CHECK(th_active_add(&s->active, context, missing, count, &err) == TH_OK);
  CHECK(th_pass_rebuild(s, &err) == TH_OK);
  CHECK(th_pass_measure(s, &err) == TH_OK);
  CHECK(s->control.curvature == curvature);
  for (int64_t p = 0; p < s->active.count; p++)
    CHECK(s->active.field[TH_FIELD_SECOND][p] > 0);
  free(missing);
}

/* Steps of the engine until the ranks share what is left evenly. */
static void run_evenly(struct th_stochastic *s, struct th_context *context,
                       struct th_comm *comm)
{
  struct th_error err = {0};
  int64_t cells[3] = {s->active.owned.first, s->active.owned.last, 0};
  double curvature = s->control.curvature;
  bool more = true;
  for (int loop = 0; loop < 8 && more; loop++)
    CHECK(th_stochastic_step(s, context, &more, &err) == TH_OK);
  int64_t most = s->active.count;
  comm->ops->max_i64(comm, &most, 1);
  CHECK(s->active.total <= HEAVY && s->active.total > 100);
  CHECK((s->moves > 0) == (comm->size > 1));
  CHECK((most - TH_CELL) * comm->size <= s->active.total);
  for (int64_t p = 0; p < s->active.count; p++)
    CHECK(s->active.attribute[p] >= s->active.owned.first &&
          s->active.attribute[p] < s->active.owned.last);
  CHECK(th_coef_places_home(s, &err) == TH_OK);
  CHECK(s->active.owned.first == cells[0] && s->active.owned.last == cells[1]);
  readmit(s, context, curvature);
  CHECK(th_stochastic_step(s, context, &more, &err) == TH_OK);
  CHECK(th_stochastic_finish(s, context, &err) == TH_OK);
}

static uint64_t digest_of(const struct th_stochastic *s)
{
  const struct th_support *support = &s->support;
  const struct th_ledger *ledger = th_source_ledger(s->context->source);
  size_t size = (size_t)support->size * sizeof(double);
  uint64_t digest = th_integer_hash(TH_FNV_BASIS, support->attribute, size);
  digest = th_integer_hash(digest, support->coef, size);
  return th_integer_hash(digest, ledger, sizeof *ledger);
}

static uint64_t learn_unevenly(struct th_comm *comm, struct memory_store *m,
                               const struct th_config *config)
{
  struct th_context context;
  struct th_profile profile = {.comm = comm};
  struct th_stochastic *s = NULL;
  struct th_plan plan;
  struct th_error err;
  uint64_t digest = 0;
  th_error_clear(&err);
  CHECK(th_train_plan(config, th_plan_size_of(&m->store, comm->size), &plan,
                      &err) == TH_OK);
  CHECK(th_context_init(&context, &plan, &m->store, comm, NULL, &profile,
                        &err) == TH_OK);
  CHECK(th_stochastic_create(&s, &context, &th_saga_update, &th_screen_gap_safe,
                             &err) == TH_OK);
  if (s != NULL) {
    run_evenly(s, &context, comm);
    digest = digest_of(s);
  }
  th_stochastic_free(s);
  th_context_free(&context);
  return digest;
}

static void test_balance(struct th_comm *comm, bool sparse, bool grouped)
{
  struct problem p = problem_of(1);
  struct th_config config = penalised_config("saga", "logistic", 0.3);
  struct th_groups groups[2] = {{0}, {0}};
  struct th_comm self;
  uint64_t alone = 0;
  p.attributes = 2100;
  struct memory_store *m = uneven_store(&p, sparse);
  th_comm_self(&self);
  config.batch = 3; /* an outer loop ends within a deal unit */
  config.epochs = 100;
  config.screening.every = 31;
  if (grouped) {
    config.penalty = "sparse-group";
    plain_groups(&groups[0], &self, p.attributes, GROUP);
    plain_groups(&groups[1], comm, p.attributes, GROUP);
  }
  config.group.all = grouped ? &groups[0] : NULL;
  if (comm->rank == 0)
    alone = learn_unevenly(&self, m, &config);
  comm->ops->bcast(comm, &alone, sizeof alone, 0);
  config.group.all = grouped ? &groups[1] : NULL;
  CHECK(learn_unevenly(comm, m, &config) == alone);
  for (int k = 0; k < 2; k++)
    th_groups_free(&groups[k]);
  memory_store_free(m);
}

/* A stream, with checks on fresh examples and attributes that come back. */
static void test_stream(struct th_comm *comm)
{
  struct problem p = {.training = 20000,
                      .attributes = 600,
                      .true_size = 5,
                      .noise = 0.5,
                      .seed = 4};
  struct memory_store *m = store_of(0, &p);
  struct th_config config = config_of("os-prox-sgd", 0);
  struct th_comm self;
  uint64_t alone = 0;
  th_comm_self(&self);
  config.epochs = 1;
  config.screening.rule = TH_RULE_VOTES;
  if (comm->rank == 0)
    alone = learn(&self, &config, m, false);
  comm->ops->bcast(comm, &alone, sizeof alone, 0);
  CHECK(learn(comm, &config, m, false) == alone);
  memory_store_free(m);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  const struct th_solver_row *table = th_solver_table();
  bool all = mpi_case_all(argc, argv);
  for (int k = 0; k < CASES; k++)
    for (int row = 0; table[row].name != NULL; row++)
      if (solver_uses(&table[row], "penalty") &&
          (all || mpi_case_turn(&comm, k, row)))
        CHECK_CASE(table[row].name, k, test_case(&comm, table[row].name, k));
  CASE(test_balance(&comm, false, false));
  CASE(test_balance(&comm, true, false));
  CASE(test_balance(&comm, false, true));
  CASE(test_stream(&comm));
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
