/* bench_comm.c - latency and bandwidth of communication between ranks, and that
 * a training has the same bits on all of them
 *
 * Seconds per operation at a few sizes; the largest gives the bandwidth. One
 * rank has nothing to measure.
 * SPDX-License-Identifier: MIT */
#include "base/integer.h"
#include "base/memory.h"
#include "cli/bench/bench.h"
#include "cli/shared/input.h"
#include "solvers/driver/train.h"
#include "synthetic/synthetic_store.h"

#include <stdlib.h>
#include <string.h>

/* --- The determinism self-test: one small training, one hash
 *
 * The hash is that of the numbers of the model, so it is the same on all
 * processors, whatever the ranks. Every rank also trains alone: a model that
 * differs from the team's is an error. */

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

static th_status train_and_hash(struct th_store *store, struct th_comm *comm,
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
    rc = th_train_plan(
        &config,
        (struct th_plan_size){.shape = &store->shape,
                              .ranks = comm->size,
                              .owned = th_store_most_owned(store, comm->size)},
        &plan, err);
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
  th_status rc = train_and_hash(store, &alone, &hash, err);
  if (rc == TH_OK && hash != expected)
    rc = th_fail(err, TH_ENUMERIC,
                 "bench: the self-test gave model %016llx on all ranks and "
                 "%016llx on one; do all machines have one build of thresher "
                 "and of its libraries?",
                 (unsigned long long)expected, (unsigned long long)hash);
  return rc;
}

th_status th_bench_comm_determinism(struct th_bench *bench,
                                    struct th_error *err)
{
  struct th_synthesis synthesis = {0};
  struct th_synthetic_store *store = NULL;
  char text[TH_SOURCE_TEXT];
  th_status rc = th_input_family_read(&synthesis, problem, "bench", text, err);
  if (rc == TH_OK)
    rc = th_synthetic_store_create(&store, &synthesis.truth, &synthesis.shape,
                                   KEPT_BYTES, err);
  TH_TRY(th_agree(bench->comm, rc, err));
  struct th_store *data = th_synthetic_store_of(store);
  TH_TRY(train_and_hash(data, bench->comm, &bench->self_test, err));
  rc = train_alone(data, bench->self_test, err);
  TH_TRY(th_agree(bench->comm, rc, err));
done:
  th_synthetic_store_free(store);
  th_input_family_free(&synthesis);
  return rc;
}

/* --- Latency and bandwidth of each operation ------------------------------ */

enum {
  SMALL = 8, /* bytes */
  MIDDLE = 8 << 10,
  LARGE = 1 << 20,
  SMALL_TIMES = 200, /* operations timed together */
  LARGE_TIMES = 10
};

struct work {
  struct th_comm *comm;
  int64_t *values; /* LARGE bytes and a word for a flag */
  int64_t *other;
  int64_t *counts; /* one per rank, twice */
};

/* One operation on `bytes` bytes of every rank. Collective. */
typedef void operation(const struct work *work, int64_t bytes);

static void sum(const struct work *w, int64_t bytes)
{
  w->comm->ops->sum_i64(w->comm, w->values, (size_t)bytes / sizeof *w->values);
}

static void running_sum(const struct work *w, int64_t bytes)
{
  w->comm->ops->sum_start(w->comm, w->values,
                          (size_t)bytes / sizeof *w->values);
  w->comm->ops->sum_finish(w->comm);
}

static void prefix(const struct work *w, int64_t bytes)
{
  w->comm->ops->prefix_i64(w->comm, w->values,
                           (size_t)bytes / sizeof *w->values);
}

static void run_max(const struct work *w, int64_t bytes)
{
  w->comm->ops->max_i64(w->comm, w->values, (size_t)bytes / sizeof *w->values);
}

static void broadcast(const struct work *w, int64_t bytes)
{
  w->comm->ops->bcast(w->comm, w->values, (size_t)bytes, 0);
}

/* Bytes in all: an equal piece for each rank. */
static void run_exchange(const struct work *w, int64_t bytes)
{
  int size = w->comm->size;
  for (int r = 0; r < 2 * size; r++)
    w->counts[r] = bytes / size;
  w->comm->ops->exchange(w->comm, w->values, w->counts, w->other,
                         w->counts + size);
}

static void run_gather(const struct work *w, int64_t bytes)
{
  struct th_error ignored = {0};
  void *all = NULL;
  th_comm_gather(w->comm, w->values, bytes / w->comm->size, w->counts, &all,
                 &ignored);
  free(all);
}

static void run_barrier(const struct work *w, int64_t bytes)
{
  (void)bytes;
  w->comm->ops->barrier(w->comm);
}

struct row {
  operation *run;
  int64_t bytes;
  const char *key;
  const char *what;
};

/* A figure: its key, the operation, the bytes of each rank, microseconds. */
static const struct row rows[] = {
    {run_barrier, SMALL, "barrier_us", "barrier"},
    {sum, SMALL, "sum_8_us", "sum of 8 bytes over the ranks"},
    {sum, MIDDLE, "sum_8192_us", "sum of 8 KiB"},
    {sum, LARGE, "sum_1048576_us", "sum of 1 MiB"},
    {running_sum, MIDDLE, "running_sum_8192_us", "the same, non-blocking"},
    {running_sum, LARGE, "running_sum_1048576_us", "the same, non-blocking"},
    {prefix, SMALL, "prefix_8_us", "prefix sum of 8 bytes"},
    {run_max, SMALL, "max_8_us", "maximum of 8 bytes"},
    {broadcast, SMALL, "bcast_8_us", "broadcast of 8 bytes"},
    {broadcast, MIDDLE, "bcast_8192_us", "broadcast of 8 KiB"},
    {broadcast, LARGE, "bcast_1048576_us", "broadcast of 1 MiB"},
    {run_exchange, MIDDLE, "exchange_8192_us", "exchange of 8 KiB, all to all"},
    {run_exchange, LARGE, "exchange_1048576_us", "exchange of 1 MiB"},
    {run_gather, MIDDLE, "gather_8192_us", "8 KiB gathered everywhere"},
    {run_gather, LARGE, "gather_1048576_us", "1 MiB gathered everywhere"},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* Seconds of one operation. Collective. */
static double time_operation(const struct th_bench *bench,
                             const struct work *work, const struct row *row)
{
  double seconds[TH_BENCH_REPEATS];
  int times = row->bytes == LARGE ? LARGE_TIMES : SMALL_TIMES;
  row->run(work, row->bytes); /* warms up */
  for (int k = 0; k < TH_BENCH_REPEATS; k++) {
    memset(work->values, 0, LARGE);
    bench->comm->ops->barrier(bench->comm);
    double began = th_comm_clock();
    for (int t = 0; t < times; t++)
      row->run(work, row->bytes);
    seconds[k] = (th_comm_clock() - began) / times;
  }
  return th_bench_median(bench, seconds, TH_BENCH_REPEATS);
}

static void report(struct th_bench *bench, const char *key, const char *unit,
                   const char *what, double value)
{
  th_bench_report(bench, (struct th_figure){key, unit, what, value});
}

/* The bandwidth: extra bytes of a larger operation over its extra time. */
static void report_rates(struct th_bench *bench)
{
  const double bytes = LARGE - SMALL;
  double spent = th_bench_value(bench, "sum_1048576_us") -
                 th_bench_value(bench, "sum_8_us");
  report(bench, "sum_gbs", "GB/s", "sum over the ranks, large",
         bytes / 1e3 / spent);
  spent = th_bench_value(bench, "bcast_1048576_us") -
          th_bench_value(bench, "bcast_8_us");
  report(bench, "bcast_gbs", "GB/s", "broadcast, large", bytes / 1e3 / spent);
}

static th_status reserve_messages(struct work *work, struct th_error *err)
{
  int64_t words = LARGE / (int64_t)sizeof *work->values;
  th_status rc;
  TH_TRY(TH_NEW(&work->values, words, "what is exchanged", err));
  TH_TRY(TH_NEW(&work->other, words, "what is exchanged", err));
  TH_TRY(TH_NEW(&work->counts, 2 * work->comm->size, "counts", err));
done:
  return rc;
}

th_status th_bench_comm(struct th_bench *bench, struct th_error *err)
{
  struct work work = {.comm = bench->comm};
  th_status rc = TH_OK;
  if (bench->comm->size == 1) {
    if (!bench->options->json)
      printf(
          "\nranks\n  one rank has nothing to exchange: mpirun -n 2 thresher "
          "bench\n");
    return rc;
  }
  TH_TRY(th_agree(bench->comm, reserve_messages(&work, err), err));
  for (int k = 0; k < ROWS; k++)
    report(bench, rows[k].key, "us", rows[k].what,
           1e6 * time_operation(bench, &work, &rows[k]));
  report_rates(bench);
done:
  TH_FREE(work.values, work.other, work.counts);
  return rc;
}
