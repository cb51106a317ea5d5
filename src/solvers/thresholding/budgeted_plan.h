/* budgeted_plan.h - what a run under a budget is going to do: the steps that
 * the plans of its solvers share, sift among them
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_BUDGETED_PLAN_H
#define TH_BUDGETED_PLAN_H

#include "data/source.h"
#include "solvers/plan.h"

/* An error unless the attributes of --start exist and ascend, and it can be
 * told which of them to begin with. fixed: with all, and no others are
 * observed. */
th_status th_budgeted_plan_check_start(const struct th_config *config,
                                       int64_t d, bool fixed,
                                       struct th_error *err);

/* Choose the budget for d attributes: `least` or more where it is not given. An
 * error if it is more than d, or leaves nothing to explore with. */
th_status th_budgeted_plan_budget(struct th_config *config, int64_t d,
                                  int64_t least, bool fixed,
                                  struct th_error *err);

/* Passes that tell something about every attribute, and those of the end. */
int64_t th_budgeted_plan_usual_passes(const struct th_config *config,
                                      const struct th_shape *shape);

/* Choose the passes and the share held out, given the examples of the first
 * update. stops: the solver stops early by held-out examples. fixed: see above.
 */
void th_budgeted_plan_passes(struct th_config *config,
                             const struct th_shape *shape, int64_t update,
                             bool stops, bool fixed);

/* The number of blocks, d', if each takes `width` attributes. */
int64_t th_budgeted_plan_blocks(int64_t attributes, int64_t width);

/* The memory that a solver needs besides stored values. */
struct th_budgeted_needs {
  int64_t bytes;   /* of each attribute of this rank */
  int64_t members; /* of the largest support */
  int64_t copies;  /* of the examples of the last fit, for labels */
  bool by_row;     /* deal units are single rows */
  bool grows;      /* each update has more examples than the one before */
};

/* Complete the plan of a run whose budget, passes and plan->blocks are chosen.
 * The first update takes so many examples per block. */
void th_budgeted_plan(struct th_plan *plan, const struct th_plan_size *size,
                      const struct th_budgeted_needs *needs, int64_t rows);

#endif
