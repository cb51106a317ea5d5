/* batch.h - the rows of one update: observe, predict, residual, gradient
 *
 * DESIGN: each block J_i draws its own rows; of them only J_i and S are read,
 * every rank reading the attributes it owns. Predictions cross the ranks in one
 * order-independent sum.
 * SPDX-License-Identifier: MIT */
#ifndef TH_BATCH_H
#define TH_BATCH_H

#include "math/kernels.h"
#include "solvers/context.h"
#include "solvers/support.h"

#include <stdint.h>

/* Reused from update to update; nothing is allocated once it has its size.
 * Everything but columns is replicated. */
struct th_batch {
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
  double loss;          /* weighted mean over the rows */
  struct th_range mine; /* members of S that this rank owns */
  double *columns;      /* mine x rows: scaled values, member-major */
  int64_t *sums;        /* rows: predictions in fixed point */
  int64_t draw_capacity;
  int64_t row_capacity;
  int64_t column_capacity;
};

void th_batch_free(struct th_batch *batch);

/* Draw `rows` rows for each block, or for Exploitation alone where blocks is
 * NULL; declare to the source that J_i and the support are observed. The
 * deal is left as it is and *complete is false when not enough rows are left in
 * all passes. Collective. TH_EBUDGET when |J_i u S| exceeds the budget. */
th_status th_batch_draw(struct th_batch *batch, struct th_context *context,
                        const struct th_blocks *blocks, int64_t consumer,
                        int64_t rows, const struct th_support *support,
                        bool *complete, struct th_error *err);

/* The same for given rows, all in one draw for validation. Collective. */
th_status th_batch_validate(struct th_batch *batch, struct th_context *context,
                            const struct th_pieces *pieces,
                            const struct th_support *support,
                            struct th_error *err);

/* Read the support's values on all rows; each rank its own. Collective. */
th_status th_batch_observe(struct th_batch *batch, struct th_context *context,
                           const struct th_support *support,
                           struct th_error *err);

/* prediction = intercept + sum over S of coef x, for every row, summed over
 * ranks in fixed point; then residuals and the mean loss under `loss`.
 * Collective. */
th_status th_batch_residual(struct th_batch *batch, struct th_context *context,
                            const struct th_support *support,
                            const struct th_loss *loss, struct th_error *err);

/* What th_batch_blocks hands out: sums over one draw's rows in one slab;
 * offset: place of the slab's first attribute among the owned. */
typedef void th_slab_visitor(void *self, const struct th_slab *slab,
                             const struct th_multiplier *multiplier,
                             int64_t offset);

/* Read every draw's block, as far as this rank owns it, and hand its slabs with
 * the rows' residuals to the visitor, in a fixed order. Local. */
th_status th_batch_blocks(struct th_batch *batch, struct th_context *context,
                          th_slab_visitor *visit, void *self,
                          struct th_error *err);

#endif
