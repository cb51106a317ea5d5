/* batch.c - the rows of one update: observe, predict, residual, gradient
 * SPDX-License-Identifier: MIT */
#include "solvers/access/batch.h"

#include "base/integer.h"
#include "base/memory.h"
#include "ranks/fixed.h"
#include "ranks/partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TH_MOST_SLICES = 8 }; /* into which the sum of predictions is cut */

static th_status batch_take(struct th_batch *batch, struct th_context *context,
                            const struct th_batch_request *request,
                            bool *complete, struct th_error *err);

/* Entries of sparse rows are scattered over the attributes. The data of so many
 * attributes stay in the processor's cache from one piece of rows to the next.
 * Strips end at multiples of it, as the units of computed data do. */
enum { SPARSE_STRIP = 1 << 15 };

struct th_range th_batch_members(const struct th_batch *batch,
                                 const struct th_context *context,
                                 const struct th_support *support, int rank)
{
  const struct th_shape *shape = th_source_shape(context->source);
  int size = context->comm->size;
  if (batch->dealt && shape->layout == TH_DENSE && !shape->computed)
    return th_range_part(support->size, rank, size);
  return th_support_owned(support,
                          th_source_owned(context->source, rank, size));
}

/* Room for the values of this rank's members of S, of at most so many at a
 * time. Local. */
static th_status batch_columns(struct th_batch *batch,
                               const struct th_context *context,
                               const struct th_support *support, int64_t most,
                               struct th_error *err)
{
  batch->mine = th_batch_members(batch, context, support, context->comm->rank);
  int64_t count = th_min_i64(th_range_count(batch->mine), most);
  return TH_GROW(&batch->columns, &batch->column_capacity, count * batch->rows,
                 "support attributes", err);
}

/* Reads this rank's members of S. Local. */
static struct th_support_reads reads_of(const struct th_batch *batch,
                                        struct th_context *context,
                                        th_support_taker *take, void *self)
{
  return (struct th_support_reads){.context = context,
                                   .members = batch->mine,
                                   .draw = batch->draw,
                                   .draw_row = batch->draw_row,
                                   .take = take,
                                   .self = self};
}

/* Keeps values, scaled. */
struct keeper {
  const struct th_batch *batch;
  const struct th_support *support;
};

static void keep_slab(void *self, int64_t k, int64_t row,
                      const struct th_slab *slab)
{
  const struct keeper *keeper = self;
  const struct th_batch *batch = keeper->batch;
  int64_t at = row + (k - batch->mine.first) * batch->rows;
  th_kernel_columns(slab, keeper->support->centre + k,
                    keeper->support->scale + k, batch->columns + at,
                    batch->rows);
}

/* Read this rank's values on the rows of some draws. Local. */
static th_status observe_draws(struct th_batch *batch,
                               struct th_context *context,
                               const struct th_support *support,
                               struct th_range draws, struct th_error *err)
{
  struct keeper keeper = {batch, support};
  const struct th_support_reads reads =
      reads_of(batch, context, keep_slab, &keeper);
  return th_support_read(&reads, draws, err);
}

/* Tell the store what is going to be read next, so that it may read ahead. The
 * first function announces the support's values on the rows of some draws, in
 * the order of observe_draws. The second announces their blocks, in
 * the order of batch_visit. Local. */
static void batch_announce(struct th_batch *batch, struct th_context *context,
                           struct th_range draws)
{
  const struct th_support_reads reads = reads_of(batch, context, NULL, NULL);
  th_support_announce(&reads, draws);
}

static void announce_blocks(struct th_batch *batch, struct th_context *context,
                            struct th_range draws)
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
  th_status rc = batch_take(batch, context, request, complete, err);
  if (!*complete)
    return rc;
  struct th_range all = {0, batch->draws};
  th_comm_profile_begin(context->profile);
  th_source_forget(context->source);
  if (rc == TH_OK) {
    batch_announce(batch, context, all);
    rc = observe_draws(batch, context, request->support, all, err);
  }
  rc = th_agree(context->comm, rc, err);
  th_comm_profile_end(context->profile, TH_PHASE_SUPPORT);
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
         place += th_range_count(slab.attributes)) {
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

/* Visit the blocks of some draws. Local. */
static th_status batch_visit(struct th_batch *batch, struct th_context *context,
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
  return batch_visit(batch, context, all, visit, self, err);
}

double th_batch_slope(const struct th_batch *batch, int64_t k)
{
  const double *x = batch->columns + (k - batch->mine.first) * batch->rows;
  double sum = 0;
  for (int64_t i = 0; i < batch->rows; i++)
    sum += batch->residual[i] * x[i];
  return sum / batch->weight_sum;
}

/* --- The rows of one update: draws them and reads their targets ----------- */

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

static int64_t all_rows(const struct th_batch_request *request)
{
  int64_t rows = 0;
  for (int64_t i = 0; i < request->draws; i++)
    rows += request->draw[i].rows;
  return rows;
}

/* Are there so many rows? Their sum may be too large for an integer. */
static bool are_left(const struct th_context *context,
                     const struct th_batch_request *request)
{
  int64_t all = request->latin != NULL ? th_latin_left(request->latin)
                                       : th_deal_left(&context->deal);
  int64_t left = all;
  for (int64_t i = 0; i < request->draws; i++) {
    if (request->draw[i].rows > left)
      return false;
    left -= request->draw[i].rows;
  }
  return left < all;
}

/* Add the rows of a draw to the batch's pieces. */
static th_status take_draw(struct th_batch *batch, struct th_context *context,
                           struct th_latin *latin,
                           const struct th_batch_draw *draw,
                           struct th_error *err)
{
  if (latin == NULL)
    return th_deal_rows(&context->deal, draw->consumer, draw->rows,
                        &batch->pieces, err);
  if (draw->active)
    return th_latin_any_rows(latin, draw->rows, &batch->pieces, err);
  return th_latin_rows(latin, draw->consumer, draw->rows, &batch->pieces, err);
}

/* Take the rows draw by draw. draw_row holds where each draw's pieces begin
 * until the list of pieces is complete. */
static th_status deal_rows(struct th_batch *batch, struct th_context *context,
                           const struct th_batch_request *request,
                           struct th_error *err)
{
  th_status rc = th_deal_begin(&context->deal, err);
  batch->pieces.count = 0;
  for (int64_t i = 0; i < batch->draws && rc == TH_OK; i++) {
    batch->draw_row[i] = batch->pieces.count;
    rc = take_draw(batch, context, request->latin, &request->draw[i], err);
  }
  batch->draw_row[batch->draws] = batch->pieces.count;
  return rc;
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
                                      .block = request->draw[i].block,
                                      .support = request->support->attribute,
                                      .support_size = request->support->size,
                                      .validation = validation,
                                      .active = request->draw[i].active};
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
    row += request->draw[i].rows;
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

static th_status declare_draws(struct th_batch *batch,
                               struct th_context *context, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t i = 0; i < batch->draws && rc == TH_OK; i++)
    rc = th_source_draw(context->source, &batch->draw[i], err);
  return rc == TH_OK ? load_targets(batch, context, err) : rc;
}

/* Local. */
static th_status draw_batch(struct th_batch *batch, struct th_context *context,
                            const struct th_batch_request *request,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  if (request->blocks > 0)
    TH_TRY(th_deal_set_blocks(&context->deal, request->blocks, err));
  TH_TRY(deal_rows(batch, context, request, err));
  cut_draws(batch, request, false);
  TH_TRY(declare_draws(batch, context, err));
  TH_TRY(batch_columns(batch, context, request->support, INT64_MAX, err));
done:
  if (rc != TH_OK)
    number_rows(batch, request);
  return rc;
}

/* Draw and declare the rows of a request, load their targets, and make room for
 * the support's values. *complete and the batch are replicated. If *complete is
 * true, the status is this rank's own. Collective: an agreement if room has to
 * grow, else no communication. */
static th_status batch_take(struct th_batch *batch, struct th_context *context,
                            const struct th_batch_request *request,
                            bool *complete, struct th_error *err)
{
  *complete = are_left(context, request);
  if (!*complete)
    return TH_OK;
  th_comm_profile_begin(context->profile);
  th_status rc =
      reserve(batch, context->comm, request->draws, all_rows(request), err);
  *complete = rc == TH_OK;
  if (rc == TH_OK)
    rc = draw_batch(batch, context, request, err);
  th_comm_profile_end(context->profile, TH_PHASE_DRAW);
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
  return th_agree(context->comm,
                  batch_columns(batch, context, support, INT64_MAX, err), err);
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
  TH_TRY(declare_draws(batch, context, err));
  TH_TRY(
      batch_columns(batch, context, request->support, TH_SUPPORT_AT_ONCE, err));
done:
  if (rc != TH_OK)
    number_rows(batch, request);
  return rc;
}

/* As batch_take, for held-out units first .. last - 1, in one draw; no rows
 * when there is no room for them. Collective, likewise. */
static th_status batch_take_units(struct th_batch *batch,
                                  struct th_context *context,
                                  struct th_range units,
                                  const struct th_support *support,
                                  struct th_error *err)
{
  int64_t rows = 0;
  for (int64_t k = units.first; k < units.last; k++)
    rows += th_deal_validation_unit(&context->deal, k).count;
  th_comm_profile_begin(context->profile);
  th_status rc = reserve(batch, context->comm, 1, rows, err);
  if (rc == TH_OK)
    rc = take_units(batch, context, units,
                    &(struct th_batch_request){
                        .draw = &(struct th_batch_draw){.rows = rows},
                        .draws = 1,
                        .support = support},
                    err);
  th_comm_profile_end(context->profile, TH_PHASE_DRAW);
  return rc;
}

/* --- The rows of one update: predictions and residuals
 *
 * An update waits longest for the sum of predictions over the ranks. Here this
 * sum overlaps with reading and with the gradient. */

/* Fewer rows are not worth a sum of their own, as a non-blocking sum takes some
 * 0.1 ms more than a blocking one (thresher bench). */
enum { SLICE_ROWS = 8192 };

/* The pipeline of a batch's predictions. Slice t holds the draws t * draws ..
 * (t + 1) * draws - 1, and a flag follows its sums. */
struct pipeline {
  struct th_batch *batch;
  struct th_context *context;
  const struct th_batch_request *request;
  bool observe; /* the support's values have still to be read */
  bool passes;  /* they are added while they are read, and not kept */
  int64_t slices;
  int64_t draws; /* of a slice, but for the last */
  struct th_fixed fixed;
  double loss;  /* weighted sum over the rows so far */
  th_status rc; /* this rank's status so far */
};

/* Every product is rounded by itself. The scale follows from a bound on the
 * whole sum, which every rank knows. */
static th_status fixed_scale(const struct th_support *support,
                             struct th_fixed *fixed, struct th_error *err)
{
  double bound = 0;
  for (int64_t k = 0; k < support->size; k++)
    bound += fabs(support->coef[k]) * support->bound[k];
  if (!th_fixed_init(fixed, bound))
    return th_fail(
        err, TH_ENUMERIC,
        "predictions may reach %g, which is too large; standardize, or "
        "take a smaller step size",
        bound);
  return TH_OK;
}

/* Draws of slice t. */
static struct th_range slice_draws(const struct pipeline *f, int64_t t)
{
  int64_t all = f->batch->draws;
  return (struct th_range){th_min_i64(t * f->draws, all),
                           th_min_i64((t + 1) * f->draws, all)};
}

static struct th_range slice_rows(const struct pipeline *f, int64_t t)
{
  struct th_range draws = slice_draws(f, t);
  const int64_t *row = f->batch->draw_row;
  return (struct th_range){row[draws.first], row[draws.last]};
}

static int64_t *slice_sums(const struct pipeline *f, int64_t t)
{
  return f->batch->sums + slice_rows(f, t).first + t;
}

/* Add the values that were read to the predictions of a slice. False: one is
 * out of its bounds. Local. */
static bool add_kept_columns(const struct pipeline *f, struct th_range rows,
                             int64_t *sums)
{
  const struct th_batch *batch = f->batch;
  bool good = true;
  for (int64_t k = batch->mine.first; k < batch->mine.last; k++) {
    const double *x = batch->columns + (k - batch->mine.first) * batch->rows;
    double coef = f->request->support->coef[k];
    if (coef != 0)
      good &= th_fixed_add(&f->fixed, coef, x + rows.first,
                           th_range_count(rows), sums);
  }
  return good;
}

/* What member k's zeros add to a prediction. */
static int64_t zero_of(const struct pipeline *f, int64_t k)
{
  const struct th_support *s = f->request->support;
  return th_fixed_from(&f->fixed, s->coef[k] * (-s->centre[k] * s->scale[k]));
}

/* What the zeros of all members add, to every row of a slice. Local. */
static bool add_all_zeros(const struct pipeline *f, int64_t count,
                          int64_t *sums)
{
  uint64_t all = 0; /* sums may be beyond an integer until entries are in */
  bool good = true;
  for (int64_t k = f->batch->mine.first; k < f->batch->mine.last; k++) {
    int64_t zero = zero_of(f, k);
    good &= zero != TH_FIXED_BAD;
    all += (uint64_t)zero;
  }
  for (int64_t i = 0; i < count; i++)
    sums[i] = (int64_t)all;
  return good;
}

/* Adds up a slice's predictions from values that are not kept: supports of all
 * attributes have too many. */
struct adder {
  const struct pipeline *f;
  int64_t first; /* row of the slice */
  int64_t *sums;
  bool good; /* none is out of its bounds */
};

/* What the entries of member k add beyond its zeros. Local. */
static void add_member_entries(struct adder *a, int64_t k,
                               const struct th_slab *slab, int64_t *sums)
{
  const struct th_support *s = a->f->request->support;
  uint64_t zero = (uint64_t)zero_of(a->f, k);
  for (int64_t run = 0; run < slab->runs; run++) {
    struct th_range entries = th_slab_entries(slab, run);
    for (int64_t e = entries.first; e < entries.last; e++) {
      double x = th_type_load(slab->type, slab->values, e);
      int64_t *sum = &sums[slab->row_in_group[e] - slab->row];
      int64_t term = th_fixed_from(
          &a->f->fixed, s->coef[k] * ((x - s->centre[k]) * s->scale[k]));
      a->good &= term != TH_FIXED_BAD;
      *sum = (int64_t)((uint64_t)*sum + (uint64_t)term - zero);
    }
  }
}

static void add_read_slab(void *self, int64_t k, int64_t row,
                          const struct th_slab *slab)
{
  struct adder *a = self;
  const struct th_support *s = a->f->request->support;
  double *column = a->f->batch->columns;
  int64_t *sums = a->sums + row - a->first;
  if (slab->layout == TH_SPARSE) {
    add_member_entries(a, k, slab, sums);
    return;
  }
  th_kernel_columns(slab, s->centre + k, s->scale + k, column, slab->rows);
  for (int64_t j = k; j < k + th_range_count(slab->attributes); j++) {
    if (s->coef[j] != 0)
      a->good &=
          th_fixed_add(&a->f->fixed, s->coef[j], column, slab->rows, sums);
    column += slab->rows;
  }
}

/* Local. */
static th_status pass_slice(struct pipeline *f, int64_t t, int64_t *sums,
                            bool *good, struct th_error *err)
{
  struct adder a = {f, slice_rows(f, t).first, sums, true};
  const struct th_support_reads reads =
      reads_of(f->batch, f->context, add_read_slab, &a);
  if (th_source_shape(f->context->source)->layout == TH_SPARSE)
    a.good = add_all_zeros(f, th_range_count(slice_rows(f, t)), sums);
  th_status rc = th_support_read(&reads, slice_draws(f, t), err);
  *good = a.good;
  return rc;
}

/* This rank's share of the predictions of a slice. Local. */
static th_status share_slice(struct pipeline *f, int64_t t,
                             struct th_error *err)
{
  struct th_range rows = slice_rows(f, t);
  int64_t *sums = slice_sums(f, t);
  bool good = true;
  th_status rc = TH_OK;
  memset(sums, 0, (size_t)th_range_count(rows) * sizeof *sums);
  if (f->passes)
    rc = pass_slice(f, t, sums, &good, err);
  else
    good = add_kept_columns(f, rows, sums);
  if (good || rc != TH_OK)
    return rc;
  return th_fail(err, TH_ENUMERIC,
                 "a stored value lies outside of its attribute's recorded "
                 "range; check the data set with thresher inspect --check");
}

/* Local. */
static void observe_slice(struct pipeline *f, int64_t t, struct th_error *err)
{
  if (f->rc != TH_OK || !f->observe || f->passes)
    return;
  th_comm_profile_begin(f->context->profile);
  f->rc = observe_draws(f->batch, f->context, f->request->support,
                        slice_draws(f, t), err);
  th_comm_profile_end(f->context->profile, TH_PHASE_SUPPORT);
}

/* Local. */
static void form_residuals(struct pipeline *f, int64_t t)
{
  struct th_batch *batch = f->batch;
  const struct th_loss *loss = f->request->loss;
  struct th_range rows = slice_rows(f, t);
  const int64_t count = th_range_count(rows);
  double *residual = batch->residual + rows.first;
  double *prediction = batch->prediction + rows.first;
  const double *target = batch->target + rows.first;
  th_fixed_read(&f->fixed, f->request->support->intercept, slice_sums(f, t),
                count, prediction);
  th_loss_values(loss, count, prediction, target, residual);
  for (int64_t i = rows.first; i < rows.last; i++)
    f->loss += batch->weight[i] * batch->residual[i];
  th_loss_derivatives(loss, count, prediction, target, residual);
  for (int64_t i = rows.first; i < rows.last; i++) {
    batch->residual[i] *= batch->weight[i];
    batch->residual32[i] = (float)batch->residual[i];
  }
}

/* Visit the blocks of a slice whose residuals are known. Local. */
static void visit_slice(struct pipeline *f, int64_t t, struct th_error *err)
{
  struct th_batch *batch = f->batch;
  if (f->request->visit == NULL || batch->visited != TH_OK)
    return;
  th_comm_profile_begin(f->context->profile);
  batch->visited = batch_visit(batch, f->context, slice_draws(f, t),
                               f->request->visit, f->request->self, err);
  th_comm_profile_end(f->context->profile, TH_PHASE_GRADIENT);
}

static size_t slice_size(const struct pipeline *f, int64_t t)
{
  struct th_range rows = slice_rows(f, t);
  return (size_t)th_range_count(rows);
}

/* End the sum of slice t - 1 and begin that of slice t. A single slice is
 * summed by one blocking call. Collective. */
static th_status sum_slices(struct pipeline *f, int64_t t, struct th_error *err)
{
  struct th_comm *comm = f->context->comm;
  th_status rc = TH_OK;
  if (t < f->slices && f->rc == TH_OK)
    f->rc = share_slice(f, t, err);
  if (t > 0 && f->slices == 1)
    rc =
        th_comm_sum_agree(comm, slice_sums(f, 0), slice_size(f, 0), f->rc, err);
  else if (t > 0)
    rc = th_comm_sum_agree_finish(comm, slice_sums(f, t - 1),
                                  slice_size(f, t - 1), f->rc, err);
  if (rc != TH_OK)
    return rc;
  if (t < f->slices && f->slices > 1)
    th_comm_sum_agree_start(comm, slice_sums(f, t), slice_size(f, t), f->rc);
  if (t > 0)
    form_residuals(f, t - 1);
  return TH_OK;
}

static void cut_slices(struct pipeline *f)
{
  const struct th_batch *batch = f->batch;
  int64_t wanted = th_min_i64(batch->rows / SLICE_ROWS, TH_MOST_SLICES);
  f->draws = th_integer_ceil_divide(batch->draws, wanted > 1 ? wanted : 1);
  f->slices = th_integer_ceil_divide(batch->draws, f->draws);
}

/* Announce all reads, in the order of run_pipeline(). Local. */
static void announce(struct pipeline *f)
{
  struct th_batch *batch = f->batch;
  const struct th_batch_request *request = f->request;
  struct th_range all = {0, batch->draws};
  th_source_forget(f->context->source);
  for (int64_t t = 0; t <= f->slices; t++) {
    if (t < f->slices)
      batch_announce(batch, f->context, slice_draws(f, t));
    if (t > 0 && request->visit != NULL)
      announce_blocks(batch, f->context, slice_draws(f, t - 1));
  }
  if (request->visit == NULL) /* the caller may visit them later */
    announce_blocks(batch, f->context, all);
}

/* While slice t is summed, slice t + 1 is read and the blocks of slice t - 1
 * are visited. Collective. */
static th_status run_pipeline(struct pipeline *f, struct th_error *err)
{
  struct th_batch *batch = f->batch;
  th_status rc = fixed_scale(f->request->support, &f->fixed, err);
  if (rc != TH_OK)
    return rc; /* the same on every rank: coefficients are replicated */
  cut_slices(f);
  if (f->observe && f->rc == TH_OK)
    announce(f);
  batch->visited = TH_OK;
  for (int64_t t = 0; t <= f->slices; t++) {
    if (t < f->slices)
      observe_slice(f, t, err);
    th_comm_profile_begin(f->context->profile);
    rc = sum_slices(f, t, err);
    th_comm_profile_end(f->context->profile, TH_PHASE_PREDICT);
    if (rc != TH_OK)
      return rc;
    if (t > 0)
      visit_slice(f, t - 1, err);
  }
  batch->loss = batch->weight_sum > 0 ? f->loss / batch->weight_sum : 0;
  return TH_OK;
}

th_status th_batch_evaluate(struct th_batch *batch, struct th_context *context,
                            const struct th_batch_request *request,
                            bool *complete, struct th_error *err)
{
  struct pipeline f = {
      .batch = batch, .context = context, .request = request, .observe = true};
  f.rc = batch_take(batch, context, request, complete, err);
  return *complete ? run_pipeline(&f, err) : f.rc;
}

th_status th_batch_validate(struct th_batch *batch, struct th_context *context,
                            struct th_range units,
                            const struct th_support *support,
                            struct th_error *err)
{
  const struct th_batch_request request = {.support = support,
                                           .loss = context->loss};
  struct pipeline f = {.batch = batch,
                       .context = context,
                       .request = &request,
                       .observe = true,
                       .passes = true};
  f.rc = batch_take_units(batch, context, units, support, err);
  if (batch->rows == 0) /* some rank had no room for them */
    return f.rc;
  return run_pipeline(&f, err);
}

th_status th_batch_residual(struct th_batch *batch, struct th_context *context,
                            const struct th_support *support,
                            const struct th_loss *loss, struct th_error *err)
{
  const struct th_batch_request request = {.support = support, .loss = loss};
  struct pipeline f = {.batch = batch, .context = context, .request = &request};
  return run_pipeline(&f, err);
}
