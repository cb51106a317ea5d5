/* learning.c - what the solvers of this folder learn with: coefficients in a
 * ball, steps, targets
 * SPDX-License-Identifier: MIT */
#include "solvers/sampling/learning.h"

#include "base/integer.h"
#include "base/memory.h"
#include "math/discrete.h"
#include "ranks/partition.h"
#include "solvers/access/context.h"
#include "solvers/access/support.h"
#include "solvers/sampling/ball.h"
#include "solvers/solver_table.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* --- Numbers of cells that every rank knows ------------------------------- */

int64_t th_learning_cells_count(const struct th_context *context)
{
  int64_t attributes = th_source_shape(context->source)->attributes;
  return th_integer_ceil_divide(attributes, TH_CELL);
}

struct th_range th_learning_cells_owned(const struct th_context *context)
{
  struct th_range owned = context->owned;
  return (struct th_range){th_integer_ceil_divide(owned.first, TH_CELL),
                           th_integer_ceil_divide(owned.last, TH_CELL)};
}

double th_learning_cells_sum(const struct th_context *context,
                             const double *value, double *sum)
{
  struct th_range owned = context->owned;
  int64_t cells = th_learning_cells_count(context);
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

void th_learning_cells_share(const struct th_context *context,
                             const struct th_sum_tree *owned,
                             struct th_sum_tree *all)
{
  struct th_range mine = th_learning_cells_owned(context);
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

int64_t th_learning_iterate_bytes(void)
{
  return (ARRAYS + 2) * (int64_t)sizeof(double);
}

/* Room for all. Local. Release with iterate_free. */
static th_status iterate_init(struct th_iterate *w,
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
  TH_TRY(th_discrete_init(&w->all, th_learning_cells_count(context),
                          TH_SUM_LEVELS - 1, err));
done:
  return rc;
}

static void iterate_free(struct th_iterate *w)
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

/* Its state: positions, averages and the frame. What follows from them is
 * computed by th_learning_iterate_derive. Local. */
static void iterate_describe(struct th_iterate *w,
                             const struct th_context *context,
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

void th_learning_iterate_share(struct th_iterate *w,
                               const struct th_context *context)
{
  th_learning_cells_share(context, &w->size, &w->all);
}

void th_learning_iterate_derive(struct th_iterate *w,
                                const struct th_context *context)
{
  for (int64_t a = 0; a < w->count; a++)
    derive_one(w, a);
  th_discrete_refresh(&w->size);
  th_learning_iterate_share(w, context);
}

void th_learning_iterate_pass(struct th_iterate *w, int64_t examples)
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

void th_learning_iterate_move(struct th_iterate *w, int64_t a, double step,
                              double gradient)
{
  settle_average(w, a);
  w->at[a].position =
      w->ball->move(&w->frame, w->at[a].position, step, gradient);
  derive_one(w, a);
  th_discrete_update(&w->size, a);
}

void th_learning_iterate_project(struct th_iterate *w,
                                 const struct th_context *context,
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
  th_learning_iterate_derive(w, context);
  w->ball->project(&w->frame, th_discrete_top(&w->all, 0));
}

/* Begin a new average. Local. */
static void iterate_average_anew(struct th_iterate *w)
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

/* Set w to the configured start, or to 0, in a ball of that radius. The ball
 * grows if the start does not fit. Collective. */
static th_status iterate_start(struct th_iterate *w, struct th_context *context,
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
  th_learning_iterate_derive(w, context);
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
    double value = th_learning_iterate_coef(w, a);
    if (w->weight > 0)
      value = (w->at[a].average + w->at[a].u * (w->passed - w->at[a].settled)) /
              w->weight;
    if (value != 0 && w->scale[a] != 0)
      w->chosen[(*chosen)++] = (struct th_index_value){first + a, value};
  }
  return rc;
}

/* Make a support of the averages that are not 0; of w itself while nothing has
 * been averaged. Collective. */
static th_status iterate_publish(struct th_iterate *w,
                                 struct th_context *context,
                                 struct th_support *support,
                                 struct th_error *err)
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

/* --- Second moments of the attributes, known or estimated ----------------- */

static th_status reserve_moments(struct th_moments *m,
                                 const struct th_context *context,
                                 struct th_error *err)
{
  int64_t count = context->owned.last - context->owned.first;
  int64_t cells = th_learning_cells_count(context);
  th_status rc;
  TH_TRY(TH_NEW(&m->second, count, "second moments", err));
  TH_TRY(TH_NEW(&m->square, count, "second moments", err));
  TH_TRY(TH_NEW(&m->hits, count, "second moments", err));
  TH_TRY(TH_NEW(&m->work, count, "second moments", err));
  TH_TRY(TH_NEW(&m->cell, cells, "second moments", err));
  TH_TRY(th_context_second_moments_read(context, m->second, err));
done:
  return rc;
}

/* Values that are rare are mostly 0. An attribute of second moment E x^2 and
 * largest value b differs from 0 in at least n E x^2 / b^2 of n examples. */
static double count_shown(struct th_moments *m,
                          const struct th_context *context)
{
  int64_t count = context->owned.last - context->owned.first;
  double n = (double)th_source_shape(context->source)->training;
  for (int64_t a = 0; a < count; a++) {
    double most = context->bound[a] * context->bound[a];
    double times = most > 0 && isfinite(most) ? n * m->second[a] / most : 1;
    m->work[a] = context->scale[a] != 0 ? fmin(times, 1) : 0;
  }
  return th_learning_cells_sum(context, m->work, m->cell);
}

/* Read the moments of the training examples from the source's statistics.
 * Collective. */
static th_status init_moments(struct th_moments *moments,
                              const struct th_context *context,
                              struct th_error *err)
{
  int64_t count = context->owned.last - context->owned.first;
  th_status rc = reserve_moments(moments, context, err);
  if ((rc = th_agree(context->comm, rc, err)) != TH_OK)
    return rc;
  moments->sum = th_learning_cells_sum(context, moments->second, moments->cell);
  for (int64_t a = 0; a < count; a++)
    moments->largest = fmax(moments->largest, moments->second[a]);
  context->comm->ops->max_f64(context->comm, &moments->largest, 1);
  moments->shown = count_shown(moments, context);
  return TH_OK;
}

static void free_moments(struct th_moments *m)
{
  TH_FREE(m->second, m->square, m->hits, m->work, m->cell);
}

/* The estimates are the state. Local. */
static void describe_moments(struct th_moments *moments,
                             const struct th_context *context,
                             struct th_state *state)
{
  th_state_enter(state, "moments");
  th_state_spread(state, "square", TH_STATE_F64, moments->square, 1,
                  context->owned);
  th_state_spread(state, "hits", TH_STATE_F64, moments->hits, 1,
                  context->owned);
  th_state_leave(state);
}

/* --- The sizes of the steps ----------------------------------------------- */

/* The way of steps that the options decide. Local. */
static th_status init_steps(struct th_steps *steps,
                            const struct th_config *config, int64_t owned,
                            struct th_error *err)
{
  *steps = (struct th_steps){.by = config->ball.adagrad};
  if (config->eta != 0)
    steps->by = TH_ADAGRAD_NONE;
  else if (config->ball.adagrad == TH_ADAGRAD_AUTO)
    steps->by = TH_ADAGRAD_NORM;
  if (steps->by != TH_ADAGRAD_COORDINATE)
    return TH_OK;
  steps->count = owned;
  return TH_NEW(&steps->square, owned, "the sizes of steps", err);
}

static void free_steps(struct th_steps *steps)
{
  free(steps->square);
}

/* --step-factor, or the factor that goes with the way of steps. */
static double step_factor(const struct th_steps *steps,
                          const struct th_config *config,
                          const struct th_ball *ball, bool whole)
{
  const double bolder = 3; /* gradients of whole examples vary less */
  if (config->ball.step_factor > 0)
    return config->ball.step_factor;
  if (config->eta == TH_ETA_THEORY)
    return 1;
  return ball->factor[steps->by] * (whole ? bolder : 1);
}

/* Begin a phase with nothing added up. Local. */
static void begin_steps(struct th_steps *steps, const struct th_config *config,
                        const struct th_ball *ball,
                        const struct th_ball_frame *frame,
                        const struct th_ball_theory *theory)
{
  double factor = step_factor(steps, config, ball, isinf(theory->reads));
  steps->sum = 0;
  for (int64_t a = 0; a < steps->count; a++)
    steps->square[a] = 0;
  if (config->eta > 0)
    steps->size = config->eta;
  else if (steps->by == TH_ADAGRAD_NONE)
    steps->size = factor * (double)theory->batch * ball->theory(theory);
  else
    steps->size = factor * ball->reach(frame, theory->attributes);
  steps->shown = steps->size;
}

/* The step for the display, after a change of the sum. */
static void show_step(struct th_steps *steps)
{
  steps->shown = steps->by == TH_ADAGRAD_NORM && steps->sum > 0
                     ? steps->size / sqrt(steps->sum)
                     : steps->size;
}

void th_learning_add_square(struct th_learning *learning, double square)
{
  struct th_steps *steps = &learning->steps;
  steps->sum += square;
  show_step(steps);
}

double th_learning_step(struct th_learning *learning, int64_t a,
                        double gradient)
{
  struct th_steps *steps = &learning->steps;
  double square = steps->sum;
  if (steps->by == TH_ADAGRAD_NONE)
    return steps->size;
  if (steps->by == TH_ADAGRAD_COORDINATE) {
    steps->square[a] += gradient * gradient;
    square = steps->square[a];
  }
  return square > 0 ? steps->size / sqrt(square) : 0;
}

static void describe_steps(struct th_steps *steps, struct th_range owned,
                           struct th_state *state)
{
  th_state_enter(state, "steps");
  TH_STATE_ONE(state, steps, size);
  TH_STATE_ONE(state, steps, sum);
  if (steps->by == TH_ADAGRAD_COORDINATE)
    th_state_spread(state, "square", TH_STATE_F64, steps->square, 1, owned);
  show_step(steps);
  th_state_leave(state);
}

/* --- Both, with coefficients in a ball ------------------------------------ */

void th_learning_free(struct th_learning *learning)
{
  free_moments(&learning->moments);
  iterate_free(&learning->w);
  free_steps(&learning->steps);
  th_support_free(&learning->support);
  th_context_all_targets_free(&learning->targets);
}

/* Local. */
static th_status reserve(struct th_learning *l, struct th_context *context,
                         struct th_error *err)
{
  int64_t owned = th_range_count(context->owned);
  th_status rc;
  TH_TRY(iterate_init(&l->w, context, l->ball, err));
  TH_TRY(init_steps(&l->steps, context->config, owned, err));
done:
  return rc;
}

/* The radius that was given, or the one that the data suggest. Local. */
static double choose_radius(const struct th_learning *l,
                            const struct th_context *context)
{
  int64_t n = th_source_shape(context->source)->training;
  if (l->w.useful == 0) {
    th_context_notice(context,
                      "no attribute changes, so the model is constant");
    return 0;
  }
  if (context->config->ball.radius > 0)
    return context->config->ball.radius;
  double radius =
      l->ball->radius(l->targets.square, l->moments.sum, l->moments.shown, n);
  if (!(radius > 0)) {
    th_context_notice(context, "the targets do not change, so the model is "
                               "constant");
    return 0;
  }
  th_context_notice(context,
                    "the radius of the %s ball is %g, by the mean squares of "
                    "targets and attributes; {radius} sets another one",
                    l->ball->name, radius);
  return radius;
}

th_status th_learning_init(struct th_learning *learning,
                           struct th_context *context, struct th_error *err)
{
  th_status rc;
  learning->ball = context->solver->ball;
  learning->w.rises = false;
  rc = reserve(learning, context, err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_context_all_targets_init(&learning->targets, context,
                                     TH_WEIGHTS_OF_MEAN_1, err));
  learning->w.rises = context->config->eta == 0;
  TH_TRY(init_moments(&learning->moments, context, err));
  TH_TRY(iterate_start(&learning->w, context, choose_radius(learning, context),
                       err));
done:
  return rc;
}

struct th_ball_theory th_learning_theory(const struct th_learning *learning,
                                         const struct th_context *context,
                                         int64_t examples)
{
  const struct th_moments *moments = &learning->moments;
  return (struct th_ball_theory){
      .examples = examples,
      .batch = context->config->batch,
      .attributes = learning->w.useful,
      .radius = learning->w.frame.radius,
      .unit = learning->ball->largest ? moments->largest : moments->sum};
}

void th_learning_begin(struct th_learning *learning,
                       const struct th_context *context,
                       const struct th_ball_theory *theory)
{
  begin_steps(&learning->steps, context->config, learning->ball,
              &learning->w.frame, theory);
  iterate_average_anew(&learning->w);
}

bool th_learning_is_over(const struct th_learning *learning)
{
  return !(learning->w.frame.radius > 0);
}

th_status th_learning_check(const struct th_learning *learning,
                            struct th_error *err)
{
  const struct th_iterate *w = &learning->w;
  if (isfinite(learning->loss) && isfinite(th_discrete_top(&w->all, 0)) &&
      isfinite(w->frame.factor) && w->frame.factor > 0)
    return TH_OK;
  return th_fail(err, TH_ENUMERIC,
                 "the steps have become so large that coefficients are no "
                 "numbers any more; take a smaller {eta} or {step-factor}, or "
                 "a smaller {radius}");
}

th_status th_learning_publish(struct th_learning *learning,
                              struct th_context *context, struct th_error *err)
{
  return iterate_publish(&learning->w, context, &learning->support, err);
}

void th_learning_describe(struct th_learning *learning,
                          const struct th_context *context,
                          struct th_state *state)
{
  TH_STATE_ONE(state, learning, loss);
  describe_moments(&learning->moments, context, state);
  iterate_describe(&learning->w, context, state);
  describe_steps(&learning->steps, context->owned, state);
  th_support_describe(&learning->support, "support", state);
}
