/* batch_draw.c - the rows of one update: draws them and reads their targets
 * SPDX-License-Identifier: MIT */
#include "core/partition.h"
#include "solvers/data/batch_parts.h"

#include "core/memory.h"

#include <stdlib.h>

static const struct th_array by_draw[] = {
    TH_ARRAY(struct th_batch, draw),
    TH_ARRAY_OF(struct th_batch, draw_row, 1, 1)};

static const struct th_array by_row[] = {
    TH_ARRAY(struct th_batch, target),
    TH_ARRAY(struct th_batch, weight),
    TH_ARRAY(struct th_batch, prediction),
    TH_ARRAY(struct th_batch, residual),
    TH_ARRAY(struct th_batch, residual32),
    TH_ARRAY(struct th_batch, weight32),
    TH_ARRAY_OF(struct th_batch, sums, 1, TH_MOST_SLICES)};

void th_batch_free(struct th_batch *batch)
{
  th_deal_pieces_free(&batch->pieces);
  th_memory_arrays_free(TH_ARRAYS(batch, by_draw));
  th_memory_arrays_free(TH_ARRAYS(batch, by_row));
  free(batch->columns);
  *batch = (struct th_batch){0};
}

static th_status reserve_draws(struct th_batch *batch, int64_t draws,
                               struct th_error *err)
{
  return th_memory_arrays_reserve(TH_ARRAYS(batch, by_draw),
                                  &batch->draw_capacity, draws, "a mini-batch",
                                  err);
}

static th_status reserve_rows(struct th_batch *batch, int64_t rows,
                              struct th_error *err)
{
  return th_memory_arrays_reserve(TH_ARRAYS(batch, by_row),
                                  &batch->row_capacity, rows, "a mini-batch",
                                  err);
}

/* A quarter more than is wanted, as batches grow a little at a time. */
static int64_t with_slack(int64_t count)
{
  return count + count / 4;
}

/* Reserve room for `draws` draws of `all` rows, and set the batch to these; to
 * no rows when there is no room. Collective: an agreement if the room has to
 * grow, which is the same on every rank. */
static th_status reserve(struct th_batch *batch, struct th_comm *comm,
                         int64_t draws, int64_t all, struct th_error *err)
{
  th_status rc = TH_OK;
  if (draws > batch->draw_capacity || all > batch->row_capacity) {
    if (draws > batch->draw_capacity)
      rc = reserve_draws(batch, with_slack(draws), err);
    if (rc == TH_OK && all > batch->row_capacity)
      rc = reserve_rows(batch, with_slack(all), err);
    rc = th_agree(comm, rc, err);
  }
  batch->draws = rc == TH_OK ? draws : 0;
  batch->rows = rc == TH_OK ? all : 0;
  return rc;
}

static int64_t count_draws(const struct th_batch_request *request)
{
  if (request->parts != NULL)
    return request->parts->count + (request->parts->active_rows > 0);
  return request->blocks == NULL ? 1 : request->blocks->count;
}

/* Is draw i that of the active attributes? */
static bool is_active(const struct th_batch_request *request, int64_t i)
{
  return request->parts != NULL && i == request->parts->count;
}

static int64_t rows_of(const struct th_batch_request *request, int64_t i)
{
  if (request->parts == NULL)
    return request->rows;
  return is_active(request, i) ? request->parts->active_rows
                               : request->parts->rows[i];
}

static int64_t consumer_of(const struct th_batch_request *request, int64_t i)
{
  if (request->parts == NULL)
    return request->consumer + i;
  return request->consumer + (is_active(request, i)
                                  ? request->parts->active_consumer
                                  : request->parts->consumer[i]);
}

static int64_t all_rows(const struct th_batch_request *request)
{
  int64_t rows = 0;
  for (int64_t i = 0; i < count_draws(request); i++)
    rows += rows_of(request, i);
  return rows;
}

/* Are there so many rows? */
static bool are_left(const struct th_context *context,
                     const struct th_batch_request *request)
{
  int64_t left = th_deal_left(&context->deal);
  if (request->parts == NULL)
    return request->rows > 0 && request->rows <= left / count_draws(request);
  if (request->parts->latin != NULL)
    left = th_latin_left(request->parts->latin);
  int64_t rows = all_rows(request);
  return rows > 0 && rows <= left;
}

/* Add the rows of draw i to the batch's pieces. */
static th_status take_draw(struct th_batch *batch, struct th_context *context,
                           const struct th_batch_request *request, int64_t i,
                           struct th_error *err)
{
  const struct th_parts *parts = request->parts;
  int64_t rows = rows_of(request, i);
  if (parts == NULL || parts->latin == NULL)
    return th_deal_take(&context->deal, consumer_of(request, i), rows,
                        &batch->pieces, err);
  if (is_active(request, i))
    return th_latin_take_any(parts->latin, rows, &batch->pieces, err);
  return th_latin_take(parts->latin, parts->consumer[i], rows, &batch->pieces,
                       err);
}

/* Take the rows draw by draw. draw_row holds where each draw's pieces begin
 * until the list of pieces is complete. */
static th_status take_rows(struct th_batch *batch, struct th_context *context,
                           const struct th_batch_request *request,
                           struct th_error *err)
{
  th_status rc = th_deal_begin(&context->deal, err);
  batch->pieces.count = 0;
  for (int64_t i = 0; i < batch->draws && rc == TH_OK; i++) {
    batch->draw_row[i] = batch->pieces.count;
    rc = take_draw(batch, context, request, i, err);
  }
  batch->draw_row[batch->draws] = batch->pieces.count;
  return rc;
}

static struct th_range block_of(const struct th_batch_request *request,
                                int64_t i)
{
  if (request->parts != NULL)
    return is_active(request, i) ? (struct th_range){0, 0}
                                 : request->parts->block[i];
  const struct th_blocks *blocks = request->blocks;
  return blocks == NULL
             ? (struct th_range){0, 0}
             : (struct th_range){blocks->edges[i], blocks->edges[i + 1]};
}

/* Turn piece numbers into draws, and into row numbers. */
static void cut_draws(struct th_batch *batch,
                      const struct th_batch_request *request, bool validation)
{
  int64_t row = 0;
  for (int64_t i = 0; i < batch->draws; i++) {
    int64_t first = batch->draw_row[i];
    struct th_pieces rows = {.items = batch->pieces.items + first,
                             .count = batch->draw_row[i + 1] - first};
    batch->draw[i] = (struct th_draw){.rows = rows,
                                      .block = block_of(request, i),
                                      .support = request->support->attribute,
                                      .support_size = request->support->size,
                                      .validation = validation,
                                      .active = is_active(request, i)};
    batch->draw_row[i] = row;
    row += th_deal_pieces_rows(&rows);
  }
  batch->draw_row[batch->draws] = row;
}

/* The numbers of rows alone, for a rank that failed: sums have the same length
 * on every rank. */
static void number_rows(struct th_batch *batch,
                        const struct th_batch_request *request)
{
  int64_t row = 0;
  for (int64_t i = 0; i < batch->draws; i++) {
    batch->draw_row[i] = row;
    row += rows_of(request, i);
  }
  batch->draw_row[batch->draws] = row;
}

void th_batch_weigh(struct th_batch *batch, const double *weight)
{
  batch->weight_sum = 0;
  for (int64_t i = 0; i < batch->rows; i++) {
    batch->weight[i] = weight[i];
    batch->weight_sum += weight[i];
    batch->weight32[i] = (float)weight[i];
  }
}

static th_status load_targets(struct th_batch *batch,
                              struct th_context *context, struct th_error *err)
{
  th_status rc = th_context_piece_targets(context, &batch->pieces,
                                          batch->target, batch->weight, err);
  for (int64_t i = 0; i < batch->rows; i++)
    batch->target[i] -= batch->target_centre;
  th_batch_weigh(batch, batch->weight);
  return rc;
}

static th_status declare(struct th_batch *batch, struct th_context *context,
                         struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t i = 0; i < batch->draws && rc == TH_OK; i++)
    rc = th_source_draw(context->source, &batch->draw[i], err);
  if (rc == TH_OK)
    rc = load_targets(batch, context, err);
  return rc;
}

/* Local. */
static th_status take(struct th_batch *batch, struct th_context *context,
                      const struct th_batch_request *request,
                      struct th_error *err)
{
  th_status rc = TH_OK;
  if (request->parts != NULL)
    TH_TRY(th_deal_set_blocks(&context->deal, request->parts->consumers, err));
  else if (request->blocks != NULL)
    TH_TRY(th_deal_set_blocks(&context->deal, request->blocks->count, err));
  TH_TRY(take_rows(batch, context, request, err));
  cut_draws(batch, request, false);
  TH_TRY(declare(batch, context, err));
  TH_TRY(th_batch_columns(batch, context, request->support, err));
done:
  if (rc != TH_OK)
    number_rows(batch, request);
  return rc;
}

th_status th_batch_take(struct th_batch *batch, struct th_context *context,
                        const struct th_batch_request *request, bool *complete,
                        struct th_error *err)
{
  int64_t draws = count_draws(request);
  *complete = are_left(context, request);
  if (!*complete)
    return TH_OK;
  th_profile_begin(context->profile);
  th_status rc = reserve(batch, context->comm, draws, all_rows(request), err);
  *complete = rc == TH_OK;
  if (rc == TH_OK)
    rc = take(batch, context, request, err);
  th_profile_end(context->profile, TH_PHASE_DRAW);
  return rc;
}

th_status th_batch_hold(struct th_batch *batch, struct th_context *context,
                        const struct th_support *support, int64_t rows,
                        struct th_error *err)
{
  th_status rc = reserve(batch, context->comm, 1, rows, err);
  if (rc != TH_OK)
    return rc;
  batch->pieces.count = 0;
  batch->draw[0] = (struct th_draw){.support = support->attribute,
                                    .support_size = support->size};
  batch->draw_row[0] = 0;
  batch->draw_row[1] = rows;
  return th_agree(context->comm, th_batch_columns(batch, context, support, err),
                  err);
}

/* Local. */
static th_status take_units(struct th_batch *batch, struct th_context *context,
                            struct th_range units,
                            const struct th_batch_request *request,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  batch->pieces.count = 0;
  for (int64_t k = units.first; k < units.last; k++)
    TH_TRY(th_deal_pieces_add(&batch->pieces,
                              th_deal_validation_unit(&context->deal, k), err));
  batch->draw_row[0] = 0;
  batch->draw_row[1] = batch->pieces.count;
  cut_draws(batch, request, true);
  TH_TRY(declare(batch, context, err));
  TH_TRY(th_batch_columns(batch, context, request->support, err));
done:
  if (rc != TH_OK)
    number_rows(batch, request);
  return rc;
}

th_status th_batch_take_units(struct th_batch *batch,
                              struct th_context *context, struct th_range units,
                              const struct th_support *support,
                              struct th_error *err)
{
  int64_t rows = 0;
  for (int64_t k = units.first; k < units.last; k++)
    rows += th_deal_validation_unit(&context->deal, k).count;
  th_profile_begin(context->profile);
  th_status rc = reserve(batch, context->comm, 1, rows, err);
  if (rc == TH_OK)
    rc = take_units(
        batch, context, units,
        &(struct th_batch_request){.support = support, .rows = rows}, err);
  th_profile_end(context->profile, TH_PHASE_DRAW);
  return rc;
}
