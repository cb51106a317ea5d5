/* report.h - what a run cost: for the summary and for --report
 *
 * Every rank keeps accounts of itself (struct th_rank_cost); at the end all of
 * them are gathered, so that a report can say who waited for whom.
 *
 * All functions that do not say otherwise are local. A status is one of TH_EIO,
 * TH_ENOMEM.
 * SPDX-License-Identifier: MIT */
#ifndef TH_REPORT_H
#define TH_REPORT_H

#include "cli/run_monitor.h"
#include "core/model.h"
#include "core/profile.h"
#include "solvers/driver/train.h"

/* What a run cost one rank. */
struct th_rank_cost {
  double seconds;
  double waiting; /* of them inside collective operations */
  double reading; /* of them reading files */
  int64_t operations;
  int64_t bytes_sent;
  int64_t bytes_read;
  struct th_traffic blocks; /* parts of bytes_read */
  struct th_traffic support;
  int64_t peak_memory; /* bytes */
  struct th_phase_cost phase[TH_PHASE_COUNT];
};

/* The same on every rank. */
struct th_report {
  int ranks;
  struct th_rank_cost *rank; /* owned: one per rank */
  struct th_rank_cost sum;   /* over the ranks, but for: */
  struct th_rank_cost most;  /* the largest of any rank, traffic apart */
  double read_gbs; /* memory bandwidth per rank, all at once; NaN: unknown */
};

/* Gather the accounts of all ranks. Collective. Release with th_report_free. */
th_status th_report_gather(struct th_report *report, struct th_comm *comm,
                           const struct th_profile *profile,
                           const struct th_store *store, double seconds,
                           struct th_error *err);
/* Local. */
void th_report_free(struct th_report *report);

/* The bandwidth in GB/s at which a rank reads memory while all others do,
 * measured for some 20 ms. Collective. */
th_status th_report_bandwidth(double *gbs, struct th_comm *comm,
                              struct th_error *err);

/* Seconds of a run; most: where no gap ends it early, 0: none may. */
struct th_estimate {
  double usual;
  double most;
};

/* A rough estimate of a run's seconds (estimate.c): what is looked at by that
 * bandwidth and what solvers make of it, reading by 1 GB/s. Collective. */
th_status th_report_estimate(const struct th_plan *plan,
                             const struct th_shape *shape, struct th_comm *comm,
                             struct th_estimate *estimate,
                             struct th_error *err);

/* ---- figures that follow from the accounts; local ---- */

double th_report_mean(const struct th_report *report, double sum);
/* Largest over mean time of work, waiting left out; 1: none. */
double th_report_imbalance(const struct th_report *report);
double th_report_phase_imbalance(const struct th_report *report,
                                 enum th_phase phase);
/* Bytes of the stored values of the attributes observed. */
int64_t th_report_observed(const struct th_report *report);
double th_report_observed_gbs(const struct th_report *report);
/* Of the memory bandwidth of all ranks; NaN where that is not known. */
double th_report_share_of_read(const struct th_report *report);
/* GB/s of all ranks together while they read files. */
double th_report_file_gbs(const struct th_report *report);
double th_report_attributes_per_second(const struct th_report *report,
                                       const struct th_model *model);

/* ---- files and tables (report_print.c); local: one rank calls them ---- */

/* Write --report. */
th_status th_report_write(const struct th_report *report,
                          const struct th_plan *plan,
                          const struct th_model *model,
                          const struct th_run_monitor *monitor,
                          const char *path, bool force, struct th_error *err);

/* The plan, to any file: what was picked, and what it is going to cost;
 * estimate: NULL where there is none (plan_print.c). */
void th_report_plan(FILE *out, const struct th_plan *plan,
                    const struct th_shape *shape, int ranks,
                    const struct th_estimate *estimate);

/* What was found: the support, the solution of a penalised problem, the ledger
 * (result_print.c). */
void th_report_result(FILE *out, const struct th_model *model,
                      const struct th_shape *shape);

/* What it cost in one line; the tables of phases and outer loops. */
void th_report_print_line(FILE *out, const struct th_report *report);
void th_report_print(FILE *out, const struct th_report *report,
                     const struct th_model *model,
                     const struct th_run_monitor *monitor);

#endif
