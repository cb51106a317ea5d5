/* target_table.c - reads a table of targets
 * SPDX-License-Identifier: MIT */
#include "io/targets/target_table.h"

#include "base/memory.h"
#include "base/search.h"
#include "io/import/csv/csv.h"
#include "io/import/text/cell.h"
#include "io/import/text/missing.h"
#include "io/import/text/text_files.h"
#include "io/targets/target_classes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_LINE = 64 << 20 };

/* The columns of a table; -1: there is none. */
struct columns {
  int64_t family; /* FID, where IDs are pairs */
  int64_t id;
  int64_t target;
  int64_t weight;
  int64_t group;
};

/* A table while it is read. */
struct reading {
  const struct th_target_choice *choice;
  struct th_target_table *table;
  const struct th_text_file *file;
  struct th_csv csv;
  bool fam; /* of PLINK */
  struct columns columns;
  char *line; /* with one blank for several */
  int64_t line_room;
  char *value; /* of a field */
  int64_t value_room;
  enum th_cell form[2];      /* of the first target, and of the first weight */
  bool wordy;                /* targets are words */
  struct th_missing missing; /* how these and weights are missing */
};

/* That of the data's text, but where commas separate the columns. */
static char table_decimal(const struct reading *r)
{
  bool comma = r->choice->decimal == ',' && r->csv.delimiter != ',';
  return comma && !r->fam ? ',' : '.';
}

/* --- Which column is what ------------------------------------------------- */

/* Columns of that name; *column receives the first. */
static int64_t count_called(const struct th_csv *csv, const char *name,
                            bool any_case, int64_t *column)
{
  int64_t matches = 0;
  for (int64_t k = csv->columns - 1; k >= 0; k--)
    if ((any_case ? strcasecmp(csv->names[k], name)
                  : strcmp(csv->names[k], name)) == 0) {
      *column = k;
      matches++;
    }
  return matches;
}

enum { LIST = 240 };

/* The names of the columns, as many as there is room for. */
static void list_table_columns(const struct th_csv *csv, char list[LIST])
{
  size_t used = 0;
  list[0] = '\0';
  for (int64_t k = 0; k < csv->columns && used < LIST; k++) {
    const char *name = csv->names[k][0] != '\0' ? csv->names[k] : "\"\"";
    bool fits = used + strlen(name) + 12 < LIST;
    used += (size_t)snprintf(list + used, LIST - used, "%s%s",
                             k > 0 ? ", " : "", fits ? name : "..");
    if (!fits)
      return;
  }
}

/* A column that the user has named, by its name or number. */
static th_status find_wanted(const struct reading *r, const char *wanted,
                             const char *option, int64_t *column,
                             struct th_error *err)
{
  char list[LIST];
  th_status rc =
      th_csv_columns_find(&r->csv, r->file->name, wanted, option, column, err);
  if (rc != TH_OK || *column >= 0)
    return rc;
  list_table_columns(&r->csv, list);
  return th_fail(err, TH_EDATA,
                 "%s:1:1: no column '%s' found, there are %s; correct %s",
                 r->file->name, wanted, list, option);
}

/* The column of IDs where the user has not named it: FID and IID of PLINK, or
 * one that is called like IDs; or names of rows. */
static th_status find_id_columns(struct reading *r, struct th_error *err)
{
  const char *const names[] = {"iid", "id", r->choice->known, "sample",
                               "sample_id"};
  struct columns *c = &r->columns;
  char list[LIST];
  if (count_called(&r->csv, "fid", true, &c->family) > 0 &&
      count_called(&r->csv, "iid", true, &c->id) > 0)
    return TH_OK;
  c->family = -1;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (names[k] != NULL && names[k][0] != '\0' &&
        count_called(&r->csv, names[k], names[k] != r->choice->known, &c->id) >
            0)
      return TH_OK;
  if (r->csv.row_names || r->csv.index) {
    c->id = 0;
    return TH_OK;
  }
  list_table_columns(&r->csv, list);
  return th_fail(err, TH_EUSAGE,
                 "%s:1:1: which column has the IDs? There are %s; say it with "
                 "{ids} COLUMN",
                 r->file->name, list);
}

/* The target where the user has not named it: the only other column. */
static th_status find_only_target(struct reading *r, struct th_error *err)
{
  struct columns *c = &r->columns;
  char list[LIST];
  int64_t found = 0;
  if (r->fam) {
    c->target = r->csv.columns - 1;
    return TH_OK;
  }
  for (int64_t k = 0; k < r->csv.columns; k++)
    if (k != c->family && k != c->id && k != c->weight) {
      c->target = k;
      found++;
    }
  if (found == 1)
    return TH_OK;
  list_table_columns(&r->csv, list);
  return th_fail(err, TH_EUSAGE,
                 "%s:1:1: which column is the target? There are %s; say it "
                 "with {target} COLUMN",
                 r->file->name, list);
}

static th_status keep_column_name(char **kept, const char *text,
                                  struct th_error *err)
{
  th_status rc = TH_NEW(kept, (int64_t)strlen(text) + 1, "a name", err);
  if (rc == TH_OK)
    memcpy(*kept, text, strlen(text) + 1);
  return rc;
}

static th_status keep_names(struct reading *r, struct th_error *err)
{
  const struct columns *c = &r->columns;
  char both[96];
  const char *id = r->csv.names[c->id];
  snprintf(both, sizeof both, "%.40s %.40s",
           c->family >= 0 ? r->csv.names[c->family] : "", id);
  th_status rc = TH_OK;
  if (c->target >= 0)
    rc = keep_column_name(&r->table->target, r->csv.names[c->target], err);
  if (rc == TH_OK)
    rc = keep_column_name(&r->table->ids,
                          c->family >= 0  ? both
                          : id[0] == '\0' ? "names of rows"
                                          : id,
                          err);
  return rc;
}

static th_status find_columns(struct reading *r, struct th_error *err)
{
  const struct th_target_choice *choice = r->choice;
  struct columns *c = &r->columns;
  th_status rc = TH_OK;
  *c = (struct columns){-1, -1, -1, -1, -1};
  if (choice->ids != NULL)
    TH_TRY(find_wanted(r, choice->ids, "{ids}", &c->id, err));
  else
    TH_TRY(find_id_columns(r, err));
  if (choice->group != NULL)
    TH_TRY(th_csv_columns_find(&r->csv, r->file->name, choice->group,
                               "{folds-by}", &c->group, err));
  if (choice->ids_only)
    goto keep;
  if (choice->weights != NULL)
    TH_TRY(
        find_wanted(r, choice->weights, "{weights-column}", &c->weight, err));
  if (choice->target != NULL)
    TH_TRY(find_wanted(r, choice->target, "{target}", &c->target, err));
  else
    TH_TRY(find_only_target(r, err));
  if (c->target == c->id || c->target == c->family || c->target == c->weight ||
      c->weight == c->id)
    return th_fail(err, TH_EUSAGE,
                   "%s:1:1: IDs, target and weights are columns of their own; "
                   "give {target}, {ids} and {weights-column} other ones",
                   r->file->name);
keep:
  r->table->paired = c->family >= 0;
  r->table->weighted = c->weight >= 0;
  TH_TRY(keep_names(r, err));
done:
  return rc;
}

/* --- The head of a table -------------------------------------------------- */

static bool is_fam(const char *name)
{
  static const char *const endings[] = {".fam", ".fam.gz", ".fam.bz2",
                                        ".fam.xz"};
  size_t length = strlen(name);
  for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
    size_t tail = strlen(endings[k]);
    if (length > tail && strcmp(name + length - tail, endings[k]) == 0)
      return true;
  }
  return false;
}

/* The columns of a file without a header. */
static th_status name_fam(struct reading *r, struct th_error *err)
{
  static const char *const names[] = {"FID",    "IID", "father",
                                      "mother", "sex", "phenotype"};
  enum { COLUMNS = sizeof names / sizeof *names };
  th_status rc = TH_OK;
  if (r->csv.columns != COLUMNS)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: %lld columns found, expected the %d of a .fam "
                   "file; give a table with a header another name",
                   r->file->name, (long long)r->csv.columns, COLUMNS);
  TH_TRY(TH_NEW(&r->csv.names, COLUMNS, "names of columns", err));
  for (int k = 0; k < COLUMNS && rc == TH_OK; k++)
    rc = keep_column_name(&r->csv.names[k], names[k], err);
done:
  return rc;
}

static th_status open_head(struct reading *r, struct th_text_file *file,
                           struct th_error *err)
{
  const struct th_line_limit longest = {LONGEST_LINE, "shorten it"};
  const struct th_csv_choice choice = {
      .header = r->fam ? TH_HEADER_NO : TH_HEADER_YES, .decimal = '.'};
  const struct th_csv_reference nothing = {0};
  th_status rc = TH_OK;
  TH_TRY(th_csv_header_open(&r->csv, file, &longest, &choice, &nothing, err));
  if (r->csv.columns < 2)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: %lld column%s found, expected one of IDs and one "
                   "of targets, with ',', ';', '|', tabs or blanks between "
                   "them",
                   file->name, (long long)r->csv.columns,
                   r->csv.columns == 1 ? "" : "s");
  if (r->fam)
    TH_TRY(name_fam(r, err));
  char *first = r->csv.names[0]; /* "#FID" or "#IID", as plink2 writes it */
  r->table->marked = first[0] == '#';
  if (r->table->marked)
    memmove(first, first + 1, strlen(first));
done:
  return rc;
}

/* --- The rows of a table -------------------------------------------------- */

/* Append to the texts of IDs. */
static th_status add_text(struct th_target_table *table, const char *text,
                          struct th_error *err)
{
  int64_t bytes = (int64_t)strlen(text) + 1;
  th_status rc =
      TH_GROW(&table->text, &table->room, table->length + bytes, "IDs", err);
  if (rc == TH_OK) {
    memcpy(table->text + table->length, text, (size_t)bytes);
    table->length += bytes;
  }
  return rc;
}

/* PLINK takes -9 for a missing value, beside its own names of columns. */
static bool is_nine(const struct reading *r, double value)
{
  return (r->fam || r->columns.family >= 0) && value == -9;
}

static bool is_missing(const struct reading *r)
{
  int64_t length = (int64_t)strlen(r->value);
  return th_missing_is(&r->missing, r->value, length) ||
         th_missing_is_named(&r->missing, r->value, length);
}

/* Marks between thousands may be decimal marks: they count only in quotes. */
static enum th_cell read_table_cell(const struct reading *r, bool quoted,
                                    char decimal, double *value)
{
  const struct th_cell_field cell = {.text = r->value,
                                     .length = (int64_t)strlen(r->value),
                                     .quoted = quoted,
                                     .decimal = decimal,
                                     .unsure = r->choice->decimal == ','};
  enum th_cell form = th_cell_read(&cell, value);
  return form == TH_CELL_GROUPED && !quoted ? TH_CELL_TEXT : form;
}

/* True if the text is a number with other marks than the table has. */
static bool is_other_number(const struct reading *r)
{
  char decimal = table_decimal(r);
  double value;
  bool comma = memchr(r->value, ',', strlen(r->value)) != NULL;
  bool point = memchr(r->value, '.', strlen(r->value)) != NULL;
  return (comma && read_table_cell(r, true, ',', &value) != TH_CELL_TEXT) ||
         (point && read_table_cell(r, true, '.', &value) != TH_CELL_TEXT) ||
         read_table_cell(r, true, decimal, &value) == TH_CELL_GROUPED;
}

/* What else the text may be. */
static const char *remedy_for(const struct reading *r, bool weight)
{
  if (is_other_number(r))
    return table_decimal(r) == ','
               ? "decimals have a comma here, as in the text of the data: "
                 "write it so, without marks between thousands"
               : "decimals have a point here: write it so, without marks "
                 "between thousands";
  return weight
             ? "correct it"
             : "correct it; where targets are classes, all of them are words";
}

static th_status refuse_value(const struct reading *r,
                              const struct th_line *line, const char *at,
                              int64_t column, struct th_error *err)
{
  char quoted[TH_QUOTED];
  bool weight = column == r->columns.weight;
  th_text_row_quote(line, at, r->csv.delimiter, quoted);
  return th_text_row_fail(
      line, at, err, "%s found, expected a number%s in column %lld (%.60s); %s",
      quoted, weight ? " of at least 0" : "", (long long)column + 1,
      r->csv.names[column], remedy_for(r, weight));
}

static th_status refuse_missing(const struct reading *r,
                                const struct th_line *line, const char *at,
                                int64_t column, struct th_error *err)
{
  return th_text_row_fail(line, at, err,
                          "the value of column %lld (%.60s) is missing, and "
                          "{missing} error was given; leave that out, or the "
                          "row",
                          (long long)column + 1, r->csv.names[column]);
}

/* All targets, and all weights, have one form. */
static bool is_other_form(struct reading *r, bool weight, enum th_cell form)
{
  enum th_cell *first = &r->form[weight];
  form = form == TH_CELL_GROUPED ? TH_CELL_NUMBER : form;
  *first = *first == TH_CELL_TEXT ? form : *first;
  return *first != form;
}

/* Targets are words, or have a class. Those above are, too. */
static th_status read_class_word(struct reading *r, const struct th_line *line,
                                 const struct th_csv_field *field,
                                 int64_t column, enum th_cell form,
                                 int64_t *word, struct th_error *err)
{
  bool number = form != TH_CELL_TEXT && form != TH_CELL_TRUTH;
  if (r->choice->class == NULL &&
      (number || r->form[0] != TH_CELL_TEXT || is_other_number(r)))
    return refuse_value(r, line, field->text, column, err);
  *word = r->table->length;
  r->wordy = true;
  return add_text(r->table, r->value, err);
}

/* A target or a weight; NaN where it is missing. */
static th_status read_value(struct reading *r, const struct th_line *line,
                            const struct th_csv_field *field, int64_t column,
                            double *value, int64_t *word, struct th_error *err)
{
  bool weight = column == r->columns.weight;
  bool classes = !weight && (r->wordy || r->choice->class != NULL);
  double found;
  *value = (double)NAN;
  if (is_missing(r))
    return r->missing.refused
               ? refuse_missing(r, line, field->text, column, err)
               : TH_OK;
  enum th_cell form =
      read_table_cell(r, field->quoted, table_decimal(r), &found);
  if (form != TH_CELL_TEXT && is_nine(r, found)) {
    if (r->missing.refused)
      return refuse_missing(r, line, field->text, column, err);
    r->table->nines += !weight;
    return TH_OK;
  }
  if (classes || (form == TH_CELL_TEXT && !weight))
    return read_class_word(r, line, field, column, form, word, err);
  if (form == TH_CELL_TEXT || (weight && found < 0))
    return refuse_value(r, line, field->text, column, err);
  if (is_other_form(r, weight, form))
    return th_text_row_fail(line, field->text, err,
                            "'%.40s' found in column %lld (%.60s), which has "
                            "another form above: a plain number, a percentage, "
                            "a date or a truth value; write all in one form",
                            r->value, (long long)column + 1,
                            r->csv.names[column]);
  *value = found;
  return TH_OK;
}

/* Keep a field as it is. PLINK's family 0 is none. */
static th_status keep_word(struct reading *r, int64_t column, int64_t *word,
                           struct th_error *err)
{
  bool none = strcasecmp(r->csv.names[column], "fid") == 0 &&
              strcmp(r->value, "0") == 0;
  if (none ||
      th_missing_is(&th_missing_usual, r->value, (int64_t)strlen(r->value)))
    return TH_OK;
  *word = r->table->length;
  return add_text(r->table, r->value, err);
}

/* Take a field of the row to be. */
static th_status take_field(struct reading *r, const struct th_line *line,
                            const struct th_csv_field *field, int64_t column,
                            struct th_target_row *row, char **family,
                            struct th_error *err)
{
  const struct columns *c = &r->columns;
  th_status rc = TH_OK;
  if (column != c->family && column != c->id && column != c->target &&
      column != c->weight && column != c->group)
    return TH_OK;
  TH_TRY(TH_GROW(&r->value, &r->value_room, field->length + 1, "a field", err));
  (void)th_csv_field_copy(field, r->value);
  if (column == c->group)
    TH_TRY(keep_word(r, column, &row->group, err));
  if (column == c->target)
    rc = read_value(r, line, field, column, &row->target, &row->word, err);
  else if (column == c->weight)
    rc = read_value(r, line, field, column, &row->weight, &row->word, err);
  else if (column != c->family && column != c->id)
    goto done;
  else if (field->length > TH_ID_LONGEST)
    rc = th_text_row_fail(line, field->text, err,
                          "an ID of more than %d bytes found; shorten it",
                          TH_ID_LONGEST);
  else if (column == c->family)
    rc = keep_column_name(family, r->value, err);
  else {
    row->single = r->table->length;
    row->pair = row->single;
    rc = add_text(r->table, r->value, err);
  }
done:
  return rc;
}

/* With the family in front: another text. */
static th_status add_pair(struct th_target_table *table, const char *family,
                          struct th_target_row *row, struct th_error *err)
{
  char both[TH_ID_PAIR + 1];
  snprintf(both, sizeof both, "%s %s", family, table->text + row->single);
  row->pair = table->length;
  return add_text(table, both, err);
}

static th_status wrong_ids_count(const struct reading *r,
                                 const struct th_line *line, int64_t found,
                                 enum th_csv_ending ending,
                                 struct th_error *err)
{
  if (ending == TH_CSV_OPEN || ending == TH_CSV_MISPLACED)
    return th_text_row_fail(line, line->text, err,
                            "a quotation mark that is not closed or out of "
                            "place; correct it");
  return th_text_row_fail(
      line, line->text + line->length, err,
      "%s%lld field%s found, expected %lld; correct the row",
      found > r->csv.columns ? "more than " : "",
      (long long)(found > r->csv.columns ? r->csv.columns : found),
      found == 1 ? "" : "s", (long long)r->csv.columns);
}

static th_status read_row(struct reading *r, const struct th_line *given,
                          struct th_error *err)
{
  struct th_line line = *given;
  struct th_target_table *table = r->table;
  struct th_target_row row = {.line = given->number,
                              .target = NAN,
                              .word = -1,
                              .weight = 1,
                              .group = -1};
  char *family = NULL;
  int64_t count = 0;
  enum th_csv_ending ending = TH_CSV_MORE;
  th_status rc = TH_OK;
  TH_TRY(th_csv_squeeze(r->csv.delimiter, &line, &r->line, &r->line_room, err));
  struct th_csv_field field = {.p = line.text,
                               .end = line.text + line.length,
                               .delimiter = r->csv.delimiter};
  for (; ending == TH_CSV_MORE && count <= r->csv.columns; field.p++) {
    ending = th_csv_field_next(&field);
    if (count < r->csv.columns &&
        (ending == TH_CSV_MORE || ending == TH_CSV_LAST))
      TH_TRY(take_field(r, &line, &field, count, &row, &family, err));
    count++;
  }
  if (ending != TH_CSV_LAST || count != r->csv.columns)
    TH_TRY(wrong_ids_count(r, &line, count, ending, err));
  if (family != NULL)
    TH_TRY(add_pair(table, family, &row, err));
  TH_TRY(TH_GROW(&table->row, &table->capacity, table->rows + 1,
                 "the table of targets", err));
  table->row[table->rows++] = row;
done:
  free(family);
  return rc;
}

static th_status take_table_row(void *self, struct th_line *line,
                                struct th_error *err)
{
  struct reading *r = self;
  if (line->too_long)
    return th_text_row_fail(line, line->text, err,
                            "the line is longer than %d bytes; shorten it",
                            LONGEST_LINE);
  return th_csv_reader_is_example(&r->csv, line->text, line->length)
             ? read_row(r, line, err)
             : TH_OK;
}

static th_status read_table_rows(struct reading *r, struct th_error *err)
{
  th_status rc = th_text_lines_each(
      r->file, LONGEST_LINE, r->file->header_lines, take_table_row, r, err);
  if (rc != TH_OK || r->table->rows > 0)
    return rc;
  return th_fail(err, TH_EDATA,
                 "%s: no row found, expected an ID and %s on each line",
                 r->file->name, r->choice->ids_only ? "values" : "a target");
}

static th_status read_target_table(void *self, struct th_text_file *file,
                                   struct th_error *err)
{
  struct reading *r = self;
  r->file = file;
  th_status rc = open_head(r, file, err);
  if (rc == TH_OK)
    rc = find_columns(r, err);
  return rc == TH_OK ? read_table_rows(r, err) : rc;
}

/* The table owns the names of its columns from now on. */
static void hand_over_names(struct reading *r)
{
  struct th_target_table *table = r->table;
  table->columns = r->csv.columns;
  table->column = r->csv.names;
  table->family = r->columns.family;
  table->id = r->columns.id;
  table->group = r->columns.group;
  table->decimal = table_decimal(r);
  r->csv.names = NULL;
}

th_status th_target_table_read(struct th_target_table *table,
                               const struct th_target_choice *choice,
                               struct th_error *err)
{
  struct reading r = {
      .choice = choice, .table = table, .fam = is_fam(choice->table)};
  th_status rc = th_missing_read(&r.missing, choice->missing, err);
  if (rc == TH_OK)
    rc = th_text_files_alone(choice->table, choice->output, read_target_table,
                             &r, err);
  if (rc == TH_OK && !choice->ids_only)
    rc = th_target_classes(table, choice, err);
  if (rc == TH_OK)
    hand_over_names(&r);
  if (r.csv.names == NULL)
    r.csv.columns = 0;
  th_csv_header_free(&r.csv);
  th_missing_free(&r.missing);
  TH_FREE(r.line, r.value);
  return rc;
}

void th_target_table_free(struct th_target_table *table)
{
  TH_FREE(table->row, table->text, table->target, table->ids);
  TH_FREE_LIST(table->column, table->columns);
  *table = (struct th_target_table){0};
}
