/* batch.c - the rows of one update: observe, predict, residual, gradient
 * SPDX-License-Identifier: MIT */
#include "solvers/batch.h"

#include "core/fixed.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

void th_batch_free(struct th_batch *batch)
{
  th_pieces_free(&batch->pieces);
  free(batch->draw);
  free(batch->draw_row);
  free(batch->target);
  free(batch->weight);
  free(batch->prediction);
  free(batch->residual);
  free(batch->residual32);
  free(batch->weight32);
  free(batch->columns);
  free(batch->sums);
  *batch = (struct th_batch){0};
}

/* Grow one of several arrays that share a capacity. */
static th_status widen(void *data, int64_t old, int64_t wanted, size_t size,
                       struct th_error *err)
{
  int64_t capacity = old;
  return th_grow((void **)data, &capacity, wanted, size, "a mini-batch", err);
}

static th_status reserve_draws(struct th_batch *batch, int64_t draws,
                               struct th_error *err)
{
  int64_t old = batch->draw_capacity;
  th_status rc = TH_OK;
  if (draws <= old)
    return rc;
  TH_TRY(widen(&batch->draw, old, draws, sizeof *batch->draw, err));
  TH_TRY(widen(&batch->draw_row, old, draws + 1, sizeof *batch->draw_row, err));
  batch->draw_capacity = draws;
done:
  return rc;
}

static th_status reserve_rows(struct th_batch *batch, int64_t rows,
                              struct th_error *err)
{
  int64_t old = batch->row_capacity;
  th_status rc = TH_OK;
  if (rows <= old)
    return rc;
  TH_TRY(widen(&batch->target, old, rows, sizeof(double), err));
  TH_TRY(widen(&batch->weight, old, rows, sizeof(double), err));
  TH_TRY(widen(&batch->prediction, old, rows, sizeof(double), err));
  TH_TRY(widen(&batch->residual, old, rows, sizeof(double), err));
  TH_TRY(widen(&batch->residual32, old, rows, sizeof(float), err));
  TH_TRY(widen(&batch->weight32, old, rows, sizeof(float), err));
  TH_TRY(widen(&batch->sums, old, rows, sizeof(int64_t), err));
  batch->row_capacity = rows;
done:
  return rc;
}

/* Rows are taken draw by draw; where each draw's pieces begin is kept in
 * draw_row until the list of pieces no longer moves. */
static th_status take_rows(struct th_batch *batch, struct th_context *context,
                           int64_t consumer, int64_t rows, struct th_error *err)
{
  th_status rc = th_deal_begin(&context->deal, err);
  batch->pieces.count = 0;
  for (int64_t i = 0; i < batch->draws && rc == TH_OK; i++) {
    batch->draw_row[i] = batch->pieces.count;
    rc = th_deal_take(&context->deal, consumer + i, rows, &batch->pieces, err);
  }
  batch->draw_row[batch->draws] = batch->pieces.count;
  return rc;
}

/* Turn piece numbers into draws, and into row numbers. */
static void cut_draws(struct th_batch *batch, const struct th_blocks *blocks,
                      const struct th_support *support, bool validation)
{
  int64_t row = 0;
  for (int64_t i = 0; i < batch->draws; i++) {
    int64_t first = batch->draw_row[i];
    struct th_pieces rows = {.items = batch->pieces.items + first,
                             .count = batch->draw_row[i + 1] - first};
    batch->draw[i] = (struct th_draw){.rows = rows,
                                      .support = support->attribute,
                                      .support_size = support->size,
                                      .validation = validation};
    if (blocks != NULL)
      batch->draw[i].block =
          (struct th_range){blocks->edges[i], blocks->edges[i + 1]};
    batch->draw_row[i] = row;
    row += th_pieces_rows(&rows);
  }
  batch->draw_row[batch->draws] = row;
  batch->rows = row;
}

static th_status load_targets(struct th_batch *batch,
                              struct th_context *context, struct th_error *err)
{
  int64_t row = 0;
  th_status rc = TH_OK;
  batch->weight_sum = 0;
  for (int64_t k = 0; k < batch->pieces.count && rc == TH_OK; k++) {
    struct th_rows piece = batch->pieces.items[k];
    rc = th_context_targets(context, piece, batch->target + row,
                            batch->weight + row, err);
    row += piece.count;
  }
  for (int64_t i = 0; i < batch->rows; i++) {
    batch->weight_sum += batch->weight[i];
    batch->weight32[i] = (float)batch->weight[i];
  }
  return rc;
}

/* Local. */
static th_status declare(struct th_batch *batch, struct th_context *context,
                         struct th_error *err)
{
  th_status rc = reserve_rows(batch, batch->rows, err);
  for (int64_t i = 0; i < batch->draws && rc == TH_OK; i++)
    rc = th_source_draw(context->source, &batch->draw[i], err);
  if (rc == TH_OK)
    rc = load_targets(batch, context, err);
  return rc;
}

/* The store may read ahead in the order of th_batch_observe, which reads member
 * by member, and of th_batch_blocks. Local. */
static void announce(struct th_batch *batch, struct th_context *context,
                     const struct th_support *support)
{
  struct th_source *source = context->source;
  struct th_range mine = th_support_owned(support, context->owned);
  th_source_forget(source);
  for (int64_t k = mine.first; k < mine.last; k++)
    for (int64_t i = 0; i < batch->draws; i++)
      th_source_announce_support(source, &batch->draw[i],
                                 support->attribute[k]);
  for (int64_t i = 0; i < batch->draws; i++) {
    struct th_draw *draw = &batch->draw[i];
    th_source_announce_block(source, draw,
                             th_range_meet(draw->block, context->owned));
  }
}

/* Local. */
static th_status draw_local(struct th_batch *batch, struct th_context *context,
                            const struct th_blocks *blocks, int64_t consumer,
                            int64_t rows, const struct th_support *support,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  batch->draws = blocks == NULL ? 1 : blocks->count;
  TH_TRY(reserve_draws(batch, batch->draws, err));
  if (blocks != NULL)
    TH_TRY(th_deal_set_blocks(&context->deal, blocks->count, err));
  TH_TRY(take_rows(batch, context, consumer, rows, err));
  cut_draws(batch, blocks, support, false);
  TH_TRY(declare(batch, context, err));
  announce(batch, context, support);
done:
  return rc;
}

th_status th_batch_draw(struct th_batch *batch, struct th_context *context,
                        const struct th_blocks *blocks, int64_t consumer,
                        int64_t rows, const struct th_support *support,
                        bool *complete, struct th_error *err)
{
  int64_t draws = blocks == NULL ? 1 : blocks->count;
  *complete = rows > 0 && rows <= th_deal_left(&context->deal) / draws;
  if (!*complete)
    return TH_OK;
  th_status rc =
      draw_local(batch, context, blocks, consumer, rows, support, err);
  return th_agree(context->comm, rc, err);
}

th_status th_batch_validate(struct th_batch *batch, struct th_context *context,
                            const struct th_pieces *pieces,
                            const struct th_support *support,
                            struct th_error *err)
{
  th_status rc = reserve_draws(batch, 1, err);
  batch->pieces.count = 0;
  for (int64_t k = 0; k < pieces->count && rc == TH_OK; k++)
    rc = th_pieces_add(&batch->pieces, pieces->items[k], err);
  if (rc == TH_OK) {
    batch->draws = 1;
    batch->draw_row[0] = 0;
    batch->draw_row[1] = batch->pieces.count;
    cut_draws(batch, NULL, support, true);
    rc = declare(batch, context, err);
  }
  if (rc == TH_OK)
    announce(batch, context, support);
  return th_agree(context->comm, rc, err);
}

/* One member's values on all rows of all draws. Local. */
static th_status observe_member(struct th_batch *batch,
                                struct th_context *context,
                                const struct th_support *support, int64_t k,
                                double *column, struct th_error *err)
{
  struct th_slab slab;
  for (int64_t i = 0; i < batch->draws; i++)
    for (int64_t p = 0; p < batch->draw[i].rows.count; p++) {
      struct th_rows rows = batch->draw[i].rows.items[p];
      th_status rc = th_source_support(context->source, &batch->draw[i], rows,
                                       support->attribute[k], &slab, err);
      if (rc != TH_OK)
        return rc;
      th_kernel_column(&slab, support->centre[k], support->scale[k], column);
      column += rows.count;
    }
  return TH_OK;
}

/* Local. */
static th_status observe_local(struct th_batch *batch,
                               struct th_context *context,
                               const struct th_support *support,
                               struct th_error *err)
{
  batch->mine = th_support_owned(support, context->owned);
  int64_t count = batch->mine.last - batch->mine.first;
  th_status rc = th_grow((void **)&batch->columns, &batch->column_capacity,
                         count * batch->rows, sizeof *batch->columns,
                         "support attributes", err);
  for (int64_t k = 0; k < count && rc == TH_OK; k++)
    rc = observe_member(batch, context, support, batch->mine.first + k,
                        batch->columns + k * batch->rows, err);
  return rc;
}

th_status th_batch_observe(struct th_batch *batch, struct th_context *context,
                           const struct th_support *support,
                           struct th_error *err)
{
  th_profile_begin(context->profile);
  th_status rc = observe_local(batch, context, support, err);
  rc = th_agree(context->comm, rc, err);
  th_profile_end(context->profile, TH_PHASE_SUPPORT);
  return rc;
}

/* Every product is rounded by itself; the scale follows from a bound on the
 * whole sum that every rank knows. */
static th_status fixed_scale(const struct th_support *support,
                             struct th_fixed *fixed, struct th_error *err)
{
  double bound = 0;
  for (int64_t k = 0; k < support->size; k++)
    bound += fabs(support->coef[k]) * support->bound[k];
  if (!th_fixed_init(fixed, bound))
    return th_fail(err, TH_ENUMERIC,
                   "predictions may reach %g: out of range; standardize, or "
                   "take a smaller step size",
                   bound);
  return TH_OK;
}

/* This rank's share of the predictions. False: a value breaks its bound. */
static bool share_predictions(struct th_batch *batch,
                              const struct th_support *support,
                              const struct th_fixed *fixed)
{
  bool bad = false;
  for (int64_t i = 0; i < batch->rows; i++)
    batch->sums[i] = 0;
  for (int64_t k = batch->mine.first; k < batch->mine.last; k++) {
    const double *x = batch->columns + (k - batch->mine.first) * batch->rows;
    for (int64_t i = 0; i < batch->rows; i++) {
      int64_t term = th_fixed_from(fixed, support->coef[k] * x[i]);
      bad |= term == TH_FIXED_BAD;
      batch->sums[i] += bad ? 0 : term;
    }
  }
  return !bad;
}

static th_status check_share(bool good, struct th_error *err)
{
  if (good)
    return TH_OK;
  return th_fail(err, TH_ENUMERIC,
                 "a stored value lies outside of its attribute's recorded "
                 "range; check the data set with thresher inspect --check");
}

static void form_residuals(struct th_batch *batch, const struct th_loss *loss)
{
  double sum = 0;
  for (int64_t i = 0; i < batch->rows; i++) {
    double p = batch->prediction[i];
    double y = batch->target[i];
    batch->residual[i] = batch->weight[i] * loss->derivative(p, y);
    batch->residual32[i] = (float)batch->residual[i];
    sum += batch->weight[i] * loss->value(p, y);
  }
  batch->loss = batch->weight_sum > 0 ? sum / batch->weight_sum : 0;
}

th_status th_batch_residual(struct th_batch *batch, struct th_context *context,
                            const struct th_support *support,
                            const struct th_loss *loss, struct th_error *err)
{
  struct th_fixed fixed;
  th_status rc = fixed_scale(support, &fixed, err);
  if (rc != TH_OK)
    return rc; /* the same on every rank: coefficients are replicated */
  th_profile_begin(context->profile);
  rc = check_share(share_predictions(batch, support, &fixed), err);
  rc = th_agree(context->comm, rc, err);
  if (rc == TH_OK) {
    context->comm->ops->sum_i64(context->comm, batch->sums,
                                (size_t)batch->rows);
    for (int64_t i = 0; i < batch->rows; i++)
      batch->prediction[i] =
          support->intercept + th_fixed_to(&fixed, batch->sums[i]);
    form_residuals(batch, loss);
  }
  th_profile_end(context->profile, TH_PHASE_PREDICT);
  return rc;
}

/* The slabs of one draw's block on one piece of rows. Local. */
static th_status visit_piece(const struct th_batch *batch,
                             struct th_context *context,
                             const struct th_draw *draw, struct th_rows rows,
                             int64_t row, th_slab_visitor *visit, void *self,
                             struct th_error *err)
{
  struct th_range rest = th_range_meet(draw->block, context->owned);
  struct th_multiplier multiplier = {
      batch->residual + row, batch->residual32 + row, batch->weight + row,
      batch->weight32 + row};
  while (rest.first < rest.last) {
    struct th_slab slab;
    th_status rc =
        th_source_block(context->source, draw, rows, rest, &slab, err);
    if (rc != TH_OK)
      return rc;
    visit(self, &slab, &multiplier, rest.first - context->owned.first);
    rest.first = slab.attributes.last;
  }
  return TH_OK;
}

th_status th_batch_blocks(struct th_batch *batch, struct th_context *context,
                          th_slab_visitor *visit, void *self,
                          struct th_error *err)
{
  for (int64_t i = 0; i < batch->draws; i++) {
    const struct th_draw *draw = &batch->draw[i];
    int64_t row = batch->draw_row[i];
    for (int64_t p = 0; p < draw->rows.count; p++) {
      th_status rc = visit_piece(batch, context, draw, draw->rows.items[p], row,
                                 visit, self, err);
      if (rc != TH_OK)
        return rc;
      row += draw->rows.items[p].count;
    }
  }
  return TH_OK;
}
