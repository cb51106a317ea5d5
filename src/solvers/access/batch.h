/* batch.h - the rows of one update: observe, predict, residual, gradient
 *
 * Each block J_i draws its own rows. Only J_i and S are read of them, and every
 * rank reads the attributes that it owns. Predictions cross the ranks in one
 * order-independent sum of 8 bytes per row. The flag of a failure is part of
 * this sum.
 *
 * Every rank receives the predictions of all rows, not only of the blocks that
 * it owns. Owners of S need all residuals for the gradient on S. The loss, the
 * guard and r2 are then replicated without a reduction of their own. A
 * reduce-scatter would send half as much at best.
 *
 * If an update has many rows, the sum is cut into slices of whole draws. While
 * one slice is summed, the next is read, and blocks whose predictions are
 * complete are visited. The results do not depend on the slices.
 * SPDX-License-Identifier: MIT */
#ifndef TH_BATCH_H
#define TH_BATCH_H

#include "data/latin.h"
#include "math/kernels/kernels.h"
#include "ranks/partition.h"
#include "solvers/access/context.h"
#include "solvers/access/support.h"

#include <stdint.h>

/* Reused from update to update. Nothing is allocated once it is large enough.
 * Everything but columns and visited is replicated. */
struct th_batch {
  double target_centre;    /* subtracted from every target; set by the solver */
  bool dealt;              /* set by the solver: see th_batch_members */
  int64_t rows;            /* m, over all draws */
  struct th_pieces pieces; /* in the order of the draws */
  int64_t draws;
  struct th_draw *draw;
  int64_t *draw_row; /* draws + 1: the first row of each draw */
  double *target;
  double *weight;
  double *prediction;
  double *residual; /* weight times derivative of the loss */
  float *residual32;
  float *weight32;
  double weight_sum;
  double loss;       /* weighted mean over the rows */
  th_status visited; /* this rank's status of visiting the blocks, for the next
                        agreement */
  struct th_range mine; /* members of S that this rank observes */
  double *columns;      /* mine x rows: scaled values, member-major */
  int64_t *sums;        /* predictions in fixed point, a flag for each slice */
  int64_t draw_capacity;
  int64_t row_capacity;
  int64_t column_capacity;
};

/* Called by th_batch_evaluate for each slab of a draw's block. offset: the
 * place of the slab's first attribute among the owned ones. Attributes of the
 * active draw may have others between them (th_slab_attribute). */
typedef void th_slab_visitor(void *self, const struct th_slab *slab,
                             const struct th_row_weights *multiplier,
                             int64_t offset);

/* Rows on which S is observed, and beside it a block, the active attributes of
 * the source, or nothing. */
struct th_batch_draw {
  struct th_range block;
  bool active; /* in place of a block */
  int64_t rows;
  int64_t consumer; /* of the deal; of a Latin square: its block */
};

/* What an update asks for. All of it is borrowed. */
struct th_batch_request {
  const struct th_batch_draw *draw;
  int64_t draws;
  int64_t blocks; /* among which the deal shares out rows; 0: as it does */
  struct th_latin *latin; /* rows come from here; NULL: from the deal */
  const struct th_support *support;
  const struct th_loss *loss;
  th_slab_visitor *visit; /* NULL: nobody */
  void *self;
};

/* Local. */
void th_batch_free(struct th_batch *batch);

/* The members of S that a rank observes: those that it owns. Where the batch is
 * dealt an even part of them, whoever owns them, as all may lie on one rank. Of
 * sparse data the owned ones all the same, whose neighbours the rank has read;
 * and of computed data, where a value that is in a block, too, would be
 * computed twice. Replicated. Local. */
struct th_range th_batch_members(const struct th_batch *batch,
                                 const struct th_context *context,
                                 const struct th_support *support, int rank);

/* Take the rows of each draw, declare to the source that J_i and the support
 * are observed of them, and read the support's values on all rows; each rank
 * its own. If not enough rows are left in all passes, the deal does not change
 * and *complete is false. Collective; one agreement. An error when |J_i u S|
 * exceeds the budget. */
th_status th_batch_observe(struct th_batch *batch, struct th_context *context,
                           const struct th_batch_request *request,
                           bool *complete, struct th_error *err);

/* Observe as above, form predictions and residuals as in th_batch_residual, and
 * visit this rank's part of every draw's block: its slabs with the rows'
 * residuals, in a fixed order. Collective; one sum of 8 bytes per row. */
th_status th_batch_evaluate(struct th_batch *batch, struct th_context *context,
                            const struct th_batch_request *request,
                            bool *complete, struct th_error *err);

/* Evaluate held-out units first .. last - 1, in one draw, with the loss of the
 * run. Collective. */
th_status th_batch_validate(struct th_batch *batch, struct th_context *context,
                            struct th_range units,
                            const struct th_support *support,
                            struct th_error *err);

/* prediction = intercept + sum over S of coef x, for every row, summed over
 * ranks in fixed point; then residuals and the mean loss under `loss`. The
 * support's values have been observed. Collective. */
th_status th_batch_residual(struct th_batch *batch, struct th_context *context,
                            const struct th_support *support,
                            const struct th_loss *loss, struct th_error *err);

/* Make room for rows that were observed before, in one draw. The caller fills
 * in their targets, columns and weights (th_batch_weigh). Collective. */
th_status th_batch_hold(struct th_batch *batch, struct th_context *context,
                        const struct th_support *support, int64_t rows,
                        struct th_error *err);

/* Set the weights of the rows, weight[rows], in the mean loss and in all sums.
 * Local. */
void th_batch_weigh(struct th_batch *batch, const double *weight);

/* Visit the blocks of a batch whose residuals are known. Local. */
th_status th_batch_blocks(struct th_batch *batch, struct th_context *context,
                          th_slab_visitor *visit, void *self,
                          struct th_error *err);

/* The slope of member k of the support, one of batch->mine: the mean of
 * residual times value over the batch. Local. */
double th_batch_slope(const struct th_batch *batch, int64_t k);

#endif
