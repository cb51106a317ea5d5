/* sampling_learn.c - the step of an update: gradient, step size, projection
 *
 * Only attributes that were read are looked at, by their owners, in the order
 * of their slots. Sums over attributes are formed cell by cell.
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "core/partition.h"
#include "solvers/sampling/sampling.h"

#include <math.h>

enum { AHEAD = 8 }; /* attributes, that memory is asked for */

th_status th_sampling_touched_init(struct th_touched *t,
                                   const struct th_context *context,
                                   int64_t slots, struct th_error *err)
{
  int64_t count = context->owned.last - context->owned.first;
  int64_t cells = th_cells_count(context);
  const char *what = "a mini-batch";
  th_status rc;
  TH_TRY(TH_NEW(&t->at, count, what, err));
  TH_TRY(TH_NEW(&t->place, slots, what, err));
  TH_TRY(TH_NEW(&t->cell_stamp, cells, what, err));
  TH_TRY(TH_NEW(&t->cell_place, cells, what, err));
  TH_TRY(TH_NEW(&t->cell, slots, what, err));
  TH_TRY(TH_NEW(&t->number, 2 * slots, what, err));
done:
  return rc;
}

void th_sampling_touched_free(struct th_touched *t)
{
  TH_FREE(t->at, t->place, t->cell_stamp, t->cell_place, t->cell, t->number);
}

/* The cells in which a data point was read. Replicated. */
static void list_cells(struct th_sampling *s)
{
  struct th_touched *t = &s->touched;
  const struct th_reads *reads = &s->reads;
  t->cells = 0;
  for (int64_t i = 0; i < reads->rows; i++)
    for (int64_t r = 0; r < reads->points; r++) {
      int32_t cell = reads->cell[i * reads->draw.slots + r];
      if (t->cell_stamp[cell] == s->updates)
        continue;
      t->cell_stamp[cell] = s->updates;
      t->cell_place[cell] = (int32_t)t->cells;
      t->cell[t->cells++] = cell;
    }
}

/* Bring near what is going to be needed of an attribute. */
static void near_gradient(const struct th_sampling *s, int64_t a)
{
  __builtin_prefetch(&s->touched.at[a], 1);
  __builtin_prefetch(&s->draws.odds[a]);
}

static void near_move(const struct th_sampling *s, int64_t a)
{
  th_iterate_near(&s->learning.w, a);
  th_sum_tree_near(&s->draws.mass, a);
}

/* g = (1/B) sum of phi x / (kx q) e, over the slots of data points. */
void th_sampling_gradient(struct th_sampling *s)
{
  struct th_touched *t = &s->touched;
  const struct th_reads *reads = &s->reads;
  double each = 1 / ((double)reads->rows * (double)reads->points);
  t->count = 0;
  for (int64_t k = 0; k < reads->count; k++) {
    int64_t a = reads->attribute[k] - s->draws.first;
    if (k + AHEAD < reads->count)
      near_gradient(s, reads->attribute[k + AHEAD] - s->draws.first);
    if (!th_reads_is_point(reads, k))
      continue;
    if (t->at[a].stamp != s->updates) {
      t->at[a] = (struct th_touched_place){0, s->updates};
      t->place[t->count++] = a;
    }
    t->at[a].gradient += each * reads->residual[th_reads_row(reads, k)] *
                         reads->value[k] / s->draws.odds[a].chance;
  }
}

/* Where in the list of cells the cell of an attribute is. */
static int32_t cell_of(const struct th_sampling *s, int64_t a)
{
  return s->touched.cell_place[s->draws.cells.first + a / TH_CELL];
}

/* Add the squared norm of the gradient to the sum of AdaGrad-Norm.
 * Collective. */
static void add_norm(struct th_sampling *s, struct th_context *context)
{
  struct th_touched *t = &s->touched;
  bool largest = s->learning.ball->largest;
  double norm = 0;
  for (int64_t c = 0; c < t->cells; c++)
    t->number[c] = 0;
  for (int64_t k = 0; k < t->count; k++) {
    double g = t->at[t->place[k]].gradient;
    double *sum = &t->number[cell_of(s, t->place[k])];
    *sum = largest ? fmax(*sum, g * g) : *sum + g * g;
  }
  th_comm_share_numbers(context->comm, t->number, (size_t)t->cells);
  for (int64_t c = 0; c < t->cells; c++)
    norm = largest ? fmax(norm, t->number[c]) : norm + t->number[c];
  s->learning.steps.sum += norm;
}

/* The sums of this rank's cells that were touched, to all ranks. Collective. */
static void share_cells(struct th_sampling *s, struct th_context *context)
{
  struct th_touched *t = &s->touched;
  struct th_range mine = s->draws.cells;
  for (int64_t k = 0; k < t->cells; k++) {
    int64_t cell = t->cell[k] - mine.first;
    bool owned = t->cell[k] >= mine.first && t->cell[k] < mine.last;
    t->number[2 * k] = owned ? th_sum_tree_top(&s->learning.w.size, cell) : 0;
    t->number[2 * k + 1] = owned ? th_sum_tree_top(&s->draws.mass, cell) : 0;
  }
  th_comm_share_numbers(context->comm, t->number, 2 * (size_t)t->cells);
  for (int64_t k = 0; k < t->cells; k++) {
    s->learning.w.all.level[0][t->cell[k]] = t->number[2 * k];
    s->draws.all.level[0][t->cell[k]] = t->number[2 * k + 1];
    th_sum_tree_update(&s->learning.w.all, t->cell[k]);
    th_sum_tree_update(&s->draws.all, t->cell[k]);
  }
}

void th_sampling_learn(struct th_sampling *s, struct th_context *context)
{
  struct th_touched *t = &s->touched;
  bool derived;
  list_cells(s);
  th_sampling_gradient(s);
  if (s->learning.steps.by == TH_ADAGRAD_NORM)
    add_norm(s, context);
  /* the average is of w before its updates */
  th_iterate_pass(&s->learning.w, s->reads.rows);
  for (int64_t k = 0; k < t->count; k++) {
    int64_t a = t->place[k];
    if (k + AHEAD < t->count)
      near_move(s, t->place[k + AHEAD]);
    double step = th_steps_next(&s->learning.steps, a, t->at[a].gradient);
    th_iterate_move(&s->learning.w, a, step, t->at[a].gradient);
    th_draws_weigh(&s->draws, a, s->learning.w.at[a].u);
  }
  share_cells(s, context);
  th_iterate_project(&s->learning.w, context, &derived);
  if (derived)
    th_draws_weigh_all(&s->draws, context, &s->learning.w);
}
