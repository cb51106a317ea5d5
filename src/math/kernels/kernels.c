/* kernels.c - sums over the rows of stored attributes: who forms them
 * SPDX-License-Identifier: MIT */
#include "math/kernels/kernels.h"

#include "math/kernels/dense.h"
#include "math/kernels/kernels_sparse.h"
#include "math/kernels/rows_dense.h"

#if defined(TH_DENSE_X86)
static bool has_avx512(void)
{
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

static bool has_avx2(void)
{
  return __builtin_cpu_supports("avx2");
}
#endif

static bool always(void)
{
  return true;
}

/* Features are asked for, not models: a virtual machine may hide its model. */
static const struct th_dense_set sets[] = {
#if defined(TH_DENSE_X86)
    {"avx512", has_avx512, &th_dense_avx512, &th_rows_avx512,
     th_products_avx512},
    {"avx2", has_avx2, &th_dense_avx2, &th_rows_avx2, th_products_avx2},
#endif
    {"plain", always, &th_dense_plain, &th_rows_plain, th_products_plain},
    {NULL, NULL, NULL, NULL, NULL},
};

const struct th_dense_set *th_dense_sets(void)
{
  return sets;
}

const struct th_dense_set *th_dense_best(void)
{
  const struct th_dense_set *set = sets;
  while (!set->runs_here())
    set++;
  return set;
}

static const struct th_dense_kernels *dense_kernels(void)
{
  return th_dense_best()->kernels;
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
    th_kernels_sparse_gradient(slab, m, centre, grad);
  else
    dense_kernels()->gradient[slab->type](slab, m, centre, grad);
}

void th_kernel_evidence(const struct th_slab *slab,
                        const struct th_row_weights *m, const double *centre,
                        const double *own, double *u, double *v, double *q)
{
  if (slab->layout == TH_SPARSE)
    th_kernels_sparse_evidence(slab, m, centre, u, v, q);
  else
    dense_kernels()->evidence[slab->type](slab, m, centre, own, u, v, q);
}

/* Every value of attribute a of a slab; sparse slabs by a search per run. */
static double value_at(const struct th_slab *slab, int64_t a, int64_t i)
{
  if (slab->layout == TH_DENSE)
    return th_slab_load(slab, a, i);
  for (int64_t k = 0; k < slab->runs; k++) {
    if (slab->base + slab->attribute[k] != slab->attributes.first + a)
      continue;
    struct th_range entries = th_kernels_sparse_entries(slab, k);
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
    th_kernels_sparse_column(slab, centre, scale, column);
    return;
  }
  for (int64_t i = 0; i < slab->rows; i++)
    column[i] = (th_slab_load(slab, 0, i) - centre) * scale;
}

void th_kernel_reference(const struct th_slab *slab,
                         const struct th_row_weights *m, const double *centre,
                         const double *own, double *u, double *v, double *q)
{
  int64_t count = slab->attributes.last - slab->attributes.first;
  for (int64_t a = 0; a < count; a++)
    for (int64_t i = 0; i < slab->rows; i++) {
      double z = value_at(slab, a, i) - centre[a];
      double rest =
          m->residual[i] + (own == NULL ? 0 : m->weight[i] * own[a] * z);
      u[a] += m->residual[i] * z;
      v[a] += m->weight[i] * z * z;
      q[a] += rest * rest * z * z;
    }
}
