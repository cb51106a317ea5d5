/* loss_array.h - the logistic loss of many examples, vector by vector
 * SPDX-License-Identifier: MIT */
#ifndef TH_LOSS_ARRAY_H
#define TH_LOSS_ARRAY_H

#include <stdint.h>

/* What a loss does to n examples. */
typedef void th_loss_array(int64_t n, const double *p, const double *y,
                           double *out);

struct th_loss_arrays {
  th_loss_array *value;
  th_loss_array *derivative;
  th_loss_array *curvature;
  th_loss_array *conjugate;
};

extern const struct th_loss_arrays th_loss_logistic_arrays;

#endif
