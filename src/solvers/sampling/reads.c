/* reads.c - a mini-batch: fresh examples, and what is read of each
 * SPDX-License-Identifier: MIT */
#include "solvers/sampling/reads.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/discrete.h"
#include "ranks/partition.h"
#include "solvers/access/context.h"
#include "solvers/sampling/learning.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- Which attributes of an example are read ------------------------------ */

/* A draw has two levels. Every rank draws the cell, and the cell's owner draws
 * the attribute within it. Both use numbers named by the example and the slot,
 * so draws do not depend on the number of ranks. Attributes of a data point are
 * drawn by q, from alias tables that stay for a phase; attributes of an inner
 * product by p, from sums that follow the iterate. */

enum {
  CELL_LEVELS = 2, /* of sums within a cell: TH_CELL = TH_SUM_FAN^2 */
  NUMBERS = 6      /* of 8 bytes for an attribute, besides sums */
};
_Static_assert(TH_CELL == TH_SUM_FAN * TH_SUM_FAN, "tops of sums are cells");

int64_t th_reads_draws_bytes(void)
{
  return (NUMBERS + 2) * (int64_t)sizeof(double);
}

th_status th_reads_draws_init(struct th_draws *draws,
                              const struct th_context *context,
                              struct th_error *err)
{
  int64_t count = th_range_count(context->owned);
  int64_t cells = th_learning_cells_count(context);
  const char *what = "draws of attributes";
  th_status rc;
  *draws = (struct th_draws){.seed = context->config->seed,
                             .cells = th_learning_cells_owned(context),
                             .first = context->owned.first,
                             .cell = {.count = cells}};
  TH_TRY(TH_NEW(&draws->cell.place, cells, what, err));
  TH_TRY(TH_NEW(&draws->work, cells, what, err));
  TH_TRY(TH_NEW(&draws->places, th_max_i64(cells, TH_CELL), what, err));
  TH_TRY(TH_NEW(&draws->place, count, what, err));
  TH_TRY(TH_NEW(&draws->odds, count, what, err));
  TH_TRY(TH_NEW(&draws->root, count, what, err));
  TH_TRY(TH_NEW(&draws->weight, count, what, err));
  TH_TRY(th_discrete_init(&draws->mass, count, CELL_LEVELS, err));
  TH_TRY(th_discrete_init(&draws->all, cells, TH_SUM_LEVELS - 1, err));
done:
  return rc;
}

void th_reads_draws_free(struct th_draws *draws)
{
  TH_FREE(draws->cell.place, draws->work, draws->places, draws->place,
          draws->odds, draws->root, draws->weight);
  th_discrete_free(&draws->mass);
  th_discrete_free(&draws->all);
}

/* The table of a cell, whose first attribute is at `place`. */
static struct th_alias table_at(const struct th_draws *draws, int64_t place)
{
  int64_t rest = draws->mass.leaves - place;
  return (struct th_alias){.count = th_min_i64(rest, TH_CELL),
                           .place = draws->place + place};
}

th_status th_reads_draws_set(struct th_draws *draws,
                             const struct th_context *context,
                             struct th_error *err)
{
  int64_t count = th_range_count(context->owned);
  double sum = th_learning_cells_sum(context, draws->weight, draws->work);
  if (!(sum > 0 && isfinite(sum)))
    return th_fail(
        err, TH_EDATA,
        "the second moments of the attributes add up to %g, so "
        "that none can be drawn by them; {moments} uniform needs none",
        sum);
  th_discrete_alias_build(&draws->cell, draws->work, draws->places);
  for (int64_t place = 0; place < count; place += TH_CELL) {
    struct th_alias table = table_at(draws, place);
    if (draws->work[draws->cells.first + place / TH_CELL] > 0)
      th_discrete_alias_build(&table, draws->weight + place, draws->places);
  }
  for (int64_t a = 0; a < count; a++)
    draws->odds[a] =
        (struct th_draws_odds){draws->weight[a] / sum, draws->root[a]};
  return TH_OK;
}

static double mass_of(const struct th_draws *draws, int64_t a, double u)
{
  return draws->plain != NULL ? draws->plain(u) : fabs(u) * draws->odds[a].root;
}

void th_reads_draws_weigh(struct th_draws *draws, int64_t a, double u)
{
  draws->mass.level[0][a] = mass_of(draws, a, u);
  th_discrete_update(&draws->mass, a);
}

void th_reads_draws_weigh_all(struct th_draws *draws,
                              const struct th_context *context,
                              const struct th_iterate *w)
{
  for (int64_t a = 0; a < draws->mass.leaves; a++)
    draws->mass.level[0][a] = mass_of(draws, a, w->at[a].u);
  th_discrete_refresh(&draws->mass);
  th_learning_cells_share(context, &draws->mass, &draws->all);
}

/* The cell of a slot of an example, by q or by p, and the number that draws the
 * attribute within it. Local, replicated. */
static int32_t draws_cell(const struct th_draws *draws, bool inner,
                          int64_t example, int64_t slot, double *number)
{
  struct th_stream stream = {draws->seed, TH_PURPOSE_SLOT};
  double pair[2];
  th_random_uniform(stream, (uint64_t)example, (uint64_t)slot, pair);
  *number = pair[1];
  return (int32_t)(inner ? th_discrete_draw(&draws->all, 0, pair[0])
                         : th_discrete_alias_draw(&draws->cell, pair[0]));
}

/* Bring near what draws_attribute is going to need. Local. */
static void draws_prefetch(const struct th_draws *draws, bool inner,
                           int32_t cell, double number)
{
  int64_t first = (cell - draws->cells.first) * TH_CELL;
  if (inner && draws->mass.levels > 0) {
    const double *top = draws->mass.level[1] + first / TH_SUM_FAN;
    __builtin_prefetch(top);
    __builtin_prefetch(top + TH_SUM_FAN / 2);
    return;
  }
  struct th_alias table = table_at(draws, first);
  __builtin_prefetch(&table.place[th_discrete_alias_place(&table, number)]);
}

/* The place of the attribute that the number draws in a cell of this rank.
 * Local. */
static int64_t draws_attribute(const struct th_draws *draws, bool inner,
                               int32_t cell, double number)
{
  int64_t mine = cell - draws->cells.first;
  if (inner)
    return th_discrete_draw(&draws->mass, mine, number);
  struct th_alias table = table_at(draws, mine * TH_CELL);
  return mine * TH_CELL + th_discrete_alias_draw(&table, number);
}

/* The mass that p gives to all attributes; 0: there is nothing to draw. Local,
 * replicated. */
static double draws_total(const struct th_draws *draws)
{
  return th_discrete_top(&draws->all, 0);
}

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
    int32_t cell = draws_cell(draws, inner, example + k / slots, k % slots,
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
      draws_prefetch(draws, !th_reads_is_point(reads, k + AHEAD),
                     reads->cell[later], reads->number[later]);
    }
    reads->attribute[k] =
        draws->first + draws_attribute(draws, !th_reads_is_point(reads, k),
                                       reads->cell[slot], reads->number[slot]);
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
  reads->inners = draws_total(draws) > 0 ? reads->most_inners : 0;
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
  double total = draws_total(draws);
  for (int64_t k = 0; k < reads->count; k++) {
    int64_t a = reads->attribute[k] - draws->first;
    if (th_reads_is_point(reads, k))
      continue;
    double chance = draws->mass.level[0][a] / total;
    double term = th_learning_iterate_coef(w, a) * reads->value[k] /
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
