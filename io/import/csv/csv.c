/* csv.c - one example per line of CSV text
 *
 * Fields are those of RFC 4180: a quote stands around a whole field, and two in
 * a row inside stand for one. Blanks around a field do not count. Most fields
 * are numbers with a delimiter right behind, and are read in one loop; any
 * other one is read by itself, and says what is wrong with it.
 * SPDX-License-Identifier: MIT */
#include "io/import/csv/csv.h"

#include "base/memory.h"
#include "io/import/text/cell.h"
#include "io/import/text/number.h"
#include "io/import/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Fields of any form --------------------------------------------------- */

static const char *skip_blanks(const char *p, const char *end, char delimiter)
{
  while (p < end && (*p == ' ' || *p == '\t') && *p != delimiter)
    p++;
  return p;
}

/* Blanks inside the quotes do not count, either. */
static void trim_quoted(struct th_csv_field *field)
{
  const char *end = field->text + field->length;
  const char *text = skip_blanks(field->text, end, '\0');
  while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  field->text = text;
  field->length = end - text;
}

static enum th_csv_ending ending_of(struct th_csv_field *field)
{
  if (field->p == field->end)
    return TH_CSV_LAST;
  if (*field->p == field->delimiter)
    return TH_CSV_MORE;
  return field->records && *field->p == '\r' ? TH_CSV_LAST : TH_CSV_MISPLACED;
}

enum th_csv_ending th_csv_field_close(struct th_csv_field *field)
{
  for (;;) {
    const char *quote = memchr(field->p, '"', (size_t)(field->end - field->p));
    if (quote == NULL) {
      field->p = field->end;
      return TH_CSV_OPEN;
    }
    field->p = quote + 1;
    if (field->p == field->end || *field->p != '"')
      break;
    field->doubled = true;
    field->p++;
  }
  field->length = field->p - 1 - field->text;
  trim_quoted(field);
  field->p = skip_blanks(field->p, field->end, field->delimiter);
  return ending_of(field);
}

enum th_csv_ending th_csv_field_next(struct th_csv_field *field)
{
  const char *p = skip_blanks(field->p, field->end, field->delimiter);
  const char *last = p; /* behind the last byte that is no blank */
  field->doubled = false;
  field->quoted = p < field->end && *p == '"';
  field->text = p + field->quoted;
  field->p = field->text;
  if (field->text > p)
    return th_csv_field_close(field);
  for (; p < field->end && *p != field->delimiter && *p != '"' &&
         !(field->records && *p == '\r');
       p++)
    if (*p != ' ' && *p != '\t')
      last = p + 1;
  field->length = last - field->text;
  field->p = p;
  return ending_of(field);
}

int64_t th_csv_field_copy(const struct th_csv_field *field, char *to)
{
  int64_t length = 0;
  for (int64_t k = 0; k < field->length; k++) {
    to[length++] = field->text[k];
    k += field->doubled && field->text[k] == '"'; /* the next one, too */
  }
  to[length] = '\0';
  return length;
}

bool th_csv_has_blanks(const char *text, int64_t length)
{
  const char *end = text + length;
  bool between = false;
  const char *p = skip_blanks(text, end, '\0');
  while (p < end && *p != ' ' && *p != '\t')
    p++;
  between = skip_blanks(p, end, '\0') < end;
  return between && memchr(text, ':', (size_t)length) == NULL;
}

th_status th_csv_squeeze(char delimiter, struct th_line *line, char **room,
                         int64_t *capacity, struct th_error *err)
{
  bool quoted = false;
  int64_t length = 0;
  if (delimiter != ' ')
    return TH_OK;
  th_status rc = TH_GROW(room, capacity, line->length + 1, "a line", err);
  if (rc != TH_OK)
    return rc;
  char *to = *room;
  for (int64_t k = 0; k < line->length; k++) {
    char byte = line->text[k];
    bool blank = !quoted && (byte == ' ' || byte == '\t');
    quoted ^= byte == '"';
    if (!blank || (length > 0 && to[length - 1] != ' '))
      to[length++] = blank ? ' ' : byte;
  }
  length -= length > 0 && to[length - 1] == ' ';
  to[length] = '\0';
  line->text = to;
  line->length = length;
  return TH_OK;
}

/* --- Numbers in the form that most files are full of ---------------------- */

enum {
  LOOK = 48, /* bytes that are looked at from a field's first on, at most */
  TAIL = 96  /* bytes of a line that may go on in the tail */
};

/* A line on its way into a row. Its next field begins, or its last one has
 * ended, at field.p: in the line, or in a copy of its last bytes with a
 * delimiter and room behind it. */
struct cursor {
  struct th_csv_field field;
  int64_t column; /* the next one */
  bool in_tail;
  char tail[TAIL + LOOK];
};

/* Bytes before the next delimiter, which most often is near; UNKNOWN: it is
 * far.
 */
enum { UNKNOWN = 32 };
static inline int field_length(const char *p, th_text_bytes delimiters)
{
  int length = th_text_find_in_16(p, delimiters);
  return length < 16 ? length : 16 + th_text_find_in_16(p + 16, delimiters);
}

/* Behind a number of any length, or NULL. Out of the way of the loop for short
 * ones, which needs the registers. */
static __attribute__((noinline)) const char *read_long(const char *p,
                                                       double *value)
{
  return th_number_long(&p, value) ? p : NULL;
}

/* A number that fills a field, perhaps between quotes. */
static inline bool to_number(const char *p, const char *end, double *value)
{
  enum { SHORT = 11 }; /* bytes; longer ones may have more than 8 decimals */
  double found;
  if (*p == '"') {
    end--;
    if (end == p || *end != '"')
      return false;
    p++;
  }
  if (end - p <= SHORT)
    return th_number_plain(&p, value) && p == end;
  p = read_long(p, &found);
  *value = found;
  return p == end;
}

/* Attributes in the form that most files are full of, each with a delimiter
 * right behind it. Fields begin before `last`, where LOOK bytes are readable.
 * Stops before the first field of another kind. Where a field ends is looked
 * for on its own, so that the next one need not wait for its digits. */
static void read_usual_fields(const struct th_csv *csv, struct cursor *c,
                              const char *last, struct th_text_row *row)
{
  const bool simple = row->type == TH_F32 && !row->measured;
  float *f32 = row->values;
  const th_text_bytes delimiters = th_text_every(c->field.delimiter);
  const int64_t *roles = csv->role;
  const int64_t columns = csv->columns;
  const char *p = c->field.p;
  int64_t field = c->column;
  for (; field < columns && p < last; field++) {
    int64_t role = roles[field];
    int length = field_length(p, delimiters);
    double value = 0.0;
    if (role < 0 || length == UNKNOWN || !to_number(p, p + length, &value))
      break;
    if (simple)
      f32[role] = (float)value; /* holds every such number */
    else if (!th_text_row_put(row, role, value))
      break;
    p += length + 1;
  }
  c->field.p = p;
  c->column = field;
}

/* Usual fields up to the end of the line; c->field.p is then one behind its
 * end. What is left of the line when it has no more whole blocks goes on in the
 * tail. */
static void read_along(const struct th_csv *csv, struct cursor *c,
                       struct th_text_row *row)
{
  if (csv->counters > 0 || csv->decimal != '.' || csv->missing->numbers > 0)
    return;
  if (!c->in_tail && c->field.end - c->field.p > LOOK)
    read_usual_fields(csv, c, c->field.end - LOOK, row);
  int64_t left = c->field.end - c->field.p;
  if (!c->in_tail && left <= TAIL) {
    memcpy(c->tail, c->field.p, (size_t)left);
    memset(c->tail + left, 0, LOOK);
    c->tail[left] = c->field.delimiter;
    c->field.p = c->tail;
    c->field.end = c->tail + left;
    c->in_tail = true;
  }
  if (c->in_tail)
    read_usual_fields(csv, c, c->field.end + 1, row);
}

/* --- Any field, and what is wrong with it --------------------------------- */

struct th_csv_parser {
  double counted[TH_CSV_COUNTERS]; /* values of the line's counters */
  struct th_csv_forms forms;
  int64_t unseen; /* words that are no level of their column */
  char *room;     /* of a field without its doubled quotes */
  int64_t capacity;
  char *line; /* with one blank for several */
  int64_t line_capacity;
};

enum fault {
  NO_FAULT,
  NOT_A_NUMBER,
  SURPRISE,
  NEGATIVE_WEIGHT,
  MISFIT,
  SURPLUS,
  MISPLACED,
  OPEN,
  CARRIAGE_RETURN,
  LONG_ID
};

/* A field that is a number and nothing else but blanks, or else one in quotes.
 * False: it is not, and nothing has moved. */
static bool read_number(struct th_csv_field *field, double *value)
{
  const char *p = skip_blanks(field->p, field->end, field->delimiter);
  bool quoted = p < field->end && *p == '"';
  p += quoted;
  if (th_number_parse(&p, field->end, value) != TH_NUMBER_OK ||
      (quoted && (p == field->end || *p++ != '"')))
    return false;
  p = skip_blanks(p, field->end, field->delimiter);
  bool ends = p == field->end || *p == field->delimiter;
  field->p = ends ? p : field->p;
  return ends;
}

static double *counter_of(struct th_csv_parser *parser,
                          const struct th_csv *csv, int64_t column)
{
  for (int k = 0; k < csv->counters; k++)
    if (csv->counter[k].column == column)
      return &parser->counted[k];
  return NULL;
}

/* A value that nobody knows. */
static enum fault take_missing(struct th_csv_parser *parser,
                               const struct th_csv *csv, int64_t column,
                               struct th_text_row *row)
{
  double *counted = counter_of(parser, csv, column);
  if (csv->role[column] < 0 || csv->missing->refused)
    return NOT_A_NUMBER;
  if (counted != NULL)
    *counted = (double)NAN; /* it counts nothing */
  th_text_row_put_missing(row, csv->role[column]);
  return NO_FAULT;
}

static enum fault take_number(struct th_csv_parser *parser,
                              const struct th_csv *csv, int64_t column,
                              double value, struct th_text_row *row)
{
  int64_t role = csv->role[column];
  if (role == TH_COLUMN_TARGET)
    row->target = value;
  if (role == TH_COLUMN_WEIGHT)
    row->weight = value;
  bool missing = th_missing_is_number(csv->missing, value);
  if (role < 0 && missing)
    return NOT_A_NUMBER;
  if (role < 0)
    return row->weight < 0.0 ? NEGATIVE_WEIGHT : NO_FAULT;
  if (missing)
    return take_missing(parser, csv, column, row);
  double *counted = counter_of(parser, csv, column);
  if (counted != NULL)
    *counted = value;
  return th_text_row_put(row, role, value) ? NO_FAULT : MISFIT;
}

static bool wants_number(const struct th_csv *csv, int64_t column)
{
  return column < csv->columns && csv->role[column] != TH_COLUMN_IGNORED &&
         csv->role[column] != TH_COLUMN_WORDS &&
         csv->role[column] != TH_COLUMN_ID &&
         (csv->role[column] != TH_COLUMN_TARGET || csv->class.name == NULL);
}

static enum th_cell read_cell(const struct th_csv *csv,
                              const struct th_csv_field *field, double *value)
{
  const struct th_cell_field cell = {.text = field->text,
                                     .length = field->length,
                                     .quoted = field->quoted,
                                     .decimal = csv->decimal,
                                     .unsure = csv->unsure};
  return th_cell_read(&cell, value);
}

/* A text that is meant as a number, though it is none here: too large, not
 * finite, or with a decimal comma. */
static bool means_number(const char *text, int64_t length)
{
  const struct th_cell_field cell = {
      .text = text, .length = length, .decimal = ','};
  const char *p = text;
  double value;
  enum th_cell form = th_cell_read(&cell, &value);
  return th_text_row_is_missing(text, length) ||
         th_number_parse(&p, text + length, &value) == TH_NUMBER_HUGE ||
         form == TH_CELL_NUMBER || form == TH_CELL_GROUPED;
}

/* Only the first fields of a column have been looked at, and this one is of
 * another kind than plain numbers. */
static bool is_surprise(const struct th_csv *csv, int64_t column,
                        const struct th_csv_field *field, enum th_cell form)
{
  int64_t place = th_csv_kinds_place(csv, column);
  if (csv->looked == NULL || place < 0 || csv->looked[place])
    return false;
  if (form == TH_CELL_TEXT)
    return csv->wordy && csv->role[column] >= 0 &&
           !means_number(field->text, field->length);
  return form != TH_CELL_NUMBER && form != TH_CELL_GROUPED;
}

/* A field of another form than plain numbers: it may be one all the same. */
static enum fault take_cell(struct th_csv_parser *parser,
                            const struct th_csv *csv, int64_t column,
                            const struct th_csv_field *field,
                            struct th_text_row *row)
{
  double value = NAN;
  enum th_cell form = read_cell(csv, field, &value);
  if (th_missing_is(csv->missing, field->text, field->length))
    return take_missing(parser, csv, column, row); /* it may be a date */
  if (!th_missing_is_number(csv->missing, value) &&
      is_surprise(csv, column, field, form))
    return SURPRISE;
  if (form == TH_CELL_TEXT)
    return NOT_A_NUMBER;
  parser->forms.fields[form]++;
  if (column < parser->forms.column[form])
    parser->forms.column[form] = column;
  return take_number(parser, csv, column, value, row);
}

/* The text of a field, with doubled quotes once, until the next call. */
static const char *whole_text(struct th_csv_parser *parser,
                              const struct th_csv_field *field, int64_t *length)
{
  struct th_error ignored = {0};
  *length = field->length;
  if (!field->doubled || TH_GROW(&parser->room, &parser->capacity, *length + 1,
                                 "a word", &ignored) != TH_OK)
    return field->text;
  *length = th_csv_field_copy(field, parser->room);
  return parser->room;
}

/* A field of a column of words: 1 for the attribute of its word, 0 for those of
 * the others; all are missing where it is. */
static enum fault take_word(struct th_csv_parser *parser,
                            const struct th_csv *csv, int64_t column,
                            const struct th_csv_field *field,
                            struct th_text_row *row)
{
  const struct th_csv_words *words = &csv->words[column];
  int64_t length;
  const char *text = whole_text(parser, field, &length);
  bool missing = th_missing_is(csv->missing, text, length) ||
                 th_missing_is_named(csv->missing, text, length);
  int64_t level = missing ? -1 : th_levels_find(words->levels, text, length);
  if (missing && csv->missing->refused)
    return NOT_A_NUMBER;
  bool known = words->known != NULL && !missing &&
               th_levels_find(words->known, text, length) >= 0;
  parser->unseen += !missing && level < 0 && !known;
  for (int64_t k = 0; k < words->levels->count; k++)
    if (missing)
      th_text_row_put_missing(row, words->first + k);
    else if (!th_text_row_put(row, words->first + k, k == level))
      return MISFIT;
  return NO_FAULT;
}

static enum fault take_id(const struct th_csv_field *field,
                          struct th_text_row *row)
{
  if (field->length > TH_ID_LONGEST)
    return LONG_ID;
  (void)th_csv_field_copy(field, row->id);
  return NO_FAULT;
}

/* A field where no number is wanted, or none was found. */
static enum fault take_text(struct th_csv_parser *parser,
                            const struct th_csv *csv, int64_t column,
                            const struct th_csv_field *field,
                            struct th_text_row *row)
{
  int64_t length;
  if (column >= csv->columns)
    return SURPLUS;
  if (csv->role[column] == TH_COLUMN_IGNORED)
    return NO_FAULT;
  if (csv->role[column] == TH_COLUMN_WORDS)
    return take_word(parser, csv, column, field, row);
  if (csv->role[column] == TH_COLUMN_ID)
    return take_id(field, row);
  if (csv->role[column] != TH_COLUMN_TARGET || csv->class.name == NULL)
    return NOT_A_NUMBER;
  const char *text = whole_text(parser, field, &length);
  bool missing = th_missing_is_named(csv->missing, text, length);
  return missing || th_text_row_class(row, &csv->class, text, length) == 0
             ? NOT_A_NUMBER
             : NO_FAULT;
}

/* Read the cursor's next field. */
static enum fault read_field(struct th_csv_parser *parser,
                             const struct th_csv *csv, struct cursor *c,
                             struct th_text_row *row)
{
  struct th_csv_field *field = &c->field;
  const char *begin = field->p;
  double value;
  bool plain = csv->decimal == '.' && wants_number(csv, c->column);
  if (plain && read_number(field, &value))
    return take_number(parser, csv, c->column, value, row);
  enum th_csv_ending ending = th_csv_field_next(field);
  if (memchr(begin, '\r', (size_t)(field->p - begin)) != NULL)
    return CARRIAGE_RETURN;
  if (ending == TH_CSV_MISPLACED || ending == TH_CSV_OPEN)
    return ending == TH_CSV_OPEN ? OPEN : MISPLACED;
  return wants_number(csv, c->column)
             ? take_cell(parser, csv, c->column, field, row)
             : take_text(parser, csv, c->column, field, row);
}

/* Read a line up to its first fault, or until c->column columns are read. */
static enum fault read_fields(struct th_csv_parser *parser,
                              const struct th_csv *csv, struct cursor *c,
                              struct th_text_row *row)
{
  for (;;) {
    read_along(csv, c, row);
    if (c->field.p > c->field.end)
      return NO_FAULT;
    enum fault fault = read_field(parser, csv, c, row);
    if (fault != NO_FAULT)
      return fault;
    c->column++;
    if (c->field.p == c->field.end)
      return NO_FAULT;
    c->field.p++;
  }
}

/* Where a field begins in a line. */
static const char *find_field(const struct th_csv *csv,
                              const struct th_line *line, int64_t field)
{
  const char *p = line->text;
  const char *end = p + line->length;
  bool quoted = false;
  for (; p < end && field > 0; p++) {
    quoted ^= *p == '"';
    field -= *p == csv->delimiter && !quoted;
  }
  while (p < end && *p != csv->delimiter && (*p == ' ' || *p == '\t'))
    p++;
  return p;
}

/* The text of the field at `at`, as it may be typed: without its quotes. */
static void field_text(const struct th_csv *csv, const struct th_line *line,
                       const char *at, char *text, size_t size)
{
  const char *end = line->text + line->length;
  char stop = csv->delimiter;
  if (at < end && *at == '"')
    stop = *at++;
  size_t length = 0;
  for (; at < end && *at != stop && length + 1 < size; at++)
    text[length++] = *at;
  while (length > 0 && stop != '"' && text[length - 1] == ' ')
    length--;
  text[length] = '\0';
}

static bool has_comma_for_point(const struct th_csv *csv, const char *text)
{
  const struct th_cell_field cell = {
      .text = text, .length = (int64_t)strlen(text), .decimal = ','};
  double value;
  enum th_cell form = th_cell_read(&cell, &value);
  return csv->decimal == '.' && strchr(text, ',') != NULL &&
         (form == TH_CELL_NUMBER || form == TH_CELL_GROUPED);
}

/* One mark, where only other data tell that it stands between thousands. */
static bool may_be_fraction(const struct th_csv *csv, const char *text)
{
  const struct th_cell_field cell = {.text = text,
                                     .length = (int64_t)strlen(text),
                                     .quoted = true,
                                     .decimal = csv->decimal};
  double value;
  return csv->unsure && th_cell_read(&cell, &value) == TH_CELL_GROUPED;
}

/* Text where a number should be. */
static th_status text_found(const struct th_csv *csv,
                            const struct th_line *line, const char *at,
                            int64_t field, const char *what,
                            struct th_error *err)
{
  char quoted[TH_QUOTED];
  char text[TH_QUOTED];
  char typed[TH_COLUMN_TEXT];
  th_text_row_quote(line, at, csv->delimiter, quoted);
  field_text(csv, line, at, text, sizeof text);
  if (strchr(text, ' ') != NULL) /* a quotation ends at a blank */
    snprintf(quoted, sizeof quoted, "'%.*s'", TH_QUOTED - 3, text);
  if (has_comma_for_point(csv, text))
    return th_text_row_fail(
        line, at, err,
        "%s found, expected a finite decimal number in %s; import with "
        "{decimal} , if it has a decimal comma%s",
        quoted, what,
        csv->names != NULL && csv->counters > 0 &&
                csv->counter[0].column == 0 && csv->names[0][0] == '\0'
            ? ", and with {id} 1 if column 1 only counts the rows"
            : "");
  if (may_be_fraction(csv, text))
    return th_text_row_fail(line, at, err,
                            "%s found in %s, which may be a whole number or a "
                            "fraction; import with {decimal} . if points are "
                            "decimal points here, or with {decimal} , if they "
                            "stand between thousands",
                            quoted, what);
  int64_t length = (int64_t)strlen(text);
  bool missing = th_missing_is(csv->missing, text, length) ||
                 th_missing_is_named(csv->missing, text, length);
  bool target = csv->role[field] == TH_COLUMN_TARGET;
  if (missing && csv->role[field] < 0)
    return th_text_row_fail(line, at, err,
                            "%s found in %s, the %s, a missing value, expected "
                            "a finite decimal number%s; drop the row",
                            quoted, what, target ? "target" : "weights",
                            target ? " or a class" : "");
  if (missing)
    return th_text_row_fail(
        line, at, err,
        "%s found in %s, a missing value, which {missing} error refuses; "
        "fill it in, drop the row, or leave the column out with {ignore} %s",
        quoted, what, th_csv_match_text(csv, field, typed));
  if (!target)
    return th_text_row_fail(line, at, err,
                            "%s found, expected a finite decimal number in %s; "
                            "leave the column out with {ignore} %s, or %s",
                            quoted, what, th_csv_match_text(csv, field, typed),
                            csv->names == NULL && csv->mixable
                                ? "name the columns in a first row: then words "
                                  "become attributes"
                                : "replace text by numbers");
  return th_text_row_fail(
      line, at, err,
      "%s found, expected a finite decimal number in %s, the "
      "target; where it is the name of a class, import with "
      "{positive-class} %s for this class against all others",
      quoted, what, th_text_shell_word(text, typed, sizeof typed));
}

static th_status not_a_number(const struct th_csv *csv,
                              const struct th_line *line, const char *at,
                              int64_t field, struct th_error *err)
{
  char what[96];
  const char *end = line->text + line->length;
  bool named = csv->names != NULL;
  snprintf(what, sizeof what, "column %lld%s%.60s%s", (long long)field + 1,
           named ? " (" : "", named ? csv->names[field] : "", named ? ")" : "");
  if (at == end || *at == csv->delimiter)
    return th_text_row_fail(
        line, at, err,
        csv->role[field] < 0
            ? "nothing found, expected a number in %s; drop the row"
            : "nothing found in %s, a missing value, which {missing} error "
              "refuses; fill it in or drop the row",
        what);
  const char *p = at;
  double value;
  if (th_number_parse(&p, end, &value) == TH_NUMBER_HUGE)
    return th_text_row_number(line, &at, end, csv->delimiter, what, &value,
                              err);
  return text_found(csv, line, at, field, what, err);
}

/* How many fields a line has of which the cursor has read all but the last. */
static int64_t count_fields(struct cursor *c)
{
  enum th_csv_ending ending = TH_CSV_MORE;
  int64_t count = c->column + 1;
  while (c->field.p < c->field.end && ending == TH_CSV_MORE) {
    c->field.p++;
    ending = th_csv_field_next(&c->field);
    count += ending != TH_CSV_OPEN;
  }
  return count;
}

/* Quotes or line ends where they do not belong. */
static th_status bad_mark(const struct th_csv *csv, const struct th_line *line,
                          enum fault fault, const struct cursor *c,
                          struct th_error *err)
{
  const char *end = line->text + line->length;
  const char *cr = memchr(line->text, '\r', (size_t)line->length);
  if (cr != NULL)
    return th_text_row_fail(
        line, cr, err,
        "carriage return found inside the line, expected line "
        "ends LF or CR LF; convert the line ends");
  if (fault == MISPLACED)
    return th_text_row_fail(
        line, end - (c->field.end - c->field.p), err,
        "misplaced quotation mark, expected quotes only around "
        "whole fields; double a quote inside quotes");
  return th_text_row_fail(
      line, find_field(csv, line, c->column), err,
      "the quoted field is not closed on its line; close the quotes, or, if "
      "there is a line end inside them, which rows cannot have, write a blank "
      "for it");
}

static th_status report(const struct th_csv *csv, const struct th_line *line,
                        enum fault fault, struct cursor *c,
                        const struct th_text_row *row, struct th_error *err)
{
  if ((fault >= MISPLACED && fault != LONG_ID) ||
      memchr(line->text, '\r', (size_t)line->length) != NULL)
    return bad_mark(csv, line, fault, c, err);
  const char *at = find_field(csv, line, c->column);
  if (fault == SURPRISE)
    return th_fail(err, TH_EAGAIN,
                   "%s:%lld:%lld: another kind of field than in the first rows",
                   line->file, (long long)line->number,
                   (long long)(at - line->text) + 1);
  if (fault == NOT_A_NUMBER)
    return not_a_number(csv, line, at, c->column, err);
  if (fault == LONG_ID)
    return th_text_row_fail(line, at, err,
                            "an ID of more than %d bytes found; shorten it, or "
                            "name another column with {id}",
                            TH_ID_LONGEST);
  if (fault == MISFIT)
    return th_text_row_misfit(line, at, csv->delimiter, row->type, err);
  if (fault == NEGATIVE_WEIGHT)
    return th_text_row_fail(
        line, at, err, "weight %g found, expected 0 or more; correct the row",
        row->weight);
  if (fault == SURPLUS)
    return th_text_row_fail(
        line, at, err,
        "%lld fields found, expected %lld; remove what is too "
        "much",
        (long long)count_fields(c), (long long)csv->columns);
  return th_text_row_fail(line, line->text + line->length, err,
                          "the row ends after %lld field%s, expected %lld; "
                          "complete the row",
                          (long long)c->column, c->column == 1 ? "" : "s",
                          (long long)csv->columns);
}

/* In one loop at the end: it takes no time there. */
static int64_t count_nonzero_f32(const float *values, int64_t count)
{
  int64_t nonzeros = 0;
  for (int64_t k = 0; k < count; k++)
    nonzeros += values[k] != 0.0F;
  return nonzeros;
}

static struct th_csv_field whole(const struct th_csv *csv,
                                 const struct th_line *line)
{
  return (struct th_csv_field){.p = line->text,
                               .end = line->text + line->length,
                               .delimiter = csv->delimiter};
}

th_status th_csv_reader_row(struct th_csv_parser *parser,
                            const struct th_csv *csv,
                            const struct th_line *line, struct th_text_row *row,
                            struct th_error *err)
{
  struct th_line own = *line;
  struct cursor c;
  th_status rc;
  TH_TRY(th_text_row_reset(row, csv->attributes, err));
  TH_TRY(th_csv_squeeze(csv->delimiter, &own, &parser->line,
                        &parser->line_capacity, err));
  c.field = whole(csv, &own);
  c.column = 0;
  c.in_tail = false;
  enum fault fault = read_fields(parser, csv, &c, row);
  if (fault != NO_FAULT || c.column < csv->columns)
    return report(csv, &own, fault, &c, row, err);
  if (row->type == TH_F32)
    row->nonzeros = count_nonzero_f32(row->values, csv->attributes);
  if (csv->target < 0)
    row->target = NAN;
  row->count = csv->attributes;
  row->first = 0;
done:
  return rc;
}

int64_t th_csv_reader_unseen(const struct th_csv_parser *parser)
{
  return parser->unseen;
}

static enum th_kind field_kind(enum th_cell form, const char *text,
                               int64_t length)
{
  static const enum th_kind kinds[TH_CELL_COUNT] = {
      [TH_CELL_NUMBER] = TH_KIND_NUMBER,   [TH_CELL_GROUPED] = TH_KIND_NUMBER,
      [TH_CELL_TRUTH] = TH_KIND_TRUTH,     [TH_CELL_DATE] = TH_KIND_DATE,
      [TH_CELL_PERCENT] = TH_KIND_PERCENT,
  };
  if (form != TH_CELL_TEXT)
    return kinds[form];
  return means_number(text, length) ? TH_KIND_ODD : TH_KIND_WORD;
}

/* One field of a column that is looked at. Words are kept as long as the column
 * may be one of words. */
static th_status see_field(struct th_csv_parser *parser,
                           const struct th_csv *csv,
                           const struct th_csv_field *field,
                           struct th_levels *levels, int64_t most,
                           struct th_error *err)
{
  double value = NAN;
  int64_t length;
  const char *text = whole_text(parser, field, &length);
  if (th_missing_is(csv->missing, text, length) ||
      memchr(text, '\0', (size_t)length) != NULL) /* the row is refused */
    return TH_OK;
  enum th_kind kind = field_kind(read_cell(csv, field, &value), text, length);
  if (th_missing_is_number(csv->missing, value))
    return TH_OK;
  th_status rc = th_levels_note(levels, kind, text, length, err);
  bool words = levels->first[TH_KIND_NUMBER] == NULL &&
               levels->first[TH_KIND_DATE] == NULL &&
               levels->first[TH_KIND_PERCENT] == NULL;
  return rc == TH_OK && words ? th_levels_add(levels, text, length, most, err)
                              : rc;
}

th_status th_csv_reader_see(struct th_csv_parser *parser,
                            const struct th_csv *csv,
                            const struct th_line *line,
                            struct th_levels *levels, const bool *wanted,
                            int64_t most, struct th_error *err)
{
  struct th_line own = *line;
  enum th_csv_ending ending = TH_CSV_MORE;
  th_status rc = TH_OK;
  TH_TRY(th_csv_squeeze(csv->delimiter, &own, &parser->line,
                        &parser->line_capacity, err));
  struct th_csv_field field = whole(csv, &own);
  for (int64_t k = 0; k < csv->columns && ending == TH_CSV_MORE; k++) {
    ending = th_csv_field_next(&field);
    int64_t place = th_csv_kinds_place(csv, k);
    if (place >= 0 && wanted[place] && ending <= TH_CSV_LAST)
      TH_TRY(see_field(parser, csv, &field, &levels[place], most, err));
    field.p += ending == TH_CSV_MORE;
  }
done:
  return rc;
}

bool th_csv_weightless(const struct th_csv *csv, const struct th_line *line)
{
  struct th_line own = *line;
  struct th_error ignored = {0};
  char *room = NULL;
  int64_t capacity = 0;
  double weight = 1.0;
  if (csv->weight < 0 ||
      th_csv_squeeze(csv->delimiter, &own, &room, &capacity, &ignored) != TH_OK)
    return false;
  struct th_csv_field field = whole(csv, &own);
  int64_t k = 0;
  for (; k < csv->weight && th_csv_field_next(&field) == TH_CSV_MORE; k++)
    field.p++;
  if (k == csv->weight) {
    (void)th_csv_field_next(&field);
    if (read_cell(csv, &field, &weight) == TH_CELL_TEXT)
      weight = 1.0;
  }
  free(room);
  return weight == 0.0;
}

th_status th_csv_reader_create(struct th_csv_parser **parser,
                               struct th_error *err)
{
  th_status rc = TH_NEW(parser, 1, "reading CSV", err);
  for (int k = 0; k < TH_CELL_COUNT && rc == TH_OK; k++)
    (*parser)->forms.column[k] = INT64_MAX;
  return rc;
}

const struct th_csv_forms *
th_csv_reader_forms(const struct th_csv_parser *parser)
{
  return &parser->forms;
}

void th_csv_reader_free(struct th_csv_parser *parser)
{
  if (parser != NULL)
    TH_FREE(parser->room, parser->line);
  free(parser);
}

bool th_csv_reader_is_example(const struct th_csv *csv, const char *text,
                              int64_t length)
{
  for (int64_t k = 0; k < length; k++)
    if (text[k] != ' ' && (text[k] != '\t' || csv->delimiter == '\t'))
      return true;
  return false;
}

void th_csv_reader_count(struct th_csv *csv, const struct th_csv_parser *parser,
                         int64_t row)
{
  for (int k = 0; k < csv->counters; k++) {
    struct th_csv_counter *counter = &csv->counter[k];
    double offset = parser->counted[k] - (double)row;
    if (counter->rows++ == 0)
      counter->offset = offset;
    counter->broken = counter->broken || offset != counter->offset;
  }
}
