/* problem.h - a penalised problem on all training examples, exactly
 *
 * P(b) = sum_i eta_i f(x_i'b + b0; y_i) + lambda Omega(b) + (ridge/2) |b|^2
 * over the attributes that are not left out, with theta_i = f'(p_i; y_i) and
 *   Z = -(1/lambda) sum_i eta_i theta_i x_i as in math/gap.h. A ridge is as
 * good as one more example for every attribute, x = sqrt(ridge) there and 0
 * elsewhere, with target 0: its theta is sqrt(ridge) b, and slopes of
 * attributes that have a coefficient have ridge b in them; Z is of the data
 * alone. Examples are in stored order; eta and y are replicated, what belongs
 * to attributes is their owner's. Passes read through the observing source and
 * declare to it what they read: a solver that has attributes of its own active
 * declares them again afterwards.
 *
 * Where a comment names no code, a status is one of TH_ENUMERIC, TH_ENOMEM, and
 * of reading TH_EARG, TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PROBLEM_H
#define TH_PROBLEM_H

#include "core/model.h"
#include "math/grouping.h"
#include "math/kernels/column_kernels.h"
#include "solvers/data/active.h"
#include "solvers/data/csc_cache.h"
#include "solvers/data/support.h"

#include <stdbool.h>
#include <stdint.h>

/* Attributes in memory: on every rank, and alike. Borrowed. */
struct th_problem_kept {
  int64_t rows;
  int64_t count;
  const struct th_vector *column; /* of each attribute, all of one form */
  const double *target;
  const double *weight; /* not below 0; only their ratios count */
};

struct th_problem {
  struct th_context *context; /* borrowed */
  const struct th_problem_kept
      *kept; /* borrowed; NULL: the source has the examples */
  const struct th_loss *loss;
  bool intercept;
  bool dense;        /* attributes have a value for every example */
  bool single;       /* stored values are summed in float */
  bool beyond_float; /* they would be, but for their magnitude */
  double ridge;      /* 0: none */
  int64_t rows;      /* n: training examples */
  double *target;
  double *eta;       /* weight / n: adds up to 1 */
  double zero;       /* P(0) with the best intercept */
  double start;      /* that intercept */
  double lambda_max; /* exact: the smallest lambda at which b = 0 is best */
  struct th_active active;     /* every attribute that is not left out */
  struct th_grouping grouping; /* over its places */
  int64_t *key;    /* of each group here: its lowest attribute on all ranks */
  int64_t *by_key; /* groups in ascending order of keys */
  bool *is_owner;  /* groups: this rank speaks for it */
  double *norm_bound;      /* groups: at least sqrt(N_g) */
  double *rounding_bound;  /* groups: the same for the rounding of sums */
  struct th_csc_cache csc; /* sparse values of all places, where they fit */
  double *multiplier;      /* work of passes */
  float *multiplier32;
  double *sums; /* places: of a pass, and the centres beside them */
  double *centre;
  int64_t *place; /* which they are, and their attributes */
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
  bool *wanted;  /* groups: of the next pass */
  bool *known;   /* groups: the caller has them exactly */
};

/* Collective: targets, weights, groups, second moments; finds lambda_max, for
 * which it reads everything twice. duals receives the dual values of b = 0 at
 * lambda 1, for the caller to release; NULL: they are not wanted. Release with
 * th_problem_free. TH_EDATA where all attributes are left out. Also TH_EARG,
 * TH_EBUDGET, TH_ENUMERIC, TH_EFORMAT, TH_EIO, TH_ENOMEM. */
th_status th_problem_init(struct th_problem *problem,
                          struct th_context *context, struct th_duals *duals,
                          struct th_error *err);
/* Local. */
void th_problem_free(struct th_problem *problem);

/* The same of attributes in memory, under an l1 penalty, on a team of one rank:
 * all comes from `kept`, and nothing is read. The context needs its comm, loss,
 * config and profile alone. Collective over that team. TH_EDATA where no weight
 * is above 0. Also TH_EARG, TH_ENUMERIC, TH_ENOMEM. */
th_status th_problem_init_kept(struct th_problem *problem,
                               struct th_context *context,
                               const struct th_problem_kept *kept,
                               struct th_duals *duals, struct th_error *err);

/* Every group is wanted, none known. Local. TH_ENOMEM. */
th_status th_problem_duals_init(struct th_duals *duals,
                                const struct th_problem *problem,
                                struct th_error *err);
void th_problem_duals_free(struct th_duals *duals);

/* Z and dual values of the wanted groups, at theta; what may lie at or above
 * level, or be the largest of all, is exact in double (slack is its rounding),
 * unless it is known. The others stay as they are. Observes the wanted
 * attributes and, again where floats did not do, some of them. Collective. */
th_status th_problem_pass(struct th_problem *problem, const double *theta,
                          double lambda, double level, struct th_duals *duals,
                          struct th_error *err);

/* prediction[n] = intercept + sum of coef x of the listed attributes; observes
 * them. Collective; replicated. TH_ENUMERIC where a value is out of range. Also
 * TH_ENOMEM, and of reading TH_EARG, TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO.
 */
th_status th_problem_predict(struct th_problem *problem,
                             const int64_t *attribute, const double *coef,
                             int64_t count, double intercept,
                             double *prediction, struct th_error *err);

/* theta at predictions, and sum eta theta = 0 where there is an intercept.
 * Local, replicated. */
void th_problem_theta(const struct th_problem *problem,
                      const double *prediction, double *theta);

/* Everything about a model without a ridge, from the data: coefficients of
 * (x - centre) * scale. *certificate keeps its path, lambda_max is filled in.
 * Collective. */
th_status th_problem_certify(struct th_problem *problem,
                             const struct th_support *model, double lambda,
                             struct th_certificate *certificate,
                             struct th_error *err);

#endif
