/* gradients.c - gradients of sixteen residuals at once: who forms them
 * SPDX-License-Identifier: MIT */
#include "math/kernels/gradients.h"

#include "math/kernels/dense.h"
#include "math/kernels/gradients_dense.h"
#include "math/kernels/kernels_sparse.h"

enum { RIGHT = TH_GRADIENTS };

/* Runs are short: entry by entry. */
static void add_sparse(const struct th_slab *slab, const float *residual,
                       double *grad)
{
  residual -= slab->row * RIGHT;
  for (int64_t k = 0; k < slab->runs; k++) {
    struct th_range entries = th_kernels_sparse_entries(slab, k);
    double *sum = grad + RIGHT * (slab->base + slab->attribute[k] -
                                  slab->attributes.first);
    for (int64_t e = entries.first; e < entries.last; e++) {
      double value = th_type_load(slab->type, slab->values, e);
      const float *right = residual + RIGHT * (int64_t)slab->row_in_group[e];
      for (int l = 0; l < RIGHT; l++)
        sum[l] += value * (double)right[l];
    }
  }
}

void th_gradients_add(const struct th_slab *slab, const float *residual,
                      const double *centre, double *grad)
{
  if (slab->layout == TH_SPARSE)
    add_sparse(slab, residual, grad);
  else
    th_dense_best()->gradients->add[slab->type](slab, residual, centre, grad);
}

void th_gradients_add_entries(const struct th_gradients_entries *entries,
                              const float *residual, double *grad)
{
  th_dense_best()->gradients->add_entries(entries, residual, grad);
}

void th_gradients_reference(const struct th_slab *slab, const float *residual,
                            const double *centre, double *grad)
{
  int64_t count = slab->attributes.last - slab->attributes.first;
  for (int64_t a = 0; a < count; a++)
    for (int64_t i = 0; i < slab->rows; i++) {
      double x = th_slab_value(slab, slab->attributes.first + a, i);
      double value = slab->layout == TH_SPARSE ? x : x - centre[a];
      for (int k = 0; k < RIGHT; k++)
        grad[a * RIGHT + k] += value * (double)residual[i * RIGHT + k];
    }
}
