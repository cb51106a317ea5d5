/* minibatch.h - the mini-batches of stochastic methods
 * SPDX-License-Identifier: MIT */
#ifndef TH_MINIBATCH_H
#define TH_MINIBATCH_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct th_row;
struct th_stochastic;

/* One mini-batch. Replicated but for row[]. */
struct th_minibatch {
  int64_t rows;
  int64_t capacity;
  int64_t *index;     /* stored rows, in the order of drawing */
  struct th_row *row; /* this rank's values */
  double *prediction; /* x'b + b0 before the update */
  double *anchored;   /* the same at the anchor, if the rule has one */
  double *theta;      /* f'(prediction; y) */
  double *factor;     /* weight theta / rows: the mean gradient is the sum of
                         factor x over the rows */
  int64_t *sums;      /* predictions in fixed point, and a flag */
  int64_t holds;      /* deal units held, the present one last */
  int64_t *held;
};

/* Room for batches of that many rows. Local. */
th_status th_minibatch_init(struct th_minibatch *minibatch, int64_t rows,
                            struct th_error *err);
void th_minibatch_free(struct th_minibatch *minibatch);

/* The next mini-batch, its predictions and duals; *more = false: all passes are
 * over. Collective: one sum, none on one rank. */
th_status th_minibatch_next(struct th_stochastic *s, bool *more,
                            struct th_error *err);

/* Release the deal units that the mini-batch no longer needs; release all.
 * Local. */
void th_minibatch_release(struct th_stochastic *s, bool all);

#endif
