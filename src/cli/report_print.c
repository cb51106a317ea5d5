/* report_print.c - the report as JSON and as a table; the plan
 * SPDX-License-Identifier: MIT */
#include "cli/common.h"
#include "cli/ending.h"
#include "cli/report.h"
#include "cli/selected.h"
#include "cli/shared/json.h"
#include "cli/wording.h"

#include <inttypes.h>
#include <math.h>

static json_t *phases_of(const struct th_report *report)
{
  json_t *phases = json_object();
  for (int p = 0; p < TH_PHASE_COUNT; p++) {
    const struct th_phase_cost *most = &report->total.most.phase[p];
    const struct th_phase_cost *sum = &report->total.sum.phase[p];
    json_t *phase = json_object();
    th_json_int(phase, "calls", most->calls);
    th_json_real(phase, "seconds_max", most->seconds);
    th_json_real(phase, "seconds_mean", th_report_mean(report, sum->seconds));
    th_json_real(phase, "waiting_mean", th_report_mean(report, sum->waiting));
    th_json_real(phase, "imbalance",
                 th_report_phase_imbalance(report, (enum th_phase)p));
    th_json_int(phase, "operations", most->operations);
    th_json_int(phase, "bytes_sent", sum->bytes_sent);
    json_object_set_new(phases, th_profile_phase_key((enum th_phase)p), phase);
  }
  return phases;
}

static json_t *ranks_of(const struct th_report *report)
{
  json_t *ranks = json_array();
  for (int r = 0; r < report->ranks; r++) {
    const struct th_rank_cost *cost = &report->rank[r];
    json_t *rank = json_object();
    th_json_real(rank, "seconds", cost->seconds);
    th_json_real(rank, "communication_seconds", cost->waiting);
    th_json_real(rank, "reading_seconds", cost->reading);
    th_json_int(rank, "bytes_sent", cost->bytes_sent);
    th_json_int(rank, "bytes_read", cost->bytes_read);
    th_json_int(rank, "peak_memory", cost->peak_memory);
    th_usage_json(rank, &report->usage[r]);
    json_array_append_new(ranks, rank);
  }
  return ranks;
}

static double per_update(int64_t sum, const struct th_progress *last)
{
  return last->updates > 0 ? (double)sum / (double)last->updates : 0;
}

static void add_costs(json_t *o, const struct th_report *report,
                      const struct th_model *model,
                      const struct th_progress *last)
{
  th_json_int(o, "ranks", report->ranks);
  th_json_real(o, "seconds", report->total.most.seconds);
  json_object_set_new(o, "phases", phases_of(report));
  th_json_real(o, "communication_seconds",
               th_report_mean(report, report->total.sum.waiting));
  th_json_real(o, "imbalance", th_report_imbalance(report));
  th_json_int(o, "peak_memory_per_rank", report->total.most.peak_memory);
  th_json_int(o, "bytes_read", report->total.sum.bytes_read);
  th_json_int(o, "bytes_in_place", report->total.sum.bytes_in_place);
  th_json_real(o, "file_read_gbs", th_report_file_gbs(report));
  th_json_int(o, "bytes_observed", th_report_observed(report));
  th_json_int(o, "bytes_read_blocks", report->total.sum.blocks.read);
  th_json_int(o, "bytes_observed_blocks", report->total.sum.blocks.observed);
  th_json_int(o, "bytes_read_support", report->total.sum.support.read);
  th_json_int(o, "bytes_observed_support", report->total.sum.support.observed);
  th_json_real(o, "observed_gbs", th_report_observed_gbs(report));
  th_json_real(o, "read_gbs", report->read_gbs);
  th_json_real(o, "share_of_read", th_report_share_of_read(report));
  th_json_int(o, "bytes_sent", report->total.sum.bytes_sent);
  th_json_real(o, "bytes_per_update",
               per_update(report->total.sum.bytes_sent, last));
  th_json_real(o, "operations_per_update",
               per_update(report->total.most.operations, last));
  th_json_real(o, "attributes_per_second",
               th_report_attributes_per_second(report, model));
  json_object_set_new(o, "per_rank", ranks_of(report));
}

static json_t *report_json(const struct th_report *report,
                           const struct th_plan *plan,
                           const struct th_model *model,
                           const struct th_run_monitor *monitor)
{
  const struct th_progress *last = &monitor->last;
  json_t *o = json_object();
  add_costs(o, report, model, last);
  th_json_int(o, "examples", model->ledger.examples);
  th_json_int(o, "attributes_observed", model->ledger.attributes);
  th_json_int(o, "validation_attributes", model->ledger.validation_attributes);
  th_json_int(o, "updates", last->updates);
  th_json_int(o, "passes", model->passes);
  th_json_real(o, "step_size", last->step_size);
  th_json_int(o, "support_size", model->support_size);
  th_ending_json_model(o, model);
  th_selected_json(o, model);
  th_ending_by_json(o, model);
  th_json_int(o, "deal_unit", plan->deal_unit);
  th_json_int(o, "blocks", plan->blocks);
  th_json_int(o, "planned_memory", plan->memory);
  th_json_int(o, "planned_read_bytes", plan->read_bytes);
  json_object_set_new(o, "loops", th_loop_log_json(&monitor->log));
  return o;
}

th_status th_report_write(const struct th_report *report,
                          const struct th_plan *plan,
                          const struct th_model *model,
                          const struct th_run_monitor *monitor,
                          struct th_output *output, struct th_error *err)
{
  th_status rc;
  TH_TRY(th_output_text(output, err));
  TH_TRY(th_common_json(output, report_json(report, plan, model, monitor),
                        JSON_INDENT(2), err));
  TH_TRY(th_output_commit(output, err));
done:
  return rc;
}

/* One row per phase, as in PETSc's log: who waits shows in `waits`, and who
 * lets others wait in `max/mean`, the time of work. */
static void print_phases(FILE *out, const struct th_report *report)
{
  char sent[32];
  double all = th_report_mean(report, report->total.sum.seconds);
  double rest = all; /* in no phase */
  fprintf(out, "%-9s %7s %9s %9s %8s %9s %6s %9s\n", "phase", "calls", "max s",
          "mean s", "max/mean", "waits s", "share", "sent");
  for (int p = 0; p < TH_PHASE_COUNT; p++) {
    const struct th_phase_cost *most = &report->total.most.phase[p];
    const struct th_phase_cost *sum = &report->total.sum.phase[p];
    double mean = th_report_mean(report, sum->seconds);
    rest -= mean;
    if (most->calls > 0)
      fprintf(
          out, "%-9s %7" PRId64 " %9.3f %9.3f %8.2f %9.3f %4.0f %% %9s\n",
          th_profile_phase_key((enum th_phase)p), most->calls, most->seconds,
          mean, th_report_phase_imbalance(report, (enum th_phase)p),
          th_report_mean(report, sum->waiting), all > 0 ? 100 * mean / all : 0,
          th_wording_bytes(sum->bytes_sent, sent, sizeof sent));
  }
  fprintf(out, "%-9s %7s %9s %9.3f %8s %9s %4.0f %%\n", "other", "", "", rest,
          "", "", all > 0 ? 100 * rest / all : 0);
}

static void print_work(FILE *out, const struct th_report *report,
                       const struct th_model *model)
{
  char observed[32];
  double share = th_report_share_of_read(report);
  fprintf(
      out, "%.3g attributes/s: %s of values at %.3g GB/s",
      th_report_attributes_per_second(report, model),
      th_wording_bytes(th_report_observed(report), observed, sizeof observed),
      th_report_observed_gbs(report));
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
          th_wording_bytes(report->total.sum.bytes_read, text, sizeof text),
          th_report_file_gbs(report));
  fprintf(out, "; %s sent",
          th_wording_bytes(report->total.sum.bytes_sent, text, sizeof text));
  fprintf(
      out, ", %s and %.3g operations an update",
      th_wording_bytes((int64_t)per_update(report->total.sum.bytes_sent, last),
                       text, sizeof text),
      per_update(report->total.most.operations, last));
  fprintf(out, "; at most %s of memory on a rank\n",
          th_wording_bytes(report->total.most.peak_memory, text, sizeof text));
}

void th_report_print_line(FILE *out, const struct th_report *report)
{
  char text[32];
  fprintf(out, "run:     %.3f s on %d rank%s, ", report->total.most.seconds,
          report->ranks, th_wording_s(report->ranks));
  fprintf(out, "%s read",
          th_wording_bytes(report->total.sum.bytes_read, text, sizeof text));
  if (report->total.sum.bytes_in_place > 0)
    fprintf(
        out, " (%s in place)",
        th_wording_bytes(report->total.sum.bytes_in_place, text, sizeof text));
  if (report->ranks > 1)
    fprintf(out, ", %s sent",
            th_wording_bytes(report->total.sum.bytes_sent, text, sizeof text));
  fprintf(out, ", at most %s of memory%s\n",
          th_wording_bytes(report->total.most.peak_memory, text, sizeof text),
          report->ranks > 1 ? " on a rank" : "");
}

void th_report_print(FILE *out, const struct th_report *report,
                     const struct th_model *model,
                     const struct th_run_monitor *monitor)
{
  const struct th_progress *last = &monitor->last;
  th_loop_log_print(out, &monitor->log);
  print_phases(out, report);
  fprintf(out,
          "%.3f s on %d rank%s, %.3f of them in collective operations, "
          "imbalance %.2f\n",
          report->total.most.seconds, report->ranks,
          th_wording_s(report->ranks),
          th_report_mean(report, report->total.sum.waiting),
          th_report_imbalance(report));
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
