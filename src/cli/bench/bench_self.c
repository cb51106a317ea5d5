/* bench_self.c - the determinism self-test: one small training, one hash
 *
 * The hash is that of the numbers of the model, so it is the same on all
 * processors, whatever the ranks. Every rank also trains alone:
 * a model that differs from the team's is an error.
 * SPDX-License-Identifier: MIT */
#include "cli/bench/bench.h"
#include "cli/shared/arithmetic.h"
#include "cli/shared/source.h"
#include "core/integer.h"
#include "solvers/driver/train.h"
#include "synthetic/synthetic_store.h"

enum { KEPT_BYTES = 1 << 26 };

static const char problem[] =
    "toeplitz:examples=8000,attributes=1200,support=12,correlation=0.4";

static const char *const solvers[] = {"sift", "hybrid"};

static uint64_t hash_model(uint64_t hash, const struct th_model *model)
{
  size_t size = (size_t)model->support_size;
  hash =
      th_integer_hash(hash, &model->support_size, sizeof model->support_size);
  hash = th_integer_hash(hash, model->support, size * sizeof *model->support);
  hash = th_integer_hash(hash, model->coef, size * sizeof *model->coef);
  hash = th_integer_hash(hash, &model->intercept, sizeof model->intercept);
  return th_integer_hash(hash, &model->ledger, sizeof model->ledger);
}

static th_status train(struct th_store *store, struct th_comm *comm,
                       uint64_t *hash, struct th_error *err)
{
  struct th_profile profile = {0};
  struct th_plan plan;
  th_status rc = TH_OK;
  *hash = TH_FNV_BASIS;
  for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
    struct th_config config = {.solver = solvers[k],
                               .loss = "squared",
                               .sparsity = 12,
                               .budget = 120,
                               .passes = 1,
                               .seed = 1,
                               .standardize = true,
                               .intercept = true,
                               .rounds.shared_support = true,
                               .refit = TH_REFIT_AUTO};
    struct th_model model = {0};
    rc = th_train_plan(&config, &store->shape, comm->size,
                       th_store_most_owned(store, comm->size), &plan, err);
    if (rc == TH_OK)
      rc = th_train(&plan, store, comm, NULL, &profile, &model, err);
    *hash = hash_model(*hash, &model);
    th_model_free(&model);
    if (rc != TH_OK)
      return rc;
  }
  return rc;
}

/* Local. */
static th_status train_alone(struct th_store *store, uint64_t expected,
                             struct th_error *err)
{
  struct th_comm alone;
  uint64_t hash = 0;
  th_comm_self(&alone);
  th_status rc = train(store, &alone, &hash, err);
  if (rc == TH_OK && hash != expected)
    rc = th_fail(err, TH_ENUMERIC,
                 "bench: the self-test gave model %016llx on all ranks and "
                 "%016llx on one; do all machines have one build of thresher "
                 "and of its libraries?",
                 (unsigned long long)expected, (unsigned long long)hash);
  return rc;
}

th_status th_bench_determinism(struct th_bench *bench, struct th_error *err)
{
  struct th_synthesis synthesis = {0};
  struct th_synthetic_store *store = NULL;
  char text[TH_SOURCE_TEXT];
  th_status rc = th_source_read(&synthesis, problem, "bench", text, err);
  if (rc == TH_OK)
    rc = th_synthetic_store_create(&store, &synthesis.truth, &synthesis.shape,
                                   KEPT_BYTES, err);
  TH_TRY(th_agree(bench->comm, rc, err));
  struct th_store *data = th_synthetic_store_of(store);
  TH_TRY(train(data, bench->comm, &bench->self_test, err));
  rc = train_alone(data, bench->self_test, err);
  TH_TRY(th_agree(bench->comm, rc, err));
done:
  th_synthetic_store_free(store);
  th_family_free(&synthesis);
  return rc;
}

th_status th_bench_self(struct th_bench *bench, struct th_error *err)
{
  th_status rc = th_arithmetic_hash(&bench->arithmetic, err);
  return th_agree(bench->comm, rc, err);
}
