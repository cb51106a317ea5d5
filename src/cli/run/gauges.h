/* gauges.h - the state of a run for Prometheus: a file that is written anew
 * every few seconds, and replaced whole
 *
 * The text is that of exposition formats 0.0.4, as the textfile collector of
 * node_exporter reads it. What is not known is left out. A file that cannot be
 * written does not end a run. All functions are local: one rank calls them.
 * SPDX-License-Identifier: MIT */
#ifndef TH_GAUGES_H
#define TH_GAUGES_H

#include "base/error.h"
#include "solvers/monitor.h"

#include <stdbool.h>
#include <stdint.h>

/* What is written of a run. NaN: not known. */
struct th_gauges_state {
  const struct th_progress *progress; /* borrowed until the end */
  int64_t attributes;
  int64_t active; /* attributes that are not screened; -1: nothing is */
  double lambda;
  double gap;
  double done; /* of the part that goes on */
  double seconds;
  double seconds_left;
  bool running;
};

/* Zeroed: nothing is written. */
struct th_gauges {
  const char *path; /* borrowed; NULL: none */
  bool force;       /* what stands there may be replaced */
  double written;   /* when, by th_comm_clock */
  struct th_gauges_state last;
  struct th_error err;
};

/* Write the file if that is due. */
void th_gauges_write(struct th_gauges *metrics,
                     const struct th_gauges_state *state);

/* Write the last numbers, of a run that has ended. */
void th_gauges_end(struct th_gauges *metrics);

#endif
