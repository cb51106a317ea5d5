/* inner_solver.h - the exact solution on a working set, alike on every rank
 *
 * min over the members' coefficients and the intercept of sum_i eta_i f(p_i;
 * y_i) + lambda Omega(b) + (ridge/2) |b|^2: quadratic models by coordinate
 * descent (quadratic.h), one for a squared loss, Newton's with a line
 * search for the others, until the duality gap of the working set is small.
 * Sums over examples that are long are shared between the ranks; the rest is
 * serial.
 *
 * Where a comment names no code, a status is one of TH_EDATA, TH_ENUMERIC,
 * TH_ENOMEM.
 * SPDX-License-Identifier: MIT */
#ifndef TH_INNER_SOLVER_H
#define TH_INNER_SOLVER_H

#include "solvers/exact/active_set.h"
#include "solvers/exact/chord.h"
#include "solvers/exact/quadratic.h"
#include "solvers/penalised/problem.h"

/* Where a problem is: replicated. */
struct th_inner_solver {
  struct th_problem *problem; /* borrowed */
  struct th_replicated_columns columns;
  struct th_covariance covariance;
  struct th_quadratic quadratic;
  struct th_active_set active_set;
  struct th_chord chord; /* of a tall problem */
  bool tall;
  bool whole;         /* and its columns are so few that all are members */
  bool logistic;      /* in memory: math/kernels/logistic.h does it */
  bool squared;       /* in memory: a few dot products do it */
  bool first;         /* the model is the first at this lambda */
  bool looked;        /* predictions and theta are there */
  bool by_products;   /* the covariance is in use */
  double *prediction; /* of the working set's coefficients, with intercept */
  double *theta;      /* f' there: sum eta theta = 0 with an intercept */
  double *weighted;   /* eta theta */
  double *root_eta;
  double *h;
  double *trial;
  double *work; /* members of a unit, twice */
  int64_t room; /* of work */
  double intercept;
  double loss;   /* at the coefficients, without the penalty */
  double primal; /* with it */
  double square; /* squared: sum eta theta^2, sum eta theta y */
  double along;
  double gap;  /* of the working set */
  double done; /* share of what it descends for, for who watches */
};

/* The zero model. Local. TH_ENOMEM. */
th_status th_inner_solver_init(struct th_inner_solver *inner,
                               struct th_problem *problem,
                               struct th_error *err);
void th_inner_solver_free(struct th_inner_solver *inner);

/* Its state at the end of a lambda: which columns it holds, and the factor.
 * Those of an image are gathered. Collective. */
void th_inner_solver_describe(struct th_inner_solver *inner,
                              struct th_state *state);

/* Gather what the working set needs, and say where it lies; what has not been
 * used for long is dropped. Collective. TH_ENOMEM, and of reading TH_EARG,
 * TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO. */
th_status th_inner_solver_gather(struct th_inner_solver *inner,
                                 struct th_working_set *working,
                                 struct th_error *err);

/* Predictions, theta, slopes, primal value and gap at the working set's
 * coefficients. Collective. */
th_status th_inner_solver_look(struct th_inner_solver *inner,
                               struct th_working_set *working, double lambda,
                               struct th_error *err);

/* The two halves of a look: predictions, theta and primal value; slopes and
 * gap. Collective. */
th_status th_inner_solver_predict(struct th_inner_solver *inner,
                                  struct th_working_set *working, double lambda,
                                  struct th_error *err);
/* Collective. TH_ENOMEM. */
th_status th_inner_solver_slopes(struct th_inner_solver *inner,
                                 struct th_working_set *working, double lambda,
                                 struct th_error *err);

/* Primal value and gap where the last look has been, at another lambda, or with
 * another ridge or working set: slopes are the caller's to give. The gap there
 * by the dual point scale theta. Local, replicated. */
void th_inner_solver_stay(struct th_inner_solver *inner,
                          const struct th_working_set *working, double lambda);
double th_inner_solver_gap(const struct th_inner_solver *inner,
                           const struct th_working_set *working, double scale);

/* The step of a model by products, halved likewise, and a look where it ends,
 * or where it began and no part of it was good. *moved: there is a way on.
 * Internal to the descent. Collective. */
th_status th_inner_solver_chord(struct th_inner_solver *inner,
                                struct th_working_set *working, double lambda,
                                bool *moved, struct th_error *err);

/* Along the step that the model proposes, halved until the objective falls by a
 * part of what the model's slope says (Tseng & Yun 2009). False: it does not,
 * in doubles. Local, replicated; internal to the descent. */
bool th_inner_solver_search(struct th_inner_solver *inner,
                            struct th_working_set *working, double lambda);

/* Descend from where a look has been to a gap of at most tolerance, or as far
 * as doubles go; ends with a look. Collective. */
th_status th_inner_solver_solve(struct th_inner_solver *inner,
                                struct th_working_set *working, double lambda,
                                double tolerance, struct th_error *err);

#endif
