/* report.c - what a run cost: the accounts of all ranks, and what follows
 * SPDX-License-Identifier: MIT */
#include "cli/report.h"

#include "core/memory.h"
#include "math/kernels/kernels.h"

#include <math.h>
#include <stdlib.h>

/* Enough to leave any cache, little enough to be read in milliseconds. */
enum { READ_ITEMS = 1 << 24, READ_TIMES = 3 };

th_status th_report_gather(struct th_report *report, struct th_comm *comm,
                           const struct th_rank_cost *mine,
                           const struct th_usage *used,
                           const struct th_rank_total *before,
                           struct th_error *err)
{
  int64_t *counts = NULL;
  void *usage = NULL;
  *report = (struct th_report){.ranks = comm->size, .read_gbs = NAN};
  th_status rc = TH_NEW(&counts, comm->size, "the report", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_rank_cost_gather(&report->total, &report->rank, comm, mine, err));
  th_rank_cost_append(&report->total, before);
  TH_TRY(th_comm_gather(comm, used, sizeof *used, counts, &usage, err));
  report->usage = usage;
done:
  free(counts);
  return rc;
}

void th_report_free(struct th_report *report)
{
  TH_FREE(report->rank, report->usage);
  *report = (struct th_report){0};
}

th_status th_report_bandwidth(double *gbs, struct th_comm *comm,
                              struct th_error *err)
{
  float *values = NULL;
  volatile double sink = 0; /* the work must not be optimised away */
  double least = INFINITY;
  th_status rc = TH_NEW(&values, READ_ITEMS, "64 MiB to read", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int k = 0; k < READ_TIMES; k++) {
    comm->ops->barrier(comm);
    double began = th_comm_clock();
    sink = sink + th_kernel_read(values, READ_ITEMS);
    least = fmin(least, th_comm_clock() - began);
  }
  comm->ops->max_f64(comm, &least, 1);
  *gbs = (double)READ_ITEMS * sizeof *values / least / 1e9;
done:
  free(values);
  return rc;
}

double th_report_mean(const struct th_report *report, double sum)
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

static double imbalance(const struct th_report *report,
                        const struct spread *spread)
{
  double mean = th_report_mean(report, spread->sum);
  return mean > 0 ? spread->largest / mean : 1;
}

double th_report_imbalance(const struct th_report *report)
{
  struct spread spread = {0, 0};
  for (int r = 0; r < report->ranks; r++)
    add_work(&spread, report->rank[r].seconds - report->rank[r].waiting);
  return imbalance(report, &spread);
}

double th_report_phase_imbalance(const struct th_report *report,
                                 enum th_phase phase)
{
  struct spread spread = {0, 0};
  for (int r = 0; r < report->ranks; r++) {
    const struct th_phase_cost *cost = &report->rank[r].phase[phase];
    add_work(&spread, cost->seconds - cost->waiting);
  }
  return imbalance(report, &spread);
}

static double rate(double amount, double seconds)
{
  return seconds > 0 ? amount / seconds : 0;
}

int64_t th_report_observed(const struct th_report *report)
{
  return report->total.sum.blocks.observed + report->total.sum.support.observed;
}

double th_report_observed_gbs(const struct th_report *report)
{
  return rate((double)th_report_observed(report) / 1e9,
              report->total.most.seconds);
}

double th_report_share_of_read(const struct th_report *report)
{
  return th_report_observed_gbs(report) / (report->ranks * report->read_gbs);
}

double th_report_file_gbs(const struct th_report *report)
{
  return rate((double)report->total.sum.bytes_read / 1e9,
              th_report_mean(report, report->total.sum.reading));
}

double th_report_attributes_per_second(const struct th_report *report,
                                       const struct th_model *model)
{
  return rate((double)model->ledger.attributes, report->total.most.seconds);
}
