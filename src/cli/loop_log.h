/* loop_log.h - costs and active attributes of each outer loop of a solver
 * SPDX-License-Identifier: MIT */
#ifndef TH_LOOP_LOG_H
#define TH_LOOP_LOG_H

#include "cli/rank_cost.h"
#include "cli/shared/json.h"
#include "core/comm.h"
#include "core/source.h"
#include "solvers/driver/train.h"

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

/* Log an outer loop after an update. Does nothing for solvers without a
 * certificate. Local; called by every rank. */
void th_loop_log_add(struct th_loop_log *log,
                     const struct th_progress *progress);

/* Combine the logs of all ranks. Collective. TH_ENOMEM. More entries may
 * follow. */
th_status th_loop_log_gather(struct th_loop_log *log, struct th_comm *comm,
                             struct th_error *err);

/* List the log, which was gathered, with the state of a run; and what has been
 * put of it: the costs of later loops go on from `total`. Local. */
void th_loop_log_describe(struct th_loop_log *log, struct th_state *state);
void th_loop_log_go_on(struct th_loop_log *log,
                       const struct th_rank_total *total);

/* An array, one object per loop; a table of at most some 12 lines. Local. */
json_t *th_loop_log_json(const struct th_loop_log *log);
void th_loop_log_print(FILE *out, const struct th_loop_log *log);

void th_loop_log_free(struct th_loop_log *log);

#endif
