/* bench_kernels.c - read bandwidth of the machine, and kernels against it
 * SPDX-License-Identifier: MIT */
#include "cli/bench.h"
#include "core/memory.h"
#include "math/kernels.h"

#include <math.h>
#include <stdlib.h>

enum {
  LANES = 16,
  ROWS = 4096,
  ATTRIBUTES = 16384, /* 256 MiB of f32 */
  BLOCK = 256         /* attributes of a kernel call */
};

struct arrays {
  float *values; /* ROWS x ATTRIBUTES */
  float *residual32;
  double *residual;
  double *centre;
  double *grad;
};

static th_status prepare(struct arrays *arrays, struct th_error *err)
{
  const int64_t items = (int64_t)ROWS * ATTRIBUTES;
  th_status rc;
  TH_TRY(TH_NEW(&arrays->values, items, "256 MiB to read", err));
  TH_TRY(TH_NEW(&arrays->residual32, ROWS, "residuals", err));
  TH_TRY(TH_NEW(&arrays->residual, ROWS, "residuals", err));
  TH_TRY(TH_NEW(&arrays->centre, BLOCK, "means", err));
  TH_TRY(TH_NEW(&arrays->grad, BLOCK, "a gradient", err));
  for (int64_t k = 0; k < items; k++)
    arrays->values[k] = (float)(k % 1021) * 0.001F;
  for (int64_t i = 0; i < ROWS; i++) {
    arrays->residual[i] = 0.5 + 0.001 * (double)(i % 7);
    arrays->residual32[i] = (float)arrays->residual[i];
  }
done:
  return rc;
}

static void release(struct arrays *arrays)
{
  free(arrays->values);
  free(arrays->residual32);
  free(arrays->residual);
  free(arrays->centre);
  free(arrays->grad);
}

static float read_all(const struct arrays *arrays)
{
  float lane[LANES] = {0};
  const float *values = arrays->values;
  for (int64_t k = 0; k < (int64_t)ROWS * ATTRIBUTES; k += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] += values[k + l];
  float sum = 0;
  for (int l = 0; l < LANES; l++)
    sum += lane[l];
  return sum;
}

static double gradient_all(const struct arrays *arrays)
{
  struct th_multiplier m = {.residual = arrays->residual,
                            .residual32 = arrays->residual32,
                            .weight = arrays->residual,
                            .weight32 = arrays->residual32};
  for (int64_t first = 0; first < ATTRIBUTES; first += BLOCK) {
    struct th_slab slab = {.layout = TH_DENSE,
                           .type = TH_F32,
                           .attributes = {first, first + BLOCK},
                           .rows = ROWS,
                           .values = arrays->values + first * ROWS,
                           .stride = ROWS};
    th_kernel_gradient(&slab, &m, arrays->centre, arrays->grad);
  }
  return arrays->grad[0];
}

/* The two measurements take turns, so that a change in the machine's load
 * meets both. Collective. */
static void measure(struct th_bench *bench, const struct arrays *arrays)
{
  const double gigabytes = (double)ROWS * ATTRIBUTES * sizeof(float) / 1e9;
  double read[TH_BENCH_REPEATS];
  double gradient[TH_BENCH_REPEATS];
  volatile double sink = 0; /* the work must not be optimised away */
  for (int k = -1; k < TH_BENCH_REPEATS; k++) { /* the first warms up */
    int at = k < 0 ? 0 : k;
    bench->comm->ops->barrier(bench->comm);
    double began = th_clock();
    sink = sink + (double)read_all(arrays);
    double turn = th_clock();
    sink = sink + gradient_all(arrays);
    read[at] = turn - began;
    gradient[at] = th_clock() - turn;
  }
  double read_rate = gigabytes / th_bench_median(bench, read, TH_BENCH_REPEATS);
  double rate = gigabytes / th_bench_median(bench, gradient, TH_BENCH_REPEATS);
  th_bench_report(bench, (struct th_figure){"read_gbs", "GB/s",
                                            "read bandwidth", read_rate});
  th_bench_report(bench, (struct th_figure){"gradient_f32_gbs", "GB/s",
                                            "gradient kernel, f32", rate});
  th_bench_report(bench,
                  (struct th_figure){"gradient_share", "",
                                     "gradient kernel, f32, of read bandwidth",
                                     rate / read_rate});
}

th_status th_bench_kernels(struct th_bench *bench, struct th_error *err)
{
  struct arrays arrays = {0};
  th_status rc;
  TH_TRY(th_agree(bench->comm, prepare(&arrays, err), err));
  measure(bench, &arrays);
done:
  release(&arrays);
  return rc;
}
