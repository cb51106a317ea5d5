/* iterate.h - coefficients that change a few at a time, and their average
 *
 * w = factor u (ball.h). An update touches the attributes that it has read,
 * whatever their number in all. The average of w over all examples is lazy: an
 * attribute is settled when its u is about to change. Weights that rise favour
 * the later w, which are better (Lacoste-Julien, Schmidt & Bach 2012).
 * SPDX-License-Identifier: MIT */
#ifndef TH_ITERATE_H
#define TH_ITERATE_H

#include "math/discrete.h"
#include "solvers/access/context.h"
#include "solvers/access/support.h"
#include "solvers/sampling/ball.h"

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

/* Room for all. Local. Release with th_iterate_free. */
th_status th_iterate_init(struct th_iterate *w,
                          const struct th_context *context,
                          const struct th_ball *ball, struct th_error *err);
void th_iterate_free(struct th_iterate *w);

/* Bytes for each attribute of a rank. Local. */
int64_t th_iterate_bytes(void);

/* Its state: positions, averages and the frame. What follows from them is
 * computed by th_iterate_derive. Local. */
void th_iterate_describe(struct th_iterate *w, const struct th_context *context,
                         struct th_state *state);

/* Set w to the configured start, or to 0, in a ball of that radius. The ball
 * grows if the start does not fit. Collective. */
th_status th_iterate_start(struct th_iterate *w, struct th_context *context,
                           double radius, struct th_error *err);

/* Compute u and all sums from the positions. Collective. */
void th_iterate_derive(struct th_iterate *w, const struct th_context *context);

/* Give the sums of this rank's cells to all ranks. Collective. */
void th_iterate_share(struct th_iterate *w, const struct th_context *context);

/* So many examples have seen this w. Local. */
void th_iterate_pass(struct th_iterate *w, int64_t examples);

/* Move attribute `a` of this rank against a gradient. Local. */
void th_iterate_move(struct th_iterate *w, int64_t a, double step,
                     double gradient);

/* Bring w into the ball; the sums of all cells are known. *derived: all u and
 * all sums are new. Collective. */
void th_iterate_project(struct th_iterate *w, const struct th_context *context,
                        bool *derived);

/* The coefficient of attribute `a` of this rank. Local. */
static inline double th_iterate_coef(const struct th_iterate *w, int64_t a)
{
  return w->frame.factor * w->at[a].u;
}

/* Begin a new average. Local. */
void th_iterate_average_anew(struct th_iterate *w);

/* Make a support of the averages that are not 0; of w itself while nothing has
 * been averaged. Collective. */
th_status th_iterate_publish(struct th_iterate *w, struct th_context *context,
                             struct th_support *support, struct th_error *err);

/* --- Numbers of cells that every rank knows
 *
 * A cell (TH_CELL attributes) has one owner. Sums over attributes are formed
 * cell by cell by the owners, and then over the cells by every rank, always in
 * the same order. So they do not depend on the number of ranks. */

/* How many cells there are. Local. */
int64_t th_iterate_cells_count(const struct th_context *context);
/* This rank's cells. Local. */
struct th_range th_iterate_cells_owned(const struct th_context *context);

/* sum[cells] = the sums of value[owned attributes], cell by cell, on every
 * rank. Collective. Returns the sum over all. */
double th_iterate_cells_sum(const struct th_context *context,
                            const double *value, double *sum);

/* all: a tree over all cells. Its leaves become the tops of this rank's tree
 * over its attributes, and those of the other ranks. Collective. */
void th_iterate_cells_share(const struct th_context *context,
                            const struct th_sum_tree *owned,
                            struct th_sum_tree *all);

#endif
