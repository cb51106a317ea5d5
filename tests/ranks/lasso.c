/* lasso.c - exact paths, and what is chosen on them, have the same bits on any
 * number of ranks
 * SPDX-License-Identifier: MIT */
#include "cases.h"
#include "check.h"
#include "penalised.h"

#include "base/integer.h"

#include <string.h>

static const char *const losses[] = {"squared", "logistic", "squared-hinge"};
static const char *const penalties[] = {"l1", "group", "sparse-group"};

enum { CASES = 12, GROUP = 90 };

/* Every third of the squared ones is tall: by products of columns. */
static struct problem problem_of(int k)
{
  return (struct problem){.training = k % 9 == 0 ? 700 : 75,
                          .test = 10,
                          .attributes = k % 2 ? 1500 : 900,
                          .true_size = 8,
                          .noise = 0.5,
                          .mean = 0.2,
                          .seed = (uint64_t)k,
                          .labels = k % 3 != 0,
                          .weighted = k % 5 >= 3};
}

static struct memory_store *store_of(int k, struct problem *p)
{
  static const enum th_type types[] = {TH_F32, TH_F64, TH_F32, TH_U8};
  struct memory_store *m = problem_store(p);
  int64_t count = m->store.shape.examples * m->store.shape.attributes;
  m->store.shape.type = types[k % 4];
  m->store.shape.layout = k % 4 == 2 ? TH_SPARSE : TH_DENSE;
  m->cut = k % 2 ? 70 : 0;
  m->placed = k % 3 == 1;
  for (int64_t i = 0; i < count; i++) {
    if (m->store.shape.type == TH_U8)
      m->values[i] = roundf(fminf(fabsf(m->values[i]) * 4, 15));
    if (m->store.shape.layout == TH_SPARSE && fabsf(m->values[i]) < 1)
      m->values[i] = 0;
  }
  memory_store_finish(m);
  return m;
}

static bool chooses(int k)
{
  return k % 4 == 2;
}

static struct th_config config_of(int k)
{
  struct th_config config = penalised_config("lasso", losses[k % 3], 0);
  config.path = 12;
  config.choice.path_min = 0.15;
  if (chooses(k)) {
    config.choice.how = k % 8 == 2 ? TH_CHOOSE_BEST : TH_CHOOSE_1SE;
    config.choice.folds = 3;
  }
  config.penalty = penalties[(k / 3) % 3];
  config.intercept = k % 2;
  config.standardize = k % 4 == 1;
  config.screening.how = k % 6 == 5 ? TH_SCREEN_NONE : TH_SCREEN_GAP_SAFE;
  return config;
}

/* Lambdas, losses, models; nothing is chosen: nothing. */
static uint64_t hash_path(uint64_t hash, const struct th_path *path)
{
  size_t points = (size_t)path->points * sizeof(double);
  size_t entries = (size_t)path->entries * sizeof(double);
  if (path->points == 0)
    return hash;
  hash = th_integer_hash(hash, path->lambda, points);
  hash = th_integer_hash(hash, path->loss, points);
  hash = th_integer_hash(hash, path->se, points);
  hash = th_integer_hash(hash, path->intercept, points);
  hash = th_integer_hash(hash, path->start, points);
  hash = th_integer_hash(hash, path->attribute, entries);
  return th_integer_hash(hash, path->coef, entries);
}

/* Everything that a model says, its path and its certificate. */
static uint64_t learn(struct th_comm *comm, struct th_config *config,
                      struct memory_store *m)
{
  struct th_groups groups = {0};
  struct th_model model = {0};
  struct th_error err;
  bool grouped = strcmp(config->penalty, "l1") != 0;
  if (grouped)
    plain_groups(&groups, comm, m->store.shape.attributes, GROUP);
  config->group.all = grouped ? &groups : NULL;
  th_status rc = problem_train(config, &m->store, comm, NULL, &model, &err);
  CHECK(rc == TH_OK);
  if (rc != TH_OK)
    fprintf(stderr, "%s\n", err.text);
  const struct th_certificate *c = &model.certificate;
  const double *const numbers[] = {&c->lambda, &c->lambda_max, &c->objective,
                                   &c->gap,    &c->dual_norm,  &c->violation,
                                   &c->radius};
  uint64_t digest = problem_digest(&model);
  CHECK(rc != TH_OK || config->choice.how != TH_CHOOSE_LAST ||
        (c->path_size == 12 && model.support_size > 0));
  digest = hash_path(digest, &model.path);
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    digest = th_integer_hash(digest, numbers[k], sizeof(double));
  digest = th_integer_hash(digest, &c->active, sizeof c->active);
  digest = th_integer_hash(digest, c->margin, sizeof c->margin);
  digest =
      th_integer_hash(digest, c->path, (size_t)c->path_size * sizeof *c->path);
  th_model_free(&model);
  config->group.all = NULL;
  th_groups_free(&groups);
  return digest;
}

static void test_case(struct th_comm *comm, int k)
{
  struct problem p = problem_of(k);
  struct memory_store *m = store_of(k, &p);
  struct th_config config = config_of(k);
  bool same = problem_learns_alike(comm, learn, &config, m);
  CHECK(same);
  if (!same)
    fprintf(stderr, "rank %d of %d, case %d: another model than alone\n",
            comm->rank, comm->size, k);
  memory_store_free(m);
}

int main(int argc, char **argv)
{
  return mpi_cases(argc, argv, CASES, test_case, NULL);
}
