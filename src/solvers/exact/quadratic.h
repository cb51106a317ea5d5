/* quadratic.h - coordinate descent on a quadratic model with a penalty
 *
 * min over b, b0 of sum_i (g_i v_i + h_i v_i^2 / 2) + lambda Omega(b) +
 * (ridge/2) sum q b^2, v = X (b - b_start) + b0: which is a squared loss
 * itself, or the Newton model of another loss. Block coordinate descent over
 * the units of a working set (groups, or single attributes), extrapolated as in
 * celer (Massias, Gramfort & Salmon 2018; Anderson's acceleration).
 * th_active_set_solve takes turns of it and of solving on the support. Serial
 * and local: every rank computes the same.
 * SPDX-License-Identifier: MIT */
#ifndef TH_QUADRATIC_H
#define TH_QUADRATIC_H

#include "math/linalg.h"
#include "solvers/access/replicated_columns.h"
#include "solvers/exact/covariance.h"
#include "solvers/exact/working_set.h"

#include <stdbool.h>
#include <stdint.h>

struct th_active_set;

/* Members without a penalty: they are minimised over at once, with the
 * intercept. */
struct th_quadratic_exempt {
  int64_t count;
  int64_t *member;
  bool *kept;              /* unknowns: those that are independent */
  double *slope;           /* unknowns: the intercept first, if it is one */
  struct th_factor factor; /* of the products of those that are kept */
};

/* How far Newton's models of a loss trust its curvature. A loss that is a line
 * far from the target has no curvature there, and its models promise what lies
 * beyond a bend. With the curvature of a parabola that touches the loss and
 * lies nowhere below it, a whole step always gains, if slowly. Models have at
 * least a share of that. It grows where a step gained far less than its model
 * fell, and shrinks where it gained as much, as the radius of a trust region
 * (Conn, Gould & Toint 2000, section 6.1). It is never so small that
 * predictions, residuals over the curvature, are lost in rounding. */
struct th_quadratic_caution {
  double share;    /* of a parabola's curvature; 0: the loss needs none */
  double primal;   /* where the last model was made, */
  double value;    /* its value at its start, */
  double expected; /* and how far it fell; 0: there is none */
};

struct th_quadratic {
  const struct th_working_set *working; /* borrowed */
  const struct th_replicated_columns *columns;
  struct th_active_set *active_set; /* solves on the support; NULL: not used */
  int patience;    /* rounds of descent before the active set is used */
  bool lazy;       /* curvatures are found by those who need them */
  bool frugal;     /* and only once descent has visited as many values as that
                      costs */
  int64_t visited; /* values visited since the active set was last used */
  /* NULL: the state is u_i = g_i + h_i v_i of the examples; else it is the
   * slope of each slot, and v is never formed. */
  const struct th_covariance *covariance;
  const double *h; /* of examples; 0 leaves one out; NULL with covariance */
  double uniform_curvature; /* the common value of all h, or 0 */
  double ridge;    /* q times included in slopes, also in those of the state,
                      and in products */
  bool intercept;  /* b0 is a variable; covariances are centred instead */
  double constant; /* covariance: half the mean square of theta at the start,
                      and the ridge there */
  int64_t states;
  double *state;
  double *coef;  /* members, then b0 */
  double *start; /* state and coef at the start: states, members + 1 */
  double *from;
  double *curvature; /* units */
  double *slope;     /* members: of the last look at the gap */
  double *work;      /* members, or examples */
  int64_t *order;    /* members: of a cycle */
  double *kept[2];   /* TH_EXTRAPOLATED + 1 iterates of coef and of state */
  double sum_h;
  struct th_quadratic_exempt exempt;
  struct th_quadratic_caution caution;
};

/* th_quadratic_reserve makes room for the state, which the caller fills in.
 * th_quadratic_begin then begins at the working set's coefficients. Local. */
th_status th_quadratic_reserve(struct th_quadratic *quadratic, int64_t states,
                               int64_t members, int64_t units,
                               struct th_error *err);
th_status th_quadratic_begin(struct th_quadratic *quadratic,
                             struct th_error *err);
void th_quadratic_free(struct th_quadratic *quadratic);

/* Visit all units in order, or those that are not 0, each by a proximal
 * gradient step; then the intercept. Returns a lower bound of the model's fall.
 */
double th_quadratic_epoch(struct th_quadratic *quadratic, double lambda,
                          bool all);

/* Epochs on the coefficients that are not 0, with extrapolation. Returns what
 * the last one returned. */
double th_quadratic_descend(struct th_quadratic *quadratic, double lambda);

/* Move the intercept, and members without a penalty, to their minimum. Returns
 * the largest of their slopes before. */
double th_quadratic_step_intercept(struct th_quadratic *quadratic);

/* The model's duality gap now; fills in slope. */
double th_quadratic_gap(struct th_quadratic *quadratic, double lambda);

/* --- Cycles of coordinate descent in random order
 *
 * While a solution is far, a model need not be minimised well. A cycle visits
 * the members in an order that is drawn anew, and leaves out members at zero
 * that are going to stay there, as newGLMNET does (Yuan, Ho & Lin 2012). A
 * cycle costs the entries that it visits. Units are attributes (l1), columns
 * are lists of entries. Replicated and local: every rank computes the same. */

/* How far members are from optimality: the distance of a member's slope from
 * the penalty's slopes at its coefficient. */
struct th_violation {
  double sum;
  double most;
};

/* Of the members at the start of the model, with the slopes of the last look.
 */
struct th_violation th_quadratic_violation(const struct th_quadratic *quadratic,
                                           double lambda);

/* Descend by at most so many cycles, until the violations that a cycle meets
 * add up to at most `aim`. Members with a coefficient of zero take part only if
 * their slope is near lambda. turn: names the random orders, one for each
 * cycle. Returns how many cycles were made. */
int th_quadratic_cycles(struct th_quadratic *quadratic, double lambda,
                        double aim, int most, uint64_t *turn);

/* --- Parts of the model, for whoever solves on the support (active_set.h)
 *
 * k: a member of the working set. All functions are local. */

/* The model's slope in coefficient k, without the penalty. */
double th_quadratic_slope(const struct th_quadratic *quadratic, int64_t k);

/* Move coefficient k, or the intercept, by delta, and update the state. */
void th_quadratic_move(struct th_quadratic *quadratic, int64_t k, double delta);
void th_quadratic_move_intercept(struct th_quadratic *quadratic, double delta);

/* The first function sets weighted = h x of member k, if products need it. The
 * second returns the sum of h x x' of members j and k, plus ridge q if j = k.
 */
void th_quadratic_weigh(const struct th_quadratic *quadratic, int64_t k,
                        double *weighted);
double th_quadratic_product(const struct th_quadratic *quadratic, int64_t j,
                            int64_t k, const double *weighted);

/* The model's value up to a constant: half the weighted mean square of the
 * residual at that state, lambda Omega and the ridge. */
double th_quadratic_value(const struct th_quadratic *quadratic, double lambda,
                          const double *coef, const double *state);

/* Copy coefficients and state to iterate `at`, 0 to TH_EXTRAPOLATED; copy them
 * back. */
void th_quadratic_keep(struct th_quadratic *quadratic, int at);
void th_quadratic_restore(struct th_quadratic *quadratic, int at);

#endif
