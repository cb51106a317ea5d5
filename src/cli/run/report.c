/* report.c - what a run is going to do, what it has found and what it cost: by
 * the accounts of all ranks
 * SPDX-License-Identifier: MIT */
#include "cli/run/report.h"

#include "api/training_options.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/printable.h"
#include "cli/shared/json.h"
#include "cli/shared/model_text.h"
#include "cli/shared/path_text.h"
#include "cli/shared/wording.h"
#include "data/source.h"
#include "math/kernels/kernels.h"
#include "math/penalty.h"
#include "solvers/solver_table.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* --- What a run has done, loop by loop -------------------------------------
 */

enum { LOOP_LOG_SHOWN = 12 }; /* rows, about */

/* An array, one object per loop. */
static json_t *loop_log_json(const struct th_loop_log *log)
{
  json_t *array = json_array();
  for (int64_t k = 0; k < log->count; k++) {
    const struct th_loop *loop = &log->items[k];
    json_t *o = json_object();
    th_json_int(o, "examples", loop->examples);
    th_json_int(o, "active", loop->active);
    th_json_real(o, "lambda", loop->lambda);
    th_json_real(o, "objective", loop->objective);
    th_json_real(o, "gap", loop->gap);
    th_json_real(o, "seconds", loop->seconds);
    th_json_int(o, "bytes_read", loop->bytes_read);
    th_json_int(o, "bytes_sent", loop->bytes_sent);
    json_array_append_new(array, o);
  }
  return array;
}

/* A number, or a dash where it was not computed. */
static void print_known(FILE *out, int width, int digits, double value)
{
  if (isnan(value))
    fprintf(out, " %*s", width, "-");
  else
    fprintf(out, " %*.*g", width, digits, value);
}

/* A table of at most some 12 lines. */
static void print_loop_log(FILE *out, const struct th_loop_log *log)
{
  int64_t every = log->count / LOOP_LOG_SHOWN + 1;
  if (log->count == 0)
    return;
  fprintf(out, "%6s %12s %10s %11s %14s %10s %9s %10s %10s\n", "loop",
          "examples", "active", "lambda", "objective", "gap", "s", "MB read",
          "MB sent");
  for (int64_t k = 0; k < log->count; k++) {
    const struct th_loop *loop = &log->items[k];
    if (k % every != 0 && k != log->count - 1)
      continue;
    fprintf(out, "%6" PRId64 " %12" PRId64 " %10" PRId64 " %11.4g", k + 1,
            loop->examples, loop->active, loop->lambda);
    print_known(out, 14, 8, loop->objective);
    print_known(out, 10, 3, loop->gap);
    fprintf(out, " %9.3f %10.4g %10.4g\n", loop->seconds,
            (double)loop->bytes_read / 1e6, (double)loop->bytes_sent / 1e6);
  }
}

/* --- Texts of the report ---------------------------------------------------
 */

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

/* For all ranks of a node together: enough to leave any cache, little enough to
 * be read in milliseconds. A rank has at least the other number. */
enum { READ_ITEMS = 1 << 24, READ_LEAST = 1 << 20, READ_TIMES = 3 };

th_status th_report_gather(struct th_report *report, struct th_comm *comm,
                           const struct th_rank_cost *mine,
                           const struct th_usage *used,
                           const struct th_rank_total *before,
                           struct th_error *err)
{
  void *usage = NULL;
  th_status rc;
  *report = (struct th_report){.ranks = comm->size, .read_gbs = NAN};
  TH_TRY(th_rank_cost_gather(&report->total, &report->rank, comm, mine, err));
  th_rank_cost_append(&report->total, before);
  TH_TRY(th_comm_collect(comm, used, sizeof *used, &usage, err));
  report->usage = usage;
done:
  return rc;
}

void th_report_free(struct th_report *report)
{
  TH_FREE(report->rank, report->usage);
  *report = (struct th_report){0};
}

/* This rank's part of what its node reads. Collective. */
static int64_t bandwidth_items(struct th_comm *comm)
{
  struct th_comm node;
  comm->ops->split_node(comm, &node);
  int64_t items = READ_ITEMS / node.size;
  th_comm_free(&node);
  return th_max_i64(items, READ_LEAST);
}

th_status th_report_bandwidth(double *gbs, struct th_comm *comm,
                              struct th_error *err)
{
  float *values = NULL;
  volatile double sink = 0; /* the work must not be optimised away */
  double least = INFINITY;  /* seconds a byte */
  int64_t items = bandwidth_items(comm);
  th_status rc = TH_NEW(&values, items, "numbers to read", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int k = 0; k < READ_TIMES; k++) {
    comm->ops->barrier(comm);
    double began = th_comm_clock();
    sink = sink + th_kernel_read(values, items);
    least = fmin(least, th_comm_clock() - began);
  }
  least /= (double)items * sizeof *values;
  comm->ops->max_f64(comm, &least, 1);
  *gbs = 1 / least / 1e9;
done:
  free(values);
  return rc;
}

static double report_mean(const struct th_report *report, double sum)
{
  return sum / report->ranks;
}

/* Largest over mean of the work of each rank; 1 if there is none. */
struct spread {
  double largest;
  double sum;
};

static void add_work(struct spread *spread, double work)
{
  spread->largest = fmax(spread->largest, work);
  spread->sum += work;
}

static double largest_over_mean(const struct th_report *report,
                                const struct spread *spread)
{
  double mean = report_mean(report, spread->sum);
  return mean > 0 ? spread->largest / mean : 1;
}

/* Largest over mean time of work, waiting left out, since this process began;
 * 1: none. */
static double report_imbalance(const struct th_report *report)
{
  struct spread spread = {0, 0};
  for (int r = 0; r < report->ranks; r++)
    add_work(&spread, report->rank[r].seconds - report->rank[r].waiting);
  return largest_over_mean(report, &spread);
}

static double phase_imbalance(const struct th_report *report,
                              enum th_phase phase)
{
  struct spread spread = {0, 0};
  for (int r = 0; r < report->ranks; r++) {
    const struct th_phase_cost *cost = &report->rank[r].phase[phase];
    add_work(&spread, cost->seconds - cost->waiting);
  }
  return largest_over_mean(report, &spread);
}

static double rate(double amount, double seconds)
{
  return seconds > 0 ? amount / seconds : 0;
}

/* Bytes of the stored values of the attributes observed. */
static int64_t report_observed(const struct th_report *report)
{
  return report->total.sum.blocks.observed + report->total.sum.support.observed;
}

static double observed_gbs(const struct th_report *report)
{
  return rate((double)report_observed(report) / 1e9,
              report->total.most.seconds);
}

/* Of the memory bandwidth of all ranks; NaN where that is not known. */
static double share_of_read(const struct th_report *report)
{
  return observed_gbs(report) / (report->ranks * report->read_gbs);
}

/* GB/s of all ranks together while they read files. */
static double report_file_gbs(const struct th_report *report)
{
  return rate((double)report->total.sum.bytes_read / 1e9,
              report_mean(report, report->total.sum.reading));
}

static double attributes_per_second(const struct th_report *report,
                                    const struct th_model *model)
{
  return rate((double)model->ledger.attributes, report->total.most.seconds);
}

/* --- What the system counts of a rank's process: time of its cores and
 * page faults */

static double timeval_seconds(const struct timeval *time)
{
  return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

struct th_usage th_report_usage_now(void)
{
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0)
    return (struct th_usage){.user = 0};
  return (struct th_usage){.user = timeval_seconds(&usage.ru_utime),
                           .system = timeval_seconds(&usage.ru_stime),
                           .faults = usage.ru_minflt,
                           .faults_on_disk = usage.ru_majflt};
}

struct th_usage th_report_usage_since(const struct th_usage *began)
{
  struct th_usage now = th_report_usage_now();
  return (struct th_usage){.user = now.user - began->user,
                           .system = now.system - began->system,
                           .faults = now.faults - began->faults,
                           .faults_on_disk =
                               now.faults_on_disk - began->faults_on_disk};
}

/* Add one member of the object for each number. Local. */
static void usage_json(json_t *object, const struct th_usage *usage)
{
  th_json_real(object, "user_seconds", usage->user);
  th_json_real(object, "system_seconds", usage->system);
  th_json_int(object, "page_faults", usage->faults);
  th_json_int(object, "page_faults_on_disk", usage->faults_on_disk);
}

/* --- The report as JSON and as a table; the plan -------------------------- */

static json_t *phases_of(const struct th_report *report)
{
  json_t *phases = json_object();
  for (int p = 0; p < TH_PHASE_COUNT; p++) {
    const struct th_phase_cost *most = &report->total.most.phase[p];
    const struct th_phase_cost *sum = &report->total.sum.phase[p];
    json_t *phase = json_object();
    th_json_int(phase, "calls", most->calls);
    th_json_real(phase, "seconds_max", most->seconds);
    th_json_real(phase, "seconds_mean", report_mean(report, sum->seconds));
    th_json_real(phase, "waiting_mean", report_mean(report, sum->waiting));
    th_json_real(phase, "imbalance", phase_imbalance(report, (enum th_phase)p));
    th_json_int(phase, "operations", most->operations);
    th_json_int(phase, "bytes_sent", sum->bytes_sent);
    th_json_int(phase, "bytes_exchanged", sum->bytes_exchanged);
    json_object_set_new(phases, th_comm_phase_key((enum th_phase)p), phase);
  }
  return phases;
}

/* reads: what they read from files was counted. */
static json_t *ranks_of(const struct th_report *report, bool reads)
{
  json_t *ranks = json_array();
  for (int r = 0; r < report->ranks; r++) {
    const struct th_rank_cost *cost = &report->rank[r];
    json_t *rank = json_object();
    th_json_real(rank, "seconds", cost->seconds);
    th_json_real(rank, "communication_seconds", cost->waiting);
    if (reads)
      th_json_real(rank, "reading_seconds", cost->reading);
    th_json_int(rank, "bytes_sent", cost->bytes_sent);
    if (reads)
      th_json_int(rank, "bytes_read", cost->bytes_read);
    th_json_int(rank, "peak_memory", cost->peak_memory);
    usage_json(rank, &report->usage[r]);
    json_array_append_new(ranks, rank);
  }
  return ranks;
}

static double per_update(int64_t sum, const struct th_progress *last)
{
  return last->updates > 0 ? (double)sum / (double)last->updates : 0;
}

/* What every run has; reads: as above. */
static void add_shared(json_t *o, const struct th_report *report, bool reads)
{
  th_json_int(o, "ranks", report->ranks);
  th_json_real(o, "seconds", report->total.most.seconds);
  json_object_set_new(o, "phases", phases_of(report));
  th_json_real(o, "communication_seconds",
               report_mean(report, report->total.sum.waiting));
  th_json_real(o, "imbalance", report_imbalance(report));
  th_json_int(o, "peak_memory_per_rank", report->total.most.peak_memory);
  if (reads)
    th_json_int(o, "bytes_read", report->total.sum.bytes_read);
  th_json_int(o, "bytes_sent", report->total.sum.bytes_sent);
  json_object_set_new(o, "per_rank", ranks_of(report, reads));
}

static void add_costs(json_t *o, const struct th_report *report,
                      const struct th_model *model,
                      const struct th_progress *last)
{
  add_shared(o, report, true);
  th_json_int(o, "bytes_in_place", report->total.sum.bytes_in_place);
  th_json_real(o, "file_read_gbs", report_file_gbs(report));
  th_json_int(o, "bytes_observed", report_observed(report));
  th_json_int(o, "bytes_read_blocks", report->total.sum.blocks.read);
  th_json_int(o, "bytes_observed_blocks", report->total.sum.blocks.observed);
  th_json_int(o, "bytes_read_support", report->total.sum.support.read);
  th_json_int(o, "bytes_observed_support", report->total.sum.support.observed);
  th_json_real(o, "observed_gbs", observed_gbs(report));
  th_json_real(o, "read_gbs", report->read_gbs);
  th_json_real(o, "share_of_read", share_of_read(report));
  th_json_real(o, "bytes_per_update",
               per_update(report->total.sum.bytes_sent, last));
  th_json_real(o, "operations_per_update",
               per_update(report->total.most.operations, last));
  th_json_real(o, "attributes_per_second",
               attributes_per_second(report, model));
}

static json_t *report_json(const struct th_report *report,
                           const struct th_plan *plan,
                           const struct th_model *model,
                           const struct th_run_monitor *monitor)
{
  const struct th_progress *last = &monitor->last;
  json_t *o = json_object();
  add_costs(o, report, model, last);
  json_object_set_new(o, "solver", json_string(model->solver));
  th_model_text_loss_json(o, model);
  th_json_int(o, "attributes", model->attributes);
  th_json_hex(o, "dataset_fingerprint", model->fingerprint);
  json_object_set_new(o, "deck", th_model_text_deck_json(model));
  th_json_int(o, "examples", model->ledger.examples);
  th_json_int(o, "attributes_observed", model->ledger.attributes);
  th_json_int(o, "validation_attributes", model->ledger.validation_attributes);
  if (model->ledger.unpenalised_attributes > 0)
    th_json_int(o, "unpenalised_attributes",
                model->ledger.unpenalised_attributes);
  th_json_int(o, "updates", last->updates);
  th_json_int(o, "passes", model->passes);
  th_json_real(o, "step_size", last->step_size);
  th_json_int(o, "support_size", model->support_size);
  th_model_text_ending_json_model(o, model);
  th_model_text_selected_json(o, model);
  th_model_text_ending_by_json(o, model);
  th_json_int(o, "deal_unit", plan->deal_unit);
  th_json_int(o, "blocks", plan->blocks);
  th_json_int(o, "planned_memory", plan->memory);
  th_json_int(o, "planned_stored", plan->stored);
  th_json_int(o, "planned_read_bytes", plan->read_bytes);
  json_object_set_new(o, "loops", loop_log_json(&monitor->log));
  return o;
}

/* The report is handed over. */
static th_status put_report(json_t *report, struct th_output *output,
                            struct th_error *err)
{
  th_status rc = th_output_text(output, err);
  if (rc != TH_OK) {
    json_decref(report);
    return rc;
  }
  TH_TRY(th_json_write(output, report, JSON_INDENT(2), err));
  TH_TRY(th_output_commit(output, err));
done:
  return rc;
}

th_status th_report_write(const struct th_report *report,
                          const struct th_plan *plan,
                          const struct th_model *model,
                          const struct th_run_monitor *monitor,
                          struct th_output *output, struct th_error *err)
{
  return put_report(report_json(report, plan, model, monitor), output, err);
}

th_status th_report_write_import(const struct th_report *report,
                                 const struct th_import_result *result,
                                 struct th_output *output, struct th_error *err)
{
  json_t *o = json_object();
  add_shared(o, report, false);
  th_json_hex(o, "dataset_fingerprint", result->fingerprint);
  th_json_int(o, "examples", result->examples);
  th_json_int(o, "test_examples", result->test_examples);
  th_json_int(o, "attributes", result->attributes);
  th_json_int(o, "nonzeros", result->nonzeros);
  th_json_text(o, "layout", th_type_layout_name(result->shape.layout));
  th_json_text(o, "type", th_type_name(result->shape.type));
  th_json_int(o, "row_group", result->shape.row_group);
  th_json_int(o, "shards", result->shards);
  th_json_int(o, "input_bytes", result->text_bytes);
  return put_report(o, output, err);
}

/* One row per phase, as in PETSc's log: who waits shows in `waits`, and who
 * lets others wait in `max/mean`, the time of work. */
static void print_phases(FILE *out, const struct th_report *report)
{
  char sent[32];
  double all = report_mean(report, report->total.sum.seconds);
  double rest = all; /* in no phase */
  fprintf(out, "%-9s %7s %9s %9s %8s %9s %6s %9s\n", "phase", "calls", "max s",
          "mean s", "max/mean", "waits s", "share", "sent");
  for (int p = 0; p < TH_PHASE_COUNT; p++) {
    const struct th_phase_cost *most = &report->total.most.phase[p];
    const struct th_phase_cost *sum = &report->total.sum.phase[p];
    double mean = report_mean(report, sum->seconds);
    rest -= mean;
    if (most->calls > 0)
      fprintf(out, "%-9s %7" PRId64 " %9.3f %9.3f %8.2f %9.3f %4.0f %% %9s\n",
              th_comm_phase_key((enum th_phase)p), most->calls, most->seconds,
              mean, phase_imbalance(report, (enum th_phase)p),
              report_mean(report, sum->waiting), all > 0 ? 100 * mean / all : 0,
              bytes_text(sum->bytes_sent, sent, sizeof sent));
  }
  fprintf(out, "%-9s %7s %9s %9.3f %8s %9s %4.0f %%\n", "other", "", "", rest,
          "", "", all > 0 ? 100 * rest / all : 0);
}

static void print_work(FILE *out, const struct th_report *report,
                       const struct th_model *model)
{
  char observed[32];
  double share = share_of_read(report);
  fprintf(out, "%.3g attributes/s: %s of values at %.3g GB/s",
          attributes_per_second(report, model),
          bytes_text(report_observed(report), observed, sizeof observed),
          observed_gbs(report));
  if (!isnan(share))
    fprintf(out, ", %.3g %% of the read bandwidth (%d x %.3g GB/s)",
            100 * share, report->ranks, report->read_gbs);
  fputc('\n', out);
}

static void print_costs(FILE *out, const struct th_report *report,
                        const struct th_progress *last)
{
  char text[32];
  fprintf(out, "%s read at %.3g GB/s",
          bytes_text(report->total.sum.bytes_read, text, sizeof text),
          report_file_gbs(report));
  fprintf(out, "; %s sent",
          bytes_text(report->total.sum.bytes_sent, text, sizeof text));
  fprintf(out, ", %s and %.3g operations an update",
          bytes_text((int64_t)per_update(report->total.sum.bytes_sent, last),
                     text, sizeof text),
          per_update(report->total.most.operations, last));
  fprintf(out, "; at most %s of memory on a rank\n",
          bytes_text(report->total.most.peak_memory, text, sizeof text));
}

void th_report_print_line(FILE *out, const struct th_report *report)
{
  char text[32];
  fprintf(out, "run:     %.3f s on %d rank%s, ", report->total.most.seconds,
          report->ranks, th_wording_s(report->ranks));
  fprintf(out, "%s read",
          bytes_text(report->total.sum.bytes_read, text, sizeof text));
  if (report->total.sum.bytes_in_place > 0)
    fprintf(out, " (%s in place)",
            bytes_text(report->total.sum.bytes_in_place, text, sizeof text));
  if (report->ranks > 1)
    fprintf(out, ", %s sent",
            bytes_text(report->total.sum.bytes_sent, text, sizeof text));
  fprintf(out, ", at most %s of memory%s\n",
          bytes_text(report->total.most.peak_memory, text, sizeof text),
          report->ranks > 1 ? " on a rank" : "");
}

void th_report_print(FILE *out, const struct th_report *report,
                     const struct th_model *model,
                     const struct th_run_monitor *monitor)
{
  const struct th_progress *last = &monitor->last;
  print_loop_log(out, &monitor->log);
  print_phases(out, report);
  fprintf(
      out,
      "%.3f s on %d rank%s, %.3f of them in collective operations, "
      "imbalance %.2f\n",
      report->total.most.seconds, report->ranks, th_wording_s(report->ranks),
      report_mean(report, report->total.sum.waiting), report_imbalance(report));
  print_work(out, report, model);
  print_costs(out, report, last);
  fprintf(out, "%" PRId64 " update%s, last %s %.6g", last->updates,
          th_wording_s(last->updates),
          last->objective ? "objective" : th_wording_loss(last->loss_name),
          last->loss);
  if (last->step_size > 0)
    fprintf(out, ", step size %.4g", last->step_size);
  fputc('\n', out);
}

/* --- What a run has found: the model, and what was observed for it -------- */

static void print_support_line(FILE *out, const struct th_model *model)
{
  enum { SHOWN = 12 };
  fprintf(out, "support: %" PRId64 " attribute%s", model->support_size,
          th_wording_s(model->support_size));
  for (int64_t k = 0; k < model->support_size && k < SHOWN; k++) {
    char text[TH_NAME_SHORT];
    snprintf(text, sizeof text, "%" PRId64, model->support[k]);
    if (th_model_name_of(model, k) != NULL)
      th_printable_name(th_model_name_of(model, k), text, sizeof text);
    fprintf(out, "%s %s (%.4g)", k == 0 ? ":" : ",", text, model->coef[k]);
  }
  fprintf(out, "%s\n", model->support_size > SHOWN ? ", ..." : "");
}

/* Solvers with a penalty. */
static void print_solution(FILE *out, const struct th_model *model)
{
  const struct th_certificate *c = &model->certificate;
  bool squared = strcmp(model->loss, "squared") == 0;
  fprintf(out, "lambda:  %.4g", c->lambda);
  if (c->lambda_max > 0)
    fprintf(out, ", %.3g of lambda_max", c->lambda / c->lambda_max);
  fprintf(out, "; objective %.8g (%s%s + penalty), duality gap %.2g\n",
          c->objective, squared ? "half the " : "",
          th_wording_loss(model->loss), c->gap);
  th_path_text_chosen(out, "chosen:  ", model);
}

static void print_ledger(FILE *out, const struct th_model *model,
                         const struct th_shape *shape)
{
  const struct th_ledger *ledger = &model->ledger;
  double draws = (double)ledger->examples;
  double mean = draws > 0 ? (double)ledger->attributes / draws : 0;
  fprintf(out, "ledger:  %" PRId64 " example%s drawn", ledger->examples,
          th_wording_s(ledger->examples));
  if (model->passes > 0)
    fprintf(out, " in %" PRId64 " pass%s", model->passes,
            th_wording_es(model->passes));
  fprintf(out,
          "; %" PRId64 " attribute%s observed, on average %.4g of %" PRId64
          " of an example and never more than %" PRId64 "\n",
          ledger->attributes, th_wording_s(ledger->attributes), mean,
          shape->attributes, ledger->max_attributes_per_example);
  if (ledger->distinct_attributes < ledger->attributes)
    fprintf(out, "         without repeats %" PRId64 " attribute%s\n",
            ledger->distinct_attributes,
            th_wording_s(ledger->distinct_attributes));
  if (ledger->unpenalised_attributes > 0)
    fprintf(out, "         and %" PRId64 " attribute%s without a penalty\n",
            ledger->unpenalised_attributes,
            th_wording_s(ledger->unpenalised_attributes));
  fprintf(out, "         statistics from: %s",
          model->statistics != NULL ? model->statistics : "none");
  if (ledger->validation_examples > 0)
    fprintf(out,
            "; for validation %" PRId64 " attribute%s of %" PRId64 " example%s",
            ledger->validation_attributes,
            th_wording_s(ledger->validation_attributes),
            ledger->validation_examples,
            th_wording_s(ledger->validation_examples));
  fputc('\n', out);
}

void th_report_result(FILE *out, const struct th_model *model,
                      const struct th_shape *shape)
{
  print_support_line(out, model);
  if (model->certificate.lambda > 0)
    print_solution(out, model);
  th_model_text_ending_print(out, "end:     ", model);
  th_model_text_selected_print(out, "choice:  ", model);
  th_model_text_ending_by_print(out, "ended:   ", model);
  print_ledger(out, model, shape);
}

/* --- The plan of a run, as it is printed before it begins ----------------- */

/* What is observed, and when: solvers under a budget. */
static void print_schedule(FILE *out, const struct th_plan *plan)
{
  const struct th_config *config = &plan->config;
  fprintf(out, "budget:  at most %" PRId64 " attribute%s of an example",
          config->budget, th_wording_s(config->budget));
  if (config->sparsity > 0)
    fprintf(out, ", at most %" PRId64 " in the model", config->sparsity);
  fprintf(out, "\nplan:    %" PRId64 " block%s; %s%" PRId64 " pass%s",
          plan->blocks, th_wording_s(plan->blocks),
          config->passes == 1 ? "" : "at most ", config->passes,
          th_wording_es(config->passes));
  if (plan->list > 0 && config->passes == 1)
    fprintf(out,
            ", two thirds over the blocks and the rest over a list of %" PRId64
            " attribute%s",
            plan->list, th_wording_s(plan->list));
  else if (plan->list > 0)
    fprintf(out,
            ", %" PRId64 " over the blocks and the rest over lists of %" PRId64
            " attribute%s",
            plan->screens, plan->list, th_wording_s(plan->list));
  if (plan->updates > 0)
    fprintf(out, "; about %" PRId64 " update%s", plan->updates,
            th_wording_s(plan->updates));
  fprintf(out, "; deal units of %" PRId64 " example%s\n", plan->deal_unit,
          th_wording_s(plan->deal_unit));
}

static void print_path(FILE *out, const struct th_config *config)
{
  fprintf(out, "%" PRId64 " lambda%s from lambda_max down to %g of it",
          config->path, th_wording_s(config->path), config->choice.path_min);
  if (config->choice.parts == 1)
    fprintf(out, ", chosen by a fifth of the examples");
  else if (config->choice.parts > 1)
    fprintf(out, ", chosen by %" PRId64 " folds", config->choice.parts);
}

static void print_lambdas(FILE *out, const struct th_config *config)
{
  if (config->path > 0)
    print_path(out, config);
  else if (config->lambda > 0)
    fprintf(out, "lambda %g", config->lambda);
  else if (config->ball.radius > 0)
    fprintf(out, "in a ball of radius %g", config->ball.radius);
  else
    fprintf(out, "lambda %g of lambda_max", config->lambda_ratio);
}

/* What is minimised: solvers with a penalty. */
static void print_problem(FILE *out, const struct th_plan *plan)
{
  const struct th_config *config = &plan->config;
  const char *ridge = plan->solver->ridge;
  fprintf(out, "penalty: %s, ", ridge != NULL ? ridge : config->penalty);
  if (ridge == NULL && th_penalty_find(config->penalty)->mixes)
    fprintf(out, "mix %g, ", config->group.mix);
  print_lambdas(out, config);
  if (ridge != NULL)
    fprintf(out, "; factor %s",
            th_training_options_factoring(config->method.factoring));
  else
    fprintf(out, "; screening %s",
            th_training_options_screen(config->screening.how));
  fprintf(out, "; %s, %s\n",
          config->intercept ? "with an intercept" : "without an intercept",
          config->standardize ? "standardized" : "attributes as they are");
}

/* How attributes are chosen: pursuits. */
static void print_choice(FILE *out, const struct th_plan *plan)
{
  const struct th_config *config = &plan->config;
  fprintf(out, "choice:  at most %" PRId64 " attribute%s", config->greedy.most,
          th_wording_s(config->greedy.most));
  if (config->greedy.residual > 0)
    fprintf(out, ", until the loss is %g of that without any",
            config->greedy.residual);
  if (config->greedy.folds > 1)
    fprintf(out, ", as many as %" PRId64 " folds choose", config->greedy.folds);
  if (config->greedy.folds == 1)
    fprintf(out, ", as many as predict best what is held out");
  fprintf(out, "; %s, %s\n",
          config->intercept ? "with an intercept" : "without an intercept",
          config->standardize ? "standardized" : "attributes as they are");
}

static void print_time(FILE *out, const struct th_estimate *estimate)
{
  char time[TH_DURATION_TEXT];
  if (!(estimate->most > estimate->usual)) {
    fprintf(out, ", %sroughly %s", estimate->most > 0 ? "at most " : "",
            th_meter_duration_text(fmax(estimate->usual, 1), time));
    return;
  }
  fprintf(out, ", roughly %s",
          th_meter_duration_text(fmax(estimate->usual, 1), time));
  fprintf(out, ", at most %s",
          th_meter_duration_text(fmax(estimate->most, 1), time));
}

void th_report_plan(FILE *out, const struct th_plan *plan,
                    const struct th_shape *shape, int ranks,
                    const struct th_estimate *estimate)
{
  const struct th_config *config = &plan->config;
  char memory[32];
  char stored[32];
  char read[32];
  fprintf(out,
          "data:    %" PRId64 " training example%s, %" PRId64
          " attribute%s, %s %s\n",
          shape->training, th_wording_s(shape->training), shape->attributes,
          th_wording_s(shape->attributes), th_type_layout_name(shape->layout),
          th_type_name(shape->type));
  fprintf(out, "solver:  %s, %s loss, seed %" PRIu64 "\n", config->solver,
          config->loss, config->seed);
  if (plan->solver->selects)
    print_choice(out, plan);
  else
    (plan->solver->penalised ? print_problem : print_schedule)(out, plan);
  fprintf(out,
          "cost:    %d rank%s, %s of memory%s besides stored values, which "
          "take %s; about %s to read",
          ranks, th_wording_s(ranks),
          bytes_text(plan->memory, memory, sizeof memory),
          ranks > 1 ? " each" : "",
          bytes_text(plan->stored, stored, sizeof stored),
          bytes_text(plan->read_bytes, read, sizeof read));
  if (estimate != NULL)
    print_time(out, estimate);
  fputc('\n', out);
  if (plan->row_group > 0)
    fprintf(out,
            "reads:   runs of %" PRId64
            " examples of an attribute, %s; import --row-group %" PRId64
            " makes them longer\n",
            shape->row_group,
            bytes_text((int64_t)th_type_bytes(shape->type, shape->row_group),
                       stored, sizeof stored),
            plan->row_group);
  if (estimate != NULL) /* a dry run: time to read */
    fputs("theory:  what is proved of solvers, and by which constants, is in "
          "src/solvers/THEORY.md\n",
          out);
}

/* --- A rough estimate of the time of a run
 *
 * Solvers compute with values at a share of the memory's bandwidth, which is
 * that of a usual core: a plan may be made elsewhere than the run, and
 * measuring takes memory. Files are read at 1 GB/s, as from a fast disk or the
 * system's cache. Every step has a fixed cost, too. Shares and costs were
 * observed in runs on dense, sparse and labelled data. They hold within a
 * factor of about three (`thresher bench`, tests/bench/path.sh, peers.sh,
 * text.sh). */

static const double memory_gbs = 10; /* of a rank */
static const double file_gbs = 1;
static const double update_seconds = 1e-3; /* of a solver under a budget */
static const double lambda_seconds = 3e-3; /* of the exact solver */
static const double usual_end = 0.01;      /* of lambda_max: down to there */
static const double most_growth = 1000;
static const double row_seconds = 5e-7;   /* of a step on one example */
static const double label_factor = 10;    /* its Newton steps */
static const double sparse_bytes = 2;     /* a row number, beside the value */
static const double fit_seconds = 1e-9;   /* of a value on a list */
static const double value_seconds = 4e-8; /* of one that is computed */

/* Of the memory's bandwidth, by what a solver does with a value. */
static const double budgeted_share = 0.1;
static const double exact_share = 0.5;
static const double stochastic_share = 0.3;

static double bytes_of_value(const struct th_shape *shape)
{
  enum { MANY = 1024 };
  double bytes = (double)th_type_bytes(shape->type, MANY) / MANY;
  return shape->layout == TH_SPARSE ? bytes + sparse_bytes : bytes;
}

static double bandwidth_share(const struct th_solver_row *solver)
{
  if (!solver->penalised)
    return budgeted_share;
  return solver->by_examples ? stochastic_share : exact_share;
}

/* If there are more attributes than examples, small penalties let very many
 * into the support. */
static double growth_of_support(const struct th_plan *plan,
                                const struct th_shape *shape)
{
  const struct th_config *config = &plan->config;
  double last =
      config->path > 0 ? config->choice.path_min : config->lambda_ratio;
  double below = last > 0 ? usual_end / last : 1;
  bool wide = shape->attributes > shape->training;
  return wide ? fmin(fmax(below * below, 1), most_growth) : 1;
}

/* The fixed cost of steps, besides that of values. */
static double step_seconds(const struct th_plan *plan,
                           const struct th_shape *shape,
                           const struct th_solver_row *solver, double visits)
{
  double attributes = (double)shape->attributes;
  double values = shape->layout == TH_SPARSE
                      ? (double)shape->nonzeros / (double)shape->examples
                      : attributes;
  if (!solver->penalised)
    return update_seconds * (double)plan->updates;
  if (solver->by_examples)
    return row_seconds * visits / fmax(values, 1);
  double paths = 1 + (double)plan->config.choice.parts;
  return lambda_seconds * paths * (double)plan->points *
         growth_of_support(plan, shape);
}

static double estimated_seconds(const struct th_plan *plan,
                                const struct th_shape *shape, int ranks,
                                double visits)
{
  const struct th_solver_row *solver = plan->solver;
  bool labels = th_loss_find(plan->config.loss)->labels;
  double compute = visits * bytes_of_value(shape) /
                   (bandwidth_share(solver) * memory_gbs * 1e9 * ranks);
  compute += step_seconds(plan, shape, solver, visits);
  compute += plan->fit_visits * fit_seconds / ranks;
  if (labels && solver->penalised && !solver->by_examples)
    compute *= label_factor;
  if (shape->computed)
    return compute + visits * value_seconds / ranks;
  return compute + (double)plan->read_bytes / ranks / (file_gbs * 1e9);
}

struct th_estimate th_report_estimate(const struct th_plan *plan,
                                      const struct th_shape *shape, int ranks)
{
  double most = plan->most_visits;
  return (struct th_estimate){
      .usual = estimated_seconds(plan, shape, ranks, plan->visits),
      .most = most > 0 ? estimated_seconds(plan, shape, ranks, most) : 0};
}
