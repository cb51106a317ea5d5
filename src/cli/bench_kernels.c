/* bench_kernels.c - read bandwidth of the machine, and kernels against it
 *
 * Kernels and the plain read take turns, so that a change in the machine's load
 * meets all of them. Values lie in memory, far beyond the caches.
 * SPDX-License-Identifier: MIT */
#include "cli/bench.h"
#include "core/memory.h"
#include "math/kernels.h"

#include <math.h>
#include <stdlib.h>

enum {
  BYTES = 256 << 20, /* that a measurement reads, at most */
  ROWS = 4096,
  MOST = BYTES / 1024, /* attributes: those of u2 */
  BLOCK = 256,         /* attributes of a kernel call */
  STREAMS = 4,
  LANES = 16
};

/* What is measured: a kernel on a type; or, without a kernel, the read. */
struct measure_row {
  enum th_type type;
  bool evidence;
  const char *gbs; /* keys */
  const char *gattr_s;
  const char *share; /* of the read bandwidth */
  const char *ratio; /* attributes per second to those of the f32 gradient */
  const char *what;
};

static const struct measure_row measures[] = {
    {TH_F32, false, "gradient_f32_gbs", "gradient_f32_gattr_s",
     "gradient_share", NULL, "gradient kernel, f32"},
    {TH_F64, false, "gradient_f64_gbs", "gradient_f64_gattr_s",
     "gradient_f64_share", NULL, "gradient kernel, f64"},
    {TH_U8, false, "gradient_u8_gbs", "gradient_u8_gattr_s", NULL,
     "gradient_u8_ratio", "gradient kernel, u8"},
    {TH_I8, false, "gradient_i8_gbs", "gradient_i8_gattr_s", NULL,
     "gradient_i8_ratio", "gradient kernel, i8"},
    {TH_U2, false, "gradient_2bit_gbs", "gradient_2bit_gattr_s", NULL,
     "gradient_2bit_ratio", "gradient kernel, u2"},
    {TH_F32, true, "evidence_f32_gbs", "evidence_f32_gattr_s",
     "evidence_share", NULL, "evidence kernel, f32"},
    {TH_F64, true, "evidence_f64_gbs", "evidence_f64_gattr_s",
     "evidence_f64_share", NULL, "evidence kernel, f64"},
    {TH_U8, true, "evidence_u8_gbs", "evidence_u8_gattr_s", NULL,
     "evidence_u8_ratio", "evidence kernel, u8"},
    {TH_U2, true, "evidence_2bit_gbs", "evidence_2bit_gattr_s", NULL,
     "evidence_2bit_ratio", "evidence kernel, u2"},
};

enum { MEASURES = sizeof measures / sizeof *measures };

struct arrays {
  void *values;
  float *multiplier32;
  double *multiplier;
  double *centre;
  double *sum[3];
};

static th_status prepare(struct arrays *arrays, struct th_error *err)
{
  th_status rc;
  TH_TRY(th_alloc(&arrays->values, BYTES, 1, "256 MiB to read", err));
  TH_TRY(TH_NEW(&arrays->multiplier32, ROWS, "residuals", err));
  TH_TRY(TH_NEW(&arrays->multiplier, ROWS, "residuals", err));
  TH_TRY(TH_NEW(&arrays->centre, MOST, "means", err));
  for (int k = 0; k < 3; k++)
    TH_TRY(TH_NEW(&arrays->sum[k], MOST, "sums", err));
  /* Each type sees its own numbers in these; none that slow a kernel down. */
  for (int64_t k = 0; k < BYTES / (int64_t)sizeof(float); k++)
    ((float *)arrays->values)[k] = (float)(k % 1021) * 0.001F;
  for (int64_t i = 0; i < ROWS; i++) {
    arrays->multiplier[i] = 0.5 + 0.001 * (double)(i % 7);
    arrays->multiplier32[i] = (float)arrays->multiplier[i];
  }
done:
  return rc;
}

static void release(struct arrays *arrays)
{
  free(arrays->values);
  free(arrays->multiplier32);
  free(arrays->multiplier);
  free(arrays->centre);
  for (int k = 0; k < 3; k++)
    free(arrays->sum[k]);
}
