/* round_log.h - the rows of rounds with what they have observed of S, kept for
 * a fit that needs all of them at once
 *
 * S changes from round to round. A round can be used for the final S if it
 * observed all members of S. What it observed of other attributes is not
 * used.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ROUND_LOG_H
#define TH_ROUND_LOG_H

#include "solvers/access/batch.h"

struct th_round_entry;

/* Zeroed: empty. Replicated but for the values: each rank has those of its own
 * members. At most 2^28 values are kept on all ranks together. The first rounds
 * are dropped first, since they knew least of S. */
struct th_round_log {
  struct th_round_entry *entry; /* of each round, in order */
  int64_t count;
  int64_t capacity;
  int64_t first;    /* the first that is still kept */
  int64_t values;   /* rows times members of the rounds that are kept */
  th_status status; /* of this rank: why it keeps no more */
};

/* Keep the rows of a batch on which the support has been observed. `centre` was
 * subtracted from its targets. th_round_log_gather reports a failure. Local. */
void th_round_log_add(struct th_round_log *log, const struct th_batch *batch,
                      const struct th_support *support, double centre,
                      struct th_error *err);

/* Gather all rows on which this support was observed into one batch, without
 * residuals. *rows: how many; if none, the batch stays as it is. Collective. */
th_status th_round_log_gather(const struct th_round_log *log,
                              struct th_context *context,
                              const struct th_support *support,
                              struct th_batch *batch, int64_t *rows,
                              struct th_error *err);

/* Its state. Local. */
void th_round_log_describe(struct th_round_log *log,
                           const struct th_context *context,
                           struct th_state *state);

void th_round_log_free(struct th_round_log *log);

#endif
