/* held.h - dense values that are held in memory, and in no file; internal to
 * io/
 *
 * They are a data set of one rank whose master is in memory as well. The runs
 * of a row group lie one behind the other, attribute after attribute. Nothing
 * of it leaves memory, so there is no checksum to read it by; but the
 * fingerprint is made of hashes of runs, and is that of the same values in
 * files.
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_HELD_H
#define TH_HELD_H

#include "base/error.h"
#include "io/dataset/master.h"
#include "io/dataset/row_groups.h"
#include "io/dataset/running_stats.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: nothing. All is owned. */
struct th_held {
  struct th_row_groups row_groups;
  char *room;   /* of the values, in large pages */
  char *values; /* in it: a whole page begins here */
  int64_t run;  /* bytes of an attribute on a row group, padded to R rows */
  struct th_running_stats stats; /* once it is complete, `squares` are standard
                                    deviations */
  double *doubles;               /* of a run */
  uint64_t content;
  int64_t nonzeros;
  struct th_h5_image *master; /* NULL: it is not complete */
};

/* Make room for all values of a shape; weighted: training examples count by
 * weights. Release with th_held_free, also after a failure. */
th_status th_held_begin(struct th_held *held, const struct th_shape *shape,
                        bool weighted, struct th_error *err);

/* Where the run of an attribute on a row group lies. */
static inline char *th_held_run(const struct th_held *held, int64_t group,
                                int64_t attribute)
{
  const int64_t before = group * held->row_groups.shape.attributes + attribute;
  return held->values + before * held->run;
}

/* The runs of some attributes on a row group are there: add them to statistics
 * and fingerprint. The groups of an attribute come in ascending order, each
 * once. weight: of training examples as stored, with mean 1, or NULL. False
 * where a value is not a finite number; then it is of no use. */
bool th_held_take(struct th_held *held, int64_t group, struct th_range range,
                  const double *weight);

/* All runs are there: finish the statistics, and make the master, whose data
 * set has that name in messages. */
th_status th_held_end(struct th_held *held, const struct th_master *master,
                      const char *name, struct th_error *err);

void th_held_free(struct th_held *held);

#endif
