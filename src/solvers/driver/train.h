/* train.h - training as a whole: one call from a store to a model
 * SPDX-License-Identifier: MIT */
#ifndef TH_TRAIN_H
#define TH_TRAIN_H

#include "data/source.h"
#include "model/model.h"
#include "ranks/comm.h"
#include "solvers/monitor.h"
#include "solvers/plan.h"
#include "solvers/solver_table.h"

#include <stdbool.h>
#include <stdint.h>

/* Check a configuration against the data and complete it. Local, the same on
 * every rank. An error if s >= s' or s' > d, or if an option that the solver
 * needs is missing. */
th_status th_train_plan(const struct th_config *config,
                        struct th_plan_size size, struct th_plan *plan,
                        struct th_error *err);

/* Train a model on the training examples of a store. Collective. *model is
 * replicated; release it with th_model_free. monitor may be NULL. TH_ESTOPPED:
 * the monitor has kept the run and ended it; there is no model. */
th_status th_train(const struct th_plan *plan, struct th_store *store,
                   struct th_comm *comm, const struct th_monitor *monitor,
                   struct th_profile *profile, struct th_model *model,
                   struct th_error *err);

#endif
