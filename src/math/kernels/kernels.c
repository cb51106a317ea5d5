/* kernels.c - sums over the rows of stored attributes: who forms them
 * SPDX-License-Identifier: MIT */
#include "math/kernels/kernels.h"

#include "base/processor.h"
#include "math/kernels/dense.h"

/* --- Sums over the entries of sparse slabs -------------------------------- */

enum { AHEAD = 16 }; /* runs between asking for an attribute and using it */

static double sum_numbers(const double *values, int64_t count)
{
  double sum = 0;
  for (int64_t i = 0; i < count; i++)
    sum += values[i];
  return sum;
}

/* Sum r (x - c) = sum over the entries of r x, less c times the sum of r. */
static void sparse_gradient(const struct th_slab *slab,
                            const struct th_row_weights *m,
                            const double *centre, double *grad)
{
  double all = sum_numbers(m->residual, slab->rows);
  int64_t count = th_range_count(slab->attributes);
  for (int64_t a = 0; a < count; a++)
    grad[a] -= centre[a] * all;
  for (int64_t k = 0; k < slab->runs; k++) {
    struct th_range entries = th_slab_entries(slab, k);
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
  return (struct th_evidence){sum_numbers(m->residual, rows),
                              sum_numbers(m->weight, rows)};
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
      struct th_range entries = th_slab_entries(slab, k);                      \
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

static void sparse_evidence(const struct th_slab *slab,
                            const struct th_row_weights *m,
                            const double *centre, double *u, double *v,
                            double *q)
{
  struct th_evidence centring = th_kernels_sparse_centring(m, slab->rows);
  double squares = 0;
  int64_t count = th_range_count(slab->attributes);
  for (int64_t i = 0; i < slab->rows; i++)
    squares += m->residual[i] * m->residual[i];
  for (int64_t a = 0; a < count; a++) {
    u[a] -= centre[a] * centring.u;
    v[a] += centre[a] * centre[a] * centring.v;
    q[a] += centre[a] * centre[a] * squares;
  }
  for (int64_t k = 0; k < slab->runs; k++) {
    int64_t a = slab->base + slab->attribute[k] - slab->attributes.first;
    struct th_range entries = th_slab_entries(slab, k);
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

static void sparse_column(const struct th_slab *slab, double centre,
                          double scale, double *column)
{
  for (int64_t i = 0; i < slab->rows; i++)
    column[i] = -centre * scale;
  for (int64_t k = 0; k < slab->runs; k++) {
    struct th_range entries = th_slab_entries(slab, k);
    for (int64_t e = entries.first; e < entries.last; e++)
      column[slab->row_in_group[e] - slab->row] =
          (th_type_load(slab->type, slab->values, e) - centre) * scale;
  }
}

/* --- The set of kernels in use -------------------------------------------- */

/* By form, plain first. */
#define SET(form)                                                              \
  {#form,                                                                      \
   &th_dense_##form,                                                           \
   &th_rows_##form,                                                            \
   &th_products_##form,                                                        \
   &th_columns_##form,                                                         \
   &th_logistic_##form,                                                        \
   &th_tiles_##form,                                                           \
   &th_gradients_##form},
static const struct th_dense_set sets[] = {
    TH_FORMS(SET) /* */
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};
#undef SET

const struct th_dense_set *th_kernel_sets(void)
{
  return sets;
}

bool th_kernel_runs_here(const struct th_dense_set *set)
{
  const struct th_processor here = th_processor_here();
  return th_processor_runs((enum th_processor_form)(set - sets), &here);
}

const struct th_dense_set *th_kernel_best(void)
{
  return &sets[th_processor_form()];
}

static const struct th_dense_kernels *dense_kernels(void)
{
  return th_kernel_best()->kernels;
}

double th_kernel_read(const float *values, int64_t count)
{
  return dense_kernels()->read(values, count);
}

void th_kernel_gradient(const struct th_slab *slab,
                        const struct th_row_weights *m, const double *centre,
                        double *grad)
{
  if (slab->layout == TH_SPARSE)
    sparse_gradient(slab, m, centre, grad);
  else
    dense_kernels()->gradient[slab->type](slab, m, centre, grad);
}

void th_kernel_evidence(const struct th_slab *slab,
                        const struct th_row_weights *m, const double *centre,
                        const double *own, double *u, double *v, double *q)
{
  if (slab->layout == TH_SPARSE)
    sparse_evidence(slab, m, centre, u, v, q);
  else
    dense_kernels()->evidence[slab->type](slab, m, centre, own, u, v, q);
}

/* Every value of attribute a of a slab; sparse slabs by a search per run. */
static double slab_value(const struct th_slab *slab, int64_t a, int64_t i)
{
  if (slab->layout == TH_DENSE)
    return th_slab_load(slab, a, i);
  for (int64_t k = 0; k < slab->runs; k++) {
    if (slab->base + slab->attribute[k] != slab->attributes.first + a)
      continue;
    struct th_range entries = th_slab_entries(slab, k);
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
    sparse_column(slab, centre, scale, column);
    return;
  }
  const double missing = th_type_missing(slab->type);
  th_type_load_all(slab->type, slab->values, th_slab_skip(slab), slab->rows,
                   column);
  for (int64_t i = 0; slab->stand_in != NULL && i < slab->rows; i++)
    column[i] = column[i] == missing ? *slab->stand_in : column[i];
  for (int64_t i = 0; i < slab->rows; i++)
    column[i] = (column[i] - centre) * scale;
}

void th_kernel_columns(const struct th_slab *slab, const double *centre,
                       const double *scale, double *column, int64_t stride)
{
  struct th_slab one = *slab;
  int64_t count = th_range_count(slab->attributes);
  size_t apart = (size_t)th_type_bytes(slab->type, slab->stride);
  for (int64_t a = 0; a < count; a++) {
    th_kernel_column(&one, centre[a], scale[a], column + a * stride);
    one.values = (const char *)one.values + apart;
    one.stand_in += one.stand_in != NULL;
  }
}

void th_kernel_reference(const struct th_slab *slab,
                         const struct th_row_weights *m, const double *centre,
                         const double *own, double *u, double *v, double *q)
{
  int64_t count = th_range_count(slab->attributes);
  for (int64_t a = 0; a < count; a++)
    for (int64_t i = 0; i < slab->rows; i++) {
      double z = slab_value(slab, a, i) - centre[a];
      double rest =
          m->residual[i] + (own == NULL ? 0 : m->weight[i] * own[a] * z);
      u[a] += m->residual[i] * z;
      v[a] += m->weight[i] * z * z;
      q[a] += rest * rest * z * z;
    }
}

/* --- Gradients of sixteen residuals at once ------------------------------- */

void th_kernel_gradients_add(const struct th_slab *slab, const float *residual,
                             const double *centre, double *grad)
{
  const struct th_gradients_kernels *kernels = th_kernel_best()->gradients;
  if (slab->layout == TH_SPARSE)
    kernels->add_sparse[slab->type](slab, residual, grad);
  else
    kernels->add[slab->type](slab, residual, centre, grad);
}

void th_kernel_gradients_add_entries(const struct th_gradients_entries *entries,
                                     const float *residual, double *grad)
{
  th_kernel_best()->gradients->add_entries(entries, residual, grad);
}

void th_kernel_gradients_reference(const struct th_slab *slab,
                                   const float *residual, const double *centre,
                                   double *grad)
{
  int64_t count = th_range_count(slab->attributes);
  for (int64_t a = 0; a < count; a++)
    for (int64_t i = 0; i < slab->rows; i++) {
      double x = th_slab_value(slab, slab->attributes.first + a, i);
      double value = slab->layout == TH_SPARSE ? x : x - centre[a];
      for (int k = 0; k < TH_GRADIENTS; k++)
        grad[a * TH_GRADIENTS + k] +=
            value * (double)residual[i * TH_GRADIENTS + k];
    }
}
