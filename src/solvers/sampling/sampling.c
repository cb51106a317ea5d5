/* sampling.c - solvers `aerr` and `aelr`: attribute-efficient regression
 *
 * Kukliansky & Shamir 2015, Algorithms 1 to 4: online gradient descent for
 *     minimise E (w'x - y)^2 / 2  subject to  norm(w) <= B
 * in the l2 ball (ridge) or the l1 ball (lasso), where k + 1 attributes of an
 * example are observed. Each example gives an unbiased estimate of its
 * gradient: phi, of the inner product, times a sparse estimate of x. The
 * better the draws fit the second moments, the less the estimate varies.
 *
 * What is drawn by: all attributes alike (AERR, AELR), the moments of the
 * import (DDAERR, DDAELR), or moments that a first phase estimates (two-phased
 * forms). As in the paper's section 5, the first phase learns by equal draws,
 * its w starts the second one, and the output is the average of the second.
 * SPDX-License-Identifier: MIT */
#include "solvers/sampling/sampling.h"

#include "core/elementary.h"
#include "core/integer.h"
#include "core/memory.h"
#include "solvers/algorithm.h"
#include "solvers/sampling/algorithms.h"
#include "solvers/solver_table.h"

#include <math.h>
#include <stdlib.h>

enum { PHASES = 10, SIGHTINGS = 2, MOST_OF_RUN = 2 };

/* After the first phase. Attributes that showed 0 alone would hardly be drawn
 * again, and their rare values would make steps of any size: so their moments
 * are taken to be a little nearer to the average. */
static const double smooth_share = 0.1;
static const double prior = 0.1;

static void free_state(void *state)
{
  struct th_sampling *s = state;
  if (s == NULL)
    return;
  th_learning_free(&s->learning);
  th_draws_free(&s->draws);
  th_example_order_free(&s->order);
  th_reads_free(&s->reads);
  th_sampling_touched_free(&s->touched);
  free(s);
}

/* Examples of the whole run, if nothing ends it early. */
static int64_t all_examples(const struct th_context *context)
{
  return context->config->passes * context->deal.rows_in_pass;
}

/* A tenth of the run, but each attribute is to be drawn twice; at most half of
 * the run. */
static int64_t first_phase(const struct th_context *context)
{
  int64_t d = th_source_shape(context->source)->attributes;
  int64_t all = all_examples(context);
  int64_t enough =
      th_integer_ceil_divide(SIGHTINGS * d, context->config->budget);
  if (context->config->ball.moments != TH_MOMENTS_TWO_PHASE)
    return 0;
  return th_min_i64(all / MOST_OF_RUN, th_max_i64(all / PHASES, enough));
}

/* Local. */
static th_status reserve(struct th_sampling *s, struct th_context *context,
                         struct th_error *err)
{
  const struct th_config *config = context->config;
  int64_t points = th_integer_ceil_divide(config->budget, 2);
  int64_t unit = context->deal.plan.unit;
  th_status rc;
  TH_TRY(th_draws_init(&s->draws, context, err));
  TH_TRY(th_example_order_init(&s->order, unit, err));
  TH_TRY(th_reads_init(&s->reads, config->batch, points,
                       config->budget - points, err));
  TH_TRY(th_sampling_touched_init(&s->touched, context, config->batch * points,
                                  err));
done:
  return rc;
}

/* What theory knows of the present phase. */
static struct th_ball_theory theory_of(const struct th_sampling *s,
                                       const struct th_context *context)
{
  int64_t all = all_examples(context);
  bool first = s->first_phase > 0 && !s->second;
  struct th_ball_theory theory = th_learning_theory(
      &s->learning, context, first ? s->first_phase : all - s->first_phase);
  theory.reads = (double)s->reads.points;
  theory.known = s->second || context->config->ball.moments == TH_MOMENTS_KNOWN;
  theory.estimated = s->second;
  return theory;
}

/* Epsilon, Algorithm 2, line 11, and Algorithm 4, line 11. */
static double error_of(const struct th_sampling *s,
                       const struct th_context *context)
{
  double d = (double)s->learning.w.useful;
  double delta = 1 - context->config->confidence;
  double draws = (double)context->config->budget * (double)s->first_phase;
  double error = d * th_log(2 * d / delta) / draws;
  return s->learning.ball->largest ? fmin(error, 1) : error;
}

th_status th_sampling_draw_by(struct th_sampling *s, struct th_context *context,
                              struct th_ball_theory *theory,
                              struct th_error *err)
{
  bool proved = context->config->eta == TH_ETA_THEORY;
  struct th_moments_care care = {0};
  enum th_moments_use use = TH_MOMENTS_EQUAL;
  *theory = theory_of(s, context);
  if (theory->known)
    use = s->second ? TH_MOMENTS_ESTIMATE : TH_MOMENTS_EXACT;
  if (s->second && proved)
    theory->error = error_of(s, context);
  else if (s->second)
    care = (struct th_moments_care){.prior = prior, .smooth = smooth_share};
  care.error = theory->error * theory->unit;
  theory->norm =
      th_moments_masses(&s->learning.moments, context, s->learning.ball, use,
                        care, s->draws.weight, s->draws.root) /
      (theory->unit > 0 ? theory->unit : 1);
  th_status rc = th_draws_set(&s->draws, context, err);
  if (rc == TH_OK)
    th_draws_weigh_all(&s->draws, context, &s->learning.w);
  return rc;
}

/* Begin a phase: draws, sizes of steps, a new average. Collective. */
static th_status begin_phase(struct th_sampling *s, struct th_context *context,
                             struct th_error *err)
{
  struct th_ball_theory theory;
  th_status rc = th_sampling_draw_by(s, context, &theory, err);
  if (rc != TH_OK)
    return rc;
  th_learning_begin(&s->learning, context, &theory);
  return rc;
}

static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  struct th_sampling *s = NULL;
  th_status rc = TH_NEW(&s, 1, "the solver", err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_agree(context->comm, reserve(s, context, err), err));
  TH_TRY(th_learning_init(&s->learning, context, err));
  if (context->config->ball.inner == TH_INNER_PLAIN)
    s->draws.plain = s->learning.ball->plain;
  s->first_phase = first_phase(context);
  if (!th_learning_is_over(&s->learning))
    TH_TRY(begin_phase(s, context, err));
  *state = s;
  s = NULL;
done:
  free_state(s);
  return rc;
}

/* What the first phase learns of the moments, from all that is read. Local. */
static void remember_moments(struct th_sampling *s)
{
  for (int64_t k = 0; k < s->reads.count; k++) {
    int64_t a = s->reads.attribute[k] - s->draws.first;
    s->learning.moments.square[a] += s->reads.value[k] * s->reads.value[k];
    s->learning.moments.hits[a] += 1;
  }
}

static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  struct th_sampling *s = state;
  th_status rc;
  *more = !th_learning_is_over(&s->learning);
  if (!*more)
    return TH_OK;
  /* Algorithm 1, lines 3 to 8: read an example in kx + kphi places */
  rc = th_reads_take(&s->reads, context, &s->order, &s->draws, s->examples,
                     more, err);
  if (rc == TH_OK && !*more)
    return TH_OK;
  TH_TRY(th_reads_residuals(&s->reads, context, &s->draws, &s->learning.w,
                            &s->learning.targets, rc, err));
  s->learning.loss = s->reads.loss;
  s->examples += s->reads.rows;
  s->updates++;
  if (s->first_phase > 0 && !s->second)
    remember_moments(s);
  /* lines 9 to 11: the gradient, a step against it, back into the ball */
  th_sampling_learn(s, context);
  TH_TRY(th_learning_check(&s->learning, err));
  if (s->first_phase > 0 && !s->second && s->examples >= s->first_phase) {
    s->second = true;
    rc = begin_phase(s, context, err);
  }
done:
  return rc;
}

static th_status publish(void *state, struct th_context *context,
                         struct th_error *err)
{
  struct th_sampling *s = state;
  return th_learning_publish(&s->learning, context, err);
}

static const struct th_support *support_of(const void *state)
{
  return &((const struct th_sampling *)state)->learning.support;
}

static double loss_of(const void *state)
{
  return ((const struct th_sampling *)state)->learning.loss;
}

static double step_size_of(const void *state)
{
  return th_steps_shown(&((const struct th_sampling *)state)->learning.steps);
}

/* The first phase is for the moments, and may learn next to nothing. */
static bool keeps_held_out(const void *state)
{
  const struct th_sampling *s = state;
  return s->first_phase > 0 && !s->second;
}

const struct th_algorithm th_sampling_algorithm = {
    .create = create,
    .step = step,
    .publish = publish,
    .finish = publish,
    .support = support_of,
    .loss = loss_of,
    .unit = TH_LOSS_OF_PROBLEM,
    .step_size = step_size_of,
    .keeps_held_out = keeps_held_out,
    .describe = th_sampling_describe,
    .free = free_state};
