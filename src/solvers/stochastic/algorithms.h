/* algorithms.h - the solvers of this folder, for the table
 *
 * All of them are one algorithm. A row of the solver table names the update
 * rule and the screening rules that it can be combined with.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STOCHASTIC_ALGORITHMS_H
#define TH_STOCHASTIC_ALGORITHMS_H

#include "solvers/algorithm.h"
#include "solvers/plan.h"

struct th_screening;
struct th_update;

extern const struct th_algorithm th_stochastic_algorithm;

/* The plan of all of them (solvers/solver_table.h). Local. */
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

#endif
