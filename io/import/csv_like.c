/* csv_like.c - the columns of a CSV file as they lay in the text of other data
 * SPDX-License-Identifier: MIT */
#include "io/import/csv_parts.h"

#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool th_csv_in_places(const struct th_csv *csv,
                      const struct th_csv_choice *choice,
                      const struct th_csv_reference *reference)
{
  bool named = csv->names != NULL && reference->names != NULL;
  return !named && choice->origin != NULL &&
         choice->origin->columns == csv->columns;
}

static void leave_out(struct th_csv *csv, int64_t column, int64_t target,
                      int64_t weight)
{
  if (csv->role[column] != TH_COLUMN_FREE || column == target ||
      column == weight)
    return;
  csv->role[column] = TH_COLUMN_IGNORED;
  csv->ignored++;
  csv->recalled++;
}

static int compare_names(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names in ascending order, for is_among; the list is owned by the caller. */
static th_status sort_names(const char *const *names, int64_t count,
                            const char ***sorted, struct th_error *err)
{
  th_status rc = TH_NEW(sorted, count, "names of columns", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < count; k++)
    (*sorted)[k] = names[k];
  qsort(*sorted, (size_t)count, sizeof **sorted, compare_names);
  return TH_OK;
}

static bool is_among(const char *const *sorted, int64_t count, const char *name)
{
  return bsearch(&name, sorted, (size_t)count, sizeof *sorted, compare_names) !=
         NULL;
}

/* Where an attribute has the name too, the column may be the attribute. */
static th_status recall_names(struct th_csv *csv,
                              const struct th_origin *origin,
                              const struct th_csv_reference *reference,
                              int64_t target, int64_t weight,
                              struct th_error *err)
{
  const char **others = NULL;
  const char **attributes = NULL;
  th_status rc = TH_OK;
  TH_TRY(sort_names((const char *const *)origin->name, origin->others, &others,
                    err));
  TH_TRY(sort_names(reference->names, reference->attributes, &attributes, err));
  for (int64_t k = 0; k < csv->columns; k++)
    if (is_among(others, origin->others, csv->names[k]) &&
        !is_among(attributes, reference->attributes, csv->names[k]))
      leave_out(csv, k, target, weight);
done:
  TH_FREE(attributes, others);
  return rc;
}

th_status th_csv_recall(struct th_csv *csv, const struct th_csv_choice *choice,
                        const struct th_csv_reference *reference,
                        int64_t target, int64_t weight, struct th_error *err)
{
  const struct th_origin *origin = choice->origin;
  if (origin == NULL || origin->others == 0)
    return TH_OK;
  if (th_csv_in_places(csv, choice, reference)) {
    for (int64_t k = 0; k < origin->others; k++)
      leave_out(csv, origin->other[k] - 1, target, weight);
    return TH_OK;
  }
  if (csv->names == NULL || reference->names == NULL || origin->name == NULL)
    return TH_OK;
  return recall_names(csv, origin, reference, target, weight, err);
}

int64_t th_csv_recall_weight(const struct th_csv *csv,
                             const struct th_csv_choice *choice,
                             const struct th_csv_reference *reference)
{
  const struct th_origin *told = choice->told;
  int64_t column = -1;
  if (told == NULL)
    return -1;
  if (th_csv_in_places(csv, choice, reference))
    column = told->weight - 1;
  else if (told->weight_name != NULL &&
           (th_csv_count_named(csv, told->weight_name, &column) != 1 ||
            th_csv_is_attribute(reference, told->weight_name)))
    column = -1;
  return column >= 0 && csv->role[column] == TH_COLUMN_FREE ? column : -1;
}

void th_csv_forget_weight(struct th_csv *csv)
{
  csv->role[csv->weight] = TH_COLUMN_IGNORED;
  csv->weight = -1;
  csv->ignored++;
  csv->recalled++;
}

/* mine: the column that was said; theirs, their name: those of the other text,
 * where the latter is there. */
static th_status check_column(const struct th_csv *csv,
                              const struct th_text_file *file,
                              const struct th_csv_reference *reference,
                              const char *option, int64_t mine, int64_t theirs,
                              struct th_error *err)
{
  char typed[2][TH_COLUMN_TEXT];
  if (mine < 0 || theirs < 0 || mine == theirs)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "%s:1:1: {%s} %s contradicts %s, where it is %s, which is "
                 "there; leave the option out, or rename the column",
                 file->name, option, th_csv_column_text(csv, mine, typed[0]),
                 reference->origin, th_csv_column_text(csv, theirs, typed[1]));
}

static int64_t their_column(const struct th_csv *csv,
                            const struct th_csv_choice *choice,
                            const struct th_csv_reference *reference,
                            int64_t place, const char *name)
{
  int64_t column = -1;
  if (th_csv_in_places(csv, choice, reference))
    return place - 1;
  if (name == NULL || th_csv_count_named(csv, name, &column) != 1)
    return -1;
  return column;
}

th_status th_csv_check_told(const struct th_csv *csv,
                            const struct th_text_file *file,
                            const struct th_csv_choice *choice,
                            const struct th_csv_reference *reference,
                            int64_t target, int64_t weight,
                            struct th_error *err)
{
  const struct th_origin *told = choice->told;
  if (told == NULL)
    return TH_OK;
  th_status rc = check_column(
      csv, file, reference, "target", target,
      their_column(csv, choice, reference, told->target, told->target_name),
      err);
  return rc != TH_OK
             ? rc
             : check_column(csv, file, reference, "weights", weight,
                            their_column(csv, choice, reference, told->weight,
                                         told->weight_name),
                            err);
}

enum { LIST = 160 };

/* The columns that were left out of the other text, as they are numbered where
 * its target is missing; false where the list is too long to be typed. */
static bool list_others(const struct th_origin *origin, char list[LIST])
{
  size_t used = 0;
  list[0] = '\0';
  for (int64_t k = 0; k < origin->others; k++) {
    int64_t column = origin->other[k] - (origin->other[k] > origin->target);
    used += (size_t)snprintf(list + used, LIST - used, "%s%lld",
                             k > 0 ? "," : "", (long long)column);
    if (used >= LIST)
      return false;
  }
  return used > 0;
}

static th_status unknown_text(const struct th_csv *csv,
                              const struct th_text_file *file,
                              const struct th_csv_reference *reference,
                              struct th_error *err)
{
  return th_fail(err, TH_EUSAGE,
                 "%s:1:1: which column is the target? There are %lld columns "
                 "and no header, and %s, with %lld attributes, does not tell; "
                 "say it with {target} NUMBER, and with {ignore} NUMBER,... "
                 "which are no attributes",
                 file->name, (long long)csv->columns, reference->origin,
                 (long long)reference->attributes);
}

/* Too many columns, and not those of the other text. */
static th_status other_columns(const struct th_csv *csv,
                               const struct th_text_file *file,
                               const struct th_csv_choice *choice,
                               const struct th_csv_reference *reference,
                               struct th_error *err)
{
  const struct th_origin *origin = choice->origin;
  char list[LIST];
  char typed[LIST + 64] = "";
  if (choice->ignore == NULL && origin->target > 0 &&
      csv->columns == origin->columns - 1 && list_others(origin, list))
    snprintf(typed, sizeof typed,
             "; where only the target is missing, import with {ignore} %s",
             list);
  return th_fail(err, TH_EUSAGE,
                 "%s:1:1: which column is the target? There are %lld columns "
                 "and no header, and the text of %s had %lld; say it with "
                 "{target} NUMBER, and with {ignore} NUMBER,... which are no "
                 "attributes%s",
                 file->name, (long long)csv->columns, reference->origin,
                 (long long)origin->columns, typed);
}

static th_status too_few(const struct th_csv *csv,
                         const struct th_text_file *file,
                         const struct th_csv_choice *choice,
                         const struct th_csv_reference *reference,
                         struct th_error *err)
{
  char text[64] = "";
  if (choice->origin != NULL)
    snprintf(text, sizeof text, ", or the %lld columns of its text",
             (long long)choice->origin->columns);
  return th_fail(err, TH_EDATA,
                 "%s:1:1: %lld column%s and no header found, expected the %lld "
                 "attributes of %s%s; %s",
                 file->name, (long long)csv->columns,
                 csv->columns == 1 ? "" : "s", (long long)reference->attributes,
                 reference->origin, text,
                 csv->ignored > 0 ? "leave out fewer, or add what is missing"
                                  : "add what is missing");
}

th_status th_csv_recall_target(const struct th_csv *csv,
                               const struct th_text_file *file,
                               const struct th_csv_choice *choice,
                               const struct th_csv_reference *reference,
                               int64_t *target, struct th_error *err)
{
  int64_t last;
  int64_t left = th_csv_count_free(csv, &last);
  *target = -1;
  if (left == reference->attributes)
    return TH_OK;
  if (left < reference->attributes)
    return too_few(csv, file, choice, reference, err);
  if (choice->origin == NULL)
    return unknown_text(csv, file, reference, err);
  *target = choice->origin->target - 1;
  if (left == reference->attributes + 1 && *target >= 0 &&
      th_csv_in_places(csv, choice, reference) &&
      csv->role[*target] == TH_COLUMN_FREE)
    return TH_OK;
  return other_columns(csv, file, choice, reference, err);
}
