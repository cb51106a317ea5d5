/* active_set.h - the minimum of a model over coefficients that keep their signs
 *
 * Where no coefficient changes its sign, an l1 penalty is linear and the
 * minimum of a quadratic model solves a linear system in the products of the
 * support's members. From one lambda to the next few of them join or leave, so
 * that the Cholesky factor of the products is kept and changed row by row, as
 * in the homotopy methods (Osborne, Presnell & Turlach 2000; Efron et al.
 * 2004). A coefficient that would change its sign stops at zero and leaves.
 * Replicated and local: every rank computes the same.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ACTIVE_SET_H
#define TH_ACTIVE_SET_H

#include "math/factor.h"
#include "solvers/exact/quadratic.h"

/* The factor of the products of some members, in the order in which they came;
 * with an intercept that is no part of the products, it comes first. Good as
 * long as curvatures and slots stay. */
struct th_active_set {
  struct th_factor factor;
  int64_t *name;    /* rows: slots, or -1 for the intercept */
  double *residual; /* rows */
  double *step;     /* rows */
  bool centred;     /* products without an intercept's row */
  double ridge;     /* in the products */
  int64_t slots;    /* room of the two arrays over slots: */
  int64_t *member;  /* of the model's working set, or -1 */
  bool *held;       /* in the factor */
  double *target;   /* members, then the intercept: where to */
};

void th_active_set_free(struct th_active_set *active_set);

/* Slots have new names: begin anew. */
void th_active_set_reset(struct th_active_set *active_set);

/* Its state: the factor as it has become, row by row. known: attributes of the
 * slots that the factor's rows are called after, in an image; `columns` has all
 * of them. */
void th_active_set_describe(struct th_active_set *active_set,
                            const struct th_replicated_columns *columns,
                            const int64_t *known, struct th_state *state);

/* Bytes for a working set of so many members. */
int64_t th_active_set_bytes(int64_t members);

/* Make ready for a model that has begun, whose units must be attributes (l1);
 * *fits: it may be used. TH_ENOMEM. */
th_status th_active_set_begin(struct th_active_set *active_set,
                              const struct th_quadratic *quadratic, bool *fits,
                              struct th_error *err);

/* What that would cost now: in values that descent visits meanwhile. */
int64_t th_active_set_cost(const struct th_active_set *active_set,
                           const struct th_quadratic *quadratic);

/* Move the model to the minimum over its support, as far as its members are
 * independent; false: nothing moved, or the model would not fall. */
bool th_active_set_step(struct th_active_set *active_set,
                        struct th_quadratic *quadratic, double lambda);

#endif
