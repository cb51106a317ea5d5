/* report.c - what a run cost: for the summary and for --report
 * SPDX-License-Identifier: MIT */
#include "cli/report.h"

#include "cli/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

/* Mean over ranks of non-negative seconds, by way of whole nanoseconds. */
static double mean_seconds(struct th_comm *comm, double seconds)
{
  int64_t sum = (int64_t)(seconds * 1e9);
  comm->ops->sum_i64(comm, &sum, 1);
  return (double)sum / 1e9 / comm->size;
}

static double max_seconds(struct th_comm *comm, double seconds)
{
  comm->ops->max_f64(comm, &seconds, 1);
  return seconds;
}

static int64_t sum_bytes(struct th_comm *comm, int64_t bytes)
{
  comm->ops->sum_i64(comm, &bytes, 1);
  return bytes;
}

static struct th_traffic sum_traffic(struct th_comm *comm,
                                     const struct th_traffic *traffic)
{
  return (struct th_traffic){.read = sum_bytes(comm, traffic->read),
                             .observed = sum_bytes(comm, traffic->observed)};
}

static int64_t peak_memory(struct th_comm *comm)
{
  struct rusage usage;
  int64_t bytes = 0;
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    bytes = (int64_t)usage.ru_maxrss * 1024;
  comm->ops->max_i64(comm, &bytes, 1);
  return bytes;
}

void th_report_gather(struct th_report *report, struct th_comm *comm,
                      const struct th_profile *profile,
                      const struct th_store *store,
                      const struct th_model *model, double seconds)
{
  double inside = comm->seconds;
  double outside = fmax(0.0, seconds - inside);
  *report = (struct th_report){.ranks = comm->size};
  report->bytes_sent = sum_bytes(comm, comm->bytes_sent);
  report->bytes_read = sum_bytes(comm, store->bytes_read);
  report->blocks = sum_traffic(comm, &store->blocks);
  report->support = sum_traffic(comm, &store->support);
  report->seconds = max_seconds(comm, seconds);
  for (int p = 0; p < TH_PHASE_COUNT; p++) {
    report->seconds_max[p] = max_seconds(comm, profile->seconds[p]);
    report->seconds_mean[p] = mean_seconds(comm, profile->seconds[p]);
  }
  report->communication = mean_seconds(comm, inside);
  report->read_seconds = mean_seconds(comm, store->seconds);
  double mean = mean_seconds(comm, outside);
  report->imbalance = mean > 0 ? max_seconds(comm, outside) / mean : 1;
  report->peak_memory = peak_memory(comm);
  report->attributes_per_second =
      report->seconds > 0 ? (double)model->ledger.attributes / report->seconds
                          : 0;
}

/* GB/s of all ranks together while they read. */
static double read_rate(const struct th_report *report)
{
  return report->read_seconds > 0
             ? (double)report->bytes_read / report->read_seconds / 1e9
             : 0;
}

static json_t *phases_of(const struct th_report *report)
{
  json_t *phases = json_object();
  for (int p = 0; p < TH_PHASE_COUNT; p++) {
    json_t *phase = json_object();
    th_json_real(phase, "seconds_max", report->seconds_max[p]);
    th_json_real(phase, "seconds_mean", report->seconds_mean[p]);
    json_object_set_new(phases, th_phase_key((enum th_phase)p), phase);
  }
  return phases;
}

static json_t *report_json(const struct th_report *report,
                           const struct th_plan *plan,
                           const struct th_model *model,
                           const struct th_progress *last)
{
  json_t *o = json_object();
  th_json_int(o, "ranks", report->ranks);
  th_json_real(o, "seconds", report->seconds);
  json_object_set_new(o, "phases", phases_of(report));
  th_json_real(o, "communication_seconds", report->communication);
  th_json_real(o, "imbalance", report->imbalance);
  th_json_int(o, "peak_memory", report->peak_memory);
  th_json_int(o, "bytes_read", report->bytes_read);
  th_json_int(o, "bytes_observed",
              report->blocks.observed + report->support.observed);
  th_json_int(o, "bytes_read_blocks", report->blocks.read);
  th_json_int(o, "bytes_observed_blocks", report->blocks.observed);
  th_json_int(o, "bytes_read_support", report->support.read);
  th_json_int(o, "bytes_observed_support", report->support.observed);
  th_json_real(o, "read_gbs", read_rate(report));
  th_json_int(o, "bytes_sent", report->bytes_sent);
  th_json_real(o, "attributes_per_second", report->attributes_per_second);
  th_json_int(o, "examples", model->ledger.examples);
  th_json_int(o, "attributes_observed", model->ledger.attributes);
  th_json_int(o, "updates", last->updates);
  th_json_int(o, "passes", model->passes);
  th_json_real(o, "step_size", last->step_size);
  th_json_int(o, "support_size", model->support_size);
  th_json_int(o, "deal_unit", plan->deal_unit);
  th_json_int(o, "blocks", plan->blocks);
  th_json_int(o, "planned_memory", plan->memory);
  th_json_int(o, "planned_read_bytes", plan->read_bytes);
  return o;
}

th_status th_report_write(const struct th_report *report,
                          const struct th_plan *plan,
                          const struct th_model *model,
                          const struct th_progress *last, const char *path,
                          bool force, struct th_error *err)
{
  struct th_output output = {.lock = -1};
  th_status rc;
  TH_TRY(th_output_begin(&output, path, force, err));
  FILE *file = fopen(output.partial, "w");
  if (file == NULL)
    TH_TRY(th_fail(err, TH_EIO, "report %s: %s", path, strerror(errno)));
  rc = th_json_print(file, report_json(report, plan, model, last),
                     JSON_INDENT(2), err);
  if (fclose(file) != 0 && rc == TH_OK)
    rc = th_fail(err, TH_EIO, "report %s: %s", path, strerror(errno));
  if (rc == TH_OK)
    rc = th_output_commit(&output, err);
done:
  th_output_abort(&output);
  return rc;
}

/* 1234567 as "1.23 MB". */
static const char *bytes_text(int64_t bytes, char *text, size_t size)
{
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  double value = (double)bytes;
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
    value /= 1000;
    unit++;
  }
  snprintf(text, size, "%.3g %s", value, units[unit]);
  return text;
}

void th_plan_print(FILE *out, const struct th_plan *plan,
                   const struct th_shape *shape, int ranks)
{
  const struct th_config *config = &plan->config;
  char memory[32];
  char read[32];
  fprintf(out,
          "data:    %" PRId64 " training examples, %" PRId64
          " attributes, %s %s\n",
          shape->training, shape->attributes, th_layout_name(shape->layout),
          th_type_name(shape->type));
  fprintf(out, "solver:  %s, %s loss, seed %" PRIu64 "\n", config->solver,
          config->loss, config->seed);
  fprintf(out, "budget:  at most %" PRId64 " attributes of an example",
          config->budget);
  if (config->sparsity > 0)
    fprintf(out, ", at most %" PRId64 " in the model", config->sparsity);
  fprintf(out,
          "\nplan:    %" PRId64 " blocks, at most %" PRId64
          " passes, deal units of %" PRId64 " examples",
          plan->blocks, config->passes, plan->deal_unit);
  if (plan->updates > 0)
    fprintf(out, ", about %" PRId64 " updates", plan->updates);
  fprintf(out,
          "\ncost:    %d ranks, %s of memory each beside stored values, "
          "about %s to read\n",
          ranks, bytes_text(plan->memory, memory, sizeof memory),
          bytes_text(plan->read_bytes, read, sizeof read));
}

static void print_phases(FILE *out, const struct th_report *report)
{
  fprintf(out, "%-10s %9s %9s\n", "phase", "max s", "mean s");
  for (int p = 0; p < TH_PHASE_COUNT; p++)
    if (report->seconds_max[p] > 0)
      fprintf(out, "%-10s %9.3f %9.3f\n", th_phase_key((enum th_phase)p),
              report->seconds_max[p], report->seconds_mean[p]);
}

static void print_support(FILE *out, const struct th_model *model)
{
  enum { SHOWN = 12 };
  fprintf(out, "support: %" PRId64 " attributes", model->support_size);
  for (int64_t k = 0; k < model->support_size && k < SHOWN; k++)
    fprintf(out, "%s %" PRId64 " (%.4g)", k == 0 ? ":" : ",", model->support[k],
            model->coef[k]);
  fprintf(out, "%s\n", model->support_size > SHOWN ? ", ..." : "");
}

static void print_ledger(FILE *out, const struct th_model *model,
                         const struct th_shape *shape)
{
  const struct th_ledger *ledger = &model->ledger;
  double draws = (double)ledger->examples;
  double mean = draws > 0 ? (double)ledger->attributes / draws : 0;
  fprintf(out,
          "ledger:  %" PRId64 " examples drawn in %" PRId64 " passes, %" PRId64
          " attributes observed: %.4g of %" PRId64
          " an example, never more than %" PRId64 "\n",
          ledger->examples, model->passes, ledger->attributes, mean,
          shape->attributes, ledger->max_attributes_per_example);
  fprintf(out,
          "         validation: %" PRId64 " attributes of %" PRId64
          " examples; statistics: %s\n",
          ledger->validation_attributes, ledger->validation_examples,
          model->statistics != NULL ? model->statistics : "none");
}

void th_report_print(FILE *out, const struct th_report *report,
                     const struct th_model *model,
                     const struct th_progress *last,
                     const struct th_shape *shape)
{
  char read[32];
  char sent[32];
  char peak[32];
  print_phases(out, report);
  fprintf(
      out, "%.3f s on %d ranks, %.3f of them communicating, imbalance %.2f\n",
      report->seconds, report->ranks, report->communication, report->imbalance);
  fprintf(out,
          "%.3g attributes/s; %s read at %.3g GB/s; %s sent; %s of memory at "
          "the most\n",
          report->attributes_per_second,
          bytes_text(report->bytes_read, read, sizeof read), read_rate(report),
          bytes_text(report->bytes_sent, sent, sizeof sent),
          bytes_text(report->peak_memory, peak, sizeof peak));
  fprintf(out, "%" PRId64 " updates, last loss %.6g", last->updates,
          last->loss);
  if (last->step_size > 0)
    fprintf(out, ", step size %.4g", last->step_size);
  fputc('\n', out);
  print_support(out, model);
  print_ledger(out, model, shape);
}
