/* online.c - the online rule: screening while examples come one by one
 * SPDX-License-Identifier: MIT */
#include "math/online.h"

#include "base/elementary.h"
#include "math/gap.h"
#include "math/kernels/rows.h"

#include <math.h>
#include <stdint.h>

/* --- Many proximal steps under a constant gradient at once ---------------- */

/* v > 0: it moves by -(a + t) as long as it stays positive. */
double th_online_lazy_prox(double v, double a, double t, int64_t steps)
{
  while (steps > 0) {
    double sign = v < 0 ? -1 : 1; /* mirrored: v >= 0 */
    double speed = sign * a + t;
    double most = (double)steps;
    if (v == 0 && fabs(a) <= t)
      return 0;
    if (v != 0 && speed > 0)
      most = floor(sign * v / speed);
    else if (v == 0)
      most = 0;
    if (most >= (double)steps)
      return v - sign * speed * (double)steps;
    if (most > 0) {
      v -= sign * speed * most;
      steps -= (int64_t)most;
    }
    v = th_row_soft(v - a, t); /* across zero, or away from it */
    steps--;
  }
  return v;
}

/* --- A sparse anchor point from the average of a block's iterates --------- */

void th_online_sparse_average_levels(double largest,
                                     double level[TH_ANCHOR_LEVELS])
{
  const double deepest = 10; /* powers of two below the largest */
  for (int k = 0; k < TH_ANCHOR_LEVELS - 1; k++)
    level[k] = largest * th_exp2(-deepest * k / (TH_ANCHOR_LEVELS - 2));
  level[TH_ANCHOR_LEVELS - 1] = 0;
}

int th_online_sparse_average_level(const double level[TH_ANCHOR_LEVELS],
                                   double value)
{
  int k = 0;
  if (value == 0)
    return TH_ANCHOR_LEVELS;
  while (fabs(value) < level[k])
    k++;
  return k;
}

int th_online_sparse_average_best(const double objective[TH_ANCHOR_LEVELS])
{
  int best = 0;
  for (int k = 1; k < TH_ANCHOR_LEVELS; k++)
    if (objective[k] < objective[best] || isnan(objective[best]))
      best = k;
  return best;
}

/* --- The rule ------------------------------------------------------------- */

static const double smallest_scale = 0x1p-200;

/* D(a) = -sum eta f*(a theta) of a block is concave, so between two points it
 * is above the chord: a bound from below, close where a is near 1, as it is
 * once the iterates are near a solution. D(0) = 0 for all losses. */
static const double grid[TH_ONLINE_GRID] = {0.125,   0.25,   0.375,   0.5,
                                            0.625,   0.75,   0.8125,  0.875,
                                            0.90625, 0.9375, 0.96875, 1};

void th_online_init(struct th_online *online,
                    const struct th_online_problem *problem, double exponent,
                    int64_t length, int64_t steps)
{
  bool votes = problem->rule == TH_RULE_VOTES;
  *online =
      (struct th_online){.loss = problem->loss,
                         .rule = problem->rule,
                         .lambda = problem->lambda,
                         .exponent = exponent,
                         .shrink = votes ? 1 / sqrt((double)problem->n) : 1,
                         .step = steps,
                         .before = 1,
                         .length = length,
                         .gap = INFINITY,
                         .dual_scale = 1,
                         .second_scale = 1};
}

static void set_all(double *v, int64_t count, double value)
{
  for (int64_t j = 0; j < count; j++)
    v[j] = value;
}

static void scale_sums(double *v, int64_t count, double factor)
{
  for (int64_t j = 0; j < count; j++)
    v[j] *= factor;
}

void th_online_restart(struct th_online *online, double exponent,
                       int64_t length, int64_t steps,
                       struct th_online_vectors vectors)
{
  double shrink = online->shrink;
  struct th_online_problem problem = {.loss = online->loss,
                                      .lambda = online->lambda,
                                      .n = 1,
                                      .rule = online->rule};
  th_online_init(online, &problem, exponent, length, steps);
  online->shrink = shrink;
  set_all(vectors.X, vectors.count, 0);
  set_all(vectors.Z, vectors.count, 0);
  set_all(vectors.N, vectors.count, 0);
}

void th_online_begin(struct th_online *online, double omega, double intercept,
                     struct th_online_vectors vectors)
{
  online->omega = omega; /* line 5: the anchor */
  online->intercept = intercept;
  online->wander = 0;
  online->block = (struct th_online_block){.rest = 1}; /* lines 6, 22 */
  online->dual_scale = 1;
  set_all(vectors.X, vectors.count, 0);
}

/* Shrink a lazy scale. Before it underflows, multiply it into the vector. */
static void shrink_scale(double *scale, double factor, double *v, int64_t count)
{
  *scale *= factor;
  if (*scale >= smallest_scale)
    return;
  scale_sums(v, count, *scale);
  *scale = 1;
}

/* Say whether D(a) of a block is known from points of the grid. */
static bool on_grid(const struct th_online *online)
{
  return online->rule == TH_RULE_PROJ && !online->loss->quadratic_conjugate;
}

void th_online_step(struct th_online *online, struct th_online_vectors vectors)
{
  struct th_online_block *block = &online->block;
  online->step++;
  online->share = th_pow((double)online->step, -online->exponent);
  double stay = 1 - online->share;
  shrink_scale(&online->dual_scale, stay, vectors.X, vectors.count);
  shrink_scale(&online->second_scale, stay, vectors.N, vectors.count);
  block->steps++;
  block->rest *= stay; /* line 14 */
  block->primal =
      stay * block->primal + online->share * online->lambda * online->omega;
  block->dual *= stay;
  block->square *= stay;
  block->theta *= stay;
  for (int k = 0; k < TH_ONLINE_GRID && on_grid(online); k++)
    block->grid[k] *= stay;
}

/* Returns f* at theta itself, the last point. */
static double add_to_grid(struct th_online *online, double share, double target,
                          double theta)
{
  double u[TH_ONLINE_GRID];
  double y[TH_ONLINE_GRID];
  for (int k = 0; k < TH_ONLINE_GRID; k++) {
    u[k] = grid[k] * theta;
    y[k] = target;
  }
  th_loss_conjugates(online->loss, TH_ONLINE_GRID, u, y, u);
  for (int k = 0; k < TH_ONLINE_GRID; k++)
    online->block.grid[k] -= share * u[k];
  return u[TH_ONLINE_GRID - 1];
}

void th_online_example(struct th_online *online, double factor, double target,
                       double theta, double anchor_prediction)
{
  const struct th_loss *loss = online->loss;
  struct th_online_block *block = &online->block;
  double share = online->share * factor;
  /* line 11 */
  block->primal += share * th_loss_f(loss, anchor_prediction, target);
  double conjugate = on_grid(online) ? add_to_grid(online, share, target, theta)
                                     : th_loss_conjugate(loss, theta, target);
  block->dual -= share * conjugate; /* line 12 */
  block->square += share * theta * theta;
  block->theta += share * theta;
}

void th_online_intercept(struct th_online *online, double intercept)
{
  online->wander = fmax(online->wander, fabs(intercept - online->intercept));
}

double th_online_dual_factor(const struct th_online *online, double factor,
                             double theta)
{
  return -online->share * factor * theta /
         (online->lambda * online->dual_scale); /* line 10 */
}

double th_online_second_factor(const struct th_online *online, double factor)
{
  return online->share * factor / online->second_scale; /* line 13 */
}

/* f*(u) = u^2 / 2 + u y: D(a) = -(a^2 / 2) A - a B, B from D(1). */
static double quadratic_dual(const struct th_online_block *block, double a)
{
  double linear = -block->dual - block->square / 2;
  return -a * (a / 2 * block->square + linear);
}

static double chord_dual(const struct th_online_block *block, double a)
{
  double low = 0;
  double below = 0;
  int k = 0;
  while (k < TH_ONLINE_GRID - 1 && grid[k] < a) {
    low = grid[k];
    below = block->grid[k++];
  }
  return below + (block->grid[k] - below) * (a - low) / (grid[k] - low);
}

double th_online_block_dual(const struct th_online *online, double a)
{
  if (a >= 1)
    return online->block.dual;
  return online->loss->quadratic_conjugate ? quadratic_dual(&online->block, a)
                                           : chord_dual(&online->block, a);
}

/* A free intercept b0 adds a T b0 to the dual value, which has no lower bound
 * where T is not 0. It has one among the b0 that iterates of the block had. */
static double intercept_dual(const struct th_online *online, double a)
{
  double theta = a * online->block.theta;
  return theta * online->intercept - fabs(theta) * online->wander;
}

void th_online_mean(struct th_online *online, struct th_online_vectors vectors)
{
  scale_sums(vectors.X, vectors.count,
             online->dual_scale / (1 - online->block.rest));
  online->dual_scale = 1;
}

/* Form Z and N of all steps so far; the block's share is scaled by a. */
static void join_block(struct th_online *online, double a,
                       struct th_online_vectors vectors)
{
  double rest = online->block.rest;
  double old = rest * (1 - online->before);
  online->before *= rest;
  double all = 1 - online->before;
  double own = a * (1 - rest);
  for (int64_t j = 0; j < vectors.count; j++)
    vectors.Z[j] = (old * vectors.Z[j] + own * vectors.X[j]) / all;
  scale_sums(vectors.N, vectors.count, online->second_scale / all);
  online->second_scale = all;
}

void th_online_end(struct th_online *online, double dual_norm,
                   struct th_online_vectors vectors)
{
  const struct th_online_block *block = &online->block;
  bool scaled = online->rule == TH_RULE_PROJ;
  double beyond = fmax(dual_norm - 1, 0);
  double a = scaled ? 1 / (1 + beyond) : 1;
  join_block(online, a, vectors); /* line 17: estimated certificate */
  /* line 18 */
  online->primal =
      block->rest * online->primal + block->primal * (scaled ? 1 : 1 + beyond);
  online->dual = block->rest * online->dual + th_online_block_dual(online, a) +
                 intercept_dual(online, a);
  online->gap = (online->primal - online->dual) / (1 - online->before);
  online->gap = online->gap < INFINITY ? fmax(online->gap, 0) : INFINITY;
  if (scaled)
    online->length *= 2;
}

double th_online_radius(const struct th_online *online, double second)
{
  return online->shrink * th_gap_radius(th_loss_L(online->loss), online->gap,
                                        second, online->lambda);
}

void th_online_judge(const struct th_online *online, int64_t groups,
                     const double *dual, const double *second, double margin,
                     bool *keep)
{
  for (int64_t g = 0; g < groups; g++) /* line 20 */
    keep[g] =
        !th_gap_removes(dual[g], th_online_radius(online, second[g]), margin);
}

static void describe_block(struct th_online_block *block,
                           struct th_state *state)
{
  th_state_enter(state, "block");
  TH_STATE_ONE(state, block, steps);
  TH_STATE_ONE(state, block, rest);
  TH_STATE_ONE(state, block, primal);
  TH_STATE_ONE(state, block, dual);
  TH_STATE_ONE(state, block, square);
  TH_STATE_ONE(state, block, theta);
  TH_STATE_ARRAY(state, block, grid, TH_ONLINE_GRID);
  th_state_leave(state);
}

void th_online_describe(struct th_online *online, struct th_state *state)
{
  th_state_enter(state, "online");
  TH_STATE_ONE(state, online, exponent);
  TH_STATE_ONE(state, online, shrink);
  TH_STATE_ONE(state, online, step);
  TH_STATE_ONE(state, online, before);
  TH_STATE_ONE(state, online, share);
  TH_STATE_ONE(state, online, length);
  TH_STATE_ONE(state, online, omega);
  TH_STATE_ONE(state, online, intercept);
  TH_STATE_ONE(state, online, wander);
  describe_block(&online->block, state);
  TH_STATE_ONE(state, online, primal);
  TH_STATE_ONE(state, online, dual);
  TH_STATE_ONE(state, online, gap);
  TH_STATE_ONE(state, online, dual_scale);
  TH_STATE_ONE(state, online, second_scale);
  th_state_leave(state);
}
