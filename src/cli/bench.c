/* bench.c - the subcommand that measures the machine and the kernels
 *
 * All ranks measure at once, so that they share the memory bus as they do in a
 * run; the figures are those of one rank, the slowest.
 * SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/json.h"
#include "core/memory.h"
#include "math/kernels.h"

#include <math.h>
#include <stdlib.h>

enum {
  REPEATS = 9,
  LANES = 16,
  ROWS = 4096,
  ATTRIBUTES = 16384, /* 256 MiB of f32 */
  BLOCK = 256,        /* attributes of a kernel call */
  SUMS = 200,         /* reductions timed together */
  BUFFERS = 3
};

static const int64_t sum_items[BUFFERS] = {1, 1024, 131072};

struct bench {
  float *values; /* ROWS x ATTRIBUTES */
  float *residual32;
  double *residual;
  double *centre;
  double *grad;
  int64_t *buffer;
};

struct figures {
  double read_gbs;
  double gradient_f32_gbs;
  double sum_seconds[BUFFERS];
};

static th_status prepare(struct bench *bench, struct th_error *err)
{
  const int64_t items = (int64_t)ROWS * ATTRIBUTES;
  th_status rc;
  TH_TRY(TH_NEW(&bench->values, items, "256 MiB to read", err));
  TH_TRY(TH_NEW(&bench->residual32, ROWS, "residuals", err));
  TH_TRY(TH_NEW(&bench->residual, ROWS, "residuals", err));
  TH_TRY(TH_NEW(&bench->centre, BLOCK, "means", err));
  TH_TRY(TH_NEW(&bench->grad, BLOCK, "a gradient", err));
  TH_TRY(TH_NEW(&bench->buffer, sum_items[BUFFERS - 1], "a sum", err));
  for (int64_t k = 0; k < items; k++)
    bench->values[k] = (float)(k % 1021) * 0.001F;
  for (int64_t i = 0; i < ROWS; i++) {
    bench->residual[i] = 0.5 + 0.001 * (double)(i % 7);
    bench->residual32[i] = (float)bench->residual[i];
  }
done:
  return rc;
}

static void release(struct bench *bench)
{
  free(bench->values);
  free(bench->residual32);
  free(bench->residual);
  free(bench->centre);
  free(bench->grad);
  free(bench->buffer);
}

static float read_all(const struct bench *bench)
{
  float lane[LANES] = {0};
  const float *values = bench->values;
  for (int64_t k = 0; k < (int64_t)ROWS * ATTRIBUTES; k += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] += values[k + l];
  float sum = 0;
  for (int l = 0; l < LANES; l++)
    sum += lane[l];
  return sum;
}

static double gradient_all(const struct bench *bench)
{
  struct th_multiplier m = {.residual = bench->residual,
                            .residual32 = bench->residual32,
                            .weight = bench->residual,
                            .weight32 = bench->residual32};
  for (int64_t first = 0; first < ATTRIBUTES; first += BLOCK) {
    struct th_slab slab = {.layout = TH_DENSE,
                           .type = TH_F32,
                           .attributes = {first, first + BLOCK},
                           .rows = ROWS,
                           .values = bench->values + first * ROWS,
                           .stride = ROWS};
    th_kernel_gradient(&slab, &m, bench->centre, bench->grad);
  }
  return bench->grad[0];
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *seconds)
{
  qsort(seconds, REPEATS, sizeof *seconds, by_value);
  return seconds[REPEATS / 2];
}

/* The median seconds of the slowest rank. Collective. The two measurements
 * take turns, so that a change in the machine's load meets both. */
static void measure_memory(const struct bench *bench, struct th_comm *comm,
                           struct figures *figures)
{
  const double gigabytes = (double)ROWS * ATTRIBUTES * sizeof(float) / 1e9;
  double read[REPEATS];
  double gradient[REPEATS];
  volatile double sink = 0;            /* the work must not be optimised away */
  for (int k = -1; k < REPEATS; k++) { /* the first round warms up */
    int at = k < 0 ? 0 : k;
    comm->ops->barrier(comm);
    double began = th_clock();
    sink = sink + (double)read_all(bench);
    double turn = th_clock();
    sink = sink + gradient_all(bench);
    read[at] = turn - began;
    gradient[at] = th_clock() - turn;
  }
  double seconds[2] = {median(read), median(gradient)};
  comm->ops->max_f64(comm, seconds, 2);
  figures->read_gbs = gigabytes / seconds[0];
  figures->gradient_f32_gbs = gigabytes / seconds[1];
}

static void measure_sums(const struct bench *bench, struct th_comm *comm,
                         struct figures *figures)
{
  for (int b = 0; b < BUFFERS; b++) {
    double seconds[REPEATS];
    int sums = sum_items[b] > 1024 ? SUMS / 20 : SUMS;
    for (int k = 0; k < REPEATS; k++) {
      comm->ops->barrier(comm);
      double began = th_clock();
      for (int s = 0; s < sums; s++)
        comm->ops->sum_i64(comm, bench->buffer, (size_t)sum_items[b]);
      seconds[k] = (th_clock() - began) / sums;
    }
    double slowest = median(seconds);
    comm->ops->max_f64(comm, &slowest, 1);
    figures->sum_seconds[b] = comm->size > 1 ? slowest : NAN;
  }
}

static th_status print_json(const struct figures *figures, int ranks,
                            struct th_error *err)
{
  json_t *o = json_object();
  json_t *sums = json_array();
  th_json_int(o, "ranks", ranks);
  th_json_real(o, "read_gbs", figures->read_gbs);
  th_json_real(o, "gradient_f32_gbs", figures->gradient_f32_gbs);
  th_json_real(o, "gradient_share",
               figures->gradient_f32_gbs / figures->read_gbs);
  for (int b = 0; b < BUFFERS; b++) {
    json_t *sum = json_object();
    th_json_int(sum, "bytes", sum_items[b] * 8);
    th_json_real(sum, "seconds", figures->sum_seconds[b]);
    json_array_append_new(sums, sum);
  }
  json_object_set_new(o, "allreduce", sums);
  return th_json_print(stdout, o, JSON_INDENT(2), err);
}

static void print_text(const struct figures *figures, int ranks)
{
  printf("ranks:                  %d, all at once\n", ranks);
  printf("read bandwidth:         %.2f GB/s per rank\n", figures->read_gbs);
  printf("gradient kernel, f32:   %.2f GB/s per rank, %.0f %% of it\n",
         figures->gradient_f32_gbs,
         100 * figures->gradient_f32_gbs / figures->read_gbs);
  for (int b = 0; b < BUFFERS && ranks > 1; b++)
    printf("sum over ranks:         %.1f us for %lld bytes\n",
           1e6 * figures->sum_seconds[b], (long long)sum_items[b] * 8);
}

th_status th_run_bench(const struct th_options *options, struct th_comm *comm,
                       struct th_error *err)
{
  struct bench bench = {0};
  struct figures figures = {0};
  th_status rc;
  TH_TRY(th_agree(comm, prepare(&bench, err), err));
  measure_memory(&bench, comm, &figures);
  measure_sums(&bench, comm, &figures);
  if (comm->rank == 0 && options->json)
    rc = print_json(&figures, comm->size, err);
  else if (comm->rank == 0)
    print_text(&figures, comm->size);
  TH_TRY(th_agree(comm, rc, err));
done:
  release(&bench);
  return rc;
}
