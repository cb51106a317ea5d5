/* given_held.h - a dense matrix in memory as values that are held in memory
 * SPDX-License-Identifier: MIT */
#ifndef TH_GIVEN_HELD_H
#define TH_GIVEN_HELD_H

#include "io/dataset/held.h"
#include "io/import/arrays/given.h"

/* What is put where. All is borrowed. */
struct th_given_fill {
  const struct th_given_matrix *given; /* dense, with all of its rows */
  const int64_t *stored;               /* where each row goes */
  const struct th_shape *shape;        /* of the data set */
  const double *weight; /* of training examples as stored, mean 1, or NULL */
  double
      density; /* a share of values that are not 0: no more are sparse data */
};

/* Put the values in the order of the data set. key[k] receives that of row k,
 * equal for equal rows (th_fingerprint_example). *good is false where values
 * are missing, not finite or not of the type, and where data are sparse: they
 * need files. Local. */
th_status th_given_held_fill(struct th_held *held,
                             const struct th_given_fill *job, uint64_t *key,
                             bool *good, struct th_error *err);

#endif
