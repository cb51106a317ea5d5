/* active_set.h - the minimum of a quadratic model over coefficients that keep
 * their signs
 *
 * While no coefficient changes its sign, an l1 penalty is linear. The minimum
 * of a quadratic model then solves a linear system in the products of the
 * support's members, the active set. From one lambda to the next, few members
 * join or leave. The Cholesky factor of the products is therefore kept and
 * changed row by row, as in homotopy methods (Osborne, Presnell & Turlach 2000;
 * Efron et al. 2004). A coefficient that would change its sign stops at zero
 * and leaves, as one does at its bound. A member that depends on the others has
 * no row; it is traded for them until one of them is at zero. Replicated and
 * local: every rank computes the same.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ACTIVE_SET_H
#define TH_ACTIVE_SET_H

#include "math/linalg.h"
#include "solvers/exact/quadratic.h"

/* The factor of the products of some members, in the order in which they
 * joined. An intercept that is no part of the products comes first. The factor
 * is valid as long as curvatures and slots do not change. */
struct th_active_set {
  struct th_factor factor;
  int64_t *name;    /* rows: slots, or -1 for the intercept */
  double *joining;  /* rows, for each of TH_FACTOR_TOGETHER members */
  double *residual; /* rows */
  double *step;     /* rows */
  bool full;        /* members may have no row for want of room */
  bool centred;     /* products without an intercept's row */
  double ridge;     /* in the products */
  double damping;   /* share of each product of a member with itself that is
                       added to it: with more than 1e-9, members that depend on
                       each other may all join */
  double slack;     /* share of a model's value by which a step may raise it:
                       near the solution, what it gains is less than rounding */
  int64_t slots;    /* capacity of the two arrays over slots */
  int64_t *member;  /* of the model's working set, or -1 */
  bool *held;       /* in the factor */
  double *target;   /* members, then the intercept: the minimum */
};

void th_active_set_free(struct th_active_set *active_set);

/* Call when slots have changed: begin anew. */
void th_active_set_reset(struct th_active_set *active_set);

/* Its state: the factor, row by row. known: attributes of the slots that an
 * image names the factor's rows by; `columns` has all of them. keeps: the
 * factor lies here; elsewhere its room and size must be the same while a list
 * is made, and are 0 when an image has been put. */
void th_active_set_describe(struct th_active_set *active_set,
                            const struct th_replicated_columns *columns,
                            const int64_t *known, int64_t count, bool keeps,
                            struct th_state *state);

/* Bytes for a working set of so many members. */
int64_t th_active_set_bytes(int64_t members);

/* Prepare for a model. *fits: its units are attributes (l1), so that the set
 * may be used. */
th_status th_active_set_begin(struct th_active_set *active_set,
                              const struct th_quadratic *quadratic, bool *fits,
                              struct th_error *err);

/* Room for the factor of the model's members, before any step. */
th_status th_active_set_room(struct th_active_set *active_set,
                             const struct th_quadratic *quadratic,
                             struct th_error *err);

/* Form the factor of the whole support at once, from the entries of its
 * attributes row by row. A member that depends on others does not join. The
 * support fits if it has fewer than TH_ACTIVE_SET_FORMED members
 * (active_set.h). */
th_status th_active_set_form(struct th_active_set *active_set,
                             const struct th_quadratic *quadratic,
                             struct th_error *err);

/* Bytes that it takes for a while, for a support of so many members. */
int64_t th_active_set_form_bytes(int64_t members);

/* The cost of forming it, in values that descent could visit instead. */
double th_active_set_form_cost(const struct th_quadratic *quadratic);

/* How many members have joined or left the support since the factor was
 * formed. */
int64_t th_active_set_changes(const struct th_active_set *active_set,
                              const struct th_quadratic *quadratic);

/* Move the model to the minimum over its support, as far as its members are
 * independent. False: nothing has moved, as the model would not fall. */
bool th_active_set_step(struct th_active_set *active_set,
                        struct th_quadratic *quadratic, double lambda);

/* Descend, and move to the minimum over the support (quadratic->active_set),
 * until the model's duality gap is at most tolerance, or for so many rounds of
 * epochs. Returns the gap reached. */
double th_active_set_solve(struct th_quadratic *quadratic, double lambda,
                           double tolerance, int rounds);

enum {
  TH_ACTIVE_SET_MOST = 8192,   /* rows; of a larger support only a part is
                                  solved for */
  TH_ACTIVE_SET_FORMED = 4096, /* rows that may join at once */
  TH_ACTIVE_SET_INTERCEPT = -1 /* name of the intercept's row */
};

#endif
