/* csv_match.c - the columns of a CSV file are the attributes of other data
 * SPDX-License-Identifier: MIT */
#include "io/csv_reader.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

struct entry {
  const char *name;
  int64_t attribute; /* -1: some column has it */
};

static int compare_entries(const void *a, const void *b)
{
  return strcmp(((const struct entry *)a)->name,
                ((const struct entry *)b)->name);
}

static bool in_same_order(const struct th_csv *csv,
                          const struct th_csv_reference *reference)
{
  if (csv->attributes != reference->attributes)
    return false;
  for (int64_t k = 0; k < csv->columns; k++)
    if (csv->role[k] >= 0 &&
        strcmp(csv->names[k], reference->names[csv->role[k]]) != 0)
      return false;
  return true;
}

static th_status unknown_column(const struct th_csv *csv,
                                const struct th_text_file *file,
                                const char *origin, int64_t column,
                                struct th_error *err)
{
  char typed[TH_COLUMN_TEXT];
  return th_fail(err, TH_EDATA,
                 "%s:1:1: column %lld, '%.60s', is no attribute of %s; leave "
                 "it out with --ignore %s, %s",
                 file->name, (long long)column + 1, csv->names[column], origin,
                 th_csv_column_text(csv, column, typed),
                 csv->target < 0 ? "or say so with --target if it is the target"
                                 : "or rename it");
}

/* Look every column up in the sorted table; each attribute once. */
static th_status match_names(struct th_csv *csv,
                             const struct th_text_file *file,
                             const char *origin, struct entry *table,
                             int64_t count, struct th_error *err)
{
  for (int64_t k = 0; k < csv->columns; k++) {
    if (csv->role[k] < 0)
      continue;
    struct entry key = {.name = csv->names[k]};
    struct entry *found =
        bsearch(&key, table, (size_t)count, sizeof *table, compare_entries);
    if (found == NULL)
      return unknown_column(csv, file, origin, k, err);
    if (found->attribute < 0)
      return th_fail(err, TH_EDATA,
                     "%s:1:1: column %lld, '%.60s', occurs twice or is "
                     "ambiguous in %s; match the columns",
                     file->name, (long long)k + 1, csv->names[k], file->name);
    csv->role[k] = found->attribute;
    found->attribute = -1;
  }
  return TH_OK;
}

/* Every attribute has a column; the first that has none is named. */
static th_status check_all(const struct th_text_file *file, const char *origin,
                           const struct entry *table, int64_t count,
                           struct th_error *err)
{
  const struct entry *first = NULL;
  int64_t missing = 0;
  for (int64_t j = 0; j < count; j++) {
    if (table[j].attribute < 0)
      continue;
    missing++;
    if (first == NULL || table[j].attribute < first->attribute)
      first = &table[j];
  }
  if (first == NULL)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s:1:1: %lld of the attributes of %s %s missing, first "
                 "'%.60s'; add the column%s",
                 file->name, (long long)missing, origin,
                 missing == 1 ? "is" : "are", first->name,
                 missing == 1 ? "" : "s");
}

static th_status match_by_name(struct th_csv *csv,
                               const struct th_text_file *file,
                               const struct th_csv_reference *reference,
                               struct th_error *err)
{
  struct entry *table = NULL;
  int64_t count = reference->attributes;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&table, count, "names of attributes", err));
  for (int64_t j = 0; j < count; j++)
    table[j] = (struct entry){reference->names[j], j};
  qsort(table, (size_t)count, sizeof *table, compare_entries);
  TH_TRY(match_names(csv, file, reference->origin, table, count, err));
  TH_TRY(check_all(file, reference->origin, table, count, err));
  csv->attributes = count;
done:
  free(table);
  return rc;
}

th_status th_csv_match(struct th_csv *csv, const struct th_text_file *file,
                       const struct th_csv_reference *reference,
                       struct th_error *err)
{
  bool named = csv->names != NULL && reference->names != NULL;
  if (reference->attributes == 0 || (named && in_same_order(csv, reference)))
    return TH_OK;
  if (named)
    return match_by_name(csv, file, reference, err);
  if (csv->attributes == reference->attributes)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s:1:1: %lld attributes found, expected %lld (%s); match the "
                 "columns, or leave some out with --ignore",
                 file->name, (long long)csv->attributes,
                 (long long)reference->attributes, reference->origin);
}
