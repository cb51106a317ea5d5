/* whole_rows.c - a mini-batch of whole examples: their predictions, and sums
 * over them
 * SPDX-License-Identifier: MIT */
#include "solvers/access/whole_rows.h"

#include "base/integer.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void th_whole_rows_free(struct th_whole_rows *whole)
{
  th_row_caches_free(&whole->caches);
  th_active_free(&whole->active);
  th_example_order_free(&whole->order);
  TH_FREE(whole->edge, whole->row, whole->held, whole->sum, whole->factor,
          whole->shift);
}

/* Local. */
static th_status reserve(struct th_whole_rows *whole,
                         struct th_context *context, int64_t rows,
                         struct th_error *err)
{
  int64_t places = whole->active.count;
  const char *what = "a mini-batch";
  th_status rc;
  TH_TRY(th_row_caches_init(&whole->caches, context, &whole->active,
                            context->config->row_cache_memory, err));
  TH_TRY(th_example_order_init(&whole->order, context->deal.plan.unit, err));
  TH_TRY(TH_NEW(&whole->row, rows, what, err));
  TH_TRY(TH_NEW(&whole->factor, rows, what, err));
  TH_TRY(TH_NEW(&whole->held, rows + 1, what, err));
  TH_TRY(TH_NEW(&whole->sum, rows + 1, what, err));
  TH_TRY(TH_NEW(&whole->edge, places + 1, what, err));
  for (int64_t place = 0; place < places; whole->cells.count++) {
    place = th_active_cell_end(&whole->active, place);
    whole->edge[whole->cells.count + 1] = place;
  }
  whole->cells.edge = whole->edge;
  whole->cells.attribute = whole->active.attribute;
done:
  return rc;
}

/* Row caches of sparse data hold values that are not centred. Collective. */
static th_status find_shift(struct th_whole_rows *whole,
                            struct th_context *context, struct th_error *err)
{
  const struct th_active *active = &whole->active;
  whole->stretch = 1;
  if (!whole->caches.sparse || !context->centred)
    return TH_OK;
  th_status rc = TH_NEW(&whole->shift, active->count, "a mini-batch", err);
  rc = th_agree(context->comm, rc, err);
  for (int64_t p = 0; p < active->count && rc == TH_OK; p++) {
    whole->shift[p] = active->centre[p] * active->scale[p];
    if (active->bound[p] > 0)
      whole->stretch =
          fmax(whole->stretch, 1 + fabs(whole->shift[p]) / active->bound[p]);
  }
  context->comm->ops->max_f64(context->comm, &whole->stretch, 1);
  return rc;
}

th_status th_whole_rows_init(struct th_whole_rows *whole,
                             struct th_context *context, int64_t rows,
                             struct th_error *err)
{
  th_status rc = th_active_init(&whole->active, context, 0, err);
  if (rc != TH_OK)
    return rc;
  rc = th_agree(context->comm, reserve(whole, context, rows, err), err);
  return rc == TH_OK ? find_shift(whole, context, err) : rc;
}

bool th_whole_rows_begin(struct th_whole_rows *whole,
                         const struct th_context *context, int64_t room)
{
  int64_t left = th_example_order_left(&whole->order, &context->deal);
  whole->rows = th_min_i64(room, left);
  return whole->rows > 0;
}

/* Take the next row, and hold the row cache that it lies in. Local. */
static th_status next_whole_row(struct th_whole_rows *whole,
                                struct th_context *context, int64_t r,
                                struct th_error *err)
{
  int64_t units = whole->order.units;
  bool more;
  th_status rc = th_example_order_next(&whole->order, &context->deal,
                                       &whole->row[r], &more, err);
  if (rc != TH_OK || whole->order.units == units)
    return rc;
  int64_t unit = th_row_caches_unit_of(&whole->caches, whole->row[r]);
  whole->held[whole->holds++] = unit;
  return th_row_caches_draw(&whole->caches, unit, err);
}

/* What is subtracted from every example, as an example. */
static struct th_row shift_of(const struct th_whole_rows *whole)
{
  return (struct th_row){
      .type = TH_F64, .count = whole->active.count, .values = whole->shift};
}

/* Rows of the mini-batch, and this rank's share of their predictions. Local. */
static th_status look(struct th_whole_rows *whole, struct th_context *context,
                      const double *coef, struct th_error *err)
{
  struct th_row values = shift_of(whole);
  int64_t shift = 0;
  bool good =
      whole->shift == NULL ||
      th_row_product(&values, coef, &whole->cells, &whole->fixed, &shift);
  for (int64_t r = 0; r < whole->rows; r++) {
    th_status rc = next_whole_row(whole, context, r, err);
    if (rc != TH_OK)
      return rc;
  }
  for (int64_t r = 0; r < whole->rows; r++) {
    th_row_caches_row(&whole->caches, whole->row[r], &values);
    good &= th_row_product(&values, coef, &whole->cells, &whole->fixed,
                           &whole->sum[r]);
    whole->sum[r] -= shift;
  }
  return good ? TH_OK
              : th_fail(err, TH_ENUMERIC, "predictions have become too large");
}

th_status th_whole_rows_predict(struct th_whole_rows *whole,
                                struct th_context *context, const double *coef,
                                double bound, struct th_error *err)
{
  memset(whole->sum, 0, (size_t)whole->rows * sizeof *whole->sum);
  if (!th_fixed_init(&whole->fixed, bound * whole->stretch * TH_FIXED_SLACK))
    return th_fail(err, TH_ENUMERIC, "predictions can become too large");
  th_status rc = look(whole, context, coef, err);
  return th_comm_sum_agree(context->comm, whole->sum, (size_t)whole->rows, rc,
                           err);
}

double th_whole_rows_prediction(const struct th_whole_rows *whole, int64_t r)
{
  return th_fixed_to(&whole->fixed, whole->sum[r]);
}

void th_whole_rows_add(const struct th_whole_rows *whole, double *v)
{
  struct th_row values;
  double all = 0;
  for (int64_t r = 0; r < whole->rows; r++) {
    th_row_caches_row(&whole->caches, whole->row[r], &values);
    th_row_add(&values, whole->factor[r], v);
    all += whole->factor[r];
  }
  values = shift_of(whole);
  if (whole->shift != NULL)
    th_row_add(&values, -all, v);
}

/* All but the row cache of a unit that is not used up. */
void th_whole_rows_release(struct th_whole_rows *whole)
{
  bool last = whole->order.next >= whole->order.unit.count;
  int64_t keep = last ? 0 : th_min_i64(whole->holds, 1);
  for (int64_t k = 0; k < whole->holds - keep; k++)
    th_row_caches_release(&whole->caches, whole->held[k]);
  if (keep == 1)
    whole->held[0] = whole->held[whole->holds - 1];
  whole->holds = keep;
}

void th_whole_rows_describe(struct th_whole_rows *whole, struct th_state *state)
{
  th_example_order_describe(&whole->order, state);
}

th_status th_whole_rows_resume(struct th_whole_rows *whole,
                               struct th_error *err)
{
  if (whole->order.next >= whole->order.unit.count)
    return TH_OK;
  int64_t unit = th_row_caches_unit_of(&whole->caches, whole->order.unit.first);
  whole->held[whole->holds++] = unit;
  return th_row_caches_draw(&whole->caches, unit, err);
}
