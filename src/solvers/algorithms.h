/* algorithms.h - what a solver gives the driver, and the solvers of all
 * families for the solver table (driver/solvers.c)
 *
 * A solver is one struct th_algorithm, and a row in the table; some serve
 * several rows. Its state is plain data that begins with a head, and the driver
 * looks at no more. Functions that are named here are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ALGORITHMS_H
#define TH_ALGORITHMS_H

#include "base/error.h"
#include "solvers/config.h"

#include <stdbool.h>

struct th_certificate;
struct th_claims;
struct th_context;
struct th_ending;
struct th_path;
struct th_plan;
struct th_plan_size;
struct th_screening;
struct th_selected;
struct th_shape;
struct th_state;
struct th_support;
struct th_support_list;
struct th_update;

/* What a solver's loss for the display is: the mean loss that options name;
 * half of it for a squared loss, as in problems with a penalty; or the
 * objective of such a problem. */
enum th_loss_unit { TH_LOSS_WHOLE, TH_LOSS_OF_PROBLEM, TH_LOSS_OBJECTIVE };

/* What the driver sees of a state, which begins with it: borrowed from the rest
 * of the state. What a solver does not have is NULL. */
struct th_head {
  const struct th_support *support; /* the model as it is */
  /* For the progress display: mean loss on the rows of the last update, and the
   * step size. */
  const double *loss;
  const double *step_size;
  /* The certificate of the model, for solvers with a penalty. It is final after
   * finish. After a step it holds what the solver knows so far. */
  const struct th_certificate *certificate;
  /* How the models that the end compared did, and in which order attributes
   * were chosen; final after finish. */
  const struct th_ending *ending;
  const struct th_selected *selected;
  /* A bound on what is left out, if all holds that is assumed; 0: none yet. It
   * is proved where that of `selected` is. NULL: the solver has none. */
  const double *remaining;
  /* Solvers of which the table says that they choose: how many lambdas of the
   * path are solved; of the last one, the share of the zero model's loss that
   * it explains, and predictions of all training examples, in stored order and
   * as solvers see targets. */
  const int64_t *points;
  const double *explained;
  const double *const *prediction;
  /* The fold that is held out, from 1 on; 0: none is. NULL: never. */
  const int64_t *fold;
  /* The path that a choice was made on; final after finish. */
  const struct th_path *path;
};

/* Options that several families use. */
#define TH_OPTIONS_UNDER_A_BUDGET                                              \
  "sparsity", "budget", "refit", "passes", "validation"
#define TH_OPTIONS_OF_A_PENALTY                                                \
  "penalty", "groups", "penalty-weights", "mix", "unpenalised", "lambda",      \
      "lambda-ratio", "path", "path-min", "epochs", "tolerance", "screen"
#define TH_OPTIONS_OF_A_CHOICE "folds", "folds-by", "choose"

/* All functions are collective unless said otherwise. */
struct th_algorithm {
  /* Names of the options that it uses beyond those that all solvers use,
   * NULL-ended; NULL: the rows of the solver table say so. */
  const char *const *options;
  enum th_loss_unit unit; /* of the loss for the display */
  /* A new state, whose first member is a struct th_head. */
  th_status (*create)(void **state, struct th_context *context,
                      struct th_error *err);
  /* One update. *more = false: nothing is left to do, or no examples are left
   * to do it with. Then it is not called again, also not by a run that goes
   * on: what it has drawn to find that out may have changed the state. */
  th_status (*step)(void *state, struct th_context *context, bool *more,
                    struct th_error *err);
  /* Bring the support up to date, for solvers whose steps do not; NULL: they
   * do. */
  th_status (*publish)(void *state, struct th_context *context,
                       struct th_error *err);
  /* After the last step: the refit, and the other lines that end the paper's
   * listing. */
  th_status (*finish)(void *state, struct th_context *context,
                      struct th_error *err);
  /* Take up the model of a lambda that another state of the same problem has
   * found, in place of all steps: finish certifies it. said: what that state
   * said of it. For solvers that choose; NULL for others. */
  th_status (*take)(void *state, struct th_context *context,
                    const struct th_support_list *members, double intercept,
                    const struct th_certificate *said, struct th_error *err);
  /* The share of the run that is done, 0 to 1; negative where it is not known.
   * NULL: the share of the examples of all passes. Local. */
  double (*done)(const void *state);
  /* What ended the run, and on what conditions the model is what it says; NULL:
   * the driver knows as much. ended_by may stay TH_ENDED_UNKNOWN: the driver
   * knows better. Local; final after finish. */
  void (*claims)(const void *state, struct th_claims *claims);
  /* True if the driver is not to stop early by the rows that are held out, for
   * now: they are for the solver's own end, or learning has not really begun.
   * NULL: it may. Local. */
  bool (*keeps_held_out)(const void *state);
  /* List the state between two updates (state/state.h). A solver made by create
   * from the same plan goes on with the same bits once this state has been put
   * into it. Collective while an image is put, since derived values are then
   * computed again. */
  void (*describe)(void *state, struct th_context *context,
                   struct th_state *list);
  void (*free)(void *state); /* local; NULL is legal */
};

/* Plans complete what the driver has begun (solvers/solver_table.h). */

/* --- sift */
extern const struct th_algorithm th_sift_algorithm;

th_status th_sift_run_plan(struct th_plan *plan,
                           const struct th_plan_size *size,
                           struct th_error *err);
/* Why a run of sift cannot select for prediction; NULL: it can. */
const char *th_sift_why_truth(const struct th_config *config,
                              const struct th_shape *shape);

/* --- thresholding: one plan for all three */
extern const struct th_algorithm th_exploration_algorithm;
extern const struct th_algorithm th_exploitation_algorithm;
extern const struct th_algorithm th_hybrid_algorithm;

th_status th_iht_plan(struct th_plan *plan, const struct th_plan_size *size,
                      struct th_error *err);

/* --- exact */
extern const struct th_algorithm th_lasso_algorithm;

th_status th_lasso_plan(struct th_plan *plan, const struct th_plan_size *size,
                        struct th_error *err);

/* --- greedy */
extern const struct th_algorithm th_omp_algorithm;

extern const struct th_algorithm th_oomp_algorithm;

th_status th_omp_plan(struct th_plan *plan, const struct th_plan_size *size,
                      struct th_error *err);

th_status th_oomp_plan(struct th_plan *plan, const struct th_plan_size *size,
                       struct th_error *err);

/* --- ridge */
extern const struct th_algorithm th_ridge_algorithm;

th_status th_ridge_plan(struct th_plan *plan, const struct th_plan_size *size,
                        struct th_error *err);

/* --- sampling: one plan for solvers that read some attributes, one for those
 * that read all */
extern const struct th_algorithm th_sampling_algorithm;
extern const struct th_algorithm th_online_algorithm;

th_status th_sampling_plan(struct th_plan *plan,
                           const struct th_plan_size *size,
                           struct th_error *err);

th_status th_online_plan(struct th_plan *plan, const struct th_plan_size *size,
                         struct th_error *err);

/* --- stochastic: all of them are one algorithm. A row of the solver table
 * names the update rule, and the screening rules that it can be combined with
 */
extern const struct th_algorithm th_stochastic_algorithm;

th_status th_stochastic_plan(struct th_plan *plan,
                             const struct th_plan_size *size,
                             struct th_error *err);

/* Update rules (updates.c). */
extern const struct th_update th_sgd_update;
extern const struct th_update th_prox_sgd_update;
extern const struct th_update th_truncated_gradient_update;
extern const struct th_update th_rda_update;
extern const struct th_update th_saga_update;
extern const struct th_update th_svrg_update;

/* Screening rules, and those by what --screen asks for. */
extern const struct th_screening th_screen_none;
extern const struct th_screening th_screen_gap_safe;
extern const struct th_screening th_screen_online;
extern const struct th_screening *const th_screenings[TH_SCREEN_COUNT];

/* --- competitors */
extern const struct th_algorithm th_rda_ito_algorithm;
extern const struct th_algorithm th_dantzig_algorithm;
extern const struct th_algorithm th_ssr_algorithm;

th_status th_rda_ito_plan(struct th_plan *plan, const struct th_plan_size *size,
                          struct th_error *err);
th_status th_dantzig_plan(struct th_plan *plan, const struct th_plan_size *size,
                          struct th_error *err);
th_status th_ssr_plan(struct th_plan *plan, const struct th_plan_size *size,
                      struct th_error *err);

#endif
