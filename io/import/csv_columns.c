/* csv_columns.c - which column of a CSV file is which attribute
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "io/import/csv.h"
#include "io/import/text/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- Columns by what they are called -------------------------------------- */

/* How many columns have a name; *column receives the last of them. */
static int64_t count_named(const struct th_csv *csv, const char *name,
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
  if (length == 0 && count_named(csv, text, &found) > 0)
    return "'\"\"'"; /* the number is a name, of another column most often */
  if (length == 0 || length > LONGEST || strpbrk(name, ",\"'\n") != NULL ||
      name[0] == ' ' || name[length - 1] == ' ' ||
      count_named(csv, name, &found) > 1)
    return text;
  return th_text_shell_word(name, text, TH_COLUMN_TEXT);
}

/* A column by its name or 1-based number. TH_EDATA where there is none. */
static th_status find_column(const struct th_csv *csv,
                             const struct th_text_file *file,
                             const char *wanted, const char *option,
                             int64_t *column, struct th_error *err)
{
  int64_t matches = count_named(csv, wanted, column);
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

/* The column that was chosen, by its place or else by what it is called;
 * untouched where none was. */
static th_status find_chosen(const struct th_csv *csv,
                             const struct th_text_file *file, int64_t place,
                             const char *wanted, const char *option,
                             int64_t *column, struct th_error *err)
{
  if (place > 0)
    *column = place - 1;
  else if (wanted != NULL)
    return find_column(csv, file, wanted, option, column, err);
  return TH_OK;
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
    rc = find_column(csv, file, item, "{ignore}", &column, err);
    if (rc != TH_OK)
      break;
    csv->ignored += csv->role[column] != TH_COLUMN_IGNORED;
    csv->role[column] = TH_COLUMN_IGNORED;
  }
  free(item);
  return rc;
}

static bool is_attribute(const struct th_csv_reference *reference,
                         const char *name)
{
  for (int64_t j = 0; reference->names != NULL && j < reference->attributes;
       j++)
    if (strcmp(reference->names[j], name) == 0)
      return true;
  return false;
}

/* Columns without a role, and the last of them, or -1. */
static int64_t count_free(const struct th_csv *csv, int64_t *last)
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

/* --- The columns of a CSV file as they lay in the text of other data ------ */

/* Columns lie as in the text of the other data set, so that they go by their
 * places. */
static bool in_places(const struct th_csv *csv,
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

/* Names in ascending order, for th_search_text; the list is owned by the
 * caller. */
static th_status sort_names(const char *const *names, int64_t count,
                            const char ***sorted, struct th_error *err)
{
  th_status rc = TH_NEW(sorted, count, "names of columns", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < count; k++)
    (*sorted)[k] = names[k];
  qsort(*sorted, (size_t)count, sizeof **sorted, th_search_compare_texts);
  return TH_OK;
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
    if (th_search_text(others, origin->others, csv->names[k]) &&
        !th_search_text(attributes, reference->attributes, csv->names[k]))
      leave_out(csv, k, target, weight);
done:
  TH_FREE(attributes, others);
  return rc;
}

/* Leave out what the text of the other data set had beside attributes and
 * target, but for the columns `target` and `weight` that the user has named. */
static th_status leave_out_recalled(struct th_csv *csv,
                                    const struct th_csv_choice *choice,
                                    const struct th_csv_reference *reference,
                                    int64_t target, int64_t weight,
                                    struct th_error *err)
{
  const struct th_origin *origin = choice->origin;
  if (origin == NULL || origin->others == 0)
    return TH_OK;
  if (in_places(csv, choice, reference)) {
    for (int64_t k = 0; k < origin->others; k++)
      leave_out(csv, origin->other[k] - 1, target, weight);
    return TH_OK;
  }
  if (csv->names == NULL || reference->names == NULL || origin->name == NULL)
    return TH_OK;
  return recall_names(csv, origin, reference, target, weight, err);
}

/* The column that holds the weights in the text of the other data, if it is
 * there and not left out; else -1. Where there is no target, the weights are of
 * no use, and the column is left out. */
static int64_t recall_weight(const struct th_csv *csv,
                             const struct th_csv_choice *choice,
                             const struct th_csv_reference *reference)
{
  const struct th_origin *told = choice->told;
  int64_t column = -1;
  if (told == NULL)
    return -1;
  if (in_places(csv, choice, reference))
    column = told->weight - 1;
  else if (told->weight_name != NULL &&
           (count_named(csv, told->weight_name, &column) != 1 ||
            is_attribute(reference, told->weight_name)))
    column = -1;
  return column >= 0 && csv->role[column] == TH_COLUMN_FREE ? column : -1;
}

static void forget_weight(struct th_csv *csv)
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
  if (in_places(csv, choice, reference))
    return place - 1;
  if (name == NULL || count_named(csv, name, &column) != 1)
    return -1;
  return column;
}

/* TH_EUSAGE where the user's column of the target or of the weights is not that
 * of the other data, which is there; -1: nothing was said. */
static th_status check_told(const struct th_csv *csv,
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

enum { LIKE_LIST = 160 };

/* The columns that were left out of the other text, as they are numbered where
 * its target is missing; false where the list is too long to be typed. */
static bool list_others(const struct th_origin *origin, char list[LIKE_LIST])
{
  size_t used = 0;
  list[0] = '\0';
  for (int64_t k = 0; k < origin->others; k++) {
    int64_t column = origin->other[k] - (origin->other[k] > origin->target);
    used += (size_t)snprintf(list + used, LIKE_LIST - used, "%s%lld",
                             k > 0 ? "," : "", (long long)column);
    if (used >= LIKE_LIST)
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
  char list[LIKE_LIST];
  char typed[LIKE_LIST + 64] = "";
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

/* The target of a file without a header that is imported like other data. */
static th_status recall_target(const struct th_csv *csv,
                               const struct th_text_file *file,
                               const struct th_csv_choice *choice,
                               const struct th_csv_reference *reference,
                               int64_t *target, struct th_error *err)
{
  int64_t last;
  int64_t left = count_free(csv, &last);
  *target = -1;
  if (left == reference->attributes)
    return TH_OK;
  if (left < reference->attributes)
    return too_few(csv, file, choice, reference, err);
  if (choice->origin == NULL)
    return unknown_text(csv, file, reference, err);
  *target = choice->origin->target - 1;
  if (left == reference->attributes + 1 && *target >= 0 &&
      in_places(csv, choice, reference) && csv->role[*target] == TH_COLUMN_FREE)
    return TH_OK;
  return other_columns(csv, file, choice, reference, err);
}

/* --- The columns of a CSV file are the attributes of other data ----------- */

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
                                struct entry *table, int64_t count)
{
  struct entry key = {.name = csv->names[column]};
  return bsearch(&key, table, (size_t)count, sizeof *table, compare_entries);
}

enum { SHOWN = 3, MATCH_LIST = 320 };

/* Columns that are no attributes: how many; the first ones as text, and all of
 * them as a list to type, or as much of it as there is room for. */
struct unknown {
  int64_t count;
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
  if (unknown->count++ < SHOWN)
    snprintf(unknown->shown + used, sizeof unknown->shown - used,
             "%s%lld, '%.60s'", used > 0 ? ", " : "", (long long)column + 1,
             csv->names[column]);
  th_csv_column_text(csv, column, typed);
  used = strlen(unknown->list);
  unknown->cut = unknown->cut || used + strlen(typed) + 2 > MATCH_LIST;
  if (!unknown->cut)
    snprintf(unknown->list + used, MATCH_LIST - used, "%s%s", comma, typed);
}

static th_status refuse_unknown(const struct th_csv *csv,
                                const struct th_text_file *file,
                                const char *origin,
                                const struct unknown *unknown,
                                struct th_error *err)
{
  const char *remedy = csv->target < 0
                           ? "or say with {target} which one is the target"
                           : "or rename what is";
  const char *rest = unknown->cut ? ",.. and so on" : "";
  if (unknown->count == 1)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: column %s, is no attribute of %s; leave it out "
                   "with {ignore} %s%s, %s",
                   file->name, unknown->shown, origin, unknown->list, rest,
                   remedy);
  return th_fail(err, TH_EDATA,
                 "%s:1:1: %lld columns are no attributes of %s, %s%s; leave "
                 "them out with {ignore} %s%s, %s",
                 file->name, (long long)unknown->count, origin,
                 unknown->count > SHOWN ? "first " : "", unknown->shown,
                 unknown->list, rest, remedy);
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
  return unknown.count == 0 ? TH_OK
                            : refuse_unknown(csv, file, origin, &unknown, err);
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

/* Every attribute has a column; the first that has none is named. */
static th_status check_all_found(const struct th_text_file *file,
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
  TH_TRY(check_all_found(file, reference, table, count, err));
  csv->attributes = count;
done:
  free(table);
  return rc;
}

/* Where other data are known: every attribute of theirs has a column, and no
 * other column is left; by name where both have names. Sets the roles anew.
 * Local. */
static th_status csv_match(struct th_csv *csv, const struct th_text_file *file,
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

/* --- Which column of a CSV file is the target ----------------------------- */

static bool is_target_name(const char *name)
{
  static const char *const names[] = {"y",       "target",   "label", "class",
                                      "outcome", "response", NULL};
  for (int k = 0; names[k] != NULL; k++)
    if (strcasecmp(name, names[k]) == 0)
      return true;
  return false;
}

/* A column that is called like a target, else the last. */
static int64_t likely_target(const struct th_csv *csv, int64_t last)
{
  for (int64_t k = 0; csv->names != NULL && k < csv->columns; k++)
    if (csv->role[k] == TH_COLUMN_FREE && is_target_name(csv->names[k]))
      return k;
  return last;
}

static th_status ask_for_target(const struct th_csv *csv,
                                const struct th_text_file *file, int64_t last,
                                struct th_error *err)
{
  char typed[TH_COLUMN_TEXT];
  int64_t likely = likely_target(csv, last);
  if (csv->names == NULL)
    return th_fail(err, TH_EUSAGE,
                   "%s:1:1: which column is the target? The last one has "
                   "another use; say it with {target} NUMBER",
                   file->name);
  return th_fail(err, TH_EUSAGE,
                 "%s:1:1: which column is the target? Say it with {target} "
                 "NAME ({target} %s for column %lld, '%.60s'); data without a "
                 "target are imported with {like} TRAIN.h5, the data that the "
                 "model was trained on",
                 file->name, th_csv_column_text(csv, likely, typed),
                 (long long)likely + 1, csv->names[likely]);
}

/* The target at its place in the text of other data, unless a name says that it
 * stands elsewhere. */
static th_status find_placed_target(const struct th_csv *csv,
                                    const struct th_text_file *file,
                                    const struct th_csv_choice *choice,
                                    int64_t *target, struct th_error *err)
{
  *target = choice->origin->target - 1;
  int64_t likely = likely_target(csv, *target);
  if (likely == *target ||
      (*target >= 0 && is_target_name(csv->names[*target])))
    return TH_OK;
  return ask_for_target(csv, file, likely, err);
}

/* The target of a file with names, where the user has not named it. */
static th_status find_named_target(const struct th_csv *csv,
                                   const struct th_text_file *file,
                                   const struct th_csv_choice *choice,
                                   const struct th_csv_reference *reference,
                                   int64_t *target, struct th_error *err)
{
  const char *known = choice->known_target;
  int64_t last;
  int64_t left = count_free(csv, &last);
  if (known != NULL && !is_attribute(reference, known) &&
      (!choice->may_lack || count_named(csv, known, target) > 0))
    return find_column(csv, file, known, "{target}", target, err);
  if ((known == NULL || reference->names == NULL) &&
      !in_places(csv, choice, reference) && is_target_name(csv->names[last]) &&
      !is_attribute(reference, csv->names[last])) {
    *target = last;
    return TH_OK;
  }
  *target = -1;
  if (in_places(csv, choice, reference))
    return find_placed_target(csv, file, choice, target, err);
  if (choice->may_lack &&
      (reference->names != NULL || left != reference->attributes + 1))
    return TH_OK;
  return ask_for_target(csv, file, last, err);
}

/* The column of the target; -1: the file has none. TH_EUSAGE where only the
 * user knows. */
static th_status find_target(const struct th_csv *csv,
                             const struct th_text_file *file,
                             const struct th_csv_choice *choice,
                             const struct th_csv_reference *reference,
                             int64_t *target, struct th_error *err)
{
  int64_t last;
  int64_t left = count_free(csv, &last);
  if (choice->target != NULL || choice->target_place > 0)
    return find_chosen(csv, file, choice->target_place, choice->target,
                       "{target}", target, err);
  if (left == 0)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: no column is left for the target; leave out fewer",
                   file->name);
  if (csv->names != NULL)
    return find_named_target(csv, file, choice, reference, target, err);
  if (choice->may_lack)
    return recall_target(csv, file, choice, reference, target, err);
  if (last < csv->columns - 1)
    return ask_for_target(csv, file, last, err);
  *target = last;
  return TH_OK;
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
static th_status refuse_one_column(const struct th_csv *csv,
                                   const struct th_text_file *file,
                                   const struct th_csv_reference *reference,
                                   struct th_error *err)
{
  if (csv->columns > 1 || reference->attributes == 1)
    return TH_OK;
  return th_fail(
      err, TH_EDATA,
      "%s:1:1: 1 column found, expected several with ',', ';', '|', "
      "tabs or blanks between them; write the file with one of these, or "
      "check {format}",
      file->name);
}

th_status th_csv_columns(struct th_csv *csv, const struct th_text_file *file,
                         const struct th_csv_choice *choice,
                         const struct th_csv_reference *reference,
                         struct th_error *err)
{
  int64_t weight = -1;
  int64_t target = -1;
  th_status rc = refuse_one_column(csv, file, reference, err);
  if (rc != TH_OK)
    return rc;
  TH_TRY(TH_NEW(&csv->role, csv->columns, "columns", err));
  for (int64_t k = 0; k < csv->columns; k++)
    csv->role[k] = TH_COLUMN_FREE;
  if (csv->row_names) {
    csv->role[0] = TH_COLUMN_IGNORED;
    csv->ignored++;
  }
  if (choice->ignore != NULL)
    TH_TRY(ignore_columns(csv, file, choice->ignore, err));
  TH_TRY(find_chosen(csv, file, choice->weights_place, choice->weights,
                     "{weights}", &weight, err));
  TH_TRY(find_chosen(csv, file, choice->target_place, choice->target,
                     "{target}", &target, err));
  TH_TRY(check_told(csv, file, choice, reference, target, weight, err));
  bool recalled = choice->weights == NULL && choice->weights_place == 0;
  if (recalled)
    weight = recall_weight(csv, choice, reference);
  if (weight >= 0 && weight == target)
    weight = recalled ? -1 : weight;
  TH_TRY(leave_out_recalled(csv, choice, reference, target, weight, err));
  TH_TRY(take_column(csv, file, weight, TH_COLUMN_WEIGHT, err));
  TH_TRY(find_target(csv, file, choice, reference, &csv->target, err));
  TH_TRY(take_column(csv, file, csv->target, TH_COLUMN_TARGET, err));
  csv->weight = weight;
  if (recalled && weight >= 0 && csv->target < 0)
    forget_weight(csv);
  TH_TRY(number_attributes(csv, file, err));
  TH_TRY(csv_match(csv, file, choice, reference, err));
done:
  return rc;
}

/* --- Columns that only count the rows: the index that R and pandas write
 * in front of the data */
