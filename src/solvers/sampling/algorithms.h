/* algorithms.h - the solvers of this folder, for the table
 * SPDX-License-Identifier: MIT */
#ifndef TH_SAMPLING_ALGORITHMS_H
#define TH_SAMPLING_ALGORITHMS_H

#include "solvers/algorithm.h"
#include "solvers/plan.h"
#include "solvers/sampling/ball.h"

/* Steps within a ball, of a few attributes of an example or of all. */
#define TH_OPTIONS_IN_A_BALL                                                   \
  "passes", "validation", "batch", "eta", "start", "radius", "step-factor",    \
      "adagrad"

extern const struct th_algorithm th_sampling_algorithm;
extern const struct th_algorithm th_online_algorithm;

/* Their plan (solvers/solver_table.h). Local. */
th_status th_sampling_plan(struct th_plan *plan,
                           const struct th_plan_size *size,
                           struct th_error *err);

/* The plan of solvers that read all attributes. Local. */
th_status th_online_plan(struct th_plan *plan, const struct th_plan_size *size,
                         struct th_error *err);

#endif
