/* batch.c - the rows of one update: reading support attributes and blocks
 * SPDX-License-Identifier: MIT */
#include "solvers/data/batch.h"

#include "core/integer.h"
#include "core/memory.h"
#include "solvers/data/batch_parts.h"

/* Entries of sparse rows are scattered over the attributes. The data of so many
 * attributes stay in the processor's cache from one piece of rows to the next.
 * Strips end at multiples of it, as the units of computed data do. */
enum { SPARSE_STRIP = 1 << 15 };

/* One member's values on all rows of some draws. Local. */
static th_status observe_member(struct th_batch *batch,
                                struct th_context *context,
                                const struct th_support *support, int64_t k,
                                struct th_range draws, double *column,
                                struct th_error *err)
{
  struct th_slab slab;
  for (int64_t i = draws.first; i < draws.last; i++)
    for (int64_t p = 0; p < batch->draw[i].rows.count; p++) {
      struct th_rows rows = batch->draw[i].rows.items[p];
      th_status rc = th_source_support(context->source, &batch->draw[i], rows,
                                       support->attribute[k], &slab, err);
      if (rc != TH_OK)
        return rc;
      th_kernel_column(&slab, support->centre[k], support->scale[k], column);
      column += rows.count;
    }
  context->comm->ops->sum_progress(context->comm);
  return TH_OK;
}

th_status th_batch_columns(struct th_batch *batch,
                           const struct th_context *context,
                           const struct th_support *support,
                           struct th_error *err)
{
  batch->mine = th_support_owned(support, context->owned);
  int64_t count = batch->mine.last - batch->mine.first;
  return TH_GROW(&batch->columns, &batch->column_capacity, count * batch->rows,
                 "support attributes", err);
}

th_status th_batch_observe_draws(struct th_batch *batch,
                                 struct th_context *context,
                                 const struct th_support *support,
                                 struct th_range draws, struct th_error *err)
{
  int64_t count = batch->mine.last - batch->mine.first;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < count && rc == TH_OK; k++)
    rc = observe_member(
        batch, context, support, batch->mine.first + k, draws,
        batch->columns + k * batch->rows + batch->draw_row[draws.first], err);
  return rc;
}

void th_batch_announce(struct th_batch *batch, struct th_context *context,
                       const struct th_support *support, struct th_range draws)
{
  for (int64_t k = batch->mine.first; k < batch->mine.last; k++)
    for (int64_t i = draws.first; i < draws.last; i++)
      th_source_announce_support(context->source, &batch->draw[i],
                                 support->attribute[k]);
}

void th_batch_announce_blocks(struct th_batch *batch,
                              struct th_context *context, struct th_range draws)
{
  for (int64_t i = draws.first; i < draws.last; i++) {
    const struct th_draw *draw = &batch->draw[i];
    if (draw->active)
      th_source_announce_active(context->source, draw);
    else
      th_source_announce_block(context->source, draw,
                               th_range_intersect(draw->block, context->owned));
  }
}

th_status th_batch_observe(struct th_batch *batch, struct th_context *context,
                           const struct th_batch_request *request,
                           bool *complete, struct th_error *err)
{
  th_status rc = th_batch_take(batch, context, request, complete, err);
  if (!*complete)
    return rc;
  struct th_range all = {0, batch->draws};
  th_profile_begin(context->profile);
  th_source_forget(context->source);
  if (rc == TH_OK) {
    th_batch_announce(batch, context, request->support, all);
    rc = th_batch_observe_draws(batch, context, request->support, all, err);
  }
  rc = th_agree(context->comm, rc, err);
  th_profile_end(context->profile, TH_PHASE_SUPPORT);
  return rc;
}

/* The visitor, and the batch and request that it is called for. */
struct visit {
  const struct th_batch *batch;
  struct th_context *context;
  th_slab_visitor *visitor;
  void *self;
};

/* Visit the slabs of some attributes on one piece of rows. Local. */
static th_status visit_piece(const struct visit *v, const struct th_draw *draw,
                             struct th_rows rows, int64_t row,
                             struct th_range rest, struct th_error *err)
{
  const struct th_batch *batch = v->batch;
  struct th_context *context = v->context;
  struct th_row_weights multiplier = {
      batch->residual + row, batch->residual32 + row, batch->weight + row,
      batch->weight32 + row};
  while (rest.first < rest.last) {
    struct th_slab slab;
    th_status rc =
        th_source_block(context->source, draw, rows, rest, &slab, err);
    if (rc != TH_OK)
      return rc;
    v->visitor(v->self, &slab, &multiplier, rest.first - context->owned.first);
    context->comm->ops->sum_progress(context->comm);
    rest.first = slab.attributes.last;
  }
  return TH_OK;
}

/* Visit this rank's active attributes on all rows of a draw. Local. */
static th_status visit_active(const struct visit *v, int64_t i,
                              struct th_error *err)
{
  const struct th_batch *batch = v->batch;
  struct th_source *source = v->context->source;
  const struct th_draw *draw = &batch->draw[i];
  int64_t row = batch->draw_row[i];
  for (int64_t p = 0; p < draw->rows.count; p++) {
    struct th_rows rows = draw->rows.items[p];
    struct th_row_weights multiplier = {
        batch->residual + row, batch->residual32 + row, batch->weight + row,
        batch->weight32 + row};
    struct th_slab slab;
    int64_t count = th_source_active_count(source);
    for (int64_t place = 0; place < count;
         place += slab.attributes.last - slab.attributes.first) {
      th_status rc = th_source_active(source, draw, rows, place, &slab, err);
      if (rc != TH_OK)
        return rc;
      v->visitor(v->self, &slab, &multiplier,
                 slab.attributes.first - v->context->owned.first);
      v->context->comm->ops->sum_progress(v->context->comm);
    }
    row += rows.count;
  }
  return TH_OK;
}

/* Visit some attributes on all rows of a draw. Local. */
static th_status visit_strip(const struct visit *v, int64_t i,
                             struct th_range strip, struct th_error *err)
{
  const struct th_draw *draw = &v->batch->draw[i];
  int64_t row = v->batch->draw_row[i];
  th_status rc = TH_OK;
  for (int64_t p = 0; p < draw->rows.count && rc == TH_OK; p++) {
    rc = visit_piece(v, draw, draw->rows.items[p], row, strip, err);
    row += draw->rows.items[p].count;
  }
  return rc;
}

static int64_t strip_end(int64_t attribute)
{
  return (attribute / SPARSE_STRIP + 1) * SPARSE_STRIP;
}

th_status th_batch_visit(struct th_batch *batch, struct th_context *context,
                         struct th_range draws, th_slab_visitor *visit,
                         void *self, struct th_error *err)
{
  const struct visit v = {batch, context, visit, self};
  bool sparse = th_source_shape(context->source)->layout == TH_SPARSE;
  th_status rc = TH_OK;
  for (int64_t i = draws.first; i < draws.last && rc == TH_OK; i++) {
    struct th_range rest =
        th_range_intersect(batch->draw[i].block, context->owned);
    if (batch->draw[i].active)
      rc = visit_active(&v, i, err);
    while (rest.first < rest.last && rc == TH_OK) {
      struct th_range strip = rest;
      if (sparse)
        strip.last = th_min_i64(rest.last, strip_end(rest.first));
      rc = visit_strip(&v, i, strip, err);
      rest.first = strip.last;
    }
  }
  return rc;
}

th_status th_batch_blocks(struct th_batch *batch, struct th_context *context,
                          th_slab_visitor *visit, void *self,
                          struct th_error *err)
{
  struct th_range all = {0, batch->draws};
  return th_batch_visit(batch, context, all, visit, self, err);
}

double th_batch_slope(const struct th_batch *batch, int64_t k)
{
  const double *x = batch->columns + (k - batch->mine.first) * batch->rows;
  double sum = 0;
  for (int64_t i = 0; i < batch->rows; i++)
    sum += batch->residual[i] * x[i];
  return sum / batch->weight_sum;
}
