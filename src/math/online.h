/* online.h - the online rule: screening while examples come one by one
 *
 * Liang & Poon 2022, Algorithm 2, for min E f(x'b; y) + lambda Omega(b). Step t
 * gives its examples the share mu_t = t^-w and all earlier ones 1 - mu_t of
 * what they had, so that example s has eta_s = mu_s prod_{i > s} (1 - mu_i),
 * divided by their sum M where screening began after step 1 (mu_1 = 1).
 * Let theta_s = f'(x_s'b_s; y_s), and let the dual point be Z = -(1/lambda)
 * sum eta_s theta_s x_s. Under these weights the rule bounds how far Z is from
 * the dual point of the solution. The bound is a gap R. Every block of steps
 * adds to it:
 *
 *   N_j = sum eta_s x_sj^2,   r_g = sqrt(2 L N_g R) / lambda,
 *   group g is left out where Omega_g^D(Z_g) + r_g < 1.
 *
 * The paper's recursions, put right: t runs through all blocks, -1/lambda is in
 * X and Z throughout, R is 0 at least. The rules differ in what they do with
 * dual points outside of the ball Omega^D <= 1:
 *
 *   proj  ours: every block's theta is scaled into the ball by its own a <= 1,
 *         and the dual value of the scaled block is what R is formed with. Weak
 *         duality holds block by block, so each adds a gap that is not negative
 *         to R, and the radius is proved. Blocks grow twofold.
 *   paper Algorithm 2: the primal value is enlarged by Omega^D - 1. Where that
 *         is not tiny, nothing is ever left out.
 *   votes what the authors' program does, not their text: the printed radius
 *         over sqrt(n), and a majority of ballots, one for each block. This is
 *         a heuristic. It leaves out attributes of the solution.
 *
 * Several examples in a step (a mini-batch) share one mu_t. Example i enters
 * with a factor, its weight over the examples in the step; weights have mean 1.
 *
 * Vectors over attributes are the caller's, with lazy scales that are kept
 * here, so that an example costs its own entries: add th_online_dual_factor
 * times the example to X, th_online_second_factor times its squares to N.
 * Everything else is replicated. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ONLINE_H
#define TH_ONLINE_H

#include "math/loss.h"
#include "state/state.h"

#include <stdbool.h>
#include <stdint.h>

/* Number of points of the grid in online.c. */
enum { TH_ONLINE_GRID = 12 };

/* Sums over the steps of a block, each weighted as above. */
struct th_online_block {
  int64_t steps; /* done */
  double rest;   /* u: what is left of the weight of all before the block */
  double primal; /* p: f + lambda Omega at the anchor */
  double dual;   /* d: -f*(theta) */
  double square; /* A: theta^2 */
  double theta;  /* T: theta, 0 at a solution with an intercept */
  double grid[TH_ONLINE_GRID]; /* -f*(a_k theta), of losses that need them */
};

enum th_screen_rule {
  TH_RULE_PROJ,
  TH_RULE_PAPER,
  TH_RULE_VOTES,
  TH_RULE_COUNT
};

struct th_online {
  const struct th_loss *loss;
  enum th_screen_rule rule;
  double lambda;
  double exponent;  /* w */
  double shrink;    /* of the radius: 1, or of rule votes 1 / sqrt(n) */
  int64_t step;     /* t */
  double before;    /* 1 - M: share of what was before screening began */
  double share;     /* mu_t */
  int64_t length;   /* steps of the present block */
  double omega;     /* Omega at the anchor */
  double intercept; /* of the anchor */
  double wander;    /* how far the intercept went from it in this block */
  struct th_online_block block;
  double primal; /* S, D: as sums, not divided by M */
  double dual;
  double gap;          /* R of the last block's end; INFINITY before */
  double dual_scale;   /* X = dual_scale * vector X, as a sum */
  double second_scale; /* N = second_scale * vector N, as a sum */
};

/* Over the active attributes of a rank; borrowed. */
struct th_online_vectors {
  int64_t count;
  double *X; /* of the block: -(1/lambda) sum eta theta x, lazily scaled */
  double *Z; /* of all blocks that have ended, divided by M */
  double *N; /* second moments, lazily scaled; after a block's end as N_j */
};

/* What is screened, and by which rule. */
struct th_online_problem {
  const struct th_loss *loss; /* borrowed */
  double lambda;
  int64_t n; /* examples, for rule votes */
  enum th_screen_rule rule;
};

/* Start. exponent: w. length: steps of the first block. steps: steps made
 * before screening began; t counts them. The vectors begin as 0. */
void th_online_init(struct th_online *online,
                    const struct th_online_problem *problem, double exponent,
                    int64_t length, int64_t steps);

/* Start again with another w: all vectors become 0. */
void th_online_restart(struct th_online *online, double exponent,
                       int64_t length, int64_t steps,
                       struct th_online_vectors vectors);

/* List its state, without the vectors. */
void th_online_describe(struct th_online *online, struct th_state *state);

/* Begin a block with a new anchor: its Omega and intercept. X becomes 0. */
void th_online_begin(struct th_online *online, double omega, double intercept,
                     struct th_online_vectors vectors);

/* Begin step t + 1: the share of all earlier steps shrinks. Vectors are read
 * only if a lazy scale runs low; this step is the same on every rank. */
void th_online_step(struct th_online *online, struct th_online_vectors vectors);

/* Count an example of the step: theta at the iterate, the prediction at the
 * anchor. */
void th_online_example(struct th_online *online, double factor, double target,
                       double theta, double anchor_prediction);
/* Note the iterate's intercept in this step. */
void th_online_intercept(struct th_online *online, double intercept);

/* Return the factor of the example in X, and of its squares in N. */
double th_online_dual_factor(const struct th_online *online, double factor,
                             double theta);
double th_online_second_factor(const struct th_online *online, double factor);

/* End a block. th_online_mean turns X into the block's own mean, X / (1 - u).
 * The caller then computes Omega^D(X), dual_norm. With it th_online_end updates
 * Z, N and the gap, and sets the length of the next block. */
void th_online_mean(struct th_online *online, struct th_online_vectors vectors);
void th_online_end(struct th_online *online, double dual_norm,
                   struct th_online_vectors vectors);

/* Set keep[g] for the groups that are left. dual: their Omega_g^D(Z_g), second:
 * their N_g. */
void th_online_judge(const struct th_online *online, int64_t groups,
                     const double *dual, const double *second, double margin,
                     bool *keep);
/* Return how far Omega_g^D at the optimum may be from its estimate. For tests.
 */
double th_online_radius(const struct th_online *online, double second);

/* Return D of the block scaled by a in [0, 1]: a lower bound for losses that
 * are known on a grid, exact for others. For tests. */
double th_online_block_dual(const struct th_online *online, double a);

/* --- Many proximal steps under a constant gradient at once ---------------- */

/* Return v after v = soft(v - a, t), t >= 0, was repeated `steps` times. In
 * variance-reduced methods this happens to a coefficient while no example has
 * its attribute. The result is piecewise linear in the number of steps, so a
 * few operations suffice. They round differently from the single steps. Local.
 */
double th_online_lazy_prox(double v, double a, double t, int64_t steps);

/* --- A sparse anchor point from the average of a block's iterates
 *
 * Iterates of stochastic methods have few exact zeros. A hard threshold makes
 * their average sparse. Its level is the one that gives the smallest objective
 * on the examples that were seen last. The levels fall by a constant factor
 * from the largest magnitude. All functions are local and replicated. */

/* Levels from the largest magnitude down to 2^-10 of it; the last is 0. */
enum { TH_ANCHOR_LEVELS = 24 };

/* Compute the levels. Level k keeps magnitudes of level[k] at least. */
void th_online_sparse_average_levels(double largest,
                                     double level[TH_ANCHOR_LEVELS]);

/* Return the first level that keeps this value, or TH_ANCHOR_LEVELS for 0. */
int th_online_sparse_average_level(const double level[TH_ANCHOR_LEVELS],
                                   double value);

/* Return the level with the smallest objective; of equal ones the sparser.
 * Objectives that are not numbers lose. */
int th_online_sparse_average_best(const double objective[TH_ANCHOR_LEVELS]);

#endif
