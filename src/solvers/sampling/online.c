/* online.c - solvers `ogd-ridge` and `eg-lasso`: the same steps, all attributes
 *
 * Online gradient descent in the l2 ball (Zinkevich 2003) and exponentiated
 * gradient in the l1 ball (Kivinen & Warmuth 1997): what the
 * attribute-efficient solvers become if every attribute of an example is read.
 * They show what a budget costs (Kukliansky & Shamir 2015, section 5).
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "math/kernels/rows.h"
#include "solvers/algorithm.h"
#include "solvers/data/active.h"
#include "solvers/data/example_order.h"
#include "solvers/data/row_cache.h"
#include "solvers/sampling/algorithms.h"
#include "solvers/sampling/iterate.h"
#include "solvers/sampling/learning.h"
#include "solvers/sampling/moments.h"
#include "solvers/sampling/steps.h"
#include "solvers/solver_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Vectors by place are those of the attributes that are not left out. */
struct online {
  struct th_learning learning; /* w, steps, targets */
  struct th_active active;
  struct th_row_caches caches;
  struct th_cells cells; /* of places; its edges are owned */
  int64_t *edge;
  struct th_example_order order;
  int64_t rows; /* of the mini-batch */
  int64_t *row;
  int64_t *held; /* deal units of it, and how many */
  int64_t holds;
  int64_t *sum; /* predictions in fixed point; a flag */
  struct th_fixed fixed;
  double *coef;     /* w by place */
  double *gradient; /* by place */
  double *square;   /* of the gradient, of the owned attributes */
  double *cell;     /* work: all cells */
};

static void free_state(void *state)
{
  struct online *s = state;
  if (s == NULL)
    return;
  th_learning_free(&s->learning);
  th_row_caches_free(&s->caches);
  th_active_free(&s->active);
  th_example_order_free(&s->order);
  TH_FREE(s->edge, s->row, s->held, s->sum, s->coef, s->gradient, s->square,
          s->cell, s);
}

/* Local. */
static th_status reserve(struct online *s, struct th_context *context,
                         struct th_error *err)
{
  const struct th_config *config = context->config;
  int64_t places = s->active.count;
  int64_t owned = context->owned.last - context->owned.first;
  const char *what = "a mini-batch";
  th_status rc;
  TH_TRY(th_row_caches_init(&s->caches, context, &s->active,
                            config->row_cache_memory, err));
  TH_TRY(th_example_order_init(&s->order, context->deal.plan.unit, err));
  TH_TRY(TH_NEW(&s->row, config->batch, what, err));
  TH_TRY(TH_NEW(&s->held, config->batch + 1, what, err));
  TH_TRY(TH_NEW(&s->sum, config->batch + 1, what, err));
  TH_TRY(TH_NEW(&s->coef, places, what, err));
  TH_TRY(TH_NEW(&s->gradient, places, what, err));
  TH_TRY(TH_NEW(&s->square, owned, what, err));
  TH_TRY(TH_NEW(&s->edge, places + 1, what, err));
  TH_TRY(TH_NEW(&s->cell, th_cells_count(context), what, err));
  for (int64_t place = 0; place < places; s->cells.count++) {
    place = th_active_cell_end(&s->active, place);
    s->edge[s->cells.count + 1] = place;
  }
  s->cells.edge = s->edge;
  s->cells.attribute = s->active.attribute;
done:
  return rc;
}

/* Predictions are bounded by the radius times the longest example there can be.
 * Collective. */
static th_status bound_predictions(struct online *s, struct th_context *context,
                                   struct th_error *err)
{
  int64_t owned = context->owned.last - context->owned.first;
  double longest = 0;
  for (int64_t a = 0; a < owned; a++) {
    s->square[a] = context->bound[a] * context->bound[a];
    longest = fmax(longest, context->bound[a]);
  }
  double sum = th_cells_sum(context, s->square, s->cell);
  context->comm->ops->max_f64(context->comm, &longest, 1);
  if (!s->learning.ball->largest)
    longest = sqrt(sum);
  if (th_fixed_init(&s->fixed,
                    s->learning.w.frame.radius * longest * TH_FIXED_SLACK))
    return TH_OK;
  return th_fail(err, TH_ENUMERIC,
                 "predictions can become too large; standardize, or give a "
                 "smaller {radius}");
}

static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  struct online *s = NULL;
  th_status rc = TH_NEW(&s, 1, "the solver", err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_active_init(&s->active, context, 0, err));
  TH_TRY(th_agree(context->comm, reserve(s, context, err), err));
  TH_TRY(th_learning_init(&s->learning, context, err));
  TH_TRY(bound_predictions(s, context, err));
  struct th_ball_theory theory =
      th_learning_theory(&s->learning, context,
                         context->config->passes * context->deal.rows_in_pass);
  theory.reads = INFINITY;
  theory.known = true;
  th_learning_begin(&s->learning, context, &theory);
  *state = s;
  s = NULL;
done:
  free_state(s);
  return rc;
}

/* Where the attribute of a place is among the owned ones. */
static int64_t owned_place(const struct online *s,
                           const struct th_context *context, int64_t place)
{
  return s->active.attribute[place] - context->owned.first;
}

/* Take the next row, and hold the row cache that it lies in. Local. */
static th_status take_row(struct online *s, struct th_context *context,
                          int64_t r, struct th_error *err)
{
  int64_t units = s->order.units;
  bool more;
  th_status rc =
      th_example_order_next(&s->order, &context->deal, &s->row[r], &more, err);
  if (rc != TH_OK || s->order.units == units)
    return rc;
  int64_t unit = th_row_caches_unit_of(&s->caches, s->row[r]);
  s->held[s->holds++] = unit;
  return th_row_caches_draw(&s->caches, unit, err);
}

/* Rows of the mini-batch, and this rank's share of their predictions. Local. */
static th_status look(struct online *s, struct th_context *context,
                      struct th_error *err)
{
  struct th_row values;
  bool good = true;
  for (int64_t r = 0; r < s->rows; r++) {
    th_status rc = take_row(s, context, r, err);
    if (rc != TH_OK)
      return rc;
  }
  for (int64_t place = 0; place < s->active.count; place++)
    s->coef[place] =
        th_iterate_coef(&s->learning.w, owned_place(s, context, place));
  for (int64_t r = 0; r < s->rows; r++) {
    th_row_caches_row(&s->caches, s->row[r], &values);
    good &= th_row_product(&values, s->coef, &s->cells, &s->fixed, &s->sum[r]);
  }
  return good ? TH_OK
              : th_fail(err, TH_ENUMERIC, "predictions have become too large");
}

/* The mean gradient of the mini-batch. Local. */
static void form_gradient(struct online *s)
{
  const struct th_learning *learning = &s->learning;
  double loss = 0;
  memset(s->gradient, 0, (size_t)s->active.count * sizeof *s->gradient);
  for (int64_t r = 0; r < s->rows; r++) {
    struct th_row values;
    int64_t row = s->row[r];
    double residual = th_fixed_to(&s->fixed, s->sum[r]) - learning->target[row];
    double factor = learning->weight[row] * residual / (double)s->rows;
    loss += factor * residual / 2;
    th_row_caches_row(&s->caches, row, &values);
    th_row_add(&values, factor, s->gradient);
  }
  s->learning.loss = loss;
}

/* Add the squared norm of the gradient to the sum of AdaGrad-Norm.
 * Collective. */
static void add_norm(struct online *s, struct th_context *context)
{
  double largest = 0;
  for (int64_t place = 0; place < s->active.count; place++) {
    double square = s->gradient[place] * s->gradient[place];
    s->square[owned_place(s, context, place)] = square;
    largest = fmax(largest, square);
  }
  if (s->learning.ball->largest)
    context->comm->ops->max_f64(context->comm, &largest, 1);
  else
    largest = th_cells_sum(context, s->square, s->cell);
  s->learning.steps.sum += largest;
}

/* A step against the gradient, and back into the ball. Collective. */
static void learn(struct online *s, struct th_context *context)
{
  struct th_learning *learning = &s->learning;
  bool derived;
  if (learning->steps.by == TH_ADAGRAD_NORM)
    add_norm(s, context);
  th_iterate_pass(&learning->w, s->rows);
  for (int64_t place = 0; place < s->active.count; place++) {
    int64_t a = owned_place(s, context, place);
    double step = th_steps_next(&learning->steps, a, s->gradient[place]);
    th_iterate_move(&learning->w, a, step, s->gradient[place]);
  }
  th_iterate_share(&learning->w, context);
  th_iterate_project(&learning->w, context, &derived);
}

/* Let go of the row caches but that of a unit that is not used up. */
static void release(struct online *s)
{
  bool last = s->order.next >= s->order.unit.count;
  int64_t keep = last ? 0 : th_min_i64(s->holds, 1);
  for (int64_t k = 0; k < s->holds - keep; k++)
    th_row_caches_release(&s->caches, s->held[k]);
  if (keep == 1)
    s->held[0] = s->held[s->holds - 1];
  s->holds = keep;
}

static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  struct online *s = state;
  int64_t left =
      s->order.unit.count - s->order.next + th_deal_left(&context->deal);
  s->rows = th_min_i64(context->config->batch, left);
  *more = s->rows > 0 && !th_learning_is_over(&s->learning);
  if (!*more)
    return TH_OK;
  memset(s->sum, 0, (size_t)s->rows * sizeof *s->sum);
  th_status rc = look(s, context, err);
  rc = th_comm_sum_agree(context->comm, s->sum, (size_t)s->rows, rc, err);
  if (rc != TH_OK)
    return rc;
  form_gradient(s);
  learn(s, context);
  release(s);
  return th_learning_check(&s->learning, err);
}

static th_status publish(void *state, struct th_context *context,
                         struct th_error *err)
{
  struct online *s = state;
  return th_learning_publish(&s->learning, context, err);
}

static const struct th_support *support_of(const void *state)
{
  return &((const struct online *)state)->learning.support;
}

static double loss_of(const void *state)
{
  return ((const struct online *)state)->learning.loss;
}

static double step_size_of(const void *state)
{
  return th_steps_shown(&((const struct online *)state)->learning.steps);
}

/* The row cache of a unit that is not used up is drawn again, which the ledger
 * has counted. Collective. */
static void describe(void *state, struct th_context *context,
                     struct th_state *list)
{
  struct online *s = state;
  th_example_order_describe(&s->order, list);
  th_learning_describe(&s->learning, context, list);
  if (!th_state_puts(list) || !th_state_agree(list, context->comm))
    return;
  th_iterate_derive(&s->learning.w, context);
  if (s->order.next < s->order.unit.count) {
    int64_t unit = th_row_caches_unit_of(&s->caches, s->order.unit.first);
    s->held[s->holds++] = unit;
    th_state_note(list, th_row_caches_draw(&s->caches, unit, list->err));
  }
}

const struct th_algorithm th_online_algorithm = {.create = create,
                                                 .step = step,
                                                 .publish = publish,
                                                 .finish = publish,
                                                 .support = support_of,
                                                 .loss = loss_of,
                                                 .step_size = step_size_of,
                                                 .describe = describe,
                                                 .free = free_state};
