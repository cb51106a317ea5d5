/* gradients.c - gradients of sixteen residuals at once: who forms them
 * SPDX-License-Identifier: MIT */
#include "math/kernels/gradients.h"

#include "math/kernels/dense.h"
#include "math/kernels/gradients_dense.h"

enum { RIGHT = TH_GRADIENTS };

void th_gradients_add(const struct th_slab *slab, const float *residual,
                      const double *centre, double *grad)
{
  const struct th_gradients_kernels *kernels = th_dense_best()->gradients;
  if (slab->layout == TH_SPARSE)
    kernels->add_sparse[slab->type](slab, residual, grad);
  else
    kernels->add[slab->type](slab, residual, centre, grad);
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
