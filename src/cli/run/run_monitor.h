/* run_monitor.h - progress of a training run: a bar, log lines, telemetry; what
 * is kept of it in checkpoints
 * SPDX-License-Identifier: MIT */
#ifndef TH_RUN_MONITOR_H
#define TH_RUN_MONITOR_H

#include "api/data.h"
#include "cli/options/options.h"
#include "cli/run/gauges.h"
#include "cli/run/keeper.h"
#include "cli/run/meter.h"
#include "cli/run/rank_cost.h"
#include "cli/shared/json.h"
#include "data/source.h"
#include "io/checkpoint/checkpoint_log.h"
#include "io/files/output.h"
#include "model/model.h"
#include "model/origin.h"
#include "ranks/comm.h"
#include "solvers/driver/train.h"

#include <stdio.h>

/* One outer loop: from one screening to the next, or one lambda of a path. */
struct th_loop {
  int64_t examples; /* drawn so far */
  int64_t active;   /* attributes left after it */
  double lambda;
  double objective;
  double gap;
  double seconds; /* since the run began: of this rank, then of the slowest */
  int64_t bytes_read; /* so far, from files: by this rank, then by all */
  int64_t bytes_sent;
};

/* Lives on every rank, with equally many entries. */
struct th_loop_log {
  const struct th_comm *comm;   /* borrowed */
  const struct th_store *store; /* borrowed */
  double began;
  /* of the run before it was gone on with: on rank 0, on the others zeros; the
   * seconds on all */
  struct th_loop before;
  struct th_loop *items;
  int64_t count;
  int64_t gathered; /* of them are of all ranks together */
  int64_t capacity;
  bool lost; /* there was no memory for an entry */
};

/* Lives on every rank; rank 0 prints and writes. */
struct th_run_monitor {
  struct th_monitor monitor; /* for th_train */
  bool prints;
  struct th_meter meter;
  int64_t attributes;                  /* d */
  const struct th_ground_truth *truth; /* borrowed; NULL: not generated */
  bool referred;                       /* to a model: */
  struct th_model reference; /* owned; support and coefficients count */
  struct th_output output;   /* of the telemetry */
  FILE *telemetry;           /* the output's; NULL: none */
  const char *telemetry_path;
  json_t *about;           /* for the telemetry's first line; owned */
  double flushed;          /* when, by th_comm_clock */
  double began;            /* earlier, if the run is gone on with */
  bool goes_on;            /* with what an earlier run has done */
  struct th_progress last; /* without what it borrowed */
  struct th_loop_log log;
  struct th_keeper *keeper;         /* borrowed */
  const struct th_profile *profile; /* borrowed */
  double started;                   /* this process, by th_comm_clock */
  struct th_rank_total before;      /* costs before it was gone on with */
  struct th_rank_total so_far;      /* the same with those since, to be kept */
  struct th_gauges metrics;         /* of rank 0 */
  struct th_checkpoint_text kept;   /* of the telemetry */
  struct th_error err;              /* of the telemetry */
};

/* Begin to watch a run on borrowed data. Local; telemetry is claimed on rank 0.
 * Always end with th_run_monitor_close. */
th_status th_run_monitor_open(struct th_run_monitor *monitor,
                              const struct th_options *options,
                              const struct th_ground_truth *truth,
                              const struct th_store *store,
                              struct th_comm *comm, struct th_error *err);
/* Keep the run by a keeper that is on, and what it costs, from `started` on.
 * All are borrowed. Local. */
void th_run_monitor_keep(struct th_run_monitor *monitor,
                         struct th_keeper *keeper,
                         const struct th_profile *profile, double started);
/* Telemetry tells the distance to the coefficients of this model from now on;
 * NULL: to none. Collective. An error for a model for other attributes, or that
 * th_match refuses. */
th_status th_run_monitor_refer(struct th_run_monitor *monitor, const char *path,
                               struct th_data *data, struct th_comm *comm,
                               struct th_error *err);
/* The telemetry's first line, unless it is there already, tells this of the
 * run. `about` is handed over. Local. */
void th_run_monitor_tell(struct th_run_monitor *monitor, json_t *about);
/* Take the bar off the terminal; finish the telemetry, or say why it cannot be
 * written. Local. */
void th_run_monitor_finish(struct th_run_monitor *monitor);
void th_run_monitor_close(struct th_run_monitor *monitor);

/* --- Costs and active attributes of each outer loop of a solver ----------- */

/* Combine the logs of all ranks. Collective. More entries may follow. */
th_status th_run_monitor_loop_log_gather(struct th_loop_log *log,
                                         struct th_comm *comm,
                                         struct th_error *err);

#endif
