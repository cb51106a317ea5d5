/* algorithms.h - the algorithms of all families, for the solver table
 * (driver/solvers.c): what the driver calls, and what plans a run
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ALGORITHMS_H
#define TH_ALGORITHMS_H

#include "solvers/algorithm.h"
#include "solvers/config.h"

struct th_plan;
struct th_plan_size;
struct th_screening;
struct th_shape;
struct th_update;

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

/* Update rules (updates.c, variance_reduced.c). */
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
