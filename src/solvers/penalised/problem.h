/* problem.h - a penalised problem on all training examples, exactly
 *
 * P(b) = sum_i eta_i f(x_i'b + b0; y_i) + lambda Omega(b) + (ridge/2) sum q b^2
 * over the attributes that are not left out, with theta_i = f'(p_i; y_i) and Z
 * = -(1/lambda) sum_i eta_i theta_i x_i as in math/gap.h.
 *
 * A ridge is equivalent to one more example of a squared loss for every
 * attribute, with x = sqrt(ridge q) there, 0 elsewhere, and target 0 (Zou &
 * Hastie 2005, Lemma 1). Its theta is sqrt(ridge q) b, so slopes of attributes
 * with a coefficient include ridge q b, and D is smaller by (ridge/2) sum q
 * b^2. Z of passes is of the data alone. Examples are in stored order. eta, y
 * and other vectors over examples lie once on a node; vectors over attributes
 * belong to the owners.
 *
 * Passes read through the observing source and declare what they read. A
 * solver that has active attributes of its own declares them again afterwards.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PROBLEM_H
#define TH_PROBLEM_H

#include "math/grouping.h"
#include "math/kernels/column.h"
#include "model/model.h"
#include "solvers/access/active.h"
#include "solvers/access/csc_cache.h"
#include "solvers/access/replicated_columns.h"
#include "solvers/access/support.h"
#include "solvers/penalised/exempt.h"

#include <stdbool.h>
#include <stdint.h>

/* Attributes in memory, the same on every rank. Borrowed. */
struct th_problem_kept {
  int64_t rows;
  int64_t count;
  const struct th_vector *column; /* of each attribute, all of one form */
  const double *target;
  const double *weight; /* not below 0; only their ratios count */
};

/* What a pass multiplies examples by, once a node. */
struct th_multipliers {
  struct th_shared memory;
  double *value;
  float *single; /* in float */
};

struct th_problem {
  struct th_context *context; /* borrowed */
  const struct th_problem_kept
      *kept; /* borrowed; NULL: the source has the examples */
  const struct th_loss *loss;
  bool intercept;
  bool dense;        /* attributes have a value for every example */
  bool single;       /* stored values are summed in float */
  bool beyond_float; /* they are not, because of their magnitude */
  double ridge;      /* at the present lambda; 0: none */
  int64_t rows;      /* n: training examples */
  struct th_all_targets all;
  const double *target; /* of these */
  const double *eta;    /* weight / n: adds up to 1 */
  double zero;          /* P(0) with the best intercept and exempt.coef */
  double L;             /* f'' is at most that where the objective is at most
                           `zero` */
  double lambda_max;    /* exact: the smallest lambda at which b = 0 is best */
  struct th_active active;     /* every attribute that is not left out */
  struct th_grouping grouping; /* over its places */
  int64_t *key;    /* of each group here: its lowest attribute on all ranks */
  int64_t *by_key; /* groups in ascending order of keys */
  bool *is_owner;  /* groups: this rank counts it in reductions */
  double *norm_bound;      /* groups: at least sqrt(N_g) */
  double *rounding_bound;  /* groups: the same for the rounding of sums in
                              float */
  struct th_exempt exempt; /* attributes without a penalty: the zero model and
                              theta are those after they are fitted */
  struct th_csc_cache csc; /* sparse values, if they fit in memory */
  struct th_multipliers multipliers; /* of a pass */
  double *sums;                      /* places: sums and centres of a pass */
  double *centre;
  int64_t *place; /* places of a pass, and their attributes */
  int64_t *listed;
};

/* The members of a group of this rank are members first .. last - 1; the place
 * of a member. Local. */
struct th_range th_problem_members(const struct th_problem *problem,
                                   int64_t group);
int64_t th_problem_place(const struct th_problem *problem, int64_t member);

/* The group of this rank with that key, or -1. Local. */
int64_t th_problem_group(const struct th_problem *problem, int64_t key);

/* Dual values over the groups of this rank. */
struct th_duals {
  double *z;     /* places: Z where it was computed */
  double *value; /* groups: Omega_g^D(Z_g), or a bound on it */
  double *slack; /* groups: how far off the value may be */
  bool *wanted;  /* groups: to be computed by the next pass */
  bool *known;   /* groups: the caller has them exactly */
};

/* Collective. Reads targets, weights and groups, forms second moments, and
 * finds lambda_max, which needs two passes over everything. duals receives the
 * dual values of b = 0 at lambda 1, which the caller releases; it may be NULL.
 * Release with th_problem_free. An error where all attributes are left out. */
th_status th_problem_init(struct th_problem *problem,
                          struct th_context *context, struct th_duals *duals,
                          struct th_error *err);
/* Bytes of a rank for what the problem keeps of each example, and a certificate
 * of it. Local. */
int64_t th_problem_bytes(const struct th_plan_size *size);
/* Collective. */
void th_problem_free(struct th_problem *problem);

/* Make a problem of attributes in memory, with an l1 penalty. All data come
 * from `kept`, and nothing is read. Each rank of the team looks at a part of
 * them. Of the context, only comm, loss, config and profile are needed.
 * Collective over that team. An error where no weight is above 0. */
th_status th_problem_init_kept(struct th_problem *problem,
                               struct th_context *context,
                               const struct th_problem_kept *kept,
                               struct th_duals *duals, struct th_error *err);

/* Begin with no columns, to hold attributes of the problem on all its examples.
 * They borrow the problem. Local; release with th_replicated_columns_free. */
void th_problem_columns_init(const struct th_problem *problem,
                             struct th_replicated_columns *columns);

/* Every group is wanted, none known. Local. */
th_status th_problem_duals_init(struct th_duals *duals,
                                const struct th_problem *problem,
                                struct th_error *err);
void th_problem_duals_free(struct th_duals *duals);

/* Go to a lambda, of which the ridge of the penalty is a share. Local. */
void th_problem_ridge_at(struct th_problem *problem, double lambda);

/* Make Z and dual values, which a pass has found of the data, those of the
 * problem with its ridge at the coefficients coef[places]. Local. */
void th_problem_ridge_join(const struct th_problem *problem, double lambda,
                           const double *coef, struct th_duals *duals);

/* Return a bound on N_g with the example of the ridge, whose loss has another
 * curvature than the others' L: it counts 1/L. Local. */
double th_problem_ridge_second(const struct th_problem *problem, int64_t group);

/* Give the groups the bounds of the configuration, in the units of the problem.
 * Local. */
th_status th_problem_bounds_take(struct th_problem *problem,
                                 struct th_error *err);

/* Make dual values, which a pass has found at 0, those at the coefficients
 * coef[places], where these are at bounds (math/penalty.h). Local. */
void th_problem_bounds_join(const struct th_problem *problem,
                            const double *coef, struct th_duals *duals);

/* Compute found[0], what groups at bounds take off the value of the dual point
 * scale theta, over lambda, and found[1], the sum of their |coef|. work:
 * groups. Collective. */
th_status th_problem_bounds_beyond(struct th_problem *problem, double scale,
                                   const double *coef,
                                   const struct th_duals *duals, double *work,
                                   double found[2], struct th_error *err);

/* Compute Z and dual values of the wanted groups at theta. Values that may lie
 * at or above level, or be the largest of all, are exact in double (slack is
 * their rounding), unless they are known. The other groups stay as they are.
 * Observes the wanted attributes, and some of them again if floats were too
 * coarse. Collective. */
th_status th_problem_pass(struct th_problem *problem, const double *theta,
                          double lambda, double level, struct th_duals *duals,
                          struct th_error *err);

/* Settle dual values of the wanted groups whose value and slack hold already,
 * by other means: those that decide something are computed exactly. Without a
 * ridge. Collective. */
th_status th_problem_settle(struct th_problem *problem, const double *theta,
                            double lambda, double level, struct th_duals *duals,
                            struct th_error *err);

/* A bound on the rounding of th_problem_gradients, over the root of
 * sum right^2 / eta times rounding_bound. */
#define TH_PROBLEM_ROUNDING 0x1p-16

/* Sixteen vectors over the examples, and their products with attributes. */
struct th_problem_block {
  const float *right; /* rows x 16 */
  double *gradient;   /* places x 16 */
};

/* gradient[16 place + k] = sum_i right[16 i + k] x_i of every attribute that is
 * not left out, by one pass for all blocks (math/kernels/kernels.h). Not for
 * values beyond float, nor attributes in memory. Collective. */
th_status th_problem_gradients(struct th_problem *problem,
                               const struct th_problem_block *block,
                               int64_t blocks, struct th_error *err);

/* prediction[n] = intercept + sum of coef x of the listed attributes; observes
 * them. NULL: this rank keeps none. Collective. An error where a value is out
 * of range. */
th_status th_problem_predict(struct th_problem *problem,
                             const int64_t *attribute, const double *coef,
                             int64_t count, double intercept,
                             double *prediction, struct th_error *err);

/* Find the best intercept, and the best coefficients of attributes without a
 * penalty (exempt.count, added to what they are), beside predictions without
 * it. The search starts at *intercept. coef may be NULL: then there are no such
 * attributes. Local, replicated. */
th_status th_problem_predict_fit(const struct th_problem *problem,
                                 const double *prediction, double *coef,
                                 double *intercept, struct th_error *err);

/* Predictions of the zero model. Local. */
void th_problem_predict_start(const struct th_problem *problem,
                              double *prediction);

/* theta at the predictions; with an intercept, centred so that sum eta theta =
 * 0, and likewise for attributes without a penalty. Local, replicated. */
void th_problem_theta(const struct th_problem *problem,
                      const double *prediction, double *theta);

/* --- What the files of a penalised problem share -------------------------- */

/* A bound on the rounding of a sum, over the sum of its terms' magnitudes. It
 * is twice the bound of kernels.h, since residuals are rounded, too. */
#define TH_SINGLE_ROUNDING 0x1p-16
#define TH_DOUBLE_ROUNDING 0x1p-42

enum th_sum_kind {
  TH_SUM_FAST,   /* of the storage type's kernel */
  TH_SUM_DOUBLE, /* in double */
  TH_SUM_MOMENTS /* squares, with the weights eta */
};

/* z = factor times the sums, over the places of marked groups; the others stay
 * as they are. Uses the problem's multipliers, or for moments its weights.
 * Collective. */
th_status th_problem_sums(struct th_problem *problem, const bool *marked,
                          enum th_sum_kind kind, double factor, double *z,
                          struct th_error *err);

#endif
