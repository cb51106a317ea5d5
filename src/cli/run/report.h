/* report.h - what a run is going to do, what it has found and what it cost: for
 * the summary and for --report
 *
 * Every rank keeps accounts of itself (cli/run/rank_cost.h); at the end all of
 * them are gathered, so that a report can say who waited for whom.
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_REPORT_H
#define TH_REPORT_H

#include "cli/run/rank_cost.h"
#include "cli/run/run_monitor.h"
#include "data/source.h"
#include "io/import/import.h"
#include "model/model.h"
#include "ranks/comm.h"
#include "solvers/driver/train.h"

#include <stdint.h>

/* A record that every rank has alike. */
struct th_report {
  int ranks;
  struct th_rank_cost *rank; /* owned: one per rank, since this process began */
  struct th_usage *usage;    /* owned: the same */
  struct th_rank_total total; /* over the ranks, and over all parts of a run
                                 that was gone on with */
  double read_gbs; /* memory bandwidth per rank, all at once; NaN: unknown */
};

/* Since the process began, or between two points of it; all threads. */
struct th_usage {
  double user;            /* seconds of cores in the program */
  double system;          /* seconds of cores in the kernel on its behalf */
  int64_t faults;         /* pages that memory was found for at first touch */
  int64_t faults_on_disk; /* pages that were waited for */
};

/* Gather the accounts of all ranks, and add what the run cost before it was
 * gone on with. Collective. Release with th_report_free. */
th_status th_report_gather(struct th_report *report, struct th_comm *comm,
                           const struct th_rank_cost *mine,
                           const struct th_usage *used,
                           const struct th_rank_total *before,
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

/* A rough estimate of a run's seconds on so many ranks: what a usual core makes
 * of what is looked at, reading by 1 GB/s. Local. */
struct th_estimate th_report_estimate(const struct th_plan *plan,
                                      const struct th_shape *shape, int ranks);

/* ---- files and tables; local: one rank calls them ---- */

/* Write --report to an output that is claimed, and give it its name. */
th_status th_report_write(const struct th_report *report,
                          const struct th_plan *plan,
                          const struct th_model *model,
                          const struct th_run_monitor *monitor,
                          struct th_output *output, struct th_error *err);
/* --report of an import. */
th_status th_report_write_import(const struct th_report *report,
                                 const struct th_import_result *result,
                                 struct th_output *output,
                                 struct th_error *err);

/* The plan, to any file: what was picked, and what it is going to cost;
 * estimate: NULL where there is none. */
void th_report_plan(FILE *out, const struct th_plan *plan,
                    const struct th_shape *shape, int ranks,
                    const struct th_estimate *estimate);

/* What was found: the support, the solution of a penalised problem, the
 * ledger. */
void th_report_result(FILE *out, const struct th_model *model,
                      const struct th_shape *shape);

/* What it cost in one line; the tables of phases and outer loops. */
void th_report_print_line(FILE *out, const struct th_report *report);
void th_report_print(FILE *out, const struct th_report *report,
                     const struct th_model *model,
                     const struct th_run_monitor *monitor);

/* --- What the system counts of a rank's process: time of its cores and
 * page faults
 *
 * Of this process alone: it is no part of the accounts of a run that is gone on
 * with (cli/run/rank_cost.h). */

/* As it stands, by getrusage; zeros where the system does not tell. Local. */
struct th_usage th_report_usage_now(void);

/* What came after `began`. Local. */
struct th_usage th_report_usage_since(const struct th_usage *began);

#endif
