/* screening.h - gap-safe screening of the last full pass
 * SPDX-License-Identifier: MIT */
#ifndef TH_SCREENING_H
#define TH_SCREENING_H

#include "solvers/stochastic/algorithms.h"
#include "solvers/stochastic/stochastic.h"

/* Keep the attributes that the gap-safe sphere of the last full pass cannot
 * prove to be 0 in the solution. Nothing may have changed since that pass.
 * Collective. */
th_status th_screening_gap_safe(struct th_stochastic *s, struct th_error *err);

extern const struct th_screening th_screen_none;
extern const struct th_screening th_screen_gap_safe;
extern const struct th_screening th_screen_online;

#endif
