/* run_monitor_keep.c - what is kept of a run besides the solver's state: costs,
 * loops, telemetry
 * SPDX-License-Identifier: MIT */
#include "cli/run_monitor.h"

#include <errno.h>
#include <string.h>

/* Keep what the telemetry's file has by now. Where that is not possible, the
 * run goes on all the same. Local. */
static void keep_telemetry(struct th_run_monitor *monitor)
{
  struct th_error why = {0};
  bool file = monitor->telemetry != NULL && monitor->telemetry != stdout;
  bool good = file && monitor->err.code == TH_OK;
  if (good && fflush(monitor->telemetry) != 0) { /* told at the end */
    th_fail(&monitor->err, TH_EIO, "cannot write %s: %s",
            monitor->telemetry_path, strerror(errno));
    good = false;
  }
  int64_t bytes = good ? (int64_t)ftell(monitor->telemetry) : -1;
  if (bytes < 0 ||
      th_checkpoint_log_add(&monitor->keeper->checkpoint, monitor->output.file,
                            bytes, &monitor->kept, &why) != TH_OK)
    monitor->kept = (struct th_checkpoint_text){0}; /* it does not go on */
}

/* Bring what is to be kept up to date. Collective. */
static th_status bring_up_to_date(struct th_run_monitor *monitor,
                                  struct th_comm *comm, struct th_error *err)
{
  struct th_rank_cost mine = th_rank_cost_now(
      comm, monitor->profile, monitor->log.store, monitor->started);
  th_status rc;
  keep_telemetry(monitor);
  TH_TRY(th_rank_cost_gather(&monitor->so_far, NULL, comm, &mine, err));
  th_rank_cost_append(&monitor->so_far, &monitor->before);
  TH_TRY(th_loop_log_gather(&monitor->log, comm, err));
done:
  return rc;
}

/* The telemetry goes on behind what was kept of it. */
static void print_again(struct th_run_monitor *monitor)
{
  struct th_error why = {0};
  char text[TH_ERROR_TEXT];
  if (monitor->telemetry == NULL || monitor->telemetry == stdout)
    return;
  if (monitor->kept.bytes == 0) {
    monitor->monitor.notice(monitor, "the updates so far were made without a "
                                     "telemetry file, and are not in this one");
    return;
  }
  if (th_checkpoint_log_print(&monitor->keeper->checkpoint, &monitor->kept,
                              monitor->telemetry, &why) == TH_OK)
    return;
  monitor->kept = (struct th_checkpoint_text){0};
  snprintf(text, sizeof text,
           "the updates so far are not in the telemetry file: %.400s",
           why.text);
  monitor->monitor.notice(monitor, text);
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
  print_again(monitor);
}

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
  TH_STATE_AT_MOST(state, &monitor->kept, bytes, INT64_MAX);
  TH_STATE_ONE(state, &monitor->kept, tail);
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
