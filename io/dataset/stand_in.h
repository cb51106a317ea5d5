/* stand_in.h - values that are missing: NaN in files, and in memory the mean of
 * their attribute
 *
 * So solvers and kernels meet numbers only. The mean is that of the training
 * examples whose value is known, by their weights, rounded to the storage type.
 * Internal to io/, local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STAND_IN_H
#define TH_STAND_IN_H

#include "data/slab.h"

/* Of the attributes of a shard, in their order; NULL where none is missing. */
struct th_stand_in {
  int64_t *missing; /* how many values of each, on all examples */
  double *mean;     /* of each */
};

void th_stand_in_free(struct th_stand_in *stand_in);

/* Put the mean in the place of each NaN of a run of values, f32 or f64. */
void th_stand_in_fill(enum th_type type, void *values, int64_t count,
                      double mean);

/* How many values of a run are NaN. */
int64_t th_stand_in_count(const double *values, int64_t count);

#endif
