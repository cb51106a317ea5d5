/* run_monitor.c - progress of a training run: a bar, log lines, telemetry
 * SPDX-License-Identifier: MIT */
#include "cli/run_monitor.h"

#include "api/match.h"
#include "cli/ending.h"
#include "cli/shared/json.h"
#include "cli/wording.h"
#include "core/memory.h"
#include "io/hdf5/interrupt.h"
#include "io/hdf5/temporary.h"
#include "io/model/model_file.h"
#include "synthetic/synthetic.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { SHOWN = 128 };

static void show(struct th_run_monitor *monitor,
                 const struct th_progress *progress)
{
  const struct th_certificate *c = progress->certificate;
  char text[SHOWN];
  if (!th_meter_due(&monitor->meter))
    return;
  if (c != NULL)
    snprintf(text, sizeof text, "lambda %.4g  gap %.2g  support %" PRId64,
             c->lambda, c->gap, progress->support_size);
  else
    snprintf(text, sizeof text,
             "update %" PRId64 "  loss %.5g  support %" PRId64
             "  examples %" PRId64,
             progress->updates, progress->loss, progress->support_size,
             progress->examples);
  th_meter_show(&monitor->meter, progress->done, text);
}

static void on_going(void *self, double done, const char *text)
{
  struct th_run_monitor *monitor = self;
  th_meter_show(&monitor->meter, done, text);
}

/* norm2 of the difference of the coefficients; both supports ascend. */
static double distance(const struct th_progress *progress,
                       const struct th_model *reference)
{
  double square = 0;
  int64_t a = 0;
  int64_t b = 0;
  while (a < progress->support_size || b < reference->support_size) {
    int64_t mine =
        a < progress->support_size ? progress->support[a] : INT64_MAX;
    int64_t theirs =
        b < reference->support_size ? reference->support[b] : INT64_MAX;
    double delta = mine <= theirs ? progress->coef[a++] : 0;
    delta -= theirs <= mine ? reference->coef[b++] : 0;
    square += delta * delta;
  }
  return sqrt(square);
}

/* How far the coefficients are from those that are known. */
static void add_errors(json_t *line, const struct th_run_monitor *monitor,
                       const struct th_progress *progress)
{
  if (monitor->truth != NULL)
    th_json_real(line, "population_mse",
                 th_synthetic_population_mse(
                     monitor->truth, monitor->attributes, progress->support,
                     progress->coef, progress->support_size,
                     progress->intercept));
  if (monitor->referred)
    th_json_real(line, "distance", distance(progress, &monitor->reference));
}

static void record(struct th_run_monitor *monitor,
                   const struct th_progress *progress)
{
  if (monitor->telemetry == NULL || monitor->err.code != TH_OK)
    return;
  json_t *line = json_object();
  th_json_int(line, "update", progress->updates);
  th_json_int(line, "examples", progress->examples);
  th_json_real(line, "epochs", progress->epochs);
  th_json_int(line, "attributes", progress->attributes_observed);
  th_json_int(line, "support_size", progress->support_size);
  th_json_real(line, "loss", progress->loss);
  th_json_real(line, "step_size", progress->step_size);
  if (progress->certificate != NULL) {
    th_json_real(line, "lambda", progress->certificate->lambda);
    th_json_real(line, "objective", progress->certificate->objective);
    th_json_real(line, "gap", progress->certificate->gap);
    th_json_int(line, "active", progress->certificate->active);
  }
  if (progress->ending != NULL)
    th_ending_json(line, progress->ending);
  th_json_real(line, "seconds", th_comm_clock() - monitor->began);
  add_errors(line, monitor, progress);
  th_json_print(monitor->telemetry, line, JSON_COMPACT, &monitor->err);
}

static void on_progress(void *self, const struct th_progress *progress)
{
  struct th_run_monitor *monitor = self;
  monitor->last = *progress;
  monitor->last.support = NULL;
  monitor->last.coef = NULL;
  monitor->last.certificate = NULL;
  monitor->last.ending = NULL;
  th_loop_log_add(&monitor->log, progress);
  show(monitor, progress);
  record(monitor, progress);
}

static void on_notice(void *self, const char *text)
{
  struct th_run_monitor *monitor = self;
  if (!monitor->prints)
    return;
  th_meter_clear(&monitor->meter);
  th_wording_print(stderr, "note: ", text);
}

static enum th_wish on_wish(void *self, bool over)
{
  struct th_run_monitor *monitor = self;
  return th_keeper_wish(monitor->keeper, monitor->last.updates, over);
}

static bool on_leaves(void *self)
{
  const struct th_run_monitor *monitor = self;
  return th_keeper_leaves(monitor->keeper);
}

/* Now signals end the process again. What is left of a run that is kept is
 * short: there the first signal waits for the model. */
static void on_ending(void *self)
{
  const struct th_run_monitor *monitor = self;
  th_interrupt_ask(monitor->keeper->on);
}

/* What the telemetry's file has by now, to be kept. Local. */
static th_status take_telemetry(struct th_run_monitor *monitor,
                                struct th_error *err)
{
  const char *name = monitor->telemetry_path;
  bool file = monitor->telemetry != NULL && monitor->telemetry != stdout;
  int64_t bytes = file ? (int64_t)ftell(monitor->telemetry) : 0;
  if (!file || monitor->err.code != TH_OK)
    return TH_OK;
  if (bytes < 0 || fflush(monitor->telemetry) != 0)
    return th_fail(err, TH_EIO, "cannot write %s", name);
  th_status rc = TH_GROW(&monitor->kept_text, &monitor->kept_capacity, bytes,
                         "the telemetry", err);
  if (rc == TH_OK)
    rc = th_temporary_read(monitor->output.lock, monitor->kept_text, bytes, 0,
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
  monitor->keeper->saved_update = monitor->last.updates;
  th_loop_log_go_on(&monitor->log, before);
  bool file = monitor->telemetry != NULL && monitor->telemetry != stdout;
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
  return th_checkpoint_room(&monitor->keeper->checkpoint, state, err);
}

static bool on_save(void *self, const struct th_state *state)
{
  struct th_run_monitor *monitor = self;
  th_meter_clear(&monitor->meter);
  return th_keeper_save(monitor->keeper, state, monitor->last.updates);
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

static th_status open_telemetry(struct th_run_monitor *monitor, bool force,
                                struct th_error *err)
{
  th_status rc = th_output_begin_text(&monitor->output, monitor->telemetry_path,
                                      force, err);
  if (rc == TH_OK)
    rc = th_output_text(&monitor->output, err);
  monitor->telemetry = monitor->output.text;
  return rc;
}

th_status th_run_monitor_open(struct th_run_monitor *monitor,
                              const struct th_options *options,
                              const struct th_ground_truth *truth,
                              const struct th_store *store,
                              struct th_comm *comm, struct th_error *err)
{
  *monitor = (struct th_run_monitor){
      .monitor = {.progress = on_progress,
                  .notice = on_notice,
                  .going = on_going,
                  .wish = on_wish,
                  .leaves = on_leaves,
                  .ending = on_ending,
                  .self = monitor},
      .prints = comm->rank == 0 && !options->quiet,
      .attributes = store->shape.attributes,
      .truth = truth != NULL && th_synthetic_family_find(truth->family) != NULL
                   ? truth
                   : NULL,
      .output = {.lock = -1},
      .telemetry_path = options->telemetry,
      .began = th_comm_clock(),
      .log = {.comm = comm, .store = store},
  };
  th_error_clear(&monitor->err);
  th_meter_begin(&monitor->meter, monitor->prints);
  monitor->log.began = monitor->began;
  if (comm->rank != 0 || options->telemetry == NULL)
    return TH_OK;
  return open_telemetry(monitor, options->force, err);
}

th_status th_run_monitor_refer(struct th_run_monitor *monitor, const char *path,
                               struct th_data *data, struct th_comm *comm,
                               struct th_error *err)
{
  if (path == NULL)
    return TH_OK;
  th_status rc = th_model_read(&monitor->reference, comm, path, err);
  if (rc == TH_OK)
    rc = th_match(&monitor->reference, data, TH_MATCH_SUPPORT, path, comm, err);
  if (rc != TH_OK)
    return rc;
  if (monitor->reference.attributes != monitor->attributes)
    return th_fail(err, TH_EUSAGE,
                   "train: --reference %s: the model is for %" PRId64
                   " attributes, the data have %" PRId64,
                   path, monitor->reference.attributes, monitor->attributes);
  monitor->referred = true;
  return TH_OK;
}

th_status th_run_monitor_finish(struct th_run_monitor *monitor,
                                struct th_error *err)
{
  th_meter_clear(&monitor->meter);
  if (monitor->telemetry == NULL)
    return TH_OK;
  monitor->telemetry = NULL;
  if (monitor->err.code != TH_OK)
    return th_fail(err, TH_EIO, "telemetry %s: cannot be written",
                   th_output_name(monitor->telemetry_path));
  return th_output_commit(&monitor->output, err);
}

void th_run_monitor_close(struct th_run_monitor *monitor)
{
  th_meter_clear(&monitor->meter);
  monitor->telemetry = NULL;
  th_output_abort(&monitor->output);
  th_model_free(&monitor->reference);
  th_loop_log_free(&monitor->log);
  free(monitor->kept_text);
}
