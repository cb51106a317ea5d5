/* run_state.c - the state of a run, taken and put
 * SPDX-License-Identifier: MIT */
#include "solvers/algorithm.h"
#include "solvers/driver/run.h"

/* The solver may draw while it computes derived values again, so deal and
 * ledger come last. Collective. */
static void describe(struct th_run *run, struct th_state *state)
{
  const struct th_monitor *monitor = run->context.monitor;
  th_state_enter(state, run->solver->name);
  run->solver->algorithm->describe(run->state, &run->context, state);
  th_state_leave(state);
  th_early_stopping_describe(&run->validation, state);
  TH_STATE_ONE(state, run, updates);
  TH_STATE_ONE(state, run, over);
  th_context_describe(&run->context, state);
  if (monitor != NULL && monitor->keeping.describe != NULL)
    monitor->keeping.describe(monitor->self, state);
}

th_status th_run_take(struct th_run *run, struct th_state_image *image,
                      struct th_error *err)
{
  struct th_comm *comm = run->context.comm;
  struct th_state state;
  th_state_list(&state, comm, run->context.owned, err);
  describe(run, &state);
  th_status rc = th_state_take(&state, comm, image, err);
  th_state_free(&state);
  return rc;
}

/* The state as the monitor wants it; end with th_state_free, also after a
 * failure. Collective. */
static th_status list_all(struct th_run *run, struct th_state *state,
                          struct th_error *err)
{
  struct th_comm *comm = run->context.comm;
  th_state_list(state, comm, run->context.owned, err);
  describe(run, state);
  return th_agree(comm, state->status, err);
}

th_status th_run_save(struct th_run *run, bool *kept, struct th_error *err)
{
  const struct th_monitor *monitor = run->context.monitor;
  struct th_state state;
  struct th_error why;
  th_error_clear(&why);
  th_status listed = list_all(run, &state, &why);
  th_status rc = TH_OK;
  *kept = false;
  if (listed == TH_OK)
    rc = monitor->keeping.save(monitor->self, &state, kept, err);
  else /* the run itself can go on */
    th_context_notice(&run->context, "no checkpoint was written: %s", why.text);
  th_state_free(&state);
  return rc;
}

th_status th_run_room(struct th_run *run, struct th_error *err)
{
  const struct th_monitor *monitor = run->context.monitor;
  struct th_state state;
  th_status rc = list_all(run, &state, err);
  if (rc == TH_OK)
    rc = monitor->keeping.room(monitor->self, &state, err);
  th_state_free(&state);
  return rc;
}

th_status th_run_put(struct th_run *run, const struct th_state_image *image,
                     struct th_error *err)
{
  struct th_comm *comm = run->context.comm;
  struct th_state state;
  th_state_from(&state, image, comm, run->context.owned, err);
  const struct th_shape *shape = th_source_shape(run->context.source);
  state.attributes = shape->attributes;
  state.examples = shape->training;
  describe(run, &state);
  th_status rc = th_state_put(&state, comm, err);
  if (rc == TH_EFORMAT && image->name != NULL)
    th_error_name(err, image->name);
  th_state_free(&state);
  return rc;
}
