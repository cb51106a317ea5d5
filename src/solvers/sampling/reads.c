/* reads.c - a mini-batch: fresh examples, and what is read of each
 * SPDX-License-Identifier: MIT */
#include "solvers/sampling/reads.h"

#include "base/integer.h"
#include "base/memory.h"
#include "ranks/partition.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 8 }; /* slots, that memory is asked for */

/* What is less likely is not divided by: a draw of it counts as 0. */
static const double unlikely = 1e-12;

static const struct th_array by_slot[] = {
    TH_ARRAY(struct th_reads, cell),
    TH_ARRAY(struct th_reads, number),
    TH_ARRAY(struct th_reads, slot),
    TH_ARRAY(struct th_reads, attribute),
    TH_ARRAY(struct th_reads, value),
    TH_ARRAY_OF(struct th_reads, message, 1, 2)};

th_status th_reads_init(struct th_reads *reads, int64_t rows, int64_t points,
                        int64_t inners, struct th_error *err)
{
  const char *what = "a mini-batch";
  th_status rc;
  *reads = (struct th_reads){
      .capacity = rows, .points = points, .most_inners = inners};
  TH_TRY(TH_NEW(&reads->residual, rows, what, err));
  TH_TRY(th_memory_arrays_reserve(TH_ARRAYS(reads, by_slot),
                                  &reads->slot_capacity,
                                  rows * (points + inners), what, err));
done:
  return rc;
}

void th_reads_free(struct th_reads *reads)
{
  free(reads->residual);
  th_deal_pieces_free(&reads->pieces);
  th_memory_arrays_free(TH_ARRAYS(reads, by_slot));
}

/* Draw the cells of all slots; those of this rank are listed. */
static void draw_cells(struct th_reads *reads, const struct th_draws *draws,
                       struct th_range cells, int64_t example)
{
  int64_t slots = reads->points + reads->inners;
  reads->count = 0;
  for (int64_t k = 0; k < reads->rows * slots; k++) {
    bool inner = k % slots >= reads->points;
    int32_t cell = th_draws_cell(draws, inner, example + k / slots, k % slots,
                                 &reads->number[k]);
    reads->cell[k] = cell;
    if (cell < cells.first || cell >= cells.last)
      continue;
    reads->slot[reads->count++] = k;
  }
}

static void draw_attributes(struct th_reads *reads,
                            const struct th_draws *draws)
{
  for (int64_t k = 0; k < reads->count; k++) {
    int64_t slot = reads->slot[k];
    if (k + AHEAD < reads->count) {
      int64_t later = reads->slot[k + AHEAD];
      th_draws_prefetch(draws, !th_reads_is_point(reads, k + AHEAD),
                        reads->cell[later], reads->number[later]);
    }
    reads->attribute[k] =
        draws->first + th_draws_attribute(draws, !th_reads_is_point(reads, k),
                                          reads->cell[slot],
                                          reads->number[slot]);
  }
}

/* The slots of this rank, as solvers see their values. */
static th_status read_slots(struct th_reads *reads, struct th_context *context,
                            struct th_error *err)
{
  struct th_slots slots = {reads->count, reads->slot, reads->attribute};
  th_status rc =
      th_source_slots(context->source, &reads->draw, &slots, reads->value, err);
  for (int64_t k = 0; k < reads->count && rc == TH_OK; k++) {
    int64_t a = reads->attribute[k] - context->owned.first;
    reads->value[k] =
        (reads->value[k] - context->centre[a]) * context->scale[a];
  }
  return rc;
}

th_status th_reads_draw(struct th_reads *reads, struct th_context *context,
                        struct th_example_order *order,
                        const struct th_draws *draws, int64_t example,
                        bool *more, struct th_error *err)
{
  int64_t left = th_example_order_left(order, &context->deal);
  th_status rc;
  reads->rows = th_min_i64(reads->capacity, left);
  reads->inners = th_draws_total(draws) > 0 ? reads->most_inners : 0;
  *more = reads->rows > 0;
  if (!*more)
    return TH_OK;
  TH_TRY(th_example_order_rows(order, &context->deal, reads->rows,
                               &reads->pieces, err));
  draw_cells(reads, draws, draws->cells, example);
  reads->draw = (struct th_draw){.rows = reads->pieces,
                                 .slots = reads->points + reads->inners,
                                 .cell = reads->cell};
  TH_TRY(th_source_draw(context->source, &reads->draw, err));
  draw_attributes(reads, draws);
  TH_TRY(read_slots(reads, context, err));
done:
  return rc;
}

/* w_j x_j / (p_j kphi) for the slots of inner products. Local. */
static void inner_terms(struct th_reads *reads, const struct th_draws *draws,
                        const struct th_iterate *w)
{
  double total = th_draws_total(draws);
  for (int64_t k = 0; k < reads->count; k++) {
    int64_t a = reads->attribute[k] - draws->first;
    if (th_reads_is_point(reads, k))
      continue;
    double chance = draws->mass.level[0][a] / total;
    double term = th_iterate_coef(w, a) * reads->value[k] /
                  (chance * (double)reads->inners);
    int64_t place = th_reads_row(reads, k) * reads->inners +
                    reads->slot[k] % reads->draw.slots - reads->points;
    if (chance >= unlikely)
      memcpy(&reads->message[place], &term, sizeof term);
  }
}

/* Residuals from the terms of all ranks. Local, replicated. */
static void add_up(struct th_reads *reads, const struct th_all_targets *targets)
{
  reads->loss = 0;
  for (int64_t i = 0; i < reads->rows; i++) {
    int64_t row = reads->pieces.items[i].first;
    double residual = -targets->target[row];
    for (int64_t r = 0; r < reads->inners; r++) {
      double term;
      memcpy(&term, &reads->message[i * reads->inners + r], sizeof term);
      residual += term;
    }
    reads->residual[i] = targets->weight[row] * residual;
    reads->loss += targets->weight[row] * residual * residual / 2;
  }
  reads->loss /= (double)reads->rows;
}

th_status th_reads_residuals(struct th_reads *reads, struct th_context *context,
                             const struct th_draws *draws,
                             const struct th_iterate *w,
                             const struct th_all_targets *targets,
                             th_status taken, struct th_error *err)
{
  int64_t terms = reads->rows * reads->inners;
  memset(reads->message, 0, (size_t)(terms + 1) * sizeof *reads->message);
  if (taken == TH_OK)
    inner_terms(reads, draws, w);
  reads->message[terms] = th_source_unsettled(context->source);
  th_status rc = th_comm_sum_agree(context->comm, reads->message,
                                   (size_t)terms + 1, taken, err);
  if (rc != TH_OK)
    return rc;
  th_source_settle(context->source, reads->message[terms]);
  add_up(reads, targets);
  return TH_OK;
}
