/* run.h - a training run that can stop between updates and continue later
 *
 * th_train (train.h) does all of it in one call. All functions are collective.
 * SPDX-License-Identifier: MIT */
#ifndef TH_RUN_H
#define TH_RUN_H

#include "model/model.h"
#include "solvers/access/batch.h"
#include "solvers/solver_table.h"
#include "state/state.h"

#include <stdbool.h>

/* The best support so far, by its mean loss on the held-out deal units. Only S
 * is observed of these. Zeroed, with an infinite loss, it has none. Replicated.
 */
struct th_validation {
  struct th_support best;
  struct th_batch batch;
  double best_loss;
  int64_t strikes;    /* checks in a row without a gain */
  int64_t checked_at; /* rows that had been dealt at the last check */
};

/* The solver, its data, and what the monitor is shown. */
struct th_run {
  struct th_context context;
  const struct th_solver_row *solver;
  const struct th_algorithm *algorithm; /* the solver's, or one around it */
  void *state;                          /* of the algorithm */
  struct th_store *store;
  struct th_validation validation;
  int64_t updates;
  bool over;    /* the solver has said that it has no other update */
  bool stopped; /* by the monitor, */
  bool in_time; /* since its time is nearly up */
  bool kept;    /* the monitor has saved it just before */
  double *coef; /* of the support, in the data's own units */
  int64_t coef_capacity;
};

/* Begin a run: no update has been made. The store is borrowed. Release with
 * th_run_close, also after a failure. */
th_status th_run_open(struct th_run *run, const struct th_plan *plan,
                      struct th_store *store, struct th_comm *comm,
                      const struct th_monitor *monitor,
                      struct th_profile *profile, struct th_error *err);
/* Local. */
void th_run_close(struct th_run *run);

/* Make updates until the solver, the data or the validation ends the run, or
 * until `most` updates have been made in all. *more = true: the run has not
 * ended. */
th_status th_run_update(struct th_run *run, int64_t most, bool *more,
                        struct th_error *err);

/* Save the run, or stop it, where the monitor wishes that. over: the last
 * update has been made. */
th_status th_run_heed(struct th_run *run, bool over, struct th_error *err);

/* End the run after its last update. *model is replicated. */
th_status th_run_finish(struct th_run *run, struct th_model *model,
                        struct th_error *err);

/* For tests: the state between two updates as an image, the same on every rank.
 * Release it with th_state_image_free. */
th_status th_run_snapshot(struct th_run *run, struct th_state_image *image,
                          struct th_error *err);

/* Ask the monitor whether there is room to save the state. */
th_status th_run_room(struct th_run *run, struct th_error *err);

/* Put the image of another run into this one, which was opened with the same
 * plan and has made no update. The numbers of ranks may differ. An error if the
 * image is of another solver or of other data. After a failure the run can only
 * be closed. */
th_status th_run_restore(struct th_run *run, const struct th_state_image *image,
                         struct th_error *err);

/* Loss `auto` becomes `logistic` if the training targets have two values and
 * the solver has a penalty or selects for prediction (`sift`). Otherwise it
 * becomes `squared`. Local; the same on every rank, since all see the same
 * targets. */
th_status th_run_choose_loss(struct th_config *config, struct th_store *store,
                             struct th_error *err);

#endif
