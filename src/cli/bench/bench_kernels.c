/* bench_kernels.c - read bandwidth of the machine, and kernels against it
 *
 * The plain read and the kernels take turns, so that a change in the machine's
 * load meets all of them. Values lie in memory, beyond the caches.
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "cli/bench/bench.h"
#include "math/kernels/kernels.h"

#include <stdlib.h>

enum {
  MIB = 1 << 20,
  MOST_MIB = 256,
  ROWS = 4096,
  MOST = 65536, /* attributes of a measurement */
  BLOCK = 256   /* attributes of a kernel call */
};

/* A kernel on a type. Keys: GB/s; 10^9 attribute values per second; in
 * relation, for floating types to the bytes of the plain read, for whole
 * numbers to the attribute values of the f32 gradient. */
struct measure_row {
  enum th_type type;
  bool evidence;
  int mib; /* read in a turn */
  const char *gbs;
  const char *gattr_s;
  const char *relation;
  const char *what;
};

static const struct measure_row measures[] = {
    {TH_F32, false, 256, "gradient_f32_gbs", "gradient_f32_gattr_s",
     "gradient_share", "gradient kernel, f32"},
    {TH_F64, false, 256, "gradient_f64_gbs", "gradient_f64_gattr_s",
     "gradient_f64_share", "gradient kernel, f64"},
    {TH_U8, false, 128, "gradient_u8_gbs", "gradient_u8_gattr_s",
     "gradient_u8_ratio", "gradient kernel, u8"},
    {TH_I8, false, 128, "gradient_i8_gbs", "gradient_i8_gattr_s",
     "gradient_i8_ratio", "gradient kernel, i8"},
    {TH_U2, false, 64, "gradient_2bit_gbs", "gradient_2bit_gattr_s",
     "gradient_2bit_ratio", "gradient kernel, u2"},
    {TH_F32, true, 256, "evidence_f32_gbs", "evidence_f32_gattr_s",
     "evidence_share", "evidence kernel, f32"},
    {TH_F64, true, 256, "evidence_f64_gbs", "evidence_f64_gattr_s",
     "evidence_f64_share", "evidence kernel, f64"},
    {TH_U8, true, 128, "evidence_u8_gbs", "evidence_u8_gattr_s",
     "evidence_u8_ratio", "evidence kernel, u8"},
    {TH_I8, true, 128, "evidence_i8_gbs", "evidence_i8_gattr_s",
     "evidence_i8_ratio", "evidence kernel, i8"},
    {TH_U2, true, 64, "evidence_2bit_gbs", "evidence_2bit_gattr_s",
     "evidence_2bit_ratio", "evidence kernel, u2"},
};

enum { MEASURES = sizeof measures / sizeof *measures };

struct arrays {
  float *values; /* each type sees its own numbers in these */
  float *residual32;
  double *residual;
  double *centre;
  double *sum[3];
};

static int64_t items_of_values(void)
{
  return (int64_t)MOST_MIB * MIB / (int64_t)sizeof(float);
}

static th_status fill_arrays(struct arrays *arrays, struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_NEW(&arrays->values, items_of_values(), "256 MiB to read", err));
  TH_TRY(TH_NEW(&arrays->residual32, ROWS, "residuals", err));
  TH_TRY(TH_NEW(&arrays->residual, ROWS, "residuals", err));
  TH_TRY(TH_NEW(&arrays->centre, MOST, "means", err));
  for (int k = 0; k < 3; k++)
    TH_TRY(TH_NEW(&arrays->sum[k], MOST, "sums", err));
  for (int64_t k = 0; k < items_of_values(); k++)
    arrays->values[k] = 1.0F + (float)(k % 1021) * 0.001F;
  for (int64_t i = 0; i < ROWS; i++) {
    arrays->residual[i] = 0.5 + 0.001 * (double)(i % 7);
    arrays->residual32[i] = (float)arrays->residual[i];
  }
done:
  return rc;
}

static void release(struct arrays *arrays)
{
  TH_FREE(arrays->values, arrays->residual32, arrays->residual, arrays->centre);
  for (int k = 0; k < 3; k++)
    free(arrays->sum[k]);
}

static int64_t measured_bytes(const struct measure_row *row)
{
  return (int64_t)row->mib * MIB;
}

static int64_t measured_attributes(const struct measure_row *row)
{
  return measured_bytes(row) / (int64_t)th_type_bytes(row->type, ROWS);
}

static void run_kernel(const struct arrays *arrays,
                       const struct measure_row *row)
{
  struct th_row_weights m = {.residual = arrays->residual,
                             .residual32 = arrays->residual32,
                             .weight = arrays->residual,
                             .weight32 = arrays->residual32};
  for (int64_t first = 0; first < measured_attributes(row); first += BLOCK) {
    struct th_slab slab = {.layout = TH_DENSE,
                           .type = row->type,
                           .attributes = {first, first + BLOCK},
                           .rows = ROWS,
                           .values = (const char *)arrays->values +
                                     th_type_bytes(row->type, first * ROWS),
                           .stride = ROWS};
    const double *centre = arrays->centre + first;
    if (row->evidence)
      th_kernel_evidence(&slab, &m, centre, centre, arrays->sum[0] + first,
                         arrays->sum[1] + first, arrays->sum[2] + first);
    else
      th_kernel_gradient(&slab, &m, centre, arrays->sum[0] + first);
  }
}

/* Seconds of the read, then of each measure, turn by turn. Collective. */
static void take_turns(struct th_bench *bench, const struct arrays *arrays,
                       double seconds[MEASURES + 1][TH_BENCH_REPEATS])
{
  volatile double sink = 0; /* the read must not be optimised away */
  for (int k = -1; k < TH_BENCH_REPEATS; k++) { /* the first warms up */
    int at = k < 0 ? 0 : k;
    bench->comm->ops->barrier(bench->comm);
    double began = th_comm_clock();
    sink = sink + th_kernel_read(arrays->values, items_of_values());
    for (int m = 0; m <= MEASURES; m++) {
      double turn = th_comm_clock();
      seconds[m][at] = turn - began;
      began = turn;
      if (m < MEASURES)
        run_kernel(arrays, &measures[m]);
    }
  }
}

static void report_kernel(struct th_bench *bench, const struct measure_row *row,
                          double seconds)
{
  double gbs = (double)measured_bytes(row) / seconds / 1e9;
  double rate = (double)(measured_attributes(row) * ROWS) / seconds / 1e9;
  bool floating = row->type == TH_F32 || row->type == TH_F64;
  const struct th_figure figures[] = {
      {row->gbs, "GB/s", row->what, gbs},
      {row->gattr_s, "10^9/s", "the same, attribute values", rate},
      {row->relation, "",
       floating ? "the same, of the read bandwidth"
                : "the same, values against the f32 gradient",
       floating ? gbs / th_bench_value(bench, "read_gbs")
                : rate / th_bench_value(bench, "gradient_f32_gattr_s")},
  };
  for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
    th_bench_report(bench, figures[k]);
}

th_status th_bench_kernels(struct th_bench *bench, struct th_error *err)
{
  struct arrays arrays = {0};
  double seconds[MEASURES + 1][TH_BENCH_REPEATS];
  th_status rc;
  TH_TRY(th_agree(bench->comm, fill_arrays(&arrays, err), err));
  take_turns(bench, &arrays, seconds);
  double read = th_bench_median(bench, seconds[0], TH_BENCH_REPEATS);
  th_bench_report(bench,
                  (struct th_figure){"read_gbs", "GB/s", "read bandwidth",
                                     (double)MOST_MIB * MIB / read / 1e9});
  for (int k = 0; k < MEASURES; k++)
    report_kernel(bench, &measures[k],
                  th_bench_median(bench, seconds[k + 1], TH_BENCH_REPEATS));
done:
  release(&arrays);
  return rc;
}
