/* learning.h - what the solvers of this folder learn with: coefficients in a
 * ball, steps, targets
 * SPDX-License-Identifier: MIT */
#ifndef TH_LEARNING_H
#define TH_LEARNING_H

#include "math/discrete.h"
#include "solvers/access/context.h"
#include "solvers/access/support.h"
#include "solvers/sampling/ball.h"

/* --- Coefficients that change a few at a time, and their average
 *
 * w = factor u (ball.h). An update touches the attributes that it has read,
 * whatever their number in all. The average of w over all examples is lazy: an
 * attribute is settled when its u is about to change. Weights that rise favour
 * the later w, which are better (Lacoste-Julien, Schmidt & Bach 2012). */

/* An attribute. */
struct th_iterate_place {
  double position;
  double u;
  double average; /* sum of weight x w, as far as settled */
  double settled; /* `passed` at that time */
};

/* Arrays of attributes are those of the owned ones; other numbers are
 * replicated. */
struct th_iterate {
  const struct th_ball *ball;
  struct th_ball_frame frame;
  const double *scale; /* of the context; 0: left out */
  int64_t count;       /* owned */
  int64_t useful;      /* attributes of all ranks that are not left out */
  struct th_iterate_place *at;
  bool rises;      /* example t of the average has the weight t, not 1 */
  double examples; /* t so far */
  double passed;   /* sum of weight x factor over examples */
  double weight;   /* sum of weights */
  struct th_sum_tree size;       /* of the attributes, up to cells */
  struct th_sum_tree all;        /* of the cells */
  struct th_index_value *chosen; /* work: the support */
  int64_t room;
};

/* The coefficient of attribute `a` of this rank. Local. */
static inline double th_learning_iterate_coef(const struct th_iterate *w,
                                              int64_t a)
{
  return w->frame.factor * w->at[a].u;
}

/* Bytes for each attribute of a rank. Local. */
int64_t th_learning_iterate_bytes(void);

/* Compute u and all sums from the positions. Collective. */
void th_learning_iterate_derive(struct th_iterate *w,
                                const struct th_context *context);

/* Give the sums of this rank's cells to all ranks. Collective. */
void th_learning_iterate_share(struct th_iterate *w,
                               const struct th_context *context);

/* So many examples have seen this w. Local. */
void th_learning_iterate_pass(struct th_iterate *w, int64_t examples);

/* Move attribute `a` of this rank against a gradient. Local. */
void th_learning_iterate_move(struct th_iterate *w, int64_t a, double step,
                              double gradient);

/* Bring w into the ball; the sums of all cells are known. *derived: all u and
 * all sums are new. Collective. */
void th_learning_iterate_project(struct th_iterate *w,
                                 const struct th_context *context,
                                 bool *derived);

/* --- Numbers of cells that every rank knows
 *
 * A cell (TH_CELL attributes) has one owner. Sums over attributes are formed
 * cell by cell by the owners, and then over the cells by every rank, always in
 * the same order. So they do not depend on the number of ranks. */

/* How many cells there are. Local. */
int64_t th_learning_cells_count(const struct th_context *context);

/* This rank's cells. Local. */
struct th_range th_learning_cells_owned(const struct th_context *context);

/* sum[cells] = the sums of value[owned attributes], cell by cell, on every
 * rank. Collective. Returns the sum over all. */
double th_learning_cells_sum(const struct th_context *context,
                             const double *value, double *sum);

/* all: a tree over all cells. Its leaves become the tops of this rank's tree
 * over its attributes, and those of the other ranks. Collective. */
void th_learning_cells_share(const struct th_context *context,
                             const struct th_sum_tree *owned,
                             struct th_sum_tree *all);

/* Second moments of attributes as solvers see them, (x - centre) * scale.
 * Attributes that are left out have none. Arrays are of the owned attributes,
 * other numbers replicated. */
struct th_moments {
  double *second; /* E x^2, from import */
  double sum;     /* of them, over all attributes */
  double largest;
  double shown;   /* how many attributes the examples are likely to show */
  double *square; /* estimates: the sum of the squares that were observed */
  double *hits;   /* and how many there were */
  double *work;   /* attributes */
  double *cell;   /* cells */
};

/* What attributes are drawn by. */
enum th_moments_use { TH_MOMENTS_EQUAL, TH_MOMENTS_EXACT, TH_MOMENTS_ESTIMATE };

/* How the estimates are used: error is added to each of them (epsilon; paper,
 * Algorithm 2, line 11), or a number of observations of the average moment, and
 * `smooth` is the share of the draws that falls on all attributes alike. */
struct th_moments_care {
  double error;
  double prior; /* observations, such as 0.1 */
  double smooth;
};

/* A fixed size, or AdaGrad: by the norm of all gradients so far, or by each
 * coordinate (Kukliansky & Shamir 2015, appendix A; Duchi, Hazan & Singer
 * 2011). Sums include the present gradient. */
struct th_steps {
  enum th_adagrad by; /* TH_ADAGRAD_NONE: `size` alone */
  double size;
  double sum;     /* of squared norms */
  double *square; /* coordinate: of the owned attributes, sums of squares */
  int64_t count;  /* of them; 0: by is another one */
  double shown;   /* the last step, for the progress display */
};

struct th_learning {
  const struct th_ball *ball;
  struct th_moments moments;
  struct th_iterate w;
  struct th_steps steps;
  struct th_all_targets targets;
  double loss;               /* on the last mini-batch */
  struct th_support support; /* as it was published last */
};

/* Read targets and moments, and set w to the start in a ball of the radius that
 * is given, or that the data suggest. Collective. Release with
 * th_learning_free. */
th_status th_learning_init(struct th_learning *learning,
                           struct th_context *context, struct th_error *err);

/* Collective. */
void th_learning_free(struct th_learning *learning);

/* What theory knows of a phase of so many examples: all but the draws. Local,
 * replicated. */
struct th_ball_theory th_learning_theory(const struct th_learning *learning,
                                         const struct th_context *context,
                                         int64_t examples);

/* Begin a phase: sizes of steps, and a new average. Local. */
void th_learning_begin(struct th_learning *learning,
                       const struct th_context *context,
                       const struct th_ball_theory *theory);

/* Add the squared norm of a gradient, before the step. Local. */
void th_learning_add_square(struct th_learning *learning, double square);

/* The step of an attribute of this rank; norms have been added up. Local. */
double th_learning_step(struct th_learning *learning, int64_t a,
                        double gradient);

/* Is w = 0 the only point of the ball, since targets or attributes do not
 * change? Local, replicated. */
bool th_learning_is_over(const struct th_learning *learning);

/* An error if w or the loss of the last mini-batch is no number any more.
 * Local, replicated. */
th_status th_learning_check(const struct th_learning *learning,
                            struct th_error *err);

/* Bring the support up to date. Collective. */
th_status th_learning_publish(struct th_learning *learning,
                              struct th_context *context, struct th_error *err);

/* Its state; what follows from it is computed by th_learning_iterate_derive.
 * Local. */
void th_learning_describe(struct th_learning *learning,
                          const struct th_context *context,
                          struct th_state *state);

#endif
