/* learning.c - what the solvers of this folder learn with: coefficients in a
 * ball, steps, targets
 * SPDX-License-Identifier: MIT */
#include "solvers/sampling/learning.h"

#include "base/memory.h"
#include "solvers/solver_table.h"

#include <math.h>
#include <stdlib.h>

void th_learning_free(struct th_learning *learning)
{
  th_moments_free(&learning->moments);
  th_iterate_free(&learning->w);
  th_steps_free(&learning->steps);
  th_support_free(&learning->support);
  th_context_all_targets_free(&learning->targets);
}

/* Local. */
static th_status reserve(struct th_learning *l, struct th_context *context,
                         struct th_error *err)
{
  int64_t owned = context->owned.last - context->owned.first;
  th_status rc;
  TH_TRY(th_iterate_init(&l->w, context, l->ball, err));
  TH_TRY(th_steps_init(&l->steps, context->config, owned, err));
  TH_TRY(th_context_all_targets_init(&l->targets, context, err));
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
  learning->w.rises = context->config->eta == 0;
  TH_TRY(th_moments_init(&learning->moments, context, err));
  TH_TRY(th_iterate_start(&learning->w, context,
                          choose_radius(learning, context), err));
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
  th_steps_begin(&learning->steps, context->config, learning->ball,
                 &learning->w.frame, theory);
  th_iterate_average_anew(&learning->w);
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
  return th_iterate_publish(&learning->w, context, &learning->support, err);
}

void th_learning_describe(struct th_learning *learning,
                          const struct th_context *context,
                          struct th_state *state)
{
  TH_STATE_ONE(state, learning, loss);
  th_moments_describe(&learning->moments, context, state);
  th_iterate_describe(&learning->w, context, state);
  th_steps_describe(&learning->steps, context->owned, state);
  th_support_describe(&learning->support, "support", state);
}
