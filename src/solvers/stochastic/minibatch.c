/* minibatch.c - the mini-batches of stochastic methods
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/minibatch.h"

#include "base/integer.h"
#include "base/memory.h"
#include "solvers/stochastic/stochastic.h"

#include <stdlib.h>

static const struct th_array arrays[] = {
    TH_ARRAY(struct th_minibatch, index),
    TH_ARRAY_OF(struct th_minibatch, held, 1, 1),
    TH_ARRAY(struct th_minibatch, row),
    TH_ARRAY(struct th_minibatch, prediction),
    TH_ARRAY(struct th_minibatch, anchored),
    TH_ARRAY(struct th_minibatch, theta),
    TH_ARRAY(struct th_minibatch, factor),
    TH_ARRAY_OF(struct th_minibatch, sums, 2, 1)};

th_status th_minibatch_init(struct th_minibatch *minibatch, int64_t rows,
                            struct th_error *err)
{
  return th_memory_arrays_reserve(TH_ARRAYS(minibatch, arrays),
                                  &minibatch->capacity, rows, "a mini-batch",
                                  err);
}

void th_minibatch_free(struct th_minibatch *minibatch)
{
  th_memory_arrays_free(TH_ARRAYS(minibatch, arrays));
}

void th_minibatch_release(struct th_stochastic *s, bool all)
{
  struct th_minibatch *minibatch = &s->minibatch;
  bool last = all || s->order.next >= s->order.unit.count;
  int64_t keep = minibatch->holds > 0 && !last ? 1 : 0;
  for (int64_t k = 0; k < minibatch->holds - keep; k++)
    th_row_caches_release(&s->caches, minibatch->held[k]);
  if (keep == 1)
    minibatch->held[0] = minibatch->held[minibatch->holds - 1];
  minibatch->holds = keep;
  minibatch->rows = 0;
}

/* Take the next row, and hold the row cache that it lies in. Local. */
static th_status next_batch_row(struct th_stochastic *s, int64_t r,
                                struct th_error *err)
{
  struct th_minibatch *minibatch = &s->minibatch;
  int64_t units = s->order.units;
  int64_t row = 0;
  bool more;
  th_status rc;
  TH_TRY(th_example_order_next(&s->order, &s->context->deal, &row, &more, err));
  if (s->order.units != units) {
    int64_t unit = th_row_caches_unit_of(&s->caches, row);
    minibatch->held[minibatch->holds++] = unit;
    TH_TRY(th_row_caches_draw(&s->caches, unit, err));
  }
  minibatch->index[r] = row;
  th_row_caches_row(&s->caches, row, &minibatch->row[r]);
done:
  return rc;
}

/* This rank's share of the predictions, at b and at the anchor. Local. */
static th_status predict_own(struct th_stochastic *s, struct th_error *err)
{
  struct th_minibatch *minibatch = &s->minibatch;
  bool anchored = s->screening->anchored;
  bool good = true;
  for (int64_t r = 0; r < minibatch->rows; r++) {
    const struct th_row *row = &minibatch->row[r];
    if (s->update->catch_up != NULL)
      s->update->catch_up(s, row);
    good &= th_row_product(row, th_coef_of(s), &s->places.cells,
                           &s->scaling.fixed, &minibatch->sums[r]);
    if (anchored)
      good &= th_row_product(row, th_stochastic_screening_field(s, 0),
                             &s->places.cells, &s->scaling.fixed,
                             &minibatch->sums[minibatch->rows + r]);
  }
  if (good)
    return TH_OK;
  return th_fail(err, TH_ENUMERIC,
                 "predictions have become too large; standardize, or take a "
                 "smaller step size");
}

static th_status observe_rows(struct th_stochastic *s, int64_t rows,
                              struct th_error *err)
{
  th_status rc = th_source_leave(s->context->source, err);
  for (int64_t r = 0; r < rows && rc == TH_OK; r++)
    rc = next_batch_row(s, r, err);
  if (rc == TH_OK)
    rc = th_coef_scale(s, err);
  if (rc == TH_OK)
    rc = predict_own(s, err);
  return rc;
}

/* Derive predictions and duals from the sums; replicated. */
static void derive_duals(struct th_stochastic *s)
{
  const struct th_loss *loss = s->context->loss;
  struct th_minibatch *minibatch = &s->minibatch;
  th_fixed_read(&s->scaling.fixed, s->intercept, minibatch->sums,
                minibatch->rows, minibatch->prediction);
  if (s->screening->anchored)
    th_fixed_read(&s->scaling.fixed, s->anchor_intercept,
                  minibatch->sums + minibatch->rows, minibatch->rows,
                  minibatch->anchored);
  for (int64_t r = 0; r < minibatch->rows; r++)
    minibatch->theta[r] =
        s->target[minibatch->index[r]]; /* target for now; becomes f' */
  th_loss_f_all(loss, minibatch->rows, minibatch->prediction, minibatch->theta,
                minibatch->factor);
  th_loss_df_all(loss, minibatch->rows, minibatch->prediction, minibatch->theta,
                 minibatch->theta);
  for (int64_t r = 0; r < minibatch->rows; r++) {
    double weight = s->eta[minibatch->index[r]] * (double)s->n;
    s->control.loss += weight * minibatch->factor[r];
    minibatch->factor[r] =
        weight * minibatch->theta[r] / (double)minibatch->rows;
  }
}

th_status th_minibatch_next(struct th_stochastic *s, bool *more,
                            struct th_error *err)
{
  struct th_minibatch *minibatch = &s->minibatch;
  int64_t left = th_example_order_left(&s->order, &s->context->deal);
  int64_t rows = th_min_i64(minibatch->capacity, left);
  int64_t sums = s->screening->anchored ? 2 * rows : rows;
  *more = rows > 0;
  if (!*more)
    return TH_OK;
  for (int64_t r = 0; r < sums; r++)
    minibatch->sums[r] = 0;
  minibatch->rows = rows;
  th_status rc = observe_rows(s, rows, err);
  if (s->context->comm->size > 1)
    rc = th_comm_sum_agree(s->context->comm, minibatch->sums, (size_t)sums, rc,
                           err);
  if (rc == TH_OK)
    derive_duals(s);
  return rc;
}
