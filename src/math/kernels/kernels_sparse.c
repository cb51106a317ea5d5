/* kernels_sparse.c - sums over the entries of sparse slabs
 * SPDX-License-Identifier: MIT */
#include "math/kernels/kernels_sparse.h"

enum { AHEAD = 16 }; /* runs between asking for an attribute and using it */

struct th_range th_kernels_sparse_entries(const struct th_slab *slab, int64_t k)
{
  return th_slab_entries(slab, k);
}

static double sum_of(const double *values, int64_t count)
{
  double sum = 0;
  for (int64_t i = 0; i < count; i++)
    sum += values[i];
  return sum;
}

/* Sum r (x - c) = sum over the entries of r x, less c times the sum of r. */
void th_kernels_sparse_gradient(const struct th_slab *slab,
                                const struct th_row_weights *m,
                                const double *centre, double *grad)
{
  double all = sum_of(m->residual, slab->rows);
  int64_t count = slab->attributes.last - slab->attributes.first;
  for (int64_t a = 0; a < count; a++)
    grad[a] -= centre[a] * all;
  for (int64_t k = 0; k < slab->runs; k++) {
    struct th_range entries = th_kernels_sparse_entries(slab, k);
    double sum = 0;
    for (int64_t e = entries.first; e < entries.last; e++)
      sum += m->residual[slab->row_in_group[e] - slab->row] *
             th_type_load(slab->type, slab->values, e);
    grad[slab->base + slab->attribute[k] - slab->attributes.first] += sum;
  }
}

struct th_evidence th_kernels_sparse_centring(const struct th_row_weights *m,
                                              int64_t rows)
{
  return (struct th_evidence){sum_of(m->residual, rows),
                              sum_of(m->weight, rows)};
}

/* For storage type T: the sums over the entries of one run, and over a slab. */
#define DEFINE_TOUCH(code, name, T, bits, lowest, highest, help)               \
  static inline struct th_evidence run_##code(const struct th_slab *slab,      \
                                              const struct th_row_weights *m,  \
                                              struct th_range entries)         \
  {                                                                            \
    const T *values = slab->values;                                            \
    struct th_evidence sum = {0};                                              \
    for (int64_t e = entries.first; e < entries.last; e++) {                   \
      int64_t i = slab->row_in_group[e] - slab->row;                           \
      double x = (double)values[e];                                            \
      sum.u += m->residual[i] * x;                                             \
      sum.v += m->weight[i] * x * x;                                           \
    }                                                                          \
    return sum;                                                                \
  }                                                                            \
                                                                               \
  static void touch_##code(const struct th_slab *slab,                         \
                           const struct th_row_weights *m,                     \
                           struct th_evidence unit, int64_t shift,             \
                           struct th_evidence *evidence, uint64_t *touched)    \
  {                                                                            \
    for (int64_t k = 0; k < slab->runs; k++) {                                 \
      struct th_range entries = th_kernels_sparse_entries(slab, k);            \
      if (k + AHEAD < slab->runs) /* attributes lie far apart in memory */     \
        __builtin_prefetch(&evidence[shift + slab->attribute[k + AHEAD]], 1);  \
      if (entries.first >= entries.last)                                       \
        continue;                                                              \
      int64_t a = shift + slab->attribute[k];                                  \
      struct th_evidence sum = run_##code(slab, m, entries);                   \
      evidence[a].u += unit.u * sum.u;                                         \
      evidence[a].v += unit.v * sum.v;                                         \
      touched[a / 64] |= (uint64_t)1 << (a % 64);                              \
    }                                                                          \
  }

TH_TYPE_LIST(DEFINE_TOUCH)

typedef void touch_kernel(const struct th_slab *, const struct th_row_weights *,
                          struct th_evidence, int64_t, struct th_evidence *,
                          uint64_t *);

void th_kernels_sparse_touch(const struct th_slab *slab,
                             const struct th_row_weights *m,
                             struct th_evidence unit, int64_t offset,
                             struct th_evidence *evidence, uint64_t *touched)
{
  static touch_kernel *const kernels[TH_TYPE_COUNT] = {
#define TOUCH_ROW(code, name, T, bits, low, high, help) [code] = touch_##code,
      TH_TYPE_LIST(TOUCH_ROW)
#undef TOUCH_ROW
  };
  int64_t shift = slab->base - slab->attributes.first + offset;
  kernels[slab->type](slab, m, unit, shift, evidence, touched);
}

void th_kernels_sparse_evidence(const struct th_slab *slab,
                                const struct th_row_weights *m,
                                const double *centre, double *u, double *v,
                                double *q)
{
  struct th_evidence centring = th_kernels_sparse_centring(m, slab->rows);
  double squares = 0;
  int64_t count = slab->attributes.last - slab->attributes.first;
  for (int64_t i = 0; i < slab->rows; i++)
    squares += m->residual[i] * m->residual[i];
  for (int64_t a = 0; a < count; a++) {
    u[a] -= centre[a] * centring.u;
    v[a] += centre[a] * centre[a] * centring.v;
    q[a] += centre[a] * centre[a] * squares;
  }
  for (int64_t k = 0; k < slab->runs; k++) {
    int64_t a = slab->base + slab->attribute[k] - slab->attributes.first;
    struct th_range entries = th_kernels_sparse_entries(slab, k);
    for (int64_t e = entries.first; e < entries.last; e++) {
      int64_t i = slab->row_in_group[e] - slab->row;
      double x = th_type_load(slab->type, slab->values, e);
      double r = m->residual[i];
      double gain = x * x - 2 * centre[a] * x;
      u[a] += r * x;
      v[a] += m->weight[i] * gain;
      q[a] += r * r * gain;
    }
  }
}

void th_kernels_sparse_column(const struct th_slab *slab, double centre,
                              double scale, double *column)
{
  for (int64_t i = 0; i < slab->rows; i++)
    column[i] = -centre * scale;
  for (int64_t k = 0; k < slab->runs; k++) {
    struct th_range entries = th_kernels_sparse_entries(slab, k);
    for (int64_t e = entries.first; e < entries.last; e++)
      column[slab->row_in_group[e] - slab->row] =
          (th_type_load(slab->type, slab->values, e) - centre) * scale;
  }
}
