/* plan_parts.h - the parts of planning a run; internal to the solvers
 * SPDX-License-Identifier: MIT */
#ifndef TH_PLAN_PARTS_H
#define TH_PLAN_PARTS_H

#include "solvers/driver/train.h"

/* Will a run of these options end with what predicts best? Local. */
bool th_plan_predicts(const struct th_config *config,
                      const struct th_shape *shape);

/* Of sift: whether its end predicts; how many passes then, and examples held
 * out; what that costs beyond the plan of the rounds. Local. TH_EUSAGE where it
 * is asked for and cannot be. */
th_status th_plan_choose_end(struct th_config *config,
                             const struct th_shape *shape,
                             struct th_error *err);
void th_plan_choose_passes(struct th_config *config,
                           const struct th_shape *shape);
/* As many passes as tell something of every attribute, and those of an end. */
int64_t th_plan_usual_passes(const struct th_config *config,
                             const struct th_shape *shape);
void th_plan_end(struct th_plan *plan, const struct th_shape *shape,
                 int64_t owned);

/* Complete the plan of a solver with a penalty. Local. TH_EUSAGE for options
 * that exclude each other. */
th_status th_plan_penalised(struct th_plan *plan,
                            const struct th_solver_row *row,
                            const struct th_shape *shape, int ranks,
                            int64_t owned, struct th_error *err);

#endif
