/* stand_in.h - values that are missing: NaN in files, and in memory the mean of
 * their attribute
 *
 * So solvers and kernels meet numbers only. The mean is that of the training
 * examples whose value is known, by their weights, rounded to the storage type.
 * Of whole numbers one is set aside, also in memory (th_type_missing), and
 * slabs say which float stands for it. Internal to io/, local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STAND_IN_H
#define TH_STAND_IN_H

#include "base/error.h"
#include "data/type.h"

/* Of the attributes of a shard, in their order; NULL where none is missing. */
struct th_stand_in {
  int64_t *missing; /* how many values of each, on all examples */
  double *mean;     /* of each: what stands for its missing values */
  double *own;      /* the means of the shard, where others stand in their
                       place; else NULL */
};

/* A mean as it stands for values of that type. */
double th_stand_in_round(enum th_type type, double mean);

void th_stand_in_free(struct th_stand_in *stand_in);

/* From now on another number stands for the missing values of attribute a,
 * counted from the shard's first; all own means again. */
th_status th_stand_in_replace(struct th_stand_in *stand_in, int64_t attributes,
                              int64_t a, double mean, struct th_error *err);
void th_stand_in_restore(struct th_stand_in *stand_in, int64_t attributes);

/* Put the mean in the place of each NaN of a run of values, f32 or f64. */
void th_stand_in_fill(enum th_type type, void *values, int64_t count,
                      double mean);

/* How many values of a run are NaN. */
int64_t th_stand_in_count(const double *values, int64_t count);

#endif
