/* bench.h - what the parts of `thresher bench` share
 *
 * All ranks measure at once, so that they share the memory bus, the disk and
 * the network as they do in a run; a figure is that of the slowest rank.
 * SPDX-License-Identifier: MIT */
#ifndef TH_BENCH_H
#define TH_BENCH_H

#include "base/error.h"
#include "cli/options/options.h"
#include "ranks/comm.h"

#include <stdint.h>

enum { TH_BENCH_REPEATS = 9, TH_BENCH_MOST = 96 };

/* One measured number. The texts are constants. */
struct th_figure {
  const char *key;  /* in JSON */
  const char *unit; /* as printed; "" for a ratio */
  const char *what;
  double value; /* NaN: does not apply here */
};

struct th_bench {
  const struct th_options *options; /* borrowed */
  struct th_comm *comm;             /* borrowed */
  uint64_t self_test;               /* hash of a model that was trained */
  uint64_t arithmetic;              /* hash of the program's arithmetic */
  int figures;
  struct th_figure figure[TH_BENCH_MOST];
};

/* The subcommand. Collective. */
th_status th_bench_command(const struct th_options *options,
                           struct th_comm *comm, struct th_error *err);

/* A part of the benchmark: measures, and reports figures. Collective. */
typedef th_status th_bench_part(struct th_bench *bench, struct th_error *err);

th_bench_part th_bench_kernels;
th_bench_part th_bench_scalar;
th_bench_part th_bench_read;
th_bench_part th_bench_comm;
th_bench_part th_bench_read_import;
th_bench_part th_bench_step;
th_bench_part th_bench_comm_determinism;

/* Record a figure; called with the same arguments on every rank. Local. */
void th_bench_report(struct th_bench *bench, struct th_figure figure);

/* The value of a figure that an earlier part reported, or NaN. Local. */
double th_bench_value(const struct th_bench *bench, const char *key);

/* The median of seconds[count], of the slowest rank; sorts seconds.
 * Collective. */
double th_bench_median(const struct th_bench *bench, double *seconds,
                       int count);

#endif
