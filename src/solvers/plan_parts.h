/* plan_parts.h - the parts of planning a run; internal to the solvers
 * SPDX-License-Identifier: MIT */
#ifndef TH_PLAN_PARTS_H
#define TH_PLAN_PARTS_H

#include "solvers/train.h"

/* Bytes of the stored training values. Local. */
double th_plan_stored_bytes(const struct th_shape *shape);

/* Complete the plan of a solver with a penalty. Local. TH_EUSAGE for options
 * that exclude each other. */
th_status th_plan_penalised(struct th_plan *plan,
                            const struct th_solver_row *row,
                            const struct th_shape *shape, int ranks,
                            int64_t owned, struct th_error *err);

#endif
