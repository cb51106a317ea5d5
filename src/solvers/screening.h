/* screening.h - the screening rules and update rules that there are
 * SPDX-License-Identifier: MIT */
#ifndef TH_SCREENING_H
#define TH_SCREENING_H

#include "solvers/stochastic.h"

extern const struct th_update th_prox_sgd_update;
extern const struct th_update th_truncated_gradient_update;
extern const struct th_update th_rda_update;
extern const struct th_update th_saga_update;
extern const struct th_update th_svrg_update;

extern const struct th_screening th_screen_none;
extern const struct th_screening th_screen_gap_safe;
extern const struct th_screening th_screen_online;

#endif
