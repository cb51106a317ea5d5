/* csv_columns.c - which column of a CSV file is which attribute
 * SPDX-License-Identifier: MIT */
#include "io/csv_reader.h"

#include "core/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A column by its name or 1-based number. */
static th_status find_column(const struct th_csv *csv,
                             const struct th_text_file *file,
                             const char *wanted, const char *option,
                             int64_t *column, struct th_error *err)
{
  int64_t matches = 0;
  for (int64_t k = 0; csv->names != NULL && k < csv->columns; k++)
    if (strcmp(csv->names[k], wanted) == 0) {
      *column = k;
      matches++;
    }
  if (matches == 1)
    return TH_OK;
  if (matches > 1)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: %lld columns are named '%s'; give the column's "
                   "number with %s",
                   file->name, (long long)matches, wanted, option);
  char *end = NULL;
  errno = 0;
  long long number = strtoll(wanted, &end, 10);
  *column = number - 1;
  if (errno == 0 && end != wanted && *end == '\0' && number >= 1 &&
      number <= csv->columns)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s:1:1: no column '%s' found, expected %sa number 1..%lld; "
                 "correct %s",
                 file->name, wanted,
                 csv->names != NULL ? "a name of the header or " : "",
                 (long long)csv->columns, option);
}

/* Give target and weight columns their roles, number the others. */
static th_status assign_in_order(struct th_csv *csv,
                                 const struct th_text_file *file,
                                 const struct th_csv_choice *choice,
                                 struct th_error *err)
{
  int64_t target = csv->columns - 1;
  int64_t weight = -1;
  th_status rc = TH_OK;
  if (choice->target != NULL)
    TH_TRY(find_column(csv, file, choice->target, "--target", &target, err));
  if (choice->weights != NULL)
    TH_TRY(find_column(csv, file, choice->weights, "--weights", &weight, err));
  if (target == weight)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: column %lld cannot be target and weight at once; "
                   "name another one with --target",
                   file->name, (long long)target + 1);
  TH_TRY(TH_NEW(&csv->role, csv->columns, "columns", err));
  csv->attributes = 0;
  for (int64_t k = 0; k < csv->columns; k++)
    csv->role[k] = k == target   ? TH_COLUMN_TARGET
                   : k == weight ? TH_COLUMN_WEIGHT
                                 : csv->attributes++;
  if (csv->attributes == 0)
    rc = th_fail(err, TH_EDATA,
                 "%s:1:1: %lld column%s found, expected a target and at least "
                 "one attribute between ',', ';' or tabs; check --format",
                 file->name, (long long)csv->columns,
                 csv->columns == 1 ? "" : "s");
done:
  return rc;
}

struct entry {
  const char *name;
  int64_t attribute;
};

static int compare_entries(const void *a, const void *b)
{
  return strcmp(((const struct entry *)a)->name,
                ((const struct entry *)b)->name);
}

static bool in_same_order(const struct th_csv *csv,
                          const struct th_csv_reference *reference)
{
  for (int64_t k = 0; k < csv->columns; k++)
    if (csv->role[k] >= 0 &&
        strcmp(csv->names[k], reference->names[csv->role[k]]) != 0)
      return false;
  return true;
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
    if (found == NULL || found->attribute < 0)
      return th_fail(err, TH_EDATA,
                     "%s:1:1: column %lld, '%.60s', %s %s; match the columns",
                     file->name, (long long)k + 1, csv->names[k],
                     found == NULL ? "is no attribute of"
                                   : "occurs twice or is ambiguous in",
                     found == NULL ? origin : file->name);
    csv->role[k] = found->attribute;
    found->attribute = -1;
  }
  return TH_OK;
}

static th_status assign_by_name(struct th_csv *csv,
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
done:
  free(table);
  return rc;
}

th_status th_csv_assign(struct th_csv *csv, const struct th_text_file *file,
                        const struct th_csv_choice *choice,
                        const struct th_csv_reference *reference,
                        struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(assign_in_order(csv, file, choice, err));
  if (reference->attributes == 0)
    return TH_OK;
  if (csv->attributes != reference->attributes)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: %lld attributes found, expected %lld (%s); match "
                   "the columns",
                   file->name, (long long)csv->attributes,
                   (long long)reference->attributes, reference->origin);
  if (csv->names == NULL || reference->names == NULL ||
      in_same_order(csv, reference))
    return TH_OK;
  rc = assign_by_name(csv, file, reference, err);
done:
  return rc;
}
