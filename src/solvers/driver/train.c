/* train.c - training as a whole: one call from a store to a model
 * SPDX-License-Identifier: MIT */
#include "solvers/driver/train.h"

#include "solvers/driver/run.h"

th_status th_train(const struct th_plan *plan, struct th_store *store,
                   struct th_comm *comm, const struct th_monitor *monitor,
                   struct th_profile *profile, struct th_model *model,
                   struct th_error *err)
{
  struct th_run run;
  bool more = true;
  th_status rc;
  TH_TRY(th_run_open(&run, plan, store, comm, monitor, profile, err));
  TH_TRY(th_run_update(&run, INT64_MAX, &more, err));
  TH_TRY(th_run_finish(&run, model, err));
done:
  th_run_close(&run);
  return rc;
}
