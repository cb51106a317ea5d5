/* gauges.c - the state of a run for Prometheus
 * SPDX-License-Identifier: MIT */
#include "cli/run/gauges.h"

#include "io/files/output.h"
#include "ranks/comm.h"

#include <math.h>
#include <stdio.h>

static const double interval = 5; /* seconds */

/* One number: its name, kind and meaning. */
struct metric {
  const char *name;
  const char *type;
  const char *help;
  double (*value)(const struct th_gauges_state *state);
};

static double running_of(const struct th_gauges_state *s)
{
  return s->running;
}

static double updates_of(const struct th_gauges_state *s)
{
  return (double)s->progress->updates;
}

static double examples_of(const struct th_gauges_state *s)
{
  return (double)s->progress->examples;
}

static double observed_of(const struct th_gauges_state *s)
{
  return (double)s->progress->attributes_observed;
}

static double support_size_of(const struct th_gauges_state *s)
{
  return s->progress->unpublished ? NAN : (double)s->progress->support_size;
}

static double attributes_of(const struct th_gauges_state *s)
{
  return (double)s->attributes;
}

static double active_of(const struct th_gauges_state *s)
{
  return s->active >= 0 ? (double)s->active : NAN;
}

static double loss_in(const struct th_gauges_state *s)
{
  return s->progress->objective ? NAN : s->progress->loss;
}

static double objective_of(const struct th_gauges_state *s)
{
  return s->progress->objective ? s->progress->loss : NAN;
}

static double passes_of(const struct th_gauges_state *s)
{
  return s->progress->epochs;
}

static double lambda_of(const struct th_gauges_state *s)
{
  return s->lambda;
}

static double gap_of(const struct th_gauges_state *s)
{
  return s->gap;
}

static double done_in(const struct th_gauges_state *s)
{
  return s->done;
}

static double elapsed_of(const struct th_gauges_state *s)
{
  return s->seconds;
}

static double left_of(const struct th_gauges_state *s)
{
  return s->seconds_left;
}

static const struct metric metrics_table[] = {
    {"thresher_running", "gauge",
     "1 while the run goes on, 0 when it has ended.", running_of},
    {"thresher_updates_total", "counter", "Updates made.", updates_of},
    {"thresher_passes", "gauge",
     "Passes over the training examples, those of screening apart.", passes_of},
    {"thresher_examples_total", "counter", "Examples drawn.", examples_of},
    {"thresher_attributes_observed_total", "counter",
     "Attributes observed in the examples drawn, repeats counted.",
     observed_of},
    {"thresher_attributes", "gauge", "Attributes of the data.", attributes_of},
    {"thresher_support_attributes", "gauge", "Attributes of the model.",
     support_size_of},
    {"thresher_active_attributes", "gauge", "Attributes that are not screened.",
     active_of},
    {"thresher_loss", "gauge",
     "Mean loss of the last update on its own examples, before it.", loss_in},
    {"thresher_objective", "gauge", "Mean loss and penalty.", objective_of},
    {"thresher_lambda", "gauge", "Weight of the penalty.", lambda_of},
    {"thresher_duality_gap", "gauge",
     "The objective is at most so far above the best one.", gap_of},
    {"thresher_done_ratio", "gauge",
     "Share of the part of the run that goes on, 0 to 1.", done_in},
    {"thresher_seconds", "gauge", "Seconds since the run began.", elapsed_of},
    {"thresher_seconds_left", "gauge",
     "Seconds that are left of the part of the run that goes on.", left_of},
};

static void put_metrics(FILE *out, const struct th_gauges_state *state)
{
  for (size_t k = 0; k < sizeof metrics_table / sizeof *metrics_table; k++) {
    const struct metric *metric = &metrics_table[k];
    double value = metric->value(state);
    if (isfinite(value))
      fprintf(out, "# HELP %s %s\n# TYPE %s %s\n%s %.17g\n", metric->name,
              metric->help, metric->name, metric->type, metric->name, value);
  }
}

static th_status write_file(const struct th_gauges *metrics,
                            const struct th_gauges_state *state,
                            struct th_error *err)
{
  struct th_output output = {.folder = -1, .file = -1};
  th_status rc;
  TH_TRY(th_output_begin_text(&output, metrics->path, metrics->force, err));
  TH_TRY(th_output_text(&output, err));
  put_metrics(output.text, state);
  TH_TRY(th_output_commit(&output, err));
done:
  th_output_abort(&output);
  return rc;
}

static void write_state(struct th_gauges *metrics)
{
  if (metrics->err.code == TH_OK &&
      write_file(metrics, &metrics->last, &metrics->err) == TH_OK)
    metrics->force = true; /* it is ours now */
}

void th_gauges_write(struct th_gauges *metrics,
                     const struct th_gauges_state *state)
{
  double now = th_comm_clock();
  if (metrics->path == NULL)
    return;
  metrics->last = *state;
  if (metrics->written > 0 && now - metrics->written < interval)
    return;
  metrics->written = now;
  write_state(metrics);
}

void th_gauges_end(struct th_gauges *metrics)
{
  if (metrics->path == NULL || metrics->last.progress == NULL)
    return;
  metrics->last.running = false;
  write_state(metrics);
}
