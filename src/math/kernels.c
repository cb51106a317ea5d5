/* kernels.c - sums over the rows of stored attributes, one kernel per type
 * SPDX-License-Identifier: MIT */
#include "math/kernels.h"

#include "math/kernels_sparse.h"

/* One binary for several instruction sets: the same lanes, hence the same
 * bits, on each. Sanitizers cannot run before the resolver does. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) &&                   \
    !defined(TH_NO_CLONES)
#define CLONES                                                                 \
  __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define CLONES
#endif

static double tree_f32(const float lane[TH_LANES])
{
  float sum[TH_LANES];
  for (int k = 0; k < TH_LANES; k++)
    sum[k] = lane[k];
  for (int half = TH_LANES / 2; half > 0; half /= 2)
    for (int k = 0; k < half; k++)
      sum[k] += sum[k + half];
  return (double)sum[0];
}

static double tree_f64(const double lane[TH_LANES])
{
  double sum[TH_LANES];
  for (int k = 0; k < TH_LANES; k++)
    sum[k] = lane[k];
  for (int half = TH_LANES / 2; half > 0; half /= 2)
    for (int k = 0; k < half; k++)
      sum[k] += sum[k + half];
  return sum[0];
}

/* For storage type T and lane type A: the dot product of at most TH_LANE_ROWS
 * rows, the sums over all rows, and both over the attributes of a dense slab.
 */
#define DEFINE_KERNELS(T, A, name, tree, residual_of, weight_of)               \
  static inline double dot_##name(const T *restrict x, A centre,               \
                                  const A *restrict r, int32_t rows)           \
  {                                                                            \
    A lane[TH_LANES] = {0};                                                    \
    int32_t i = 0;                                                             \
    for (; i + TH_LANES <= rows; i += TH_LANES)                                \
      for (int32_t k = 0; k < TH_LANES; k++)                                   \
        lane[k] += ((A)x[i + k] - centre) * r[i + k];                          \
    for (int32_t k = 0; i + k < rows; k++)                                     \
      lane[k] += ((A)x[i + k] - centre) * r[i + k];                            \
    return tree(lane);                                                         \
  }                                                                            \
                                                                               \
  CLONES static void gradient_##name(                                          \
      const struct th_slab *slab, const struct th_multiplier *m,               \
      const double *restrict centre, double *restrict grad)                    \
  {                                                                            \
    const T *x = slab->values;                                                 \
    int64_t count = slab->attributes.last - slab->attributes.first;            \
    for (int64_t a = 0; a < count; a++, x += slab->stride)                     \
      for (int32_t i = 0; i < slab->rows; i += TH_LANE_ROWS) {                 \
        int32_t rows = slab->rows - i;                                         \
        rows = rows < TH_LANE_ROWS ? rows : TH_LANE_ROWS;                      \
        grad[a] += dot_##name(x + i, (A)centre[a], m->residual_of + i, rows);  \
      }                                                                        \
  }                                                                            \
                                                                               \
  static inline void sums_##name(const T *restrict x, A centre,                \
                                 const A *restrict r, const A *restrict w,     \
                                 int32_t rows, double *restrict sums)          \
  {                                                                            \
    A u[TH_LANES] = {0};                                                       \
    A v[TH_LANES] = {0};                                                       \
    A q[TH_LANES] = {0};                                                       \
    int32_t i = 0;                                                             \
    for (; i + TH_LANES <= rows; i += TH_LANES)                                \
      for (int32_t k = 0; k < TH_LANES; k++) {                                 \
        A z = (A)x[i + k] - centre;                                            \
        A rz = r[i + k] * z;                                                   \
        u[k] += rz;                                                            \
        v[k] += w[i + k] * z * z;                                              \
        q[k] += rz * rz;                                                       \
      }                                                                        \
    for (int32_t k = 0; i + k < rows; k++) {                                   \
      A z = (A)x[i + k] - centre;                                              \
      A rz = r[i + k] * z;                                                     \
      u[k] += rz;                                                              \
      v[k] += w[i + k] * z * z;                                                \
      q[k] += rz * rz;                                                         \
    }                                                                          \
    sums[0] = tree(u);                                                         \
    sums[1] = tree(v);                                                         \
    sums[2] = tree(q);                                                         \
  }                                                                            \
                                                                               \
  CLONES static void evidence_##name(                                          \
      const struct th_slab *slab, const struct th_multiplier *m,               \
      const double *restrict centre, double *restrict u, double *restrict v,   \
      double *restrict q)                                                      \
  {                                                                            \
    const T *x = slab->values;                                                 \
    int64_t count = slab->attributes.last - slab->attributes.first;            \
    for (int64_t a = 0; a < count; a++, x += slab->stride)                     \
      for (int32_t i = 0; i < slab->rows; i += TH_LANE_ROWS) {                 \
        double sums[3];                                                        \
        int32_t rows = slab->rows - i;                                         \
        rows = rows < TH_LANE_ROWS ? rows : TH_LANE_ROWS;                      \
        sums_##name(x + i, (A)centre[a], m->residual_of + i, m->weight_of + i, \
                    rows, sums);                                               \
        u[a] += sums[0];                                                       \
        v[a] += sums[1];                                                       \
        q[a] += sums[2];                                                       \
      }                                                                        \
  }

DEFINE_KERNELS(float, float, f32, tree_f32, residual32, weight32)
DEFINE_KERNELS(double, double, f64, tree_f64, residual, weight)
DEFINE_KERNELS(uint8_t, float, u8, tree_f32, residual32, weight32)
DEFINE_KERNELS(int8_t, float, i8, tree_f32, residual32, weight32)

typedef void gradient_kernel(const struct th_slab *,
                             const struct th_multiplier *, const double *,
                             double *);
typedef void evidence_kernel(const struct th_slab *,
                             const struct th_multiplier *, const double *,
                             double *, double *, double *);

struct kernel_row {
  gradient_kernel *gradient;
  evidence_kernel *evidence;
};

static const struct kernel_row dense_kernels[TH_TYPE_COUNT] = {
    [TH_F32] = {gradient_f32, evidence_f32},
    [TH_F64] = {gradient_f64, evidence_f64},
    [TH_U8] = {gradient_u8, evidence_u8},
    [TH_I8] = {gradient_i8, evidence_i8},
};

void th_kernel_gradient(const struct th_slab *slab,
                        const struct th_multiplier *m, const double *centre,
                        double *grad)
{
  if (slab->layout == TH_SPARSE)
    th_sparse_gradient(slab, m, centre, grad);
  else
    dense_kernels[slab->type].gradient(slab, m, centre, grad);
}

void th_kernel_evidence(const struct th_slab *slab,
                        const struct th_multiplier *m, const double *centre,
                        double *u, double *v, double *q)
{
  if (slab->layout == TH_SPARSE)
    th_sparse_evidence(slab, m, centre, u, v, q);
  else
    dense_kernels[slab->type].evidence(slab, m, centre, u, v, q);
}

/* Every value of attribute a of a slab; sparse slabs by a search per run. */
static double value_at(const struct th_slab *slab, int64_t a, int64_t i)
{
  if (slab->layout == TH_DENSE)
    return th_type_load(slab->type, slab->values, a * slab->stride + i);
  for (int64_t k = 0; k < slab->runs; k++) {
    if (slab->base + slab->attribute[k] != slab->attributes.first + a)
      continue;
    struct th_range entries = th_sparse_entries(slab, k);
    for (int64_t e = entries.first; e < entries.last; e++)
      if (slab->row_in_group[e] == slab->row + i)
        return th_type_load(slab->type, slab->values, e);
  }
  return 0;
}

void th_kernel_column(const struct th_slab *slab, double centre, double scale,
                      double *column)
{
  if (slab->layout == TH_SPARSE) {
    th_sparse_column(slab, centre, scale, column);
    return;
  }
  for (int64_t i = 0; i < slab->rows; i++)
    column[i] = (th_type_load(slab->type, slab->values, i) - centre) * scale;
}

void th_kernel_reference(const struct th_slab *slab,
                         const struct th_multiplier *m, const double *centre,
                         double *u, double *v, double *q)
{
  int64_t count = slab->attributes.last - slab->attributes.first;
  for (int64_t a = 0; a < count; a++)
    for (int64_t i = 0; i < slab->rows; i++) {
      double z = value_at(slab, a, i) - centre[a];
      u[a] += m->residual[i] * z;
      v[a] += m->weight[i] * z * z;
      q[a] += m->residual[i] * m->residual[i] * z * z;
    }
}
