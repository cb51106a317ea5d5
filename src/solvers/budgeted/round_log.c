/* round_log.c - the rows of rounds with what they have observed of S, kept for
 * a fit that needs all of them at once
 * SPDX-License-Identifier: MIT */
#include "solvers/budgeted/round_log.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

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

static th_status copy_batch(struct th_round_entry *entry,
                            const struct th_batch *batch,
                            const struct th_support *support, double centre,
                            struct th_error *err)
{
  int64_t rows = batch->rows;
  int64_t values = (batch->mine.last - batch->mine.first) * rows;
  th_status rc;
  *entry = (struct th_round_entry){
      .rows = rows, .size = support->size, .mine = batch->mine};
  TH_TRY(TH_NEW(&entry->attribute, support->size, "rows to keep", err));
  TH_TRY(TH_NEW(&entry->target, rows, "rows to keep", err));
  TH_TRY(TH_NEW(&entry->weight, rows, "rows to keep", err));
  TH_TRY(TH_NEW(&entry->values, values, "rows to keep", err));
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
  log->status =
      TH_GROW(&log->entry, &log->capacity, log->count + 1, "rows to keep", err);
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

/* Where a member of the support is in a round, or -1. */
static int64_t find(const struct th_round_entry *entry, int64_t attribute)
{
  return th_range_find(entry->attribute, entry->size, attribute);
}

static bool has_all(const struct th_round_entry *entry,
                    const struct th_support *support)
{
  for (int64_t k = 0; k < support->size; k++)
    if (find(entry, support->attribute[k]) < 0)
      return false;
  return true;
}

/* A round's rows from row `row` of the batch on. */
static void fill(const struct th_round_entry *entry,
                 const struct th_support *support, struct th_batch *batch,
                 int64_t row, double *weight)
{
  size_t bytes = (size_t)entry->rows * sizeof(double);
  for (int64_t k = batch->mine.first; k < batch->mine.last; k++) {
    int64_t from = find(entry, support->attribute[k]) - entry->mine.first;
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
    *rows += has_all(&log->entry[k], support) ? log->entry[k].rows : 0;
  if (rc == TH_OK)
    rc = TH_NEW(&weight, *rows, "rows to keep", err);
  TH_TRY(th_agree(context->comm, rc, err));
  if (*rows == 0)
    goto done;
  TH_TRY(th_batch_hold(batch, context, support, *rows, err));
  int64_t row = 0;
  for (int64_t k = log->first; k < log->count; k++)
    if (has_all(&log->entry[k], support)) {
      fill(&log->entry[k], support, batch, row, weight);
      row += log->entry[k].rows;
    }
  th_batch_weigh(batch, weight);
done:
  free(weight);
  return rc;
}
