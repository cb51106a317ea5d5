/* kept_rows.h - rows on which S has been observed since it last changed, kept
 * for a fit that needs all of them at once
 *
 * A fit by Newton steps needs its rows again and again. Rows that were observed
 * once need not be drawn again. Each example is kept once, from the first time
 * that it is observed.
 * SPDX-License-Identifier: MIT */
#ifndef TH_KEPT_ROWS_H
#define TH_KEPT_ROWS_H

#include "solvers/access/batch.h"

/* Zeroed: nothing is kept. Rows, targets and weights are replicated, values are
 * those of this rank's members. */
struct th_kept_rows {
  int64_t most; /* rows worth keeping */
  int64_t rows;
  uint64_t *seen; /* a bit for each training example */
  double *target;
  double *weight;
  int64_t row_capacity;
  double *values; /* row by row, member by member */
  int64_t value_capacity;
  int64_t *fresh; /* the rows of the present batch that are kept */
  int64_t fresh_capacity;
  th_status status; /* of this rank: why it keeps no more */
};

/* Forget all rows, and set the number of members of S. Local. */
void th_kept_rows_start(struct th_kept_rows *kept,
                        const struct th_context *context, int64_t members);

/* Keep the rows of a batch on which the support has been observed.
 * th_kept_rows_gather reports a failure. Local. */
void th_kept_rows_add(struct th_kept_rows *kept,
                      const struct th_context *context,
                      const struct th_batch *batch, struct th_error *err);

/* Its state; `support` is S, and the rows are of batches like this one. Local.
 */
void th_kept_rows_describe(struct th_kept_rows *kept,
                           const struct th_context *context,
                           const struct th_batch *batch,
                           const struct th_support *support,
                           struct th_state *state);

/* All rows as one batch, without residuals. Collective. */
th_status th_kept_rows_gather(const struct th_kept_rows *kept,
                              struct th_context *context,
                              const struct th_support *support,
                              struct th_batch *batch, struct th_error *err);

/* Local. */
void th_kept_rows_free(struct th_kept_rows *kept);

#endif
