/* train.c - every solver gives the same bits on any number of ranks
 * SPDX-License-Identifier: MIT */
#include "cases.h"
#include "check.h"
#include "problem.h"

#include "solvers/driver/predict.h"

#include <stdlib.h>
#include <string.h>

enum { SOLVERS = 4, CASES = 8 };

static const char *const solvers[SOLVERS] = {"sift", "exploration", "hybrid",
                                             "exploitation"};

/* Case k mixes the yes-or-no options so that all pairs occur. */
static bool mixed(int k, int option)
{
  return ((k * (2 * option + 3) + option) >> (option % 3)) & 1;
}

static struct problem problem_of(int k)
{
  return (struct problem){.training = k % 4 == 3 ? 60 : 3000,
                          .test = 130,
                          .attributes = mixed(k, 0) ? 300 : 1500,
                          .true_size = 6,
                          .noise = 1,
                          .mean = 0.5,
                          .intercept = mixed(k, 2) ? 2 : 0,
                          .seed = (uint64_t)k,
                          .labels = mixed(k, 1),
                          .weighted = mixed(k, 3)};
}

static struct th_config config_of(int solver, int k, const struct problem *p)
{
  struct th_config config =
      problem_config(solvers[solver], solver == 0 ? 0 : 8, 60);
  config.loss = p->labels ? "logistic" : "squared";
  config.seed = (uint64_t)k;
  config.intercept = mixed(k, 2);
  config.standardize = mixed(k, 4);
  config.rounds.shared_support = mixed(k, 5);
  config.passes = k % 4 == 3 ? 12 : 1 + k % 3;
  config.validation = mixed(k, 6) ? 0.1 : 0;
  config.refit = (enum th_refit)(k % 3);
  if (solver == 0 && mixed(k, 8))
    config.select = TH_SELECT_AUTO; /* predict, where that can be */
  if (solver == SOLVERS - 1) {
    config.sparsity = 0;
    config.start.support = p->support;
    config.start.size = p->true_size;
  }
  return config;
}

/* Small whole numbers, most of them 0, for the sparse and integer stores. */
static void thin_out(struct memory_store *m)
{
  int64_t count = m->store.shape.examples * m->store.shape.attributes;
  for (int64_t k = 0; k < count; k++)
    m->values[k] = fabsf(m->values[k]) < 1 ? 0 : rintf(3 * m->values[k]);
}

/* Within what the type holds. */
static void make_positive(struct memory_store *m)
{
  int64_t count = m->store.shape.examples * m->store.shape.attributes;
  float most = m->store.shape.type == TH_U2 ? 3 : 255;
  for (int64_t k = 0; k < count; k++)
    m->values[k] = fminf(fabsf(m->values[k]), most);
}

/* Every layout and type takes its turn; slabs are cut inside of cells. */
static struct memory_store *store_of(int k, struct problem *p)
{
  struct memory_store *m = problem_store(p);
  m->store.shape.layout = k % 3 == 1 ? TH_SPARSE : TH_DENSE;
  m->store.shape.type = (enum th_type)(k % TH_TYPE_COUNT);
  if (th_type_packed(m->store.shape.type) > 1)
    m->store.shape.layout = TH_DENSE;
  m->cut = k % 2 ? 70 : 0;
  m->placed = mixed(k, 7);
  if (m->store.shape.layout == TH_SPARSE ||
      !th_type_fits(m->store.shape.type, 0.5))
    thin_out(m);
  if (!th_type_fits(m->store.shape.type, -1))
    make_positive(m);
  memory_store_finish(m);
  return m;
}

static void complain(const struct th_comm *comm, const char *solver, int k,
                     const char *what)
{
  check_failures++;
  fprintf(stderr, "rank %d of %d, %s, case %d: %s\n", comm->rank, comm->size,
          solver, k, what);
}

/* The ledger is about what could have been drawn. */
static bool plausible(const struct th_config *config, const struct problem *p,
                      const struct th_ledger *ledger)
{
  return ledger->max_attributes_per_example <= config->budget &&
         ledger->examples <= config->passes * p->training &&
         ledger->attributes <=
             ledger->examples * ledger->max_attributes_per_example &&
         (ledger->examples == 0) == (ledger->attributes == 0) &&
         (config->validation > 0 || ledger->validation_examples == 0);
}

/* The digest of what rank 0 learns alone. */
static uint64_t alone(struct th_comm *comm, const struct th_config *config,
                      struct memory_store *m)
{
  uint64_t digest = 0;
  if (comm->rank == 0) {
    struct th_comm self;
    struct th_model model;
    struct th_error err;
    th_comm_self(&self);
    CHECK(problem_train(config, &m->store, &self, NULL, &model, &err) == TH_OK);
    digest = problem_digest(&model);
    th_model_free(&model);
  }
  comm->ops->bcast(comm, &digest, sizeof digest, 0);
  return digest;
}

/* Predictions are a plain product, and the same on every rank. */
static void test_prediction(struct th_comm *comm, struct memory_store *m,
                            const struct th_model *model, struct th_rows rows)
{
  double *prediction = calloc((size_t)rows.count + 1, sizeof *prediction);
  struct th_error err = {0};
  CHECK(th_predict(model, 1, &m->store, comm, rows, prediction, &err) == TH_OK);
  for (int64_t i = 0; i < rows.count; i++) {
    double sum = model->intercept;
    double size = fabs(sum);
    for (int64_t k = 0; k < model->support_size; k++) {
      double term =
          model->coef[k] *
          (double)m->values[model->support[k] * m->store.shape.examples +
                            rows.first + i];
      sum += term;
      size += fabs(term);
    }
    CHECK(fabs(prediction[i] - sum) <= 1e-14 * size);
  }
  double *same = calloc((size_t)rows.count + 1, sizeof *same);
  memcpy(same, prediction, (size_t)rows.count * sizeof *same);
  comm->ops->bcast(comm, same, (size_t)rows.count * sizeof *same, 0);
  CHECK(memcmp(same, prediction, (size_t)rows.count * sizeof *same) == 0);
  free(prediction);
  free(same);
}

static void test_case(struct th_comm *comm, int solver, int k)
{
  struct problem p = problem_of(k);
  struct memory_store *m = store_of(k, &p);
  struct th_config config = config_of(solver, k, &p);
  struct th_model model;
  struct th_error err;
  th_error_clear(&err);
  CHECK(th_store_place(&m->store, comm, &err) == TH_OK);
  th_status rc = problem_train(&config, &m->store, comm, NULL, &model, &err);
  if (rc != TH_OK)
    complain(comm, solvers[solver], k, err.text);
  if (alone(comm, &config, m) != problem_digest(&model))
    complain(comm, solvers[solver], k, "another model than one rank's");
  if (!plausible(&config, &p, &model.ledger))
    complain(comm, solvers[solver], k, "the ledger is wrong");
  if (rc == TH_OK && solver == k % SOLVERS) {
    struct th_rows all = {0, p.training + p.test};
    test_prediction(comm, m, &model, all);
    test_prediction(comm, m, &model, (struct th_rows){p.training - 7, 90});
    test_prediction(comm, m, &model, (struct th_rows){p.training, 0});
  }
  th_model_free(&model);
  memory_store_free(m);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  bool all = mpi_case_all(argc, argv);
  for (int k = 0; k < CASES; k++)
    for (int solver = 0; solver < SOLVERS; solver++)
      if (all || mpi_case_turn(&comm, k, solver))
        CHECK_CASE(solvers[solver], k, test_case(&comm, solver, k));
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
