/* working_set_solver.h - the exact solution at one lambda: working sets,
 * gap-safe spheres
 *
 * The problem is solved on a working set. A pass over all attributes gives the
 * duality gap and the units with the worst violations, which join the set
 * (Massias, Gramfort & Salmon 2018, celer). This is repeated until the gap is
 * small. Attributes that cannot matter to a pass are not read, by estimates of
 * slopes from earlier passes.
 * SPDX-License-Identifier: MIT */
#ifndef TH_WORKING_SET_SOLVER_H
#define TH_WORKING_SET_SOLVER_H

#include "math/select.h"
#include "solvers/exact/inner_solver.h"
#include "solvers/penalised/problem.h"

enum { TH_POINTS = 4 }; /* earlier passes that are kept */

/* One pass: theta is replicated, slopes belong to the owners. */
struct th_point {
  double lambda;
  double *theta;
  double *slope; /* places */
  double *error; /* groups: bound on the error in dual norm */
  double level;  /* typical error over sqrt(N_g); replicated */
  int64_t used;  /* when it was last useful */
};

/* Estimates of slopes from earlier passes. */
struct th_gradient_history {
  struct th_problem *problem; /* borrowed */
  int64_t count;
  int64_t clock;
  struct th_point point[TH_POINTS];
};

/* Its state. Collective. */
void th_working_set_solver_history_describe(struct th_gradient_history *history,
                                            struct th_state *state);

struct th_working_set_solver {
  struct th_problem *problem; /* borrowed */
  bool screens;     /* passes leave out attributes that cannot matter */
  double tolerance; /* of the gap; 0: by rule */
  bool rough;       /* only on the way to another lambda: one pass will do */
  struct th_inner_solver inner;
  struct th_working_set working;
  struct th_duals duals; /* times lambda: slopes */
  struct th_gradient_history history;
  double *ahead; /* places: slopes, extrapolated */
  double *value; /* groups: their dual values */
  double *score; /* groups: scores of candidates, and their keys */
  int64_t *name;
  struct th_index_value *chosen;
  int64_t *key;
  int64_t room; /* of both */
  struct th_selection selection;
  double objective;
  double gap;       /* over all attributes */
  double dual_norm; /* times lambda */
};

/* Bytes that this takes on the rank with the most, for as many members as are
 * usual where a path ends. ratio: its last lambda over lambda_max; 0: not
 * known. Local. */
int64_t th_working_set_solver_bytes(const struct th_plan_size *size,
                                    double ratio);

/* Begin with the zero model. duals: the ones from th_problem_init; the solver
 * takes them over. Collective. Release with th_working_set_solver_free. */
th_status th_working_set_solver_init(struct th_working_set_solver *exact,
                                     struct th_problem *problem,
                                     struct th_duals *duals,
                                     struct th_error *err);

/* Collective where a lambda has been solved for. */
void th_working_set_solver_free(struct th_working_set_solver *exact);

/* The gap at which a solution is good enough, at that objective. Local. */
double th_working_set_solver_goal(const struct th_working_set_solver *exact,
                                  double objective);

/* Begin the next lambda: extrapolate coefficients along the line through the
 * last two, and set the working set to their support. widens: also add the
 * units that are expected to enter. After only one lambda, these are what the
 * strong rule keeps (Tibshirani et al. 2012). Collective. */
th_status th_working_set_solver_guess(struct th_working_set_solver *exact,
                                      double lambda, bool widens,
                                      struct th_error *err);

/* Solve, starting from the working set as it is. Collective. */
th_status th_working_set_solver_solve(struct th_working_set_solver *exact,
                                      double lambda, struct th_error *err);

#endif
