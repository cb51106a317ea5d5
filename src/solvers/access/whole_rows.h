/* whole_rows.h - a mini-batch of whole examples: their predictions, and sums
 * over them
 *
 * Examples come in the order of stochastic methods, and all attributes are read
 * of them that are not left out. Vectors are by place in `active`. Values are
 * centred, also the zeros of sparse data, which are not stored.
 * SPDX-License-Identifier: MIT */
#ifndef TH_WHOLE_ROWS_H
#define TH_WHOLE_ROWS_H

#include "math/kernels/rows.h"
#include "solvers/access/active.h"
#include "solvers/access/example_order.h"
#include "solvers/access/row_caches.h"

struct th_whole_rows {
  struct th_active active;
  struct th_row_caches caches;
  struct th_cells cells; /* of places; its edges are owned */
  int64_t *edge;
  struct th_example_order order;
  double *shift;  /* of each place: what zeros of sparse data are below the
                     centre, in the solver's units; NULL: nothing */
  double stretch; /* replicated: how much larger values are than centred ones,
                     at most */
  int64_t rows;   /* of the mini-batch; replicated */
  int64_t *row;   /* their stored rows; replicated */
  double *factor; /* of each of them, for th_whole_rows_add */
  int64_t *held;  /* deal units of it, and how many */
  int64_t holds;
  int64_t *sum; /* predictions in fixed point; a flag */
  struct th_fixed fixed;
};

/* Room for `rows` examples. Collective. Release with th_whole_rows_free. */
th_status th_whole_rows_init(struct th_whole_rows *whole,
                             struct th_context *context, int64_t rows,
                             struct th_error *err);
/* Local. */
void th_whole_rows_free(struct th_whole_rows *whole);

/* Set `rows` to as many examples as there is room for and are left. False: none
 * is left. Local, replicated. */
bool th_whole_rows_begin(struct th_whole_rows *whole,
                         const struct th_context *context, int64_t room);

/* Take these examples, and predict them by `coef`. |x'coef| is at most `bound`,
 * which is replicated. An error where it is not. Collective: one sum of 8 bytes
 * for each example. */
th_status th_whole_rows_predict(struct th_whole_rows *whole,
                                struct th_context *context, const double *coef,
                                double bound, struct th_error *err);

/* The prediction of example r of the mini-batch. Local, replicated. */
double th_whole_rows_prediction(const struct th_whole_rows *whole, int64_t r);

/* v += the sum of factor[r] x_r over the mini-batch. Local. */
void th_whole_rows_add(const struct th_whole_rows *whole, double *v);

/* Let go of the mini-batch. Local. */
void th_whole_rows_release(struct th_whole_rows *whole);

/* Its state: the order. Local. */
void th_whole_rows_describe(struct th_whole_rows *whole,
                            struct th_state *state);

/* After an image has been put: hold the values of a unit that is not used up.
 * Its draw is in the ledger that is going to be put. Local. */
th_status th_whole_rows_resume(struct th_whole_rows *whole,
                               struct th_error *err);

#endif
