/* logistic.c - the logistic loss on all examples at once
 * SPDX-License-Identifier: MIT */
#include "math/kernels/logistic.h"

#include "math/kernels/dense.h"
#include "math/kernels/logistic_dense.h"

struct th_logistic th_logistic_at(int64_t n, const double *eta,
                                  const double *label, const double *prediction,
                                  double offset, double *theta)
{
  double sum[4];
  th_dense_best()->logistic->at(n, eta, label, prediction, offset, theta, sum);
  return (struct th_logistic){sum[0], sum[1], sum[2], sum[3]};
}

double th_logistic_dual(int64_t n, const double *eta, const double *theta,
                        double scale)
{
  return th_dense_best()->logistic->dual(n, eta, theta, scale);
}
