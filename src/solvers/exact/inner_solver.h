/* inner_solver.h - the exact solution on a working set, the same on every rank
 *
 * min over the members' coefficients and the intercept of sum_i eta_i f(p_i;
 * y_i) + lambda Omega(b) + (ridge/2) sum q b^2: minimised by quadratic models,
 * each solved by coordinate descent (quadratic.h). A squared loss needs one
 * model; other losses need Newton models with a line search, until the duality
 * gap of the working set is small. Ranks share the long sums over examples. The
 * rest is serial: the first rank of each node minimises the models, and gives
 * the others of its node the step. So the factor of the support and the
 * iterates lie there alone.
 * SPDX-License-Identifier: MIT */
#ifndef TH_INNER_SOLVER_H
#define TH_INNER_SOLVER_H

#include "solvers/access/rowwise.h"
#include "solvers/exact/active_set.h"
#include "solvers/exact/covariance.h"
#include "solvers/exact/quadratic.h"
#include "solvers/penalised/problem.h"

/* A rise of the objective by this share of it may be rounding. */
#define TH_INNER_ROUNDING 1e-12

/* A step is halved so many times at most. */
enum { TH_INNER_HALVINGS = 40 };

/* Products of columns for the models of a tall problem. */
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

/* Models of the logistic loss on sparse attributes are solved by cycles
 * (quadratic.h). Of one lambda. */
struct th_inner_cycles {
  bool suit;     /* this problem */
  bool used;     /* now */
  int models;    /* at most so many */
  uint64_t turn; /* cycles so far */
  double aim; /* violations at which the cycles of a model end; 0: none yet */
  double visited; /* values, since the last factor was formed */
  double gap;     /* at the last model with a factor, or INFINITY */
  int forms;      /* factors so far */
};

/* Of a squared loss: sum eta theta^2, sum eta theta y. */
struct th_inner_sums {
  double square;
  double along;
};

/* The state of a solution on the working set. Replicated, but for models. */
struct th_inner_solver {
  struct th_problem *problem; /* borrowed */
  struct th_comm node; /* the ranks whose models the first of them minimises;
                          ops NULL: no columns have been gathered yet */
  struct th_replicated_columns columns;
  struct th_covariance covariance;
  struct th_quadratic quadratic;
  struct th_active_set active_set;
  struct th_chord chord; /* of a tall problem */
  struct th_inner_cycles cycles;
  bool tall;
  bool whole;         /* so few columns that all are members */
  bool logistic;      /* in memory: th_column_logistic_at is used */
  bool squared;       /* in memory: a few dot products suffice */
  bool first;         /* the model is the first at this lambda */
  bool polishes;      /* a model is made even where the gap is small enough */
  bool looked;        /* predictions and theta are current */
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
  struct th_inner_sums sums;
  double gap;  /* of the working set */
  double done; /* share of the work that is done, for the monitor */
};

/* Is a problem of so many columns in memory solved by their products? Those of
 * sparse columns are formed from entries by rows, which each rank keeps. Local.
 */
bool th_inner_solver_is_tall(int64_t rows, int64_t columns);

/* The zero model. Local. */
th_status th_inner_solver_init(struct th_inner_solver *inner,
                               struct th_problem *problem,
                               struct th_error *err);

/* Collective where columns have been gathered: the team of the node goes. */
void th_inner_solver_free(struct th_inner_solver *inner);

/* Its state at the end of a lambda: which columns it holds, and the factor. The
 * columns of an image are gathered. Collective. */
void th_inner_solver_describe(struct th_inner_solver *inner,
                              struct th_state *state);

/* Begin another lambda. Local. */
void th_inner_solver_begin(struct th_inner_solver *inner);

/* Leave cycles for the rest of this lambda, where they have come no nearer.
 * False: they are not in use. Local. */
bool th_inner_solver_fall_back(struct th_inner_solver *inner);

/* Gather the columns of the working set, and set their slots. Columns that have
 * not been used for long are dropped. Collective. */
th_status th_inner_solver_gather(struct th_inner_solver *inner,
                                 struct th_working_set *working,
                                 struct th_error *err);

/* Predictions, theta, slopes, primal value and gap at the working set's
 * coefficients. Collective. */
th_status th_inner_solver_screen_at(struct th_inner_solver *inner,
                                    struct th_working_set *working,
                                    double lambda, struct th_error *err);

/* The two halves of a look: predictions, theta and primal value; slopes and
 * gap. Collective. */
th_status th_inner_solver_screen_predict(struct th_inner_solver *inner,
                                         struct th_working_set *working,
                                         double lambda, struct th_error *err);

/* Collective. */
th_status th_inner_solver_screen_slopes(struct th_inner_solver *inner,
                                        struct th_working_set *working,
                                        double lambda, struct th_error *err);

/* Primal value and gap at the point of the last look, for another lambda, ridge
 * or working set; the caller gives the slopes. The second function: the gap
 * there with the dual point scale * theta. Local, replicated. */
void th_inner_solver_screen_stay(struct th_inner_solver *inner,
                                 const struct th_working_set *working,
                                 double lambda);

double th_inner_solver_screen_gap(const struct th_inner_solver *inner,
                                  const struct th_working_set *working,
                                  double lambda, double scale);

/* Make the step of the quadratic model, halved until the objective falls by a
 * part of what the model's slope promises (Tseng & Yun 2009). False: it does
 * not fall, in doubles. Local. */
bool th_inner_solver_screen_search(struct th_inner_solver *inner,
                                   struct th_working_set *working,
                                   double lambda);

/* Descend from the point of the last look to a gap of at most tolerance, or to
 * the limit of doubles. Ends with a look. Collective. */
th_status th_inner_solver_solve(struct th_inner_solver *inner,
                                struct th_working_set *working, double lambda,
                                double tolerance, struct th_error *err);

/* --- How far models trust the curvature (quadratic.h). Local. */

/* Begin at a lambda. */
void th_inner_solver_screen_begin(struct th_inner_solver *inner);

/* Look what the last model was worth, and raise the curvatures h of examples.
 * trial is overwritten. */
void th_inner_solver_screen_raise(struct th_inner_solver *inner);

/* How far a model is to be minimised, whose gap is far below that of the loss,
 * if `wanted` is that of others; note how far it has fallen since then. */
double th_inner_solver_screen_aim(struct th_inner_solver *inner, double lambda,
                                  double wanted);
void th_inner_solver_screen_expect(struct th_inner_solver *inner,
                                   double lambda);

/* A step has failed: returns true if a more cautious model is worth trying. */
bool th_inner_solver_screen_grow(struct th_inner_solver *inner);

#endif
