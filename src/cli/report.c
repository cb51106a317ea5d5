/* report.c - what a run cost: the accounts of all ranks, and what follows
 * SPDX-License-Identifier: MIT */
#include "cli/report.h"

#include "core/integer.h"
#include "core/memory.h"
#include "math/kernels/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Enough to leave any cache, little enough to be read in milliseconds. */
enum { READ_ITEMS = 1 << 24, READ_TIMES = 3 };

/* Of this program: what getrusage tells begins with the peak of the process
 * that started it. Where /proc is not there, it has to do. */
static int64_t peak_memory(void)
{
  struct rusage usage;
  char line[128];
  const char peak[] = "VmHWM:";
  int64_t kilobytes = 0;
  FILE *status = fopen("/proc/self/status", "r");
  while (status != NULL && kilobytes == 0 &&
         fgets(line, sizeof line, status) != NULL)
    if (strncmp(line, peak, sizeof peak - 1) == 0)
      kilobytes = strtoll(line + sizeof peak - 1, NULL, 10);
  if (status != NULL)
    (void)fclose(status);
  if (kilobytes > 0)
    return kilobytes * 1024;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (int64_t)usage.ru_maxrss * 1024
                                             : 0;
}

static void add_phase(struct th_phase_cost *sum, struct th_phase_cost *most,
                      const struct th_phase_cost *cost)
{
  sum->calls += cost->calls;
  sum->seconds += cost->seconds;
  sum->waiting += cost->waiting;
  sum->bytes_sent += cost->bytes_sent;
  sum->operations += cost->operations;
  most->calls = th_max_i64(most->calls, cost->calls);
  most->seconds = fmax(most->seconds, cost->seconds);
  most->waiting = fmax(most->waiting, cost->waiting);
  most->bytes_sent = th_max_i64(most->bytes_sent, cost->bytes_sent);
  most->operations = th_max_i64(most->operations, cost->operations);
}

static void add_traffic(struct th_traffic *sum, const struct th_traffic *cost)
{
  sum->read += cost->read;
  sum->observed += cost->observed;
}

static void add_rank(struct th_rank_cost *sum, struct th_rank_cost *most,
                     const struct th_rank_cost *cost)
{
  sum->seconds += cost->seconds;
  sum->waiting += cost->waiting;
  sum->reading += cost->reading;
  sum->operations += cost->operations;
  sum->bytes_sent += cost->bytes_sent;
  sum->bytes_read += cost->bytes_read;
  add_traffic(&sum->blocks, &cost->blocks);
  add_traffic(&sum->support, &cost->support);
  sum->peak_memory += cost->peak_memory;
  most->seconds = fmax(most->seconds, cost->seconds);
  most->waiting = fmax(most->waiting, cost->waiting);
  most->reading = fmax(most->reading, cost->reading);
  most->operations = th_max_i64(most->operations, cost->operations);
  most->bytes_sent = th_max_i64(most->bytes_sent, cost->bytes_sent);
  most->bytes_read = th_max_i64(most->bytes_read, cost->bytes_read);
  most->peak_memory = th_max_i64(most->peak_memory, cost->peak_memory);
  for (int p = 0; p < TH_PHASE_COUNT; p++)
    add_phase(&sum->phase[p], &most->phase[p], &cost->phase[p]);
}

th_status th_report_gather(struct th_report *report, struct th_comm *comm,
                           const struct th_profile *profile,
                           const struct th_store *store, double seconds,
                           struct th_error *err)
{
  struct th_rank_cost mine = {.seconds = seconds,
                              .waiting = comm->seconds,
                              .reading = store->seconds,
                              .operations = comm->operations,
                              .bytes_sent = comm->bytes_sent,
                              .bytes_read = store->bytes_read,
                              .blocks = store->blocks,
                              .support = store->support,
                              .peak_memory = peak_memory()};
  int64_t *counts = NULL;
  void *all = NULL;
  th_status rc = TH_NEW(&counts, comm->size, "the report", err);
  memcpy(mine.phase, profile->phase, sizeof mine.phase);
  *report = (struct th_report){.ranks = comm->size, .read_gbs = NAN};
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_comm_gather(comm, &mine, sizeof mine, counts, &all, err));
  report->rank = all;
  for (int r = 0; r < comm->size; r++)
    add_rank(&report->sum, &report->most, &report->rank[r]);
done:
  free(counts);
  return rc;
}

void th_report_free(struct th_report *report)
{
  free(report->rank);
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

/* Largest over mean of what is left of the seconds without waiting. */
static double imbalance(const struct th_report *report, double largest,
                        double sum)
{
  double mean = th_report_mean(report, sum);
  return mean > 0 ? largest / mean : 1;
}

double th_report_imbalance(const struct th_report *report)
{
  double largest = 0;
  for (int r = 0; r < report->ranks; r++)
    largest = fmax(largest, report->rank[r].seconds - report->rank[r].waiting);
  return imbalance(report, largest, report->sum.seconds - report->sum.waiting);
}

double th_report_phase_imbalance(const struct th_report *report,
                                 enum th_phase phase)
{
  const struct th_phase_cost *sum = &report->sum.phase[phase];
  double largest = 0;
  for (int r = 0; r < report->ranks; r++) {
    const struct th_phase_cost *cost = &report->rank[r].phase[phase];
    largest = fmax(largest, cost->seconds - cost->waiting);
  }
  return imbalance(report, largest, sum->seconds - sum->waiting);
}

static double rate(double amount, double seconds)
{
  return seconds > 0 ? amount / seconds : 0;
}

int64_t th_report_observed(const struct th_report *report)
{
  return report->sum.blocks.observed + report->sum.support.observed;
}

double th_report_observed_gbs(const struct th_report *report)
{
  return rate((double)th_report_observed(report) / 1e9, report->most.seconds);
}

double th_report_share_of_read(const struct th_report *report)
{
  return th_report_observed_gbs(report) / (report->ranks * report->read_gbs);
}

double th_report_file_gbs(const struct th_report *report)
{
  return rate((double)report->sum.bytes_read / 1e9,
              th_report_mean(report, report->sum.reading));
}

double th_report_attributes_per_second(const struct th_report *report,
                                       const struct th_model *model)
{
  return rate((double)model->ledger.attributes, report->most.seconds);
}
