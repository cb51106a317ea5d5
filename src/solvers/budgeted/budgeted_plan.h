/* budgeted_plan.h - what a run under a budget is going to do: the steps that
 * the plans of this folder's solvers share
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_BUDGETED_PLAN_H
#define TH_BUDGETED_PLAN_H

#include "core/source.h"
#include "solvers/plan.h"

/* The attributes of --start exist and ascend; TH_EUSAGE. */
th_status th_budgeted_check_start(const struct th_config *config, int64_t d,
                                  struct th_error *err);

/* The budget of d attributes, `least` or more where it is not given. TH_EUSAGE:
 * more than there are, or none left to explore with. */
th_status th_budgeted_choose_budget(struct th_config *config, int64_t d,
                                    int64_t least, struct th_error *err);

/* Passes that tell something of every attribute, and those of an end. */
int64_t th_budgeted_usual_passes(const struct th_config *config,
                                 const struct th_shape *shape);

/* Passes, and the examples held out, by a first update of so many rows; stops:
 * the solver stops early by examples held out. */
void th_budgeted_choose_passes(struct th_config *config,
                               const struct th_shape *shape, int64_t update,
                               bool stops);

/* d', where each block takes `width` attributes. */
int64_t th_budgeted_blocks(int64_t attributes, int64_t width);

/* What a solver needs beyond stored values. */
struct th_budgeted_needs {
  int64_t bytes;   /* of each attribute of this rank */
  int64_t members; /* of the largest support */
  int64_t copies;  /* of the rows of the last fit, by labels */
  bool by_row;     /* deal units are single rows */
};

/* Complete the plan of a run whose budget, passes and plan->blocks are chosen,
 * of so many rows per block in the first update. */
void th_budgeted_plan(struct th_plan *plan, const struct th_plan_size *size,
                      const struct th_budgeted_needs *needs, int64_t rows);

#endif
