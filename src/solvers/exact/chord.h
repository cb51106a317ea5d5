/* chord.h - products of columns for the models of a tall problem
 *
 * If there are many examples in memory and few columns, models are minimised by
 * products of columns. With a squared loss, products never change. With labels
 * they belong to the curvatures at one point. They serve Newton steps at other
 * points and lambdas, too, as long as these steps gain much: the chord method
 * (Ortega & Rheinboldt 1970, 7.1). The way to a solution depends on them, but
 * not its precision. Functions are local unless they say otherwise.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CHORD_H
#define TH_CHORD_H

#include "solvers/exact/covariance.h"
#include "solvers/penalised/problem.h"

struct th_chord {
  struct th_rowwise rowwise; /* sparse columns alone */
  double *coef;              /* columns: work array of predictions by rows */
  double *h;     /* eta f'' at the point of the products; NULL: eta itself */
  double *share; /* h over its sum */
  double *root;  /* the root of h */
  double sum;    /* of h */
  bool formed;   /* products belong to h */
  bool fresh;    /* no step has been made with them yet */
  bool failed;   /* the last step failed, or only a part of it was good */
  double rate;   /* the part of the gap that a step with old products leaves,
                    except for the first step at a lambda */
  double worth;  /* cost of new products, in looks */
};

/* True if a problem is tall. Depends on sizes alone. */
bool th_chord_fits(const struct th_problem *problem);

/* Release with th_chord_free. */
th_status th_chord_init(struct th_chord *chord,
                        const struct th_problem *problem, struct th_error *err);
void th_chord_free(struct th_chord *chord);

/* Begin anew at these predictions if that is the faster way to a gap that is
 * `times` smaller. The products then lose all slots. Returns whether it has
 * begun anew. */
bool th_chord_renew(struct th_chord *chord, const struct th_problem *problem,
                    const double *prediction, double times,
                    struct th_covariance *covariance);

/* Form the products of the slots that columns have beyond those of the
 * products. Collective where the problem is dense. */
th_status th_chord_grow(struct th_chord *chord,
                        const struct th_problem *problem,
                        const struct th_replicated_columns *columns,
                        struct th_covariance *covariance, struct th_error *err);

/* Note that a step has left so much of the gap. first: it was the first at a
 * lambda. well: the whole step was made. */
void th_chord_note(struct th_chord *chord, double left, bool first, bool well);

/* Update the products by the curvature along a step of all slots (the update of
 * Broyden, Fletcher, Goldfarb and Shanno): by how much the step changed the
 * slopes, and by how much the products predicted. */
void th_chord_learn(struct th_covariance *covariance, const double *step,
                    const double *change, const double *expected);

/* Half the h-weighted square of weighted / h: a model's value at its start. */
double th_chord_constant(const struct th_chord *chord,
                         const struct th_problem *problem,
                         const double *weighted);

#endif
