/* run_monitor.c - progress of a training run: a bar, log lines, telemetry
 * SPDX-License-Identifier: MIT */
#include "cli/run/run_monitor.h"

#include "api/match.h"
#include "base/memory.h"
#include "cli/run/rank_cost.h"
#include "cli/shared/json.h"
#include "cli/shared/model_text.h"
#include "cli/shared/wording.h"
#include "data/source.h"
#include "io/files/interrupt.h"
#include "io/model/model_file.h"
#include "ranks/comm.h"
#include "solvers/driver/train.h"
#include "synthetic/synthetic.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Costs and active attributes of each outer loop of a solver ----------- */

enum { SUMS = 2 };

/* Log an outer loop after an update. Does nothing for solvers without a
 * certificate. Local; called by every rank. */
static void loop_log_add(struct th_loop_log *log,
                         const struct th_progress *progress)
{
  const struct th_certificate *c = progress->certificate;
  struct th_error ignored = {0};
  if (c == NULL || log->lost)
    return;
  if (th_grow((void **)&log->items, &log->capacity, log->count + 1,
              sizeof *log->items, "the report", &ignored) != TH_OK) {
    log->lost = true;
    return;
  }
  log->items[log->count++] = (struct th_loop){
      .examples = progress->examples,
      .active = c->active,
      .lambda = c->lambda,
      .objective = c->objective,
      .gap = c->gap,
      .seconds = log->before.seconds + th_comm_clock() - log->began,
      .bytes_read = log->before.bytes_read + log->store->bytes_read,
      .bytes_sent = log->before.bytes_sent + log->comm->bytes_sent};
}

/* List the log, which was gathered, with the state of a run; and what has been
 * put of it: the costs of later loops go on from `total`. Local. */
static void loop_log_describe(struct th_loop_log *log, struct th_state *state)
{
  TH_STATE_ONE(state, log, count);
  th_state_grow(
      state,
      (struct th_state_growing){.name = "loops",
                                .type = TH_STATE_I64,
                                .items = sizeof *log->items / sizeof(int64_t),
                                .data = (void **)&log->items,
                                .capacity = &log->capacity},
      log->count);
}

static void loop_log_go_on(struct th_loop_log *log,
                           const struct th_rank_total *total)
{
  bool first = log->comm->rank == 0;
  log->gathered = log->count;
  log->before =
      (struct th_loop){.seconds = total->most.seconds,
                       .bytes_read = first ? total->sum.bytes_read : 0,
                       .bytes_sent = first ? total->sum.bytes_sent : 0};
}

th_status th_run_monitor_loop_log_gather(struct th_loop_log *log,
                                         struct th_comm *comm,
                                         struct th_error *err)
{
  struct th_loop *items = log->items + log->gathered;
  int64_t n = log->count - log->gathered;
  int64_t *sums = NULL;
  double *seconds = NULL;
  th_status rc =
      log->lost ? th_fail(err, TH_ENOMEM, "no memory for --report") : TH_OK;
  if (rc == TH_OK)
    rc = TH_NEW(&sums, SUMS * n, "the report", err);
  if (rc == TH_OK)
    rc = TH_NEW(&seconds, n, "the report", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int64_t k = 0; k < n; k++) {
    sums[SUMS * k] = items[k].bytes_read;
    sums[SUMS * k + 1] = items[k].bytes_sent;
    seconds[k] = items[k].seconds;
  }
  comm->ops->sum_i64(comm, sums, (size_t)(SUMS * n));
  comm->ops->max_f64(comm, seconds, (size_t)n);
  for (int64_t k = 0; k < n; k++) {
    items[k].bytes_read = sums[SUMS * k];
    items[k].bytes_sent = sums[SUMS * k + 1];
    items[k].seconds = seconds[k];
  }
  log->gathered = log->count;
done:
  TH_FREE(sums, seconds);
  return rc;
}

static void loop_log_free(struct th_loop_log *log)
{
  free(log->items);
  *log = (struct th_loop_log){0};
}

/* --- What is kept of a run besides the solver's state: costs, loops,
 * telemetry */

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
  TH_TRY(th_run_monitor_loop_log_gather(&monitor->log, comm, err));
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
                              monitor->telemetry, &why) == TH_OK) {
    th_run_monitor_tell(monitor, NULL);
    return;
  }
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
  loop_log_go_on(&monitor->log, before);
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
  loop_log_describe(&monitor->log, state);
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

/* --- What is shown while the run goes on ---------------------------------- */

enum { SHOWN = 128 };

/* As evaluate calls it. */
static const char *short_loss(const struct th_progress *progress)
{
  if (progress->objective)
    return "objective";
  return strcmp(progress->loss_name, "squared") == 0 ? "mse" : "loss";
}

static const char *long_loss(const struct th_progress *progress)
{
  return progress->objective ? "objective"
                             : th_wording_loss(progress->loss_name);
}

static void show_progress(struct th_run_monitor *monitor,
                          const struct th_progress *progress)
{
  const struct th_certificate *c = progress->certificate;
  char text[SHOWN];
  char support[SHOWN / 4] = "";
  char gap[SHOWN / 4] = ""; /* known after a pass */
  if (!th_meter_due(&monitor->meter))
    return;
  if (c != NULL && !isnan(c->gap))
    snprintf(gap, sizeof gap, "  gap %.2g", c->gap);
  if (!progress->unpublished)
    snprintf(support, sizeof support, "  support %" PRId64,
             progress->support_size);
  if (c != NULL && progress->fold > 0)
    snprintf(text, sizeof text,
             "fold %" PRId64 " of %" PRId64 "  lambda %.4g%s", progress->fold,
             progress->folds, c->lambda, support);
  else if (c != NULL)
    snprintf(text, sizeof text, "lambda %.4g%s%s", c->lambda, gap, support);
  else
    snprintf(text, sizeof text,
             "update %" PRId64 "  %s %.5g%s  examples %" PRId64,
             progress->updates, short_loss(progress), progress->loss, support,
             progress->examples);
  th_meter_show(&monitor->meter, progress->done, text);
}

static void on_going(void *self, double done, const char *text)
{
  struct th_run_monitor *monitor = self;
  th_meter_show(&monitor->meter, done, text);
}

static void on_part(void *self, bool at_most)
{
  struct th_run_monitor *monitor = self;
  th_meter_part(&monitor->meter);
  monitor->meter.at_most = at_most;
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
  bool known = !progress->unpublished;
  if (monitor->truth != NULL)
    th_json_real(line, "population_mse",
                 known ? th_synthetic_population_mse(
                             monitor->truth, monitor->attributes,
                             progress->support, progress->coef,
                             progress->support_size, progress->intercept)
                       : NAN);
  if (monitor->referred)
    th_json_real(line, "distance",
                 known ? distance(progress, &monitor->reference) : NAN);
}

/* What may be left out, in the form of a model's JSON. */
static void add_remaining(json_t *line, const struct th_progress *progress)
{
  if (!(progress->remaining > 0))
    return;
  json_t *assumed = json_object();
  th_json_real(line, "remaining_bound",
               progress->remaining_holds ? progress->remaining : NAN);
  th_json_real(assumed, "remaining_bound", progress->remaining);
  json_object_set_new(line, "if_assumed", assumed);
}

/* How much is done and what time is left, of the part that goes on. */
static void add_time(json_t *line, const struct th_run_monitor *monitor,
                     const struct th_progress *progress)
{
  const struct th_meter *meter = &monitor->meter;
  double done = progress->done >= 0 ? fmin(progress->done, 1) : NAN;
  double left = isnan(done) ? -1 : th_meter_left(meter, done);
  th_json_real(line, "done", done);
  th_json_real(line, "seconds", th_comm_clock() - monitor->began);
  th_json_real(line, "seconds_left", left >= 0 ? left : NAN);
  if (meter->at_most)
    json_object_set_new(line, "at_most", json_true());
}

/* Whoever follows the run sees a line soon, and a run of short updates does not
 * write each by itself. */
static void show_lines(struct th_run_monitor *monitor)
{
  const double often = 0.25; /* seconds */
  double now = th_comm_clock();
  if (now - monitor->flushed < often)
    return;
  monitor->flushed = now;
  if (fflush(monitor->telemetry) != 0)
    th_fail(&monitor->err, TH_EIO, "cannot write %s: %s",
            th_output_name(monitor->telemetry_path), strerror(errno));
}

void th_run_monitor_tell(struct th_run_monitor *monitor, json_t *about)
{
  json_decref(monitor->about);
  monitor->about = about;
}

static void write_telemetry(struct th_run_monitor *monitor,
                            const struct th_progress *progress)
{
  if (monitor->telemetry == NULL || monitor->err.code != TH_OK)
    return;
  json_t *line = json_object();
  th_json_int(line, "update", progress->updates);
  th_json_int(line, "examples", progress->examples);
  if (progress->epochs > 0)
    th_json_real(line, "epochs", progress->epochs);
  th_json_int(line, "attributes", progress->attributes_observed);
  if (progress->unpublished)
    json_object_set_new(line, "support_size", json_null());
  else
    th_json_int(line, "support_size", progress->support_size);
  th_json_real(line, "loss", progress->loss);
  th_json_text(line, "loss_is", long_loss(progress));
  th_json_real(line, "step_size", progress->step_size);
  if (progress->certificate != NULL) {
    th_json_real(line, "lambda", progress->certificate->lambda);
    th_json_real(line, "objective", progress->certificate->objective);
    th_json_real(line, "gap", progress->certificate->gap);
    th_json_int(line, "active", progress->certificate->active);
  }
  if (progress->folds > 0) {
    th_json_int(line, "fold", progress->fold);
    th_json_int(line, "folds", progress->folds);
  }
  if (progress->ending != NULL)
    th_model_text_ending_json(line, progress->ending, progress->loss_name);
  add_remaining(line, progress);
  add_time(line, monitor, progress);
  add_errors(line, monitor, progress);
  if (monitor->about != NULL)
    json_object_set(line, "run", monitor->about);
  th_run_monitor_tell(monitor, NULL);
  th_json_write(&monitor->output, line, JSON_COMPACT, &monitor->err);
  show_lines(monitor);
}

static void write_metrics(struct th_run_monitor *monitor,
                          const struct th_progress *progress)
{
  const struct th_certificate *c = progress->certificate;
  double done = progress->done >= 0 ? fmin(progress->done, 1) : NAN;
  double left = isnan(done) ? -1 : th_meter_left(&monitor->meter, done);
  const struct th_gauges_state state = {.progress = &monitor->last,
                                        .attributes = monitor->attributes,
                                        .active = c != NULL ? c->active : -1,
                                        .lambda = c != NULL ? c->lambda : NAN,
                                        .gap = c != NULL ? c->gap : NAN,
                                        .done = done,
                                        .seconds =
                                            th_comm_clock() - monitor->began,
                                        .seconds_left = left >= 0 ? left : NAN,
                                        .running = true};
  th_gauges_write(&monitor->metrics, &state);
}

static void on_progress(void *self, const struct th_progress *progress)
{
  struct th_run_monitor *monitor = self;
  monitor->last = *progress;
  monitor->last.support = NULL;
  monitor->last.coef = NULL;
  monitor->last.certificate = NULL;
  monitor->last.ending = NULL;
  loop_log_add(&monitor->log, progress);
  if (monitor->goes_on)
    th_meter_go_on(&monitor->meter, fmax(progress->done, 0));
  monitor->goes_on = false;
  show_progress(monitor, progress);
  write_telemetry(monitor, progress);
  write_metrics(monitor, progress);
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
                  .part = on_part,
                  .wish = on_wish,
                  .leaves = on_leaves,
                  .ending = on_ending,
                  .self = monitor},
      .prints = comm->rank == 0 && !options->quiet,
      .attributes = store->shape.attributes,
      .truth = truth != NULL && th_synthetic_family_find(truth->family) != NULL
                   ? truth
                   : NULL,
      .output = {.file = -1},
      .telemetry_path = options->told.telemetry,
      .began = th_comm_clock(),
      .log = {.comm = comm, .store = store},
  };
  th_error_clear(&monitor->err);
  th_meter_begin(&monitor->meter, monitor->prints);
  monitor->log.began = monitor->began;
  if (comm->rank == 0)
    monitor->metrics = (struct th_gauges){.path = options->told.metrics,
                                          .force = options->force};
  if (comm->rank != 0 || options->told.telemetry == NULL)
    return TH_OK;
  return open_telemetry(monitor, options->force, err);
}

th_status th_run_monitor_refer(struct th_run_monitor *monitor, const char *path,
                               struct th_data *data, struct th_comm *comm,
                               struct th_error *err)
{
  if (path == NULL)
    return TH_OK;
  th_status rc = th_model_file_read(&monitor->reference, comm, path, err);
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

/* The last numbers stay there. */
static void end_metrics(struct th_run_monitor *monitor)
{
  struct th_gauges *metrics = &monitor->metrics;
  th_gauges_end(metrics);
  if (metrics->path != NULL && metrics->err.code != TH_OK)
    th_wording_unwritten("metrics", metrics->path, metrics->err.text);
  *metrics = (struct th_gauges){0};
}

void th_run_monitor_finish(struct th_run_monitor *monitor)
{
  th_meter_clear(&monitor->meter);
  end_metrics(monitor);
  if (monitor->telemetry == NULL)
    return;
  monitor->telemetry = NULL;
  if (monitor->err.code == TH_OK)
    th_output_commit(&monitor->output, &monitor->err);
  if (monitor->err.code != TH_OK)
    th_wording_unwritten("telemetry", monitor->telemetry_path,
                         monitor->err.text);
}

void th_run_monitor_close(struct th_run_monitor *monitor)
{
  th_meter_clear(&monitor->meter);
  monitor->telemetry = NULL;
  end_metrics(monitor);
  th_run_monitor_tell(monitor, NULL);
  th_output_abort(&monitor->output);
  th_model_free(&monitor->reference);
  loop_log_free(&monitor->log);
}
