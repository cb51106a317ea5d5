/* ball_search.c - the penalty at which a solution has a given norm
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/ball_search.h"

#include <float.h>
#include <math.h>

static const double stride = 0.6;       /* on the way down */
static const double smallest = 0x1p-27; /* lambda, as a share of lambda_max */

struct th_ball_search th_ball_search_begin(double radius, double lambda_max)
{
  struct th_ball_search s = {
      .radius = radius, .lambda = 1, .least = 1, .high = {lambda_max, -radius}};
  if (lambda_max > 0) {
    s.lambda = lambda_max * stride;
    s.least = lambda_max * smallest;
  }
  return s;
}

/* The end that stays twice counts half. */
static void narrow(struct th_ball_search *s, struct th_ball_end now)
{
  int side = now.excess > 0 ? -1 : 1;
  struct th_ball_end *own = side < 0 ? &s->low : &s->high;
  struct th_ball_end *other = side < 0 ? &s->high : &s->low;
  *own = now;
  if (side == s->side)
    other->excess /= 2;
  s->side = side;
}

static double between(const struct th_ball_search *s)
{
  double share = s->low.excess / (s->low.excess - s->high.excess);
  double lambda = s->low.lambda + share * (s->high.lambda - s->low.lambda);
  bool inside = lambda > s->low.lambda && lambda < s->high.lambda;
  return inside ? lambda : (s->low.lambda + s->high.lambda) / 2;
}

void th_ball_search_take(struct th_ball_search *s, double omega, bool enough)
{
  struct th_ball_end now = {s->lambda, omega - s->radius};
  bool falls = s->low.lambda > 0 || now.excess > 0;
  narrow(s, now);
  s->done = fabs(now.excess) <= TH_BALL_NEAR * s->radius;
  s->binds = falls || s->done;
  if (falls)
    s->done = s->done || s->high.lambda - s->low.lambda <=
                             4 * DBL_EPSILON * s->high.lambda;
  else
    s->done = s->done || enough || s->lambda <= s->least;
  if (!s->done)
    s->lambda = falls ? between(s) : fmax(s->lambda * stride, s->least);
}

void th_ball_search_describe(struct th_ball_search *s, struct th_state *state)
{
  th_state_enter(state, "ball");
  TH_STATE_ONE(state, s, lambda);
  TH_STATE_ONE(state, s, high.lambda);
  TH_STATE_ONE(state, s, high.excess);
  TH_STATE_ONE(state, s, low.lambda);
  TH_STATE_ONE(state, s, low.excess);
  TH_STATE_ONE(state, s, side);
  TH_STATE_ONE(state, s, done);
  TH_STATE_ONE(state, s, binds);
  th_state_leave(state);
}
