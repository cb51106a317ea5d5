/* kept_rows.c - rows on which S has been observed since it last changed
 * SPDX-License-Identifier: MIT */
#include "solvers/access/kept_rows.h"

#include "base/memory.h"
#include "math/schedule.h"

#include <string.h>

enum { BITS = 64 };

static int64_t words_of(const struct th_context *context)
{
  return th_source_shape(context->source)->training / BITS + 1;
}

void th_kept_rows_start(struct th_kept_rows *kept,
                        const struct th_context *context, int64_t members)
{
  kept->most = th_schedule_refit_rows(members, context->deal.rows_in_pass);
  kept->rows = 0;
  if (kept->seen != NULL)
    memset(kept->seen, 0, (size_t)words_of(context) * sizeof *kept->seen);
}

void th_kept_rows_free(struct th_kept_rows *kept)
{
  TH_FREE(kept->seen, kept->target, kept->weight, kept->values, kept->fresh);
  *kept = (struct th_kept_rows){0};
}

/* Mark a row as seen; true the first time. */
static bool take_once(uint64_t *seen, int64_t example)
{
  uint64_t bit = UINT64_C(1) << (example % BITS);
  bool first = (seen[example / BITS] & bit) == 0;
  seen[example / BITS] |= bit;
  return first;
}

/* Find the rows of the batch to keep; their number. */
static int64_t find_fresh(struct th_kept_rows *kept,
                          const struct th_batch *batch)
{
  int64_t count = 0;
  int64_t row = 0;
  for (int64_t p = 0; p < batch->pieces.count; p++) {
    struct th_rows piece = batch->pieces.items[p];
    for (int64_t i = 0; i < piece.count; i++, row++)
      if (kept->rows + count < kept->most &&
          take_once(kept->seen, piece.first + i))
        kept->fresh[count++] = row;
  }
  return count;
}

static th_status reserve(struct th_kept_rows *kept,
                         const struct th_context *context,
                         const struct th_batch *batch, struct th_error *err)
{
  int64_t members = th_range_count(batch->mine);
  int64_t rows = kept->rows + batch->rows;
  int64_t old = kept->row_capacity;
  th_status rc = TH_OK;
  if (kept->seen == NULL)
    TH_TRY(TH_NEW(&kept->seen, words_of(context),
                  "the examples kept for the fit", err));
  TH_TRY(TH_GROW(&kept->fresh, &kept->fresh_capacity, batch->rows,
                 "the examples kept for the fit", err));
  TH_TRY(TH_GROW(&kept->values, &kept->value_capacity, rows * members,
                 "the examples kept for the fit", err));
  TH_TRY(
      TH_WIDEN(&kept->weight, old, rows, "the examples kept for the fit", err));
  TH_TRY(TH_GROW(&kept->target, &kept->row_capacity, rows,
                 "the examples kept for the fit", err));
done:
  return rc;
}

static void copy_fresh(struct th_kept_rows *kept, const struct th_batch *batch,
                       int64_t count)
{
  int64_t members = th_range_count(batch->mine);
  double *to = kept->values + kept->rows * members;
  for (int64_t k = 0; k < members; k++, to++) {
    const double *from = batch->columns + k * batch->rows;
    for (int64_t i = 0; i < count; i++)
      to[i * members] = from[kept->fresh[i]];
  }
  for (int64_t i = 0; i < count; i++) {
    kept->target[kept->rows + i] = batch->target[kept->fresh[i]];
    kept->weight[kept->rows + i] = batch->weight[kept->fresh[i]];
  }
  kept->rows += count;
}

void th_kept_rows_add(struct th_kept_rows *kept,
                      const struct th_context *context,
                      const struct th_batch *batch, struct th_error *err)
{
  if (kept->status != TH_OK || kept->rows >= kept->most)
    return;
  kept->status = reserve(kept, context, batch, err);
  if (kept->status == TH_OK)
    copy_fresh(kept, batch, find_fresh(kept, batch));
}

/* Room for rows of a state that is put: nothing was kept, or there is room. */
static th_status reserve_kept_rows(struct th_kept_rows *kept,
                                   const struct th_context *context,
                                   int64_t members, struct th_error *err)
{
  struct th_batch none = {.mine = {0, members}};
  int64_t rows = kept->rows;
  kept->rows = 0; /* add all of them anew */
  none.rows = rows;
  th_status rc = reserve(kept, context, &none, err);
  kept->rows = rows;
  return rc;
}

void th_kept_rows_describe(struct th_kept_rows *kept,
                           const struct th_context *context,
                           const struct th_batch *batch,
                           const struct th_support *support,
                           struct th_state *state)
{
  struct th_range mine =
      th_batch_members(batch, context, support, context->comm->rank);
  th_state_enter(state, "kept");
  th_state_note(state, kept->status);
  TH_STATE_ONE(state, kept, most);
  TH_STATE_ONE(state, kept, rows);
  if (state->examples > 0)
    th_state_limit(state, "rows", &kept->rows, 1, 0, state->examples);
  if (th_state_puts(state) && th_state_good(state))
    th_state_note(state, reserve_kept_rows(kept, context, th_range_count(mine),
                                           state->err));
  int64_t words = kept->rows > 0 ? words_of(context) : 0;
  th_state_examples(state, "seen", TH_STATE_I64, kept->seen, words);
  TH_STATE_ARRAY(state, kept, target, kept->rows);
  TH_STATE_ARRAY(state, kept, weight, kept->rows);
  th_state_spread(state, "values", TH_STATE_F64, kept->values, kept->rows,
                  mine);
  th_state_leave(state);
}

/* Transpose the rows to the columns of a batch. Local. */
static void transpose(const struct th_kept_rows *kept, struct th_batch *batch)
{
  int64_t members = th_range_count(batch->mine);
  int64_t rows = kept->rows;
  for (int64_t k = 0; k < members; k++) {
    double *column = batch->columns + k * batch->rows;
    for (int64_t i = 0; i < rows; i++)
      column[i] = kept->values[i * members + k];
  }
  memcpy(batch->target, kept->target, (size_t)rows * sizeof *kept->target);
  th_batch_weigh(batch, kept->weight);
}

th_status th_kept_rows_gather(const struct th_kept_rows *kept,
                              struct th_context *context,
                              const struct th_support *support,
                              struct th_batch *batch, struct th_error *err)
{
  th_status rc = th_agree(context->comm, kept->status, err);
  if (rc == TH_OK)
    rc = th_batch_hold(batch, context, support, kept->rows, err);
  if (rc == TH_OK)
    transpose(kept, batch);
  return rc;
}
