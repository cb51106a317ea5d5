/* strict_prune.c - the part of a support that stands on some rows
 * SPDX-License-Identifier: MIT */
#include "solvers/strict.h"

#include "core/memory.h"
#include "solvers/backward.h"
#include "solvers/standard.h"

#include <math.h>
#include <stdlib.h>

/* The normal equations of all columns, and the fit on them. */
static th_status start(struct th_backward *fit, const struct th_standard *z,
                       const double *target, bool intercept,
                       struct th_error *err)
{
  double mean = intercept ? th_standard_mean(z, target) : 0;
  double *products = NULL;
  double *moment = NULL;
  double *weighted = NULL;
  double total = 0;
  double square = 0;
  th_status rc;
  TH_TRY(TH_NEW(&products, z->count * z->count, "products", err));
  TH_TRY(TH_NEW(&moment, z->count, "products", err));
  TH_TRY(TH_NEW(&weighted, z->rows, "a target", err));
  for (int64_t i = 0; i < z->rows; i++) {
    weighted[i] = z->weight[i] * (target[i] - mean);
    total += weighted[i];
    square += weighted[i] * (target[i] - mean);
  }
  for (int64_t k = 0; k < z->count; k++)
    moment[k] = th_standard_dot(z, k, weighted, total);
  TH_TRY(th_standard_products(z, NULL, 0, z->count, z->weight, products, err));
  TH_TRY(th_backward_start(fit, z->count, z->n, products, moment, square, err));
done:
  free(products);
  free(moment);
  free(weighted);
  return rc;
}

th_status th_strict_prune(int64_t rows, int64_t count,
                          const struct th_vector *column, const double *target,
                          const double *weight, int64_t attributes,
                          int64_t largest, bool intercept, int64_t *chosen,
                          int64_t *size, struct th_error *err)
{
  struct th_standard z = {0};
  struct th_backward fit = {0};
  th_status rc;
  *size = 0;
  if (count == 0)
    return TH_OK;
  TH_TRY(th_standard_init(&z, rows, count, column, weight, intercept, err));
  TH_TRY(start(&fit, &z, target, intercept, err));
  th_backward_prune(&fit, sqrt(2 * log(fmax(1, (double)attributes))), false);
  if (largest > 0)
    th_backward_reduce(&fit, largest);
  for (int64_t k = 0; k < count; k++)
    if (fit.stays[k])
      chosen[(*size)++] = k;
done:
  th_standard_free(&z);
  th_backward_free(&fit);
  return rc;
}
