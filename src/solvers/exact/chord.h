/* chord.h - products of columns for the models of a tall problem
 *
 * Where examples in memory are many and columns few, models are descended on
 * products of columns. With a squared loss these stay; with labels they belong
 * to the curvatures of one place, and serve Newton's steps at other places,
 * and lambdas, as long as the steps gain much: the chord method (Ortega &
 * Rheinboldt 1970, 7.1). Only the way to a solution depends on them, never how
 * good it is. Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CHORD_H
#define TH_CHORD_H

#include "solvers/exact/covariance.h"
#include "solvers/penalised/problem.h"

struct th_chord {
  struct th_rowwise rowwise; /* sparse columns alone */
  double *coef;              /* columns: of a prediction by rows */
  double *h;                 /* eta f'' at that place; NULL: eta itself */
  double *share;             /* h over its sum */
  double *root;              /* the root of h */
  double sum;                /* of h */
  bool formed;               /* products belong to h */
  bool fresh;                /* no step has been made with them yet */
  bool failed;               /* the last step did not do, or only in part */
  double rate;               /* what a step with old products leaves of the gap,
                                but for the first at a lambda */
  double worth;              /* looks that new products cost as much as */
};

/* Whether a problem is tall: by sizes alone. */
bool th_chord_fits(const struct th_problem *problem);

/* Release with th_chord_free. TH_ENOMEM. */
th_status th_chord_init(struct th_chord *chord,
                        const struct th_problem *problem, struct th_error *err);
void th_chord_free(struct th_chord *chord);

/* Begin anew at the predictions where that is the faster way to a gap that is
 * so many times smaller: the products lose all slots. Whether it did. */
bool th_chord_renew(struct th_chord *chord, const struct th_problem *problem,
                    const double *prediction, double times,
                    struct th_covariance *covariance);

/* Take in the slots that columns have beyond those of the products. Collective
 * where the problem is dense. TH_ENOMEM. */
th_status th_chord_grow(struct th_chord *chord,
                        const struct th_problem *problem,
                        const struct th_replicated_columns *columns,
                        struct th_covariance *covariance, struct th_error *err);

/* A step has left so much of the gap; first: at a lambda; well: all of the step
 * was gone. */
void th_chord_note(struct th_chord *chord, double left, bool first, bool well);

/* The products take on what a step of all slots has shown of the curvature: by
 * the step, slopes changed so much, and with the products it would have been
 * expected; the update of Broyden, Fletcher, Goldfarb and Shanno. */
void th_chord_learn(struct th_covariance *covariance, const double *step,
                    const double *change, const double *expected);

/* Half the h-weighted square of weighted / h: what a model's value is at its
 * start. */
double th_chord_constant(const struct th_chord *chord,
                         const struct th_problem *problem,
                         const double *weighted);

#endif
