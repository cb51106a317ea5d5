/* problem.c - regression problems with a known answer, for tests of solvers
 * SPDX-License-Identifier: MIT */
#include "problem.h"

#include "base/integer.h"
#include "base/random.h"
#include "check.h"

#include <string.h>

static const double label_low = 2;
static const double label_high = 5;

static void place_support(struct problem *p)
{
  for (int64_t k = 0; k < p->true_size; k++) {
    p->support[k] = (2 * k + 1) * p->attributes / (2 * p->true_size);
    p->coef[k] = k % 2 ? -1 : 1;
  }
}

static void fill_values(const struct problem *p, struct memory_store *m)
{
  struct th_stream stream = {p->seed, TH_PURPOSE_ATTRIBUTE};
  int64_t n = m->store.shape.examples;
  double pair[2];
  for (int64_t j = 0; j < p->attributes; j++)
    for (int64_t i = 0; i < n; i++) {
      if (i % 2 == 0)
        th_random_normal(stream, (uint64_t)j, (uint64_t)i, pair);
      m->values[j * n + i] = (float)(p->mean + pair[i % 2]);
    }
}

static void fill_targets(const struct problem *p, struct memory_store *m)
{
  struct th_stream stream = {p->seed, TH_PURPOSE_NOISE};
  int64_t n = m->store.shape.examples;
  for (int64_t i = 0; i < n; i++) {
    double pair[2];
    double uniform[2];
    th_random_normal(stream, 0, (uint64_t)i, pair);
    th_random_uniform(stream, 1, (uint64_t)i, uniform);
    double y = p->intercept + p->noise * pair[0];
    for (int64_t k = 0; k < p->true_size; k++)
      y += p->coef[k] * (double)m->values[p->support[k] * n + i];
    m->target[i] = p->labels ? (y > 0 ? label_high : label_low) : y;
    if (p->weighted)
      m->weight[i] = 0.5 + uniform[0];
  }
}

struct memory_store *problem_store(struct problem *p)
{
  int64_t n = p->training + p->test;
  struct memory_store *m = memory_store_new(n, p->training, p->attributes);
  if (p->weighted)
    m->weight = memory_store_weights(m);
  place_support(p);
  fill_values(p, m);
  fill_targets(p, m);
  return m;
}

struct memory_store *problem_twins(struct problem *p, struct th_comm *comm)
{
  struct memory_store *m = problem_store(p);
  struct th_error err;
  int64_t examples = m->store.shape.examples;
  memcpy(m->values + 9 * examples, m->values + 5 * examples,
         (size_t)examples * sizeof *m->values);
  memory_store_finish(m);
  th_error_clear(&err);
  CHECK(th_store_place(&m->store, comm, &err) == TH_OK);
  return m;
}

double problem_mse(const struct problem *p, const struct th_model *model)
{
  double shift = model->intercept - p->intercept;
  double excess = 0;
  int64_t k = 0;
  for (int64_t t = 0; t < p->true_size; t++) {
    double missing = p->coef[t];
    while (k < model->support_size && model->support[k] < p->support[t]) {
      excess += model->coef[k] * model->coef[k];
      shift += p->mean * model->coef[k++];
    }
    if (k < model->support_size && model->support[k] == p->support[t])
      missing -= model->coef[k++];
    excess += missing * missing;
    shift -= p->mean * missing;
  }
  for (; k < model->support_size; k++) {
    excess += model->coef[k] * model->coef[k];
    shift += p->mean * model->coef[k];
  }
  return p->noise * p->noise + excess + shift * shift;
}

bool problem_solved(const struct problem *p, const struct th_model *model)
{
  return model->support_size == p->true_size &&
         memcmp(model->support, p->support,
                (size_t)p->true_size * sizeof *p->support) == 0;
}

struct th_config problem_config(const char *solver, int64_t sparsity,
                                int64_t budget)
{
  return (struct th_config){.solver = solver,
                            .sparsity = sparsity,
                            .budget = budget,
                            .loss = "squared",
                            .passes = 1,
                            .seed = 1,
                            .standardize = true,
                            .intercept = true,
                            .refit = TH_REFIT_AUTO,
                            .select = TH_SELECT_TRUTH,
                            .rounds.shared_support = true};
}

th_status problem_train(const struct th_config *config, struct th_store *store,
                        struct th_comm *comm, const struct th_monitor *monitor,
                        struct th_model *model, struct th_error *err)
{
  struct th_plan plan;
  struct th_profile profile = {.comm = comm};
  *model = (struct th_model){.solver = NULL};
  th_error_clear(err);
  th_status rc =
      th_train_plan(config, th_plan_size_of(store, comm->size), &plan, err);
  if (rc == TH_OK)
    rc = th_train(&plan, store, comm, monitor, &profile, model, err);
  return rc;
}

void problem_must_train(const struct th_config *config,
                        struct memory_store *store,
                        const struct th_monitor *monitor,
                        struct th_model *model)
{
  struct th_comm self;
  struct th_error err;
  th_comm_self(&self);
  th_status rc =
      problem_train(config, &store->store, &self, monitor, model, &err);
  CHECK(rc == TH_OK);
  if (rc != TH_OK)
    fprintf(stderr, "solver %s: %s\n", config->solver, err.text);
  bool good = isfinite(model->intercept);
  for (int64_t k = 0; k < model->support_size; k++)
    good = good && isfinite(model->coef[k]);
  CHECK(good);
  int64_t budget = config->budget > 0 ? config->budget : INT64_MAX;
  CHECK(model->ledger.max_attributes_per_example <= budget);
}

bool problem_learns_alike(struct th_comm *comm, problem_learn *learn,
                          struct th_config *config, struct memory_store *store)
{
  struct th_comm self;
  struct th_error err;
  uint64_t alone = 0;
  th_error_clear(&err);
  th_comm_self(&self);
  th_partition_placement_free(&store->store.placement);
  store->store.placement = (struct th_placement){.size = 0};
  if (comm->rank == 0)
    alone = learn(&self, config, store);
  comm->ops->bcast(comm, &alone, sizeof alone, 0);
  CHECK(th_store_place(&store->store, comm, &err) == TH_OK);
  return learn(comm, config, store) == alone;
}

uint64_t problem_digest(const struct th_model *model)
{
  uint64_t digest = TH_FNV_BASIS;
  size_t size = (size_t)model->support_size;
  digest = th_integer_hash(digest, &size, sizeof size);
  digest =
      th_integer_hash(digest, model->support, size * sizeof *model->support);
  digest = th_integer_hash(digest, model->coef, size * sizeof *model->coef);
  digest = th_integer_hash(digest, &model->intercept, sizeof model->intercept);
  digest = th_integer_hash(digest, &model->ledger, sizeof model->ledger);
  return th_integer_hash(digest, &model->passes, sizeof model->passes);
}
