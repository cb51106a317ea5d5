/* gradient_history.h - what earlier passes say of the present slopes
 *
 * Slopes -sum eta theta x are linear in theta: at a point of the line through
 * two thetas at which they were known they are known again, and beside it they
 * differ by at most its distance from theta times sqrt(N_g). That is the sphere
 * of Liang & Poon 2022, Algorithm 1, with a centre and a radius that are known
 * instead of bounded; what stays below lambda need not be read. While the
 * support stays the same, theta follows such a line.
 * A ridge is no part of what is remembered: its part of a slope ends with the
 * coefficient.
 * SPDX-License-Identifier: MIT */
#ifndef TH_GRADIENT_HISTORY_H
#define TH_GRADIENT_HISTORY_H

#include "solvers/penalised/problem.h"

enum { TH_POINTS = 4 };

/* One pass: theta is replicated, slopes belong to the owners. */
struct th_point {
  double lambda;
  double *theta;
  double *slope; /* places */
  double *error; /* groups: how far off they are in dual norm at most */
  double level;  /* typical error over sqrt(N_g); replicated */
  int64_t used;  /* when it was of use last */
};

struct th_gradient_history {
  struct th_problem *problem; /* borrowed */
  int64_t count;
  int64_t clock;
  struct th_point point[TH_POINTS];
};

/* Begin with one point: the zero model at lambda_max. Local; release with
 * th_gradient_history_free. TH_ENOMEM. */
th_status th_gradient_history_init(struct th_gradient_history *history,
                                   struct th_problem *problem,
                                   const struct th_duals *duals,
                                   struct th_error *err);
void th_gradient_history_free(struct th_gradient_history *history);

/* Its state. Collective. */
void th_gradient_history_describe(struct th_gradient_history *history,
                                  struct th_state *state);

/* z, values and slacks of all groups at theta, from the points around it; how
 * good that is, over sqrt(N_g), is replicated. Collective where groups are
 * shared. */
double th_gradient_history_estimate(struct th_gradient_history *history,
                                    const double *theta,
                                    struct th_duals *duals);

/* A pass at lambda becomes a point, in place of one at the same lambda, else of
 * the one that was of no use for longest. level: see struct th_point. Local,
 * replicated. */
void th_gradient_history_keep(struct th_gradient_history *history,
                              double lambda, const double *theta, double level,
                              const struct th_duals *duals);

/* z and dual values on the line through the last two lambdas, at another one;
 * how far beyond the last that is, 0 where there are no two: the last itself.
 * Collective where groups are shared. */
double th_gradient_history_ahead(struct th_gradient_history *history,
                                 double lambda, double *z, double *value);

/* The last lambda. Local. */
double th_gradient_history_lambda(const struct th_gradient_history *history);

#endif
