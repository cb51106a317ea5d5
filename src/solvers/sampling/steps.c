/* steps.c - the sizes of the steps
 * SPDX-License-Identifier: MIT */
#include "solvers/sampling/steps.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

th_status th_steps_init(struct th_steps *steps, const struct th_config *config,
                        int64_t owned, struct th_error *err)
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

void th_steps_free(struct th_steps *steps)
{
  free(steps->square);
}

/* --step-factor, or the factor that goes with the way of steps. */
static double factor_of(const struct th_steps *steps,
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

void th_steps_begin(struct th_steps *steps, const struct th_config *config,
                    const struct th_ball *ball,
                    const struct th_ball_frame *frame,
                    const struct th_ball_theory *theory)
{
  double factor = factor_of(steps, config, ball, isinf(theory->reads));
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

/* After a change of the sum. */
static void show(struct th_steps *steps)
{
  steps->shown = steps->by == TH_ADAGRAD_NORM && steps->sum > 0
                     ? steps->size / sqrt(steps->sum)
                     : steps->size;
}

void th_steps_add(struct th_steps *steps, double square)
{
  steps->sum += square;
  show(steps);
}

double th_steps_next(struct th_steps *steps, int64_t a, double gradient)
{
  double square = steps->sum;
  if (steps->by == TH_ADAGRAD_NONE)
    return steps->size;
  if (steps->by == TH_ADAGRAD_COORDINATE) {
    steps->square[a] += gradient * gradient;
    square = steps->square[a];
  }
  return square > 0 ? steps->size / sqrt(square) : 0;
}

void th_steps_describe(struct th_steps *steps, struct th_range owned,
                       struct th_state *state)
{
  th_state_enter(state, "steps");
  TH_STATE_ONE(state, steps, size);
  TH_STATE_ONE(state, steps, sum);
  if (steps->by == TH_ADAGRAD_COORDINATE)
    th_state_spread(state, "square", TH_STATE_F64, steps->square, 1, owned);
  show(steps);
  th_state_leave(state);
}
