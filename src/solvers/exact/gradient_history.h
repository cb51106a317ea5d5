/* gradient_history.h - estimates of slopes from earlier passes
 *
 * Slopes -sum eta theta x are linear in theta. If they are known at two thetas,
 * they are known on the whole line through these. At another theta they differ
 * by at most its distance from the line times sqrt(N_g). This is the sphere of
 * Liang & Poon 2022, Algorithm 1, with a known centre and radius in place of
 * bounded ones. Groups that stay below lambda need not be read. While the
 * support stays the same, theta follows such a line. The ridge's part of a
 * slope is not remembered, as it is known from the coefficient.
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
  double *error; /* groups: bound on the error in dual norm */
  double level;  /* typical error over sqrt(N_g); replicated */
  int64_t used;  /* when it was last useful */
};

struct th_gradient_history {
  struct th_problem *problem; /* borrowed */
  int64_t count;
  int64_t clock;
  struct th_point point[TH_POINTS];
};

/* Begin with one point: the zero model at lambda_max. Local; release with
 * th_gradient_history_free. */
th_status th_gradient_history_init(struct th_gradient_history *history,
                                   struct th_problem *problem,
                                   const struct th_duals *duals,
                                   struct th_error *err);
void th_gradient_history_free(struct th_gradient_history *history);

/* Its state. Collective. */
void th_gradient_history_describe(struct th_gradient_history *history,
                                  struct th_state *state);

/* Estimate z, values and slacks of all groups at theta, from the points around
 * it. Returns the typical error over sqrt(N_g), replicated. Collective where
 * groups are shared. */
double th_gradient_history_estimate(struct th_gradient_history *history,
                                    const double *theta,
                                    struct th_duals *duals);

/* Keep a pass at lambda as a point, in place of one at the same lambda, or else
 * of the one that was useful longest ago. level: see struct th_point. Local,
 * replicated. */
void th_gradient_history_keep(struct th_gradient_history *history,
                              double lambda, const double *theta, double level,
                              const struct th_duals *duals);

/* Extrapolate z and dual values along the line through the last two lambdas.
 * Returns how far beyond the last one that is; 0 if there is only one, whose
 * values are then given. Collective where groups are shared. */
double th_gradient_history_ahead(struct th_gradient_history *history,
                                 double lambda, double *z, double *value);

/* The last lambda. Local. */
double th_gradient_history_lambda(const struct th_gradient_history *history);

#endif
