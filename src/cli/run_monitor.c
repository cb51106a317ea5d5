/* run_monitor.c - progress of a training run: a bar, log lines, telemetry
 * SPDX-License-Identifier: MIT */
#include "cli/run_monitor.h"

#include "api/match.h"
#include "cli/common.h"
#include "cli/ending.h"
#include "cli/shared/json.h"
#include "cli/wording.h"
#include "io/hdf5/interrupt.h"
#include "io/model/model_file.h"
#include "synthetic/synthetic.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
             "update %" PRId64 "  %s %.5g  support %" PRId64
             "  examples %" PRId64,
             progress->updates, short_loss(progress), progress->loss,
             progress->support_size, progress->examples);
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
  th_json_text(line, "loss_is", long_loss(progress));
  th_json_real(line, "step_size", progress->step_size);
  if (progress->certificate != NULL) {
    th_json_real(line, "lambda", progress->certificate->lambda);
    th_json_real(line, "objective", progress->certificate->objective);
    th_json_real(line, "gap", progress->certificate->gap);
    th_json_int(line, "active", progress->certificate->active);
  }
  if (progress->ending != NULL)
    th_ending_json(line, progress->ending, progress->loss_name);
  th_json_real(line, "seconds", th_comm_clock() - monitor->began);
  add_errors(line, monitor, progress);
  th_common_json(&monitor->output, line, JSON_COMPACT, &monitor->err);
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
  if (monitor->goes_on)
    th_meter_go_on(&monitor->meter, fmax(progress->done, 0));
  monitor->goes_on = false;
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

void th_run_monitor_finish(struct th_run_monitor *monitor)
{
  th_meter_clear(&monitor->meter);
  if (monitor->telemetry == NULL)
    return;
  monitor->telemetry = NULL;
  if (monitor->err.code == TH_OK)
    th_output_commit(&monitor->output, &monitor->err);
  if (monitor->err.code != TH_OK)
    th_common_unwritten("telemetry", monitor->telemetry_path,
                        monitor->err.text);
}

void th_run_monitor_close(struct th_run_monitor *monitor)
{
  th_meter_clear(&monitor->meter);
  monitor->telemetry = NULL;
  th_output_abort(&monitor->output);
  th_model_free(&monitor->reference);
  th_loop_log_free(&monitor->log);
}
