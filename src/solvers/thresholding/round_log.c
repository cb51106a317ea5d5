/* round_log.c - the rows of rounds with what they have observed of S, kept for
 * a fit that needs all of them at once
 * SPDX-License-Identifier: MIT */
#include "solvers/thresholding/round_log.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No run has more rounds. */
enum { MOST_ROUNDS = 1 << 22 };

static const int64_t most_values = (int64_t)1 << 28;

/* One round. */
struct th_round_entry {
  int64_t rows;
  int64_t size; /* members of S then */
  int64_t *attribute;
  double *target;
  double *weight;
  struct th_range mine; /* of the members */
  double *values;       /* mine x rows */
};

static void entry_free(struct th_round_entry *entry)
{
  TH_FREE(entry->attribute, entry->target, entry->weight, entry->values);
  *entry = (struct th_round_entry){0};
}

void th_round_log_free(struct th_round_log *log)
{
  for (int64_t k = log->first; k < log->count; k++)
    entry_free(&log->entry[k]);
  free(log->entry);
  *log = (struct th_round_log){0};
}

/* Room for `size` members, without the values: these follow when it is known
 * which members this rank owns. */
static th_status entry_init(struct th_round_entry *entry, int64_t rows,
                            int64_t size, struct th_error *err)
{
  th_status rc;
  *entry = (struct th_round_entry){.rows = rows, .size = size};
  TH_TRY(TH_NEW(&entry->attribute, size, "the examples kept for the fit", err));
  TH_TRY(TH_NEW(&entry->target, rows, "the examples kept for the fit", err));
  TH_TRY(TH_NEW(&entry->weight, rows, "the examples kept for the fit", err));
done:
  return rc;
}

static th_status entry_values(struct th_round_entry *entry,
                              struct th_range mine, struct th_error *err)
{
  entry->mine = mine;
  return TH_NEW(&entry->values, th_range_count(mine) * entry->rows,
                "the examples kept for the fit", err);
}

static th_status copy_batch(struct th_round_entry *entry,
                            const struct th_batch *batch,
                            const struct th_support *support, double centre,
                            struct th_error *err)
{
  int64_t rows = batch->rows;
  int64_t values = th_range_count(batch->mine) * rows;
  th_status rc;
  TH_TRY(entry_init(entry, rows, support->size, err));
  TH_TRY(entry_values(entry, batch->mine, err));
  for (int64_t k = 0; k < support->size; k++)
    entry->attribute[k] = support->attribute[k];
  for (int64_t i = 0; i < rows; i++) {
    entry->target[i] = batch->target[i] + centre;
    entry->weight[i] = batch->weight[i];
  }
  for (int64_t i = 0; i < values; i++)
    entry->values[i] = batch->columns[i];
done:
  return rc;
}

void th_round_log_add(struct th_round_log *log, const struct th_batch *batch,
                      const struct th_support *support, double centre,
                      struct th_error *err)
{
  if (log->status != TH_OK || batch->rows == 0)
    return;
  log->status = TH_GROW(&log->entry, &log->capacity, log->count + 1,
                        "the examples kept for the fit", err);
  if (log->status != TH_OK)
    return;
  struct th_round_entry *entry = &log->entry[log->count++];
  log->status = copy_batch(entry, batch, support, centre, err);
  log->values += entry->rows * entry->size;
  while (log->values > most_values && log->first < log->count) {
    entry = &log->entry[log->first++];
    log->values -= entry->rows * entry->size;
    entry_free(entry);
  }
}

static void describe_round(struct th_round_entry *entry,
                           const struct th_context *context,
                           struct th_state *state)
{
  bool puts = th_state_puts(state);
  TH_STATE_ONE(state, entry, rows);
  if (state->examples > 0)
    th_state_limit(state, "rows", &entry->rows, 1, 0, state->examples);
  TH_STATE_ONE(state, entry, size);
  if (th_state_next_has(state, entry->size) && puts)
    th_state_note(state,
                  entry_init(entry, entry->rows, entry->size, state->err));
  th_state_attributes(state, "attribute", entry->attribute, entry->size);
  th_state_ascending(state, "attribute", entry->attribute, entry->size);
  TH_STATE_ARRAY(state, entry, target, entry->rows);
  TH_STATE_ARRAY(state, entry, weight, entry->rows);
  if (puts && th_state_good(state))
    th_state_note(state,
                  entry_values(entry,
                               th_range_members(entry->attribute, entry->size,
                                                context->owned),
                               state->err));
  struct th_range here = {entry->mine.first * entry->rows,
                          entry->mine.last * entry->rows};
  th_state_spread(state, "values", TH_STATE_F64, entry->values, 1, here);
}

void th_round_log_describe(struct th_round_log *log,
                           const struct th_context *context,
                           struct th_state *state)
{
  enum { NUMBER = 24 };
  char name[NUMBER];
  th_state_enter(state, "log");
  th_state_note(state, log->status);
  TH_STATE_AT_MOST(state, log, count, MOST_ROUNDS);
  TH_STATE_AT_MOST(state, log, first, log->count);
  if (th_state_puts(state)) /* an array at least for each */
    th_state_limit(state, "count", &log->count, 1, 0,
                   log->first + state->image->count);
  TH_STATE_ONE(state, log, values);
  int64_t count = th_state_good(state) ? log->count : 0;
  if (th_state_puts(state)) {
    log->count = 0; /* counts the entries that are ready */
    th_state_note(state, th_grow((void **)&log->entry, &log->capacity, count,
                                 sizeof *log->entry,
                                 "the examples kept for the fit", state->err));
  }
  for (int64_t k = log->first; k < count && th_state_good(state); k++) {
    snprintf(name, sizeof name, "%lld", (long long)k);
    th_state_enter(state, name);
    describe_round(&log->entry[k], context, state);
    log->count = th_state_puts(state) ? k + 1 : count;
    th_state_leave(state);
  }
  th_state_leave(state);
}

/* Where a member of the support is in a round, or -1. */
static int64_t find_member(const struct th_round_entry *entry,
                           int64_t attribute)
{
  return th_range_find(entry->attribute, entry->size, attribute);
}

static bool has_members(const struct th_round_entry *entry,
                        const struct th_support *support)
{
  for (int64_t k = 0; k < support->size; k++)
    if (find_member(entry, support->attribute[k]) < 0)
      return false;
  return true;
}

/* A round's rows from row `row` of the batch on. */
static void copy_round(const struct th_round_entry *entry,
                       const struct th_support *support, struct th_batch *batch,
                       int64_t row, double *weight)
{
  size_t bytes = (size_t)entry->rows * sizeof(double);
  for (int64_t k = batch->mine.first; k < batch->mine.last; k++) {
    int64_t from =
        find_member(entry, support->attribute[k]) - entry->mine.first;
    memcpy(batch->columns + (k - batch->mine.first) * batch->rows + row,
           entry->values + from * entry->rows, bytes);
  }
  memcpy(batch->target + row, entry->target, bytes);
  memcpy(weight + row, entry->weight, bytes);
}

th_status th_round_log_gather(const struct th_round_log *log,
                              struct th_context *context,
                              const struct th_support *support,
                              struct th_batch *batch, int64_t *rows,
                              struct th_error *err)
{
  double *weight = NULL;
  th_status rc = log->status;
  *rows = 0;
  for (int64_t k = log->first; k < log->count; k++)
    *rows += has_members(&log->entry[k], support) ? log->entry[k].rows : 0;
  if (rc == TH_OK)
    rc = TH_NEW(&weight, *rows, "the examples kept for the fit", err);
  TH_TRY(th_agree(context->comm, rc, err));
  if (*rows == 0)
    goto done;
  TH_TRY(th_batch_hold(batch, context, support, *rows, err));
  int64_t row = 0;
  for (int64_t k = log->first; k < log->count; k++)
    if (has_members(&log->entry[k], support)) {
      copy_round(&log->entry[k], support, batch, row, weight);
      row += log->entry[k].rows;
    }
  th_batch_weigh(batch, weight);
done:
  free(weight);
  return rc;
}
