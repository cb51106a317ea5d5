/* report.h - what a run cost: for the summary and for --report
 * SPDX-License-Identifier: MIT */
#ifndef TH_REPORT_H
#define TH_REPORT_H

#include "cli/monitor.h"
#include "core/model.h"
#include "core/profile.h"
#include "solvers/train.h"

/* Replicated sums and maxima over the ranks. */
struct th_report {
  int ranks;
  double seconds;
  double seconds_max[TH_PHASE_COUNT];
  double seconds_mean[TH_PHASE_COUNT];
  double communication; /* mean seconds inside collective operations */
  double imbalance;     /* largest over mean time outside of them; 1: none */
  int64_t peak_memory;  /* bytes, of the rank with the most */
  int64_t bytes_read;   /* all ranks */
  struct th_traffic blocks; /* all ranks; parts of bytes_read */
  struct th_traffic support;
  int64_t bytes_sent;
  double read_seconds; /* mean */
  double attributes_per_second;
};

/* Collective. */
void th_report_gather(struct th_report *report, struct th_comm *comm,
                      const struct th_profile *profile,
                      const struct th_store *store,
                      const struct th_model *model, double seconds);

/* Write --report. Local: one rank calls it. */
th_status th_report_write(const struct th_report *report,
                          const struct th_plan *plan,
                          const struct th_model *model,
                          const struct th_progress *last, const char *path,
                          bool force, struct th_error *err);

/* The plan, to any file: what was picked. Local. */
void th_plan_print(FILE *out, const struct th_plan *plan,
                   const struct th_shape *shape, int ranks);

/* The performance table, the support, the ledger, what to try next. Local. */
void th_report_print(FILE *out, const struct th_report *report,
                     const struct th_model *model,
                     const struct th_progress *last,
                     const struct th_shape *shape);

#endif
