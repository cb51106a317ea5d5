/* csv_match.c - the columns of a file are those of other data
 * SPDX-License-Identifier: MIT */
#include "io/import/csv/csv.h"

#include "base/memory.h"
#include "io/import/text/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Columns by what they are called -------------------------------------- */

int64_t th_csv_match_count(const struct th_csv *csv, const char *name,
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

const char *th_csv_match_text(const struct th_csv *csv, int64_t column,
                              char text[TH_COLUMN_TEXT])
{
  enum { LONGEST = 60 };
  const char *name = csv->names != NULL ? csv->names[column] : "";
  size_t length = strlen(name);
  int64_t found;
  snprintf(text, TH_COLUMN_TEXT, "%lld", (long long)column + 1);
  if (length == 0 && th_csv_match_count(csv, text, &found) > 0)
    return "'\"\"'"; /* the number is a name, of another column most often */
  if (length == 0 || length > LONGEST || strpbrk(name, ",\"'\n") != NULL ||
      name[0] == ' ' || name[length - 1] == ' ' ||
      th_csv_match_count(csv, name, &found) > 1)
    return text;
  return th_text_shell_word(name, text, TH_COLUMN_TEXT);
}

/* --- Columns of other data ------------------------------------------------ */

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

static struct entry *find_entry(const struct th_csv *csv, int64_t column,
                                const struct entry *table, int64_t count)
{
  struct entry key = {.name = csv->names[column]};
  return bsearch(&key, table, (size_t)count, sizeof *table, compare_entries);
}

enum { SHOWN = 3, MATCH_LIST = 320 };

/* Columns that are no attributes: how many; the first ones as text, and all of
 * them as a list to type, or as much of it as there is room for. */
struct unknown {
  int64_t count;
  int64_t first;
  char shown[SHOWN * 96];
  char list[MATCH_LIST];
  bool cut; /* the list has not all of them */
};

static void add_unknown(struct unknown *unknown, const struct th_csv *csv,
                        int64_t column)
{
  char typed[TH_COLUMN_TEXT];
  size_t used = strlen(unknown->shown);
  const char *comma = unknown->list[0] != '\0' ? "," : "";
  unknown->first = unknown->count == 0 ? column : unknown->first;
  if (unknown->count++ < SHOWN)
    snprintf(unknown->shown + used, sizeof unknown->shown - used,
             "%s%lld, '%.60s'", used > 0 ? ", " : "", (long long)column + 1,
             csv->names[column]);
  th_csv_match_text(csv, column, typed);
  used = strlen(unknown->list);
  unknown->cut = unknown->cut || used + strlen(typed) + 2 > MATCH_LIST;
  if (!unknown->cut)
    snprintf(unknown->list + used, MATCH_LIST - used, "%s%s", comma, typed);
}

/* Alike but for case, and for what is neither a letter nor a digit. */
static bool called_alike(const char *a, const char *b)
{
  for (;; a++, b++) {
    while (*a != '\0' && isascii(*a) && !isalnum((unsigned char)*a))
      a++;
    while (*b != '\0' && isascii(*b) && !isalnum((unsigned char)*b))
      b++;
    if (*a == '\0' || tolower((unsigned char)*a) != tolower((unsigned char)*b))
      return *a == *b;
  }
}

/* Attributes that no column is called by. */
struct lost {
  int64_t count;
  const struct entry *first; /* called alike, or else the lowest */
  bool alike;
};

/* name: of a column that is none of them. */
static th_status find_lost(const struct th_csv *csv, const struct entry *table,
                           int64_t count, const char *name, struct lost *lost,
                           struct th_error *err)
{
  bool *found = NULL;
  th_status rc = TH_NEW(&found, count, "names of attributes", err);
  for (int64_t k = 0; rc == TH_OK && k < csv->columns; k++) {
    const struct entry *entry = find_entry(csv, k, table, count);
    if (entry != NULL)
      found[entry - table] = true;
  }
  for (int64_t j = 0; rc == TH_OK && j < count; j++) {
    if (found[j])
      continue;
    bool like = called_alike(table[j].name, name);
    bool lower =
        lost->count++ == 0 || table[j].attribute < lost->first->attribute;
    if (like > lost->alike || (like == lost->alike && lower))
      lost->first = &table[j];
    lost->alike = lost->alike || like;
  }
  free(found);
  return rc;
}

/* Where attributes are missing, the first unknown column may be one of them by
 * a new name: one that is called alike, or where as many are missing. */
static void say_lost(const struct lost *lost, const struct unknown *unknown,
                     char *text, size_t size)
{
  if (lost->count == 0)
    snprintf(text, size, ";");
  else if (lost->alike || lost->count == unknown->count)
    snprintf(text, size,
             ", where '%.60s' is missing; rename column %lld if it is that "
             "one, or",
             lost->first->name, (long long)unknown->first + 1);
  else
    snprintf(text, size, ", where %lld are missing, first '%.60s';",
             (long long)lost->count, lost->first->name);
}

static th_status refuse_unknown(const struct th_csv *csv,
                                const struct th_text_file *file,
                                const char *origin, const struct lost *lost,
                                const struct unknown *unknown,
                                struct th_error *err)
{
  char missing[160];
  say_lost(lost, unknown, missing, sizeof missing);
  const char *remedy = csv->target < 0
                           ? ", or say with {target} which one is the target"
                       : lost->count > 0 ? ""
                                         : ", or rename what is";
  const char *rest = unknown->cut ? ",.. and so on" : "";
  if (unknown->count == 1)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: column %s, is no attribute of %s%s leave it out "
                   "with {ignore} %s%s%s",
                   file->name, unknown->shown, origin, missing, unknown->list,
                   rest, remedy);
  return th_fail(err, TH_EDATA,
                 "%s:1:1: %lld columns are no attributes of %s, %s%s%s leave "
                 "them out with {ignore} %s%s%s",
                 file->name, (long long)unknown->count, origin,
                 unknown->count > SHOWN ? "first " : "", unknown->shown,
                 missing, unknown->list, rest, remedy);
}

/* All columns without an attribute, said at once. What the user leaves out
 * already begins the list: it is to replace theirs. */
static th_status check_known(const struct th_csv *csv,
                             const struct th_text_file *file,
                             const char *ignored, const char *origin,
                             struct entry *table, int64_t count,
                             struct th_error *err)
{
  struct unknown unknown = {0};
  char typed[4 * MATCH_LIST]; /* of a longer one there is only the beginning */
  if (ignored != NULL) {
    size_t length = strlen(th_text_shell_word(ignored, typed, sizeof typed));
    if (length < MATCH_LIST / 2)
      memcpy(unknown.list, typed, length + 1);
  }
  for (int64_t k = 0; k < csv->columns; k++)
    if (csv->role[k] >= 0 && find_entry(csv, k, table, count) == NULL)
      add_unknown(&unknown, csv, k);
  if (unknown.count == 0)
    return TH_OK;
  struct lost lost = {0};
  th_status rc =
      find_lost(csv, table, count, csv->names[unknown.first], &lost, err);
  return rc != TH_OK ? rc
                     : refuse_unknown(csv, file, origin, &lost, &unknown, err);
}

/* Look every column up in the sorted table; each attribute once. */
static th_status match_names(struct th_csv *csv,
                             const struct th_text_file *file,
                             struct entry *table, int64_t count,
                             struct th_error *err)
{
  for (int64_t k = 0; k < csv->columns; k++) {
    if (csv->role[k] < 0)
      continue;
    struct entry *found = find_entry(csv, k, table, count);
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

/* A column that is left out, and called alike; -1: there is none. */
static int64_t find_alike(const struct th_csv *csv, const char *name)
{
  for (int64_t k = 0; k < csv->columns; k++)
    if (csv->role[k] == TH_COLUMN_IGNORED && called_alike(csv->names[k], name))
      return k;
  return -1;
}

/* Every attribute has a column; the first that has none is named. */
static th_status check_all_found(const struct th_csv *csv,
                                 const struct th_text_file *file,
                                 const struct th_csv_reference *reference,
                                 const struct entry *table, int64_t count,
                                 struct th_error *err)
{
  const char *remedy =
      reference->part ? ""
                      : "; or import with {like} MODEL.h5, which wants only "
                        "the attributes that the model uses";
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
  int64_t column = find_alike(csv, first->name);
  if (column >= 0)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: %lld of the attributes of %s %s missing, first "
                   "'%.60s'; rename column %lld, '%.60s', if it is that one",
                   file->name, (long long)missing, reference->origin,
                   missing == 1 ? "is" : "are", first->name,
                   (long long)column + 1, csv->names[column]);
  return th_fail(err, TH_EDATA,
                 "%s:1:1: %lld of the attributes of %s %s missing, first "
                 "'%.60s'; add the column%s%s",
                 file->name, (long long)missing, reference->origin,
                 missing == 1 ? "is" : "are", first->name,
                 missing == 1 ? "" : "s", remedy);
}

/* What a model does not use. */
static void leave_out_unknown(struct th_csv *csv, struct entry *table,
                              int64_t count)
{
  for (int64_t k = 0; k < csv->columns; k++)
    if (csv->role[k] >= 0 && find_entry(csv, k, table, count) == NULL) {
      csv->role[k] = TH_COLUMN_IGNORED;
      csv->ignored++;
      csv->surplus++;
    }
}

static th_status match_columns(struct th_csv *csv,
                               const struct th_text_file *file,
                               const char *ignored,
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
  if (reference->part)
    leave_out_unknown(csv, table, count);
  TH_TRY(check_known(csv, file, ignored, reference->origin, table, count, err));
  TH_TRY(match_names(csv, file, table, count, err));
  TH_TRY(check_all_found(csv, file, reference, table, count, err));
  csv->attributes = count;
done:
  free(table);
  return rc;
}

th_status th_csv_match(struct th_csv *csv, const struct th_text_file *file,
                       const struct th_csv_choice *choice,
                       const struct th_csv_reference *reference,
                       struct th_error *err)
{
  bool named = csv->names != NULL && reference->names != NULL;
  if (reference->attributes == 0 || (named && in_same_order(csv, reference)))
    return TH_OK;
  if (named)
    return match_columns(csv, file, choice->ignore, reference, err);
  if (csv->attributes == reference->attributes)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s:1:1: %lld columns with %lld attribute%s found, expected "
                 "%lld attributes (%s); %s",
                 file->name, (long long)csv->columns,
                 (long long)csv->attributes, csv->attributes == 1 ? "" : "s",
                 (long long)reference->attributes, reference->origin,
                 csv->attributes < reference->attributes
                     ? "add what is missing"
                     : "match the columns, or leave some out with {ignore}");
}
