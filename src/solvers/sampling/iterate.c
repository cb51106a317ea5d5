/* iterate.c - coefficients that change a few at a time, and their average
 * SPDX-License-Identifier: MIT */
#include "solvers/sampling/iterate.h"

#include "base/integer.h"
#include "base/memory.h"
#include "math/discrete.h"
#include "ranks/partition.h"
#include "solvers/access/context.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* --- Numbers of cells that every rank knows ------------------------------- */

int64_t th_iterate_cells_count(const struct th_context *context)
{
  int64_t attributes = th_source_shape(context->source)->attributes;
  return th_integer_ceil_divide(attributes, TH_CELL);
}

struct th_range th_iterate_cells_owned(const struct th_context *context)
{
  struct th_range owned = context->owned;
  return (struct th_range){th_integer_ceil_divide(owned.first, TH_CELL),
                           th_integer_ceil_divide(owned.last, TH_CELL)};
}

double th_iterate_cells_sum(const struct th_context *context,
                            const double *value, double *sum)
{
  struct th_range owned = context->owned;
  int64_t cells = th_iterate_cells_count(context);
  double all = 0;
  for (int64_t c = 0; c < cells; c++)
    sum[c] = 0;
  for (int64_t j = owned.first; j < owned.last; j++)
    sum[j / TH_CELL] += value[j - owned.first];
  th_comm_share_numbers(context->comm, sum, (size_t)cells);
  for (int64_t c = 0; c < cells; c++)
    all += sum[c];
  return all;
}

void th_iterate_cells_share(const struct th_context *context,
                            const struct th_sum_tree *owned,
                            struct th_sum_tree *all)
{
  struct th_range mine = th_iterate_cells_owned(context);
  double *leaf = all->level[0];
  for (int64_t c = 0; c < all->leaves; c++)
    leaf[c] = c >= mine.first && c < mine.last
                  ? th_discrete_top(owned, c - mine.first)
                  : 0;
  th_comm_share_numbers(context->comm, leaf, (size_t)all->leaves);
  th_discrete_refresh(all);
}

/* --- The iterate ---------------------------------------------------------- */

enum { CELL_LEVELS = 2, ARRAYS = 4 };

static const double roomier = 1.5; /* of a start that does not fit */

int64_t th_iterate_bytes(void)
{
  return (ARRAYS + 2) * (int64_t)sizeof(double);
}

th_status th_iterate_init(struct th_iterate *w,
                          const struct th_context *context,
                          const struct th_ball *ball, struct th_error *err)
{
  int64_t count = th_range_count(context->owned);
  const char *what = "coefficients";
  th_status rc;
  *w = (struct th_iterate){.ball = ball,
                           .scale = context->scale,
                           .count = count,
                           .useful =
                               th_source_shape(context->source)->attributes -
                               context->left_out};
  TH_TRY(TH_NEW(&w->at, count, what, err));
  TH_TRY(th_discrete_init(&w->size, count, CELL_LEVELS, err));
  TH_TRY(th_discrete_init(&w->all, th_iterate_cells_count(context),
                          TH_SUM_LEVELS - 1, err));
done:
  return rc;
}

void th_iterate_free(struct th_iterate *w)
{
  TH_FREE(w->at, w->chosen);
  th_discrete_free(&w->size);
  th_discrete_free(&w->all);
}

static double *double_at(struct th_iterate_place *at, size_t offset)
{
  return (double *)(void *)((char *)at + offset);
}

/* The state of attributes, number by number. */
static void describe_places(struct th_iterate *w, struct th_range owned,
                            struct th_state *state)
{
  static const struct {
    const char *name;
    size_t offset;
  } part[] = {{"position", offsetof(struct th_iterate_place, position)},
              {"average", offsetof(struct th_iterate_place, average)},
              {"settled", offsetof(struct th_iterate_place, settled)}};
  for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) {
    double *number = th_state_scratch(state, w->count);
    for (int64_t a = 0; a < w->count && number != NULL; a++)
      number[a] = *double_at(&w->at[a], part[k].offset);
    th_state_spread(state, part[k].name, TH_STATE_F64, number, 1, owned);
    for (int64_t a = 0; a < w->count && number != NULL && th_state_puts(state);
         a++)
      *double_at(&w->at[a], part[k].offset) = number[a];
  }
}

void th_iterate_describe(struct th_iterate *w, const struct th_context *context,
                         struct th_state *state)
{
  th_state_enter(state, "iterate");
  TH_STATE_ONE(state, &w->frame, radius);
  TH_STATE_ONE(state, &w->frame, factor);
  TH_STATE_ONE(state, &w->frame, shift);
  TH_STATE_ONE(state, w, passed);
  TH_STATE_ONE(state, w, examples);
  TH_STATE_ONE(state, w, weight);
  describe_places(w, context->owned, state);
  th_state_leave(state);
}

/* u and size of an attribute. Local. */
static void derive_one(struct th_iterate *w, int64_t a)
{
  if (w->scale[a] == 0)
    return;
  w->at[a].u = w->ball->direction(&w->frame, w->at[a].position);
  w->size.level[0][a] = w->ball->size(&w->frame, w->at[a].position);
}

void th_iterate_share(struct th_iterate *w, const struct th_context *context)
{
  th_iterate_cells_share(context, &w->size, &w->all);
}

void th_iterate_derive(struct th_iterate *w, const struct th_context *context)
{
  for (int64_t a = 0; a < w->count; a++)
    derive_one(w, a);
  th_discrete_refresh(&w->size);
  th_iterate_share(w, context);
}

void th_iterate_pass(struct th_iterate *w, int64_t examples)
{
  w->examples += (double)examples;
  double weight = (double)examples * (w->rises ? w->examples : 1);
  w->passed += weight * w->frame.factor;
  w->weight += weight;
}

static void settle_average(struct th_iterate *w, int64_t a)
{
  w->at[a].average += w->at[a].u * (w->passed - w->at[a].settled);
  w->at[a].settled = w->passed;
}

void th_iterate_move(struct th_iterate *w, int64_t a, double step,
                     double gradient)
{
  settle_average(w, a);
  w->at[a].position =
      w->ball->move(&w->frame, w->at[a].position, step, gradient);
  derive_one(w, a);
  th_discrete_update(&w->size, a);
}

void th_iterate_project(struct th_iterate *w, const struct th_context *context,
                        bool *derived)
{
  double total = th_discrete_top(&w->all, 0);
  *derived = false;
  if (!isfinite(total)) { /* th_learning_check */
    w->frame.factor = NAN;
    return;
  }
  *derived = w->ball->project(&w->frame, total);
  if (!*derived)
    return;
  struct th_ball_frame before = w->frame;
  w->frame = w->ball->reframe(&before, total);
  for (int64_t a = 0; a < w->count; a++) {
    settle_average(w, a);
    w->at[a].settled = 0;
    w->at[a].position = w->ball->rebase(&before, w->at[a].position);
  }
  w->passed = 0;
  th_iterate_derive(w, context);
  w->ball->project(&w->frame, th_discrete_top(&w->all, 0));
}

void th_iterate_average_anew(struct th_iterate *w)
{
  w->passed = 0;
  w->examples = 0;
  w->weight = 0;
  for (int64_t a = 0; a < w->count; a++) {
    w->at[a].average = 0;
    w->at[a].settled = 0;
  }
}

/* The ball holds the start with some room. */
static void widen_ball(struct th_iterate *w, const double *start, int64_t size)
{
  struct th_ball_frame *frame = &w->frame;
  double norm = w->ball->norm_of(start, size);
  frame->radius = fmax(frame->radius, roomier * norm);
}

th_status th_iterate_start(struct th_iterate *w, struct th_context *context,
                           double radius, struct th_error *err)
{
  const struct th_config *config = context->config;
  struct th_support start = {0};
  th_status rc = TH_OK;
  w->frame = (struct th_ball_frame){.radius = radius, .factor = 1};
  int64_t size = config->start.coef != NULL ? config->start.size : 0;
  rc = TH_GROW(&w->chosen, &w->room, size, "the start", err);
  TH_TRY(th_agree(context->comm, rc, err));
  for (int64_t k = 0; k < size; k++)
    w->chosen[k] = (struct th_index_value){config->start.support[k],
                                           config->start.coef[k]};
  TH_TRY(th_support_assign(&start, context, w->chosen, size, err));
  for (int64_t k = 0; k < size; k++)
    start.coef[k] = start.scale[k] > 0 ? start.coef[k] / start.scale[k] : 0;
  widen_ball(w, start.coef, size);
  double total = w->ball->total(&w->frame, start.coef, size, w->useful);
  struct th_range mine = th_support_owned(&start, context->owned);
  for (int64_t k = mine.first; k < mine.last; k++)
    w->at[start.attribute[k] - context->owned.first].position =
        w->ball->position(&w->frame, start.coef[k], total);
  th_iterate_derive(w, context);
  w->ball->project(&w->frame, th_discrete_top(&w->all, 0));
done:
  th_support_free(&start);
  return rc;
}

/* The coefficients of this rank that are not 0. Local. */
static th_status choose_nonzeros(struct th_iterate *w, int64_t first,
                                 int64_t *chosen, struct th_error *err)
{
  *chosen = 0;
  th_status rc = TH_GROW(&w->chosen, &w->room, w->count, "the support", err);
  for (int64_t a = 0; a < w->count && rc == TH_OK; a++) {
    double value = th_iterate_coef(w, a);
    if (w->weight > 0)
      value = (w->at[a].average + w->at[a].u * (w->passed - w->at[a].settled)) /
              w->weight;
    if (value != 0 && w->scale[a] != 0)
      w->chosen[(*chosen)++] = (struct th_index_value){first + a, value};
  }
  return rc;
}

th_status th_iterate_publish(struct th_iterate *w, struct th_context *context,
                             struct th_support *support, struct th_error *err)
{
  int64_t bytes = 0;
  int64_t *counts = NULL;
  void *all = NULL;
  int64_t chosen = 0;
  int64_t total = 0;
  th_status rc = choose_nonzeros(w, context->owned.first, &chosen, err);
  if (rc == TH_OK)
    rc = TH_NEW(&counts, context->comm->size, "the support", err);
  TH_TRY(th_agree(context->comm, rc, err));
  bytes = chosen * (int64_t)sizeof *w->chosen;
  TH_TRY(th_comm_gather(context->comm, w->chosen, bytes, counts, &all, err));
  for (int r = 0; r < context->comm->size; r++)
    total += counts[r] / (int64_t)sizeof *w->chosen;
  TH_TRY(th_support_assign(support, context, all, total, err));
  support->intercept = 0;
done:
  TH_FREE(counts, all);
  return rc;
}
