/* run_monitor_keep.c - what is kept of a run besides the solver's state: costs,
 * loops, telemetry
 * SPDX-License-Identifier: MIT */
#include "cli/run_monitor.h"

#include "core/memory.h"
#include "io/hdf5/temporary.h"

/* What the telemetry's file has by now, to be kept. Local. */
static th_status take_telemetry(struct th_run_monitor *monitor,
                                struct th_error *err)
{
  const char *name = monitor->telemetry_path;
  bool file = monitor->telemetry != NULL && monitor->telemetry != stdout;
  int64_t bytes = file ? (int64_t)ftell(monitor->telemetry) : 0;
  if (!file) /* what there was of it does not go on */
    monitor->kept_bytes = 0;
  if (!file || monitor->err.code != TH_OK)
    return TH_OK;
  if (bytes < 0 || fflush(monitor->telemetry) != 0) { /* told at the end */
    th_fail(&monitor->err, TH_EIO, "cannot write %s", name);
    return TH_OK;
  }
  th_status rc = TH_GROW(&monitor->kept_text, &monitor->kept_capacity, bytes,
                         "the telemetry", err);
  if (rc == TH_OK)
    rc = th_temporary_read(monitor->output.file, monitor->kept_text, bytes, 0,
                           name, err);
  if (rc == TH_OK)
    monitor->kept_bytes = bytes;
  return rc;
}

/* Bring what is to be kept up to date. Collective. */
static th_status bring_up_to_date(struct th_run_monitor *monitor,
                                  struct th_comm *comm, struct th_error *err)
{
  struct th_rank_cost mine = th_rank_cost_now(
      comm, monitor->profile, monitor->log.store, monitor->started);
  th_status rc;
  TH_TRY(th_agree(comm, take_telemetry(monitor, err), err));
  TH_TRY(th_rank_cost_gather(&monitor->so_far, NULL, comm, &mine, err));
  th_rank_cost_append(&monitor->so_far, &monitor->before);
  TH_TRY(th_loop_log_gather(&monitor->log, comm, err));
done:
  return rc;
}

/* What was kept is there again. */
static void put_again(struct th_run_monitor *monitor)
{
  const struct th_rank_total *before = &monitor->so_far;
  monitor->before = *before;
  monitor->began = monitor->started - before->most.seconds;
  monitor->goes_on = true;
  monitor->keeper->saved_update = monitor->last.updates;
  th_loop_log_go_on(&monitor->log, before);
  bool file = monitor->telemetry != NULL && monitor->telemetry != stdout;
  if (file && monitor->kept_bytes == 0)
    monitor->monitor.notice(monitor, "the updates so far were made without a "
                                     "telemetry file, and are not in this one");
  if (file && monitor->kept_bytes > 0)
    fwrite(monitor->kept_text, 1, (size_t)monitor->kept_bytes,
           monitor->telemetry);
}

/* Of the telemetry rank 0 has all. */
static void on_describe(void *self, struct th_state *state)
{
  struct th_run_monitor *monitor = self;
  struct th_comm *comm = monitor->keeper->comm;
  th_state_enter(state, "monitor");
  if (!th_state_puts(state))
    th_state_note(state, bring_up_to_date(monitor, comm, state->err));
  th_rank_cost_describe(&monitor->so_far, state);
  th_loop_log_describe(&monitor->log, state);
  TH_STATE_ONE(state, &monitor->last, updates);
  TH_STATE_ONE(state, monitor, kept_bytes);
  if (th_state_next_has(state, monitor->kept_bytes) && th_state_puts(state))
    th_state_note(state,
                  TH_GROW(&monitor->kept_text, &monitor->kept_capacity,
                          monitor->kept_bytes, "the telemetry", state->err));
  th_state_first(state, "telemetry", TH_STATE_U8, monitor->kept_text,
                 monitor->kept_bytes);
  th_state_leave(state);
  if (th_state_puts(state) && th_state_good(state))
    put_again(monitor);
}

static th_status on_room(void *self, const struct th_state *state,
                         struct th_error *err)
{
  struct th_run_monitor *monitor = self;
  return th_keeper_begin(monitor->keeper, state, err);
}

static th_status on_save(void *self, const struct th_state *state, bool *kept,
                         struct th_error *err)
{
  struct th_run_monitor *monitor = self;
  th_meter_clear(&monitor->meter);
  return th_keeper_save(monitor->keeper, state, monitor->last.updates, kept,
                        err);
}

void th_run_monitor_keep(struct th_run_monitor *monitor,
                         struct th_keeper *keeper,
                         const struct th_profile *profile, double started)
{
  monitor->keeper = keeper;
  monitor->profile = profile;
  monitor->started = started;
  if (!keeper->on)
    return;
  monitor->monitor.keeping = (struct th_keeping){
      .describe = on_describe,
      .room = on_room,
      .save = on_save,
      .from = keeper->found.number > 0 ? &keeper->found.image : NULL};
}
