/* csv_columns.c - which column of a CSV file is which attribute
 * SPDX-License-Identifier: MIT */
#include "io/import/csv_parts.h"

#include "core/memory.h"
#include "io/import/quote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t th_csv_count_named(const struct th_csv *csv, const char *name,
                           int64_t *column)
{
  int64_t matches = 0;
  for (int64_t k = 0; csv->names != NULL && k < csv->columns; k++)
    if (strcmp(csv->names[k], name) == 0) {
      *column = k;
      matches++;
    }
  return matches;
}

const char *th_csv_column_text(const struct th_csv *csv, int64_t column,
                               char text[TH_COLUMN_TEXT])
{
  enum { LONGEST = 60 };
  const char *name = csv->names != NULL ? csv->names[column] : "";
  size_t length = strlen(name);
  int64_t found;
  snprintf(text, TH_COLUMN_TEXT, "%lld", (long long)column + 1);
  if (length == 0 && th_csv_count_named(csv, text, &found) > 0)
    return "'\"\"'"; /* the number is a name, of another column most often */
  if (length == 0 || length > LONGEST || strpbrk(name, ",\"'\n") != NULL ||
      name[0] == ' ' || name[length - 1] == ' ' ||
      th_csv_count_named(csv, name, &found) > 1)
    return text;
  return th_quote_shell_word(name, text, TH_COLUMN_TEXT);
}

th_status th_csv_find_column(const struct th_csv *csv,
                             const struct th_text_file *file,
                             const char *wanted, const char *option,
                             int64_t *column, struct th_error *err)
{
  int64_t matches = th_csv_count_named(csv, wanted, column);
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
  if (errno == 0 && end != wanted && *end == '\0' && number >= 1 &&
      number <= csv->columns) {
    *column = number - 1;
    return TH_OK;
  }
  return th_fail(err, TH_EDATA,
                 "%s:1:1: no column '%s' found, expected %sa number 1..%lld; "
                 "correct %s",
                 file->name, wanted,
                 csv->names != NULL ? "a name of the header or " : "",
                 (long long)csv->columns, option);
}

/* Cut the next item off a list between commas; quoted as in CSV where it holds
 * one. The room has as many bytes as the list. */
static const char *next_item(const char *at, char *item)
{
  bool quoted = *at == '"';
  at += quoted;
  while (*at != '\0' && (quoted || *at != ',')) {
    bool quote = quoted && *at == '"';
    at += quote;
    if (quote && *at != '"')
      quoted = false;
    else
      *item++ = *at++;
  }
  *item = '\0';
  return *at == ',' ? at + 1 : at;
}

static th_status ignore_columns(struct th_csv *csv,
                                const struct th_text_file *file,
                                const char *list, struct th_error *err)
{
  char *item = NULL;
  int64_t column = 0;
  th_status rc = TH_NEW(&item, (int64_t)strlen(list) + 1, "{ignore}", err);
  while (rc == TH_OK && *list != '\0') {
    list = next_item(list, item);
    rc = th_csv_find_column(csv, file, item, "{ignore}", &column, err);
    if (rc != TH_OK)
      break;
    csv->ignored += csv->role[column] != TH_COLUMN_IGNORED;
    csv->role[column] = TH_COLUMN_IGNORED;
  }
  free(item);
  return rc;
}

bool th_csv_is_attribute(const struct th_csv_reference *reference,
                         const char *name)
{
  for (int64_t j = 0; reference->names != NULL && j < reference->attributes;
       j++)
    if (strcmp(reference->names[j], name) == 0)
      return true;
  return false;
}

int64_t th_csv_count_free(const struct th_csv *csv, int64_t *last)
{
  int64_t count = 0;
  *last = -1;
  for (int64_t k = 0; k < csv->columns; k++)
    if (csv->role[k] == TH_COLUMN_FREE) {
      *last = k;
      count++;
    }
  return count;
}

/* The weights' and the target's column may not have a role yet. */
static th_status take_column(struct th_csv *csv,
                             const struct th_text_file *file, int64_t column,
                             int64_t role, struct th_error *err)
{
  if (column < 0)
    return TH_OK;
  if (csv->role[column] != TH_COLUMN_FREE)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: column %lld cannot be %s and %s at once; name "
                   "another one",
                   file->name, (long long)column + 1,
                   role == TH_COLUMN_TARGET ? "target" : "weight",
                   csv->role[column] == TH_COLUMN_WEIGHT ? "weight"
                                                         : "left out");
  csv->role[column] = role;
  return TH_OK;
}

static th_status number_attributes(struct th_csv *csv,
                                   const struct th_text_file *file,
                                   struct th_error *err)
{
  csv->attributes = 0;
  for (int64_t k = 0; k < csv->columns; k++)
    if (csv->role[k] == TH_COLUMN_FREE)
      csv->role[k] = csv->attributes++;
  if (csv->attributes > 0)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s:1:1: no column is left for an attribute; leave out fewer "
                 "of the %lld",
                 file->name, (long long)csv->columns);
}

/* A single column is most often a file with another separator. */
static th_status check_count(const struct th_csv *csv,
                             const struct th_text_file *file,
                             const struct th_csv_reference *reference,
                             struct th_error *err)
{
  if (csv->columns > 1 || reference->attributes == 1)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s:1:1: 1 column found, expected several with ',', ';' or "
                 "tabs between them; write the file with one of these, or "
                 "check {format}",
                 file->name);
}

th_status th_csv_assign(struct th_csv *csv, const struct th_text_file *file,
                        const struct th_csv_choice *choice,
                        const struct th_csv_reference *reference,
                        struct th_error *err)
{
  int64_t weight = -1;
  int64_t target = -1;
  th_status rc = check_count(csv, file, reference, err);
  if (rc != TH_OK)
    return rc;
  TH_TRY(TH_NEW(&csv->role, csv->columns, "columns", err));
  for (int64_t k = 0; k < csv->columns; k++)
    csv->role[k] = TH_COLUMN_FREE;
  if (choice->ignore != NULL)
    TH_TRY(ignore_columns(csv, file, choice->ignore, err));
  if (choice->weights != NULL)
    TH_TRY(th_csv_find_column(csv, file, choice->weights, "{weights}", &weight,
                              err));
  if (choice->target != NULL)
    TH_TRY(th_csv_find_column(csv, file, choice->target, "{target}", &target,
                              err));
  TH_TRY(th_csv_check_told(csv, file, choice, reference, target, weight, err));
  bool recalled = choice->weights == NULL;
  if (recalled)
    weight = th_csv_recall_weight(csv, choice, reference);
  if (weight >= 0 && weight == target)
    weight = recalled ? -1 : weight;
  TH_TRY(th_csv_recall(csv, choice, reference, target, weight, err));
  TH_TRY(take_column(csv, file, weight, TH_COLUMN_WEIGHT, err));
  TH_TRY(th_csv_find_target(csv, file, choice, reference, &csv->target, err));
  TH_TRY(take_column(csv, file, csv->target, TH_COLUMN_TARGET, err));
  csv->weight = weight;
  if (recalled && weight >= 0 && csv->target < 0)
    th_csv_forget_weight(csv);
  TH_TRY(number_attributes(csv, file, err));
  TH_TRY(th_csv_match(csv, file, choice, reference, err));
done:
  return rc;
}
