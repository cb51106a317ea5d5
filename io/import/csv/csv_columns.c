/* csv_columns.c - which column of a CSV file is which attribute
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/search.h"
#include "io/import/csv/csv.h"
#include "io/import/text/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- Columns by what they are called -------------------------------------- */

th_status th_csv_columns_find(const struct th_csv *csv, const char *file,
                              const char *wanted, const char *option,
                              int64_t *column, struct th_error *err)
{
  int64_t matches = th_csv_match_count(csv, wanted, column);
  if (matches == 1)
    return TH_OK;
  if (matches > 1)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: %lld columns are named '%s'; give the column's "
                   "number with %s",
                   file, (long long)matches, wanted, option);
  char *end = NULL;
  errno = 0;
  long long number = strtoll(wanted, &end, 10);
  bool is_one = errno == 0 && end != wanted && *end == '\0' && number >= 1 &&
                number <= csv->columns;
  *column = is_one ? number - 1 : -1;
  return TH_OK;
}

/* That column; TH_EDATA where there is none. */
static th_status find_column(const struct th_csv *csv,
                             const struct th_text_file *file,
                             const char *wanted, const char *option,
                             int64_t *column, struct th_error *err)
{
  th_status rc =
      th_csv_columns_find(csv, file->name, wanted, option, column, err);
  if (rc != TH_OK || *column >= 0)
    return rc;
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
           (th_csv_match_count(csv, told->weight_name, &column) != 1 ||
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
                 file->name, option, th_csv_match_text(csv, mine, typed[0]),
                 reference->origin, th_csv_match_text(csv, theirs, typed[1]));
}

static int64_t their_column(const struct th_csv *csv,
                            const struct th_csv_choice *choice,
                            const struct th_csv_reference *reference,
                            int64_t place, const char *name)
{
  int64_t column = -1;
  if (in_places(csv, choice, reference))
    return place - 1;
  if (name == NULL || th_csv_match_count(csv, name, &column) != 1)
    return -1;
  return column;
}

/* Columns that the user has named; -1: none. */
struct named {
  int64_t target, weight, id;
};

/* TH_EUSAGE where the user's column of the target, of the weights or of the IDs
 * is not that of the other data, which is there. */
static th_status check_told(const struct th_csv *csv,
                            const struct th_text_file *file,
                            const struct th_csv_choice *choice,
                            const struct th_csv_reference *reference,
                            const struct named *named, struct th_error *err)
{
  const struct th_origin *told = choice->told;
  th_status rc = TH_OK;
  if (told == NULL)
    return TH_OK;
  const struct {
    const char *option;
    int64_t mine, place;
    const char *name;
  } all[] = {{"target", named->target, told->target, told->target_name},
             {"weights", named->weight, told->weight, told->weight_name},
             {"id", named->id, told->id, told->id_name}};
  for (size_t k = 0; k < sizeof all / sizeof *all && rc == TH_OK; k++)
    rc = check_column(
        csv, file, reference, all[k].option, all[k].mine,
        their_column(csv, choice, reference, all[k].place, all[k].name), err);
  return rc;
}

/* --- The IDs of examples -------------------------------------------------- */

static int64_t column_called(const struct th_csv *csv,
                             const struct th_csv_reference *reference,
                             const char *name)
{
  int64_t column = -1;
  bool found = name != NULL && !is_attribute(reference, name) &&
               th_csv_match_count(csv, name, &column) == 1;
  return found ? column : -1;
}

/* The column that holds the IDs where nobody has named it: that of the other
 * data or of the first file, or else the names of rows. -1: there is none. */
static int64_t likely_ids(const struct th_csv *csv,
                          const struct th_csv_choice *choice,
                          const struct th_csv_reference *reference)
{
  const struct th_origin *told = choice->told;
  int64_t column = column_called(csv, reference, choice->known_id);
  if (told != NULL && in_places(csv, choice, reference) && told->id > 0)
    return told->id - 1;
  if (told != NULL && column < 0)
    column = column_called(csv, reference, told->id_name);
  bool named = csv->row_names || csv->index;
  return column < 0 && named && !is_attribute(reference, csv->names[0])
             ? 0
             : column;
}

/* Where examples have IDs from elsewhere, the text's own are left out, and so
 * are names of rows beside other IDs. */
static void take_ids(struct th_csv *csv, const struct th_csv_choice *choice,
                     const struct th_csv_reference *reference,
                     const struct named *named)
{
  int64_t likely = likely_ids(csv, choice, reference);
  if (likely >= 0 &&
      (csv->role[likely] != TH_COLUMN_FREE || likely == named->target ||
       likely == named->weight || likely == named->id))
    likely = -1;
  csv->id = named->id >= 0 || choice->named ? named->id : likely;
  if (likely >= 0 && csv->id != likely) {
    csv->role[likely] = TH_COLUMN_IGNORED;
    csv->ignored++;
  }
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

/* A .raw file of PLINK, all of whose columns of people are told at once. */
static bool is_plink_raw(const struct th_csv *csv)
{
  static const char *const names[] = {"FID", "IID", "PAT",
                                      "MAT", "SEX", "PHENOTYPE"};
  enum { COLUMNS = sizeof names / sizeof *names };
  for (int k = 0; k < COLUMNS; k++)
    if (csv->columns <= COLUMNS || strcmp(csv->names[k], names[k]) != 0 ||
        csv->role[k] != TH_COLUMN_FREE)
      return false;
  return true;
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
  if (is_plink_raw(csv))
    return th_fail(err, TH_EUSAGE,
                   "%s:1:1: which column is the target? This is a .raw file of "
                   "PLINK: import with {target} PHENOTYPE, or {target} none, "
                   "{id} IID and {ignore} FID,PAT,MAT,SEX",
                   file->name);
  return th_fail(err, TH_EUSAGE,
                 "%s:1:1: which column is the target? Say it with {target} "
                 "NAME ({target} %s for column %lld, '%.60s'); data without a "
                 "target are imported with {like} TRAIN.h5, the data that the "
                 "model was trained on, or with {target} none",
                 file->name, th_csv_match_text(csv, likely, typed),
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
      (!choice->may_lack || th_csv_match_count(csv, known, target) > 0))
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

/* -1 where it is none, and no column is called so. */
static th_status find_wanted_target(const struct th_csv *csv,
                                    const struct th_text_file *file,
                                    const struct th_csv_choice *choice,
                                    int64_t *target, struct th_error *err)
{
  const char *wanted = choice->target;
  *target = -1;
  if (choice->target_place == 0 && strcmp(wanted, "none") == 0 &&
      th_csv_match_count(csv, wanted, target) == 0)
    return TH_OK;
  return find_chosen(csv, file, choice->target_place, wanted, "{target}",
                     target, err);
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
    return find_wanted_target(csv, file, choice, target, err);
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

/* The columns of IDs, weights and targets may not have a role yet. */
static th_status take_column(struct th_csv *csv,
                             const struct th_text_file *file, int64_t column,
                             int64_t role, struct th_error *err)
{
  static const char *const words[] = {[-TH_COLUMN_TARGET] = "target",
                                      [-TH_COLUMN_WEIGHT] = "weight",
                                      [-TH_COLUMN_ID] = "ID",
                                      [-TH_COLUMN_IGNORED] = "left out"};
  if (column < 0)
    return TH_OK;
  if (csv->role[column] != TH_COLUMN_FREE)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: column %lld cannot be %s and %s at once; name "
                   "another one",
                   file->name, (long long)column + 1, words[-role],
                   words[-csv->role[column]]);
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

/* What the user has named, and the column of the IDs. */
static th_status take_choice(struct th_csv *csv,
                             const struct th_text_file *file,
                             const struct th_csv_choice *choice,
                             const struct th_csv_reference *reference,
                             struct named *named, struct th_error *err)
{
  th_status rc = TH_OK;
  if (choice->ignore != NULL)
    TH_TRY(ignore_columns(csv, file, choice->ignore, err));
  TH_TRY(find_chosen(csv, file, choice->weights_place, choice->weights,
                     "{weights}", &named->weight, err));
  if (choice->target != NULL || choice->target_place > 0)
    TH_TRY(find_wanted_target(csv, file, choice, &named->target, err));
  if (choice->id != NULL)
    TH_TRY(find_column(csv, file, choice->id, "{id}", &named->id, err));
  TH_TRY(check_told(csv, file, choice, reference, named, err));
  take_ids(csv, choice, reference, named);
  TH_TRY(take_column(csv, file, csv->id, TH_COLUMN_ID, err));
done:
  return rc;
}

th_status th_csv_columns(struct th_csv *csv, const struct th_text_file *file,
                         const struct th_csv_choice *choice,
                         const struct th_csv_reference *reference,
                         struct th_error *err)
{
  struct named named = {-1, -1, -1};
  th_status rc = refuse_one_column(csv, file, reference, err);
  if (rc != TH_OK)
    return rc;
  TH_TRY(TH_NEW(&csv->role, csv->columns, "columns", err));
  for (int64_t k = 0; k < csv->columns; k++)
    csv->role[k] = TH_COLUMN_FREE;
  TH_TRY(take_choice(csv, file, choice, reference, &named, err));
  int64_t target = named.target, weight = named.weight;
  bool recalled = choice->weights == NULL && choice->weights_place == 0;
  if (recalled)
    weight = recall_weight(csv, choice, reference);
  if (recalled && weight == target)
    weight = -1;
  TH_TRY(leave_out_recalled(csv, choice, reference, target, weight, err));
  TH_TRY(take_column(csv, file, weight, TH_COLUMN_WEIGHT, err));
  TH_TRY(find_target(csv, file, choice, reference, &csv->target, err));
  TH_TRY(take_column(csv, file, csv->target, TH_COLUMN_TARGET, err));
  csv->weight = weight;
  if (recalled && weight >= 0 && csv->target < 0)
    forget_weight(csv);
  TH_TRY(number_attributes(csv, file, err));
  TH_TRY(th_csv_match(csv, file, choice, reference, err));
done:
  return rc;
}

/* --- Columns that may only count the rows --------------------------------- */

/* "Row_Names", "row.names" and "rownames" are one name; "" and "#" another. */
static bool is_index_name(const char *name)
{
  static const char unnamed[] = "unnamed"; /* of pandas: "Unnamed: 0" */
  static const char *const names[] = {
      "",         "index",  "idx",       "id",      "row",      "rowid",
      "rowindex", "rownum", "rownumber", "rowname", "rownames", "obs"};
  char plain[16];
  size_t length = 0;
  for (const char *p = name; *p != '\0' && length + 1 < sizeof plain; p++)
    if (isalnum((unsigned char)*p) || (unsigned char)*p >= 0x80)
      plain[length++] = (char)tolower((unsigned char)*p);
  plain[length] = '\0';
  if (strncmp(plain, unnamed, sizeof unnamed - 1) == 0)
    return true;
  return TH_SEARCH_NAME(names, plain) >= 0;
}

void th_csv_columns_find_counters(struct th_csv *csv)
{
  csv->counters = 0;
  for (int64_t k = 0; csv->names != NULL && k < csv->columns; k++)
    if (csv->role[k] >= 0 && csv->counters < TH_CSV_COUNTERS &&
        is_index_name(csv->names[k]))
      csv->counter[csv->counters++] = (struct th_csv_counter){.column = k};
}
