/* all_targets.h - targets and weights of all training examples, for solvers
 * that take examples one by one
 * SPDX-License-Identifier: MIT */
#ifndef TH_ALL_TARGETS_H
#define TH_ALL_TARGETS_H

#include "solvers/data/context.h"

/* Replicated; by stored row. */
struct th_all_targets {
  double *target; /* as solvers see them */
  double *weight; /* their mean is 1 */
  double square;  /* weighted mean of the squared targets */
};

/* Read them. Local. Release with th_all_targets_free. TH_ENOMEM, and of reading
 * TH_EARG, TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO. */
th_status th_all_targets_init(struct th_all_targets *all,
                              struct th_context *context, struct th_error *err);
void th_all_targets_free(struct th_all_targets *all);

#endif
