/* bench_comm.c - latency and bandwidth of what ranks exchange
 * SPDX-License-Identifier: MIT */
#include "cli/bench.h"
#include "core/memory.h"

#include <stdlib.h>

enum { SUMS = 200 /* small reductions timed together */ };

struct sum_row {
  int64_t items;
  const char *key;
  const char *what;
};

static const struct sum_row sums[] = {
    {1, "sum_8_us", "sum of 8 bytes over the ranks"},
    {1024, "sum_8192_us", "sum of 8 KiB over the ranks"},
    {131072, "sum_1048576_us", "sum of 1 MiB over the ranks"},
};

enum { ROWS = sizeof sums / sizeof *sums };

static double time_sum(const struct th_bench *bench, int64_t *buffer,
                       int64_t items)
{
  double seconds[TH_BENCH_REPEATS];
  int count = items > 1024 ? SUMS / 20 : SUMS;
  for (int k = 0; k < TH_BENCH_REPEATS; k++) {
    bench->comm->ops->barrier(bench->comm);
    double began = th_clock();
    for (int s = 0; s < count; s++)
      bench->comm->ops->sum_i64(bench->comm, buffer, (size_t)items);
    seconds[k] = (th_clock() - began) / count;
  }
  return th_bench_median(bench, seconds, TH_BENCH_REPEATS);
}

th_status th_bench_comm(struct th_bench *bench, struct th_error *err)
{
  int64_t *buffer = NULL;
  th_status rc = TH_NEW(&buffer, sums[ROWS - 1].items, "a sum", err);
  TH_TRY(th_agree(bench->comm, rc, err));
  for (int k = 0; k < ROWS && bench->comm->size > 1; k++) {
    double us = 1e6 * time_sum(bench, buffer, sums[k].items);
    th_bench_report(bench,
                    (struct th_figure){sums[k].key, "us", sums[k].what, us});
  }
done:
  free(buffer);
  return rc;
}
