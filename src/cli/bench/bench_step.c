/* bench_step.c - whole training steps in memory against the read bandwidth
 *
 * The data are one tile of f32 in memory, which stands for every row group of a
 * data set. It is far larger than any cache, and is read again only after all
 * of it was read.
 * SPDX-License-Identifier: MIT */
#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "cli/bench/bench.h"
#include "math/kernels/kernels.h"
#include "ranks/partition.h"
#include "solvers/driver/train.h"

#include <math.h>
#include <string.h>

enum {
  ROWS = 1024, /* R */
  GROUPS = 400,
  ATTRIBUTES = 100096, /* d: whole cells */
  SPARSITY = 64,
  BLOCKS = 8, /* d' */
  STEPS = 15, /* timed; the first one is not */
  SWEEPS = 512,
  FEW = 20,   /* rows of a block in the first sweeps */
  WIDE = 500, /* members of S, and as many attributes of a block beside them */
  UNIT = 32,  /* rows of such a block */
  AHEAD = 16, /* runs */
  LINE = 64   /* bytes */
};

static const double spread = 1.7320508075688772; /* deviation 1 */

struct tile_store {
  struct th_store store;   /* first: the store is this */
  struct th_range present; /* attributes that this rank may ask for */
  float *values;           /* present x ROWS */
};

static th_status slab_of(struct th_store *store, struct th_rows rows,
                         struct th_range range, bool keep, struct th_slab *slab,
                         struct th_error *err)
{
  const struct tile_store *tile = (const struct tile_store *)store;
  int64_t row = rows.first % ROWS;
  (void)keep;
  if (range.first < tile->present.first || range.last > tile->present.last)
    return th_fail(err, TH_EARG, "a request outside of the benchmark's data");
  *slab = (struct th_slab){
      .layout = TH_DENSE,
      .type = TH_F32,
      .attributes = range,
      .row = row,
      .rows = (int32_t)rows.count,
      .values = tile->values + (range.first - tile->present.first) * ROWS + row,
      .stride = ROWS};
  return TH_OK;
}

static th_status targets_of(struct th_store *store, struct th_rows rows,
                            double *target, double *weight,
                            struct th_error *err)
{
  struct th_stream stream = {1, TH_PURPOSE_NOISE};
  double pair[2];
  (void)store;
  (void)err;
  for (int64_t i = 0; i < rows.count; i++) {
    th_random_normal(stream, 0, (uint64_t)(rows.first + i), pair);
    if (target != NULL)
      target[i] = pair[0];
    if (weight != NULL)
      weight[i] = 1;
  }
  return TH_OK;
}

static th_status statistics_of(struct th_store *store, struct th_range range,
                               struct th_statistics *statistics,
                               struct th_error *err)
{
  (void)store;
  (void)err;
  for (int64_t a = 0; a < th_range_count(range); a++)
    statistics[a] = (struct th_statistics){
        .deviation = 1, .lowest = -spread, .highest = spread};
  return TH_OK;
}

static const char *run_of(const struct tile_store *tile, int64_t attribute,
                          int64_t row)
{
  return (const char *)(tile->values +
                        (attribute - tile->present.first) * ROWS + row);
}

/* As data sets do: some runs are on their way while others are copied. */
static int64_t copy_runs(struct th_store *store, struct th_rows rows,
                         const int64_t *attribute, int64_t count, void *to,
                         const struct th_packing *packing)
{
  const struct tile_store *tile = (const struct tile_store *)store;
  int64_t row = rows.first % ROWS;
  for (int64_t k = 0; k < count; k++) {
    const char *ahead =
        run_of(tile, attribute[th_min_i64(k + AHEAD, count - 1)], row);
    for (int64_t b = 0; b < packing->bytes; b += LINE)
      __builtin_prefetch(ahead + b);
    memcpy((char *)to + k * packing->stride, run_of(tile, attribute[k], row),
           (size_t)packing->bytes);
  }
  return count;
}

static const struct th_store_ops ops = {.slab = slab_of,
                                        .targets = targets_of,
                                        .statistics = statistics_of,
                                        .copy = copy_runs};

/* Uniform values of deviation 1, by a cheap recurrence, since only the speed
 * matters. */
static th_status fill_values(struct tile_store *tile,
                             const struct th_comm *comm, struct th_error *err)
{
  tile->present = th_partition_rank(ATTRIBUTES, comm->rank, comm->size);
  int64_t items = th_range_count(tile->present) * ROWS;
  uint64_t state = (uint64_t)comm->rank + 1;
  tile->store.ops = &ops;
  tile->store.shape = (struct th_shape){.examples = (int64_t)ROWS * GROUPS,
                                        .training = (int64_t)ROWS * GROUPS,
                                        .attributes = ATTRIBUTES,
                                        .row_group = ROWS,
                                        .layout = TH_DENSE,
                                        .type = TH_F32};
  th_status rc = TH_NEW(&tile->values, items, "a tile to train on", err);
  for (int64_t k = 0; k < items && rc == TH_OK; k++) {
    state =
        state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    double u = (double)(state >> 40) * 0x1p-24;
    tile->values[k] = (float)((2 * u - 1) * spread);
  }
  return rc;
}

/* The clock after every update, and what came of all of them. */
struct stopwatch {
  struct th_profile profile;
  int64_t examples;
  int updates;
  double at[SWEEPS];
  int64_t attributes[SWEEPS];
};

static void progress(void *self, const struct th_progress *progress)
{
  struct stopwatch *stopwatch = self;
  if (stopwatch->updates >= SWEEPS)
    return;
  stopwatch->at[stopwatch->updates] = th_comm_clock();
  stopwatch->attributes[stopwatch->updates++] = progress->attributes_observed;
}

/* Seconds per byte of stored values from one update to a later one. */
static double pace(const struct stopwatch *stopwatch, int from, int to)
{
  int64_t attributes = stopwatch->attributes[to] - stopwatch->attributes[from];
  return (stopwatch->at[to] - stopwatch->at[from]) / (4.0 * (double)attributes);
}

static struct th_config config_of(const char *solver)
{
  struct th_config config = {.solver = solver,
                             .loss = "squared",
                             .budget = ATTRIBUTES / BLOCKS + SPARSITY,
                             .passes = 1,
                             .seed = 1,
                             .standardize = true,
                             .intercept = true,
                             .rounds.shared_support = true,
                             .refit = TH_REFIT_NO};
  if (solver[0] == 'e') { /* updates of one size */
    config.sparsity = SPARSITY;
    config.eta = 0.01;
    config.rounds.batch_explore = (struct th_schedule_rows){1, {ROWS}};
    config.rounds.growth = 1;
    config.rounds.most = STEPS + 1;
  }
  return config;
}

static th_status train_timed(struct th_bench *bench, struct tile_store *tile,
                             const struct th_config *config,
                             struct stopwatch *stopwatch, struct th_error *err)
{
  struct th_monitor monitor = {.progress = progress, .self = stopwatch};
  struct th_model model = {0};
  struct th_plan plan;
  th_status rc;
  *stopwatch = (struct stopwatch){0};
  TH_TRY(
      th_train_plan(config,
                    (struct th_plan_size){.shape = &tile->store.shape,
                                          .ranks = bench->comm->size,
                                          .owned = th_store_most_owned(
                                              &tile->store, bench->comm->size)},
                    &plan, err));
  TH_TRY(th_train(&plan, &tile->store, bench->comm, &monitor,
                  &stopwatch->profile, &model, err));
  stopwatch->examples = model.ledger.examples;
done:
  th_model_free(&model);
  return rc;
}

/* Updates of exploration, all of one size: the median of their rates. */
static th_status measure_update(struct th_bench *bench, struct tile_store *tile,
                                struct stopwatch *stopwatch,
                                double *seconds_per_byte, struct th_error *err)
{
  double seconds[STEPS];
  struct th_config config = config_of("exploration");
  th_status rc = train_timed(bench, tile, &config, stopwatch, err);
  if (rc != TH_OK)
    return rc;
  for (int k = 0; k < STEPS; k++)
    seconds[k] = pace(stopwatch, k, k + 1);
  *seconds_per_byte = th_bench_median(bench, seconds, STEPS);
  return rc;
}

/* Sweeps of sift grow from 20 examples a block: the rate of a whole pass. */
static th_status measure_pass(struct th_bench *bench, struct tile_store *tile,
                              struct stopwatch *stopwatch,
                              double *seconds_per_byte, struct th_error *err)
{
  struct th_config config = config_of("sift");
  th_status rc = train_timed(bench, tile, &config, stopwatch, err);
  if (rc != TH_OK)
    return rc;
  double seconds = pace(stopwatch, 0, stopwatch->updates - 1);
  *seconds_per_byte = th_bench_median(bench, &seconds, 1);
  return rc;
}

/* Updates of exploration where half of what is observed of an example is its
 * support, on few rows of a block: seconds of a value of the support. */
static th_status measure_support(struct th_bench *bench,
                                 struct tile_store *tile,
                                 struct stopwatch *stopwatch, double *seconds,
                                 struct th_error *err)
{
  struct th_config config = config_of("exploration");
  config.sparsity = WIDE;
  config.budget = 2 * WIDE;
  config.rounds.batch_explore = (struct th_schedule_rows){1, {UNIT}};
  th_status rc = train_timed(bench, tile, &config, stopwatch, err);
  if (rc != TH_OK)
    return rc;
  *seconds = stopwatch->profile.phase[TH_PHASE_SUPPORT].seconds /
             ((double)stopwatch->examples * WIDE);
  *seconds = bench->comm->size * th_bench_median(bench, seconds, 1);
  return rc;
}

/* The sum of a few rows of each run, and nothing else: the most that memory
 * gives in the first sweeps. */
static double read_few(const struct tile_store *tile, int64_t row)
{
  int64_t attributes = th_range_count(tile->present);
  double sum = 0;
  for (int64_t a = 0; a < attributes; a++) {
    const float *ahead =
        tile->values + th_min_i64(a + AHEAD, attributes - 1) * ROWS + row;
    for (int64_t i = 0; i < FEW; i += LINE / (int64_t)sizeof *ahead)
      __builtin_prefetch(ahead + i);
    sum += th_kernel_read(tile->values + a * ROWS + row, FEW);
  }
  return sum;
}

/* Seconds per byte of that. Collective. */
static double measure_few(struct th_bench *bench, const struct tile_store *tile)
{
  int64_t items = th_range_count(tile->present) * FEW;
  double seconds[TH_BENCH_REPEATS];
  volatile double sink = 0; /* the work must not be optimised away */
  for (int k = 0; k < TH_BENCH_REPEATS; k++) {
    double began = th_comm_clock();
    sink = sink + read_few(tile, (int64_t)k * FEW);
    seconds[k] = (th_comm_clock() - began) / (4.0 * (double)items);
  }
  return th_bench_median(bench, seconds, TH_BENCH_REPEATS);
}

/* Bytes per second at which a rank reads memory: of an earlier part, or
 * measured on the tile. Collective. */
static double read_rate(struct th_bench *bench, const struct tile_store *tile)
{
  double known = 1e9 * th_bench_value(bench, "read_gbs");
  int64_t items = th_range_count(tile->present) * ROWS;
  double seconds[TH_BENCH_REPEATS];
  volatile double sink = 0; /* the work must not be optimised away */
  if (!isnan(known))
    return known;
  for (int k = 0; k < TH_BENCH_REPEATS; k++) {
    bench->comm->ops->barrier(bench->comm);
    double began = th_comm_clock();
    sink = sink + th_kernel_read(tile->values, items);
    seconds[k] = (th_comm_clock() - began) / (4.0 * (double)items);
  }
  return 1 / th_bench_median(bench, seconds, TH_BENCH_REPEATS);
}

th_status th_bench_step(struct th_bench *bench, struct th_error *err)
{
  struct tile_store tile = {0};
  struct stopwatch *stopwatch = NULL;
  double update = NAN;
  double pass = NAN;
  double member = NAN;
  th_status rc = TH_NEW(&stopwatch, 1, "clocks", err);
  if (rc == TH_OK)
    rc = fill_values(&tile, bench->comm, err);
  TH_TRY(th_agree(bench->comm, rc, err));
  TH_TRY(measure_update(bench, &tile, stopwatch, &update, err));
  TH_TRY(measure_pass(bench, &tile, stopwatch, &pass, err));
  TH_TRY(measure_support(bench, &tile, stopwatch, &member, err));
  double few = measure_few(bench, &tile) / bench->comm->size;
  double read = read_rate(bench, &tile) * bench->comm->size;
  const struct th_figure figures[] = {
      {"step_share_of_read", "",
       "whole update of exploration, d = 100,096, d' = 8", 1 / update / read},
      {"sift_share_of_read", "", "whole pass of sift, the same",
       1 / pass / read},
      {"few_share_of_read", "", "20 of each 1,024 examples, read alone",
       1 / few / read},
      {"support_value_ns", "ns",
       "a value of the support, s' = 2 s = 1,000, 32 rows of a block",
       1e9 * member}};
  for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
    th_bench_report(bench, figures[k]);
done:
  TH_FREE(tile.values, stopwatch);
  return rc;
}
