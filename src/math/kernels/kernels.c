/* kernels.c - sums over the rows of stored attributes: who forms them
 * SPDX-License-Identifier: MIT */
#include "math/kernels/kernels.h"

#include "base/processor.h"
#include "math/kernels/columns_dense.h"
#include "math/kernels/dense.h"
#include "math/kernels/gradients_dense.h"
#include "math/kernels/kernels_sparse.h"
#include "math/kernels/logistic_dense.h"
#include "math/kernels/rows_dense.h"
#include "math/kernels/tiles_dense.h"

/* By form, plain first. */
static const struct th_dense_set sets[] = {
    {"plain", &th_dense_plain, &th_rows_plain, th_products_plain,
     &th_columns_plain, &th_logistic_plain, &th_tiles_plain,
     &th_gradients_plain},
#if defined(TH_DENSE_X86)
    {"avx2", &th_dense_avx2, &th_rows_avx2, th_products_avx2, &th_columns_avx2,
     &th_logistic_avx2, &th_tiles_avx2, &th_gradients_avx2},
    {"avx512", &th_dense_avx512, &th_rows_avx512, th_products_avx512,
     &th_columns_avx512, &th_logistic_avx512, &th_tiles_avx512,
     &th_gradients_avx512},
#endif
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

const struct th_dense_set *th_dense_sets(void)
{
  return sets;
}

bool th_dense_runs_here(const struct th_dense_set *set)
{
  const struct th_processor here = th_processor_here();
  return th_processor_runs((enum th_processor_form)(set - sets), &here);
}

const struct th_dense_set *th_dense_best(void)
{
  return &sets[th_processor_form()];
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
  th_type_load_all(slab->type, slab->values, th_slab_skip(slab), slab->rows,
                   column);
  for (int64_t i = 0; i < slab->rows; i++)
    column[i] = (column[i] - centre) * scale;
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
