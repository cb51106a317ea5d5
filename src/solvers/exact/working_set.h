/* working_set.h - the working set of an exact solver: units and their members
 *
 * Replicated. A unit is a group of the penalty, or a single attribute; it is
 * called after its lowest attribute on all ranks.
 * SPDX-License-Identifier: MIT */
#ifndef TH_WORKING_SET_H
#define TH_WORKING_SET_H

#include "solvers/penalised/problem.h"

struct th_working_set {
  int64_t units;
  int64_t members;            /* of all units */
  int64_t *key;               /* of each unit, ascending */
  int64_t *start;             /* units + 1: members of each */
  struct th_group_norm *norm; /* of each unit */
  int64_t *attribute;         /* of each member, ascending within a unit */
  int64_t *slot;              /* slot of its column, once it is gathered */
  double *coef;
  double *earlier; /* coefficients at the last lambda */
  double *slope;   /* sum of eta theta x, and ridge q coef, at the last look */
  double *q;       /* of each member: q of its norm (math/penalty.h) */
};

/* Local. */
void th_working_set_free(struct th_working_set *working);

/* Add the listed units, with coefficients 0. The list is ascending and the same
 * on every rank; none of them is in the set yet. Collective: one gathering of
 * 64 bytes per member. */
th_status th_working_set_add(struct th_working_set *working,
                             const struct th_problem *problem,
                             const int64_t *key, int64_t count,
                             struct th_error *err);

/* Its state at the end of a lambda. Units that are put are added anew.
 * Collective. */
void th_working_set_describe(struct th_working_set *working,
                             const struct th_problem *problem,
                             struct th_state *state);

/* Remove units without a coefficient, but for those without a penalty. Local,
 * replicated. */
void th_working_set_drop_zeros(struct th_working_set *working);

/* Which unit has that key, or -1. Local. */
int64_t th_working_set_find(const struct th_working_set *working, int64_t key);

/* Omega(coef), and the largest dual norm of slope over the units, at coef where
 * they have bounds; work has room for the members. Local. */
double th_working_set_omega(const struct th_working_set *working,
                            const double *coef);
double th_working_set_dual(const struct th_working_set *working,
                           const double *coef, const double *slope,
                           double *work);

/* What members at their bounds take off the value of the dual point scale
 * theta, which has the slopes scale slope (math/penalty.h). Local. */
double th_working_set_beyond(const struct th_working_set *working,
                             double lambda, double scale, const double *coef,
                             const double *slope);

/* The norm of a member by itself. Local. */
struct th_group_norm th_working_set_norm(const struct th_working_set *working,
                                         int64_t member);

/* (ridge/2) sum q coef^2 over the members. Local. */
double th_working_set_ridge(const struct th_working_set *working, double ridge,
                            const double *coef);

/* Attributes whose coefficient is not 0. Local. */
int64_t th_working_set_support(const struct th_working_set *working);

#endif
