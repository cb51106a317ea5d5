/* csv_header.c - the layout of a CSV file: delimiter, header, columns' roles
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/search.h"
#include "io/import/csv/csv.h"
#include "io/import/text/cell.h"
#include "io/import/text/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rows below the first one that are worth a look. */
enum { TH_CSV_NUMBERS_ROWS = 64 };

/* --- Numbers in the first row of CSV that may name the columns
 *
 * Names are in order more often than examples are, and they have nothing to do
 * with the values below them: years over prices, wavelengths over absorbances.
 * A row of few columns is in order by chance (three columns: one row in three),
 * so that order alone tells nothing there. A row of many columns is in order
 * where all of them are: then the rows below show it, too. */

enum {
  FEW = 3,         /* columns that the first rule wants */
  FEW_EVEN = 4,    /* in equal steps, with nothing else to tell */
  FEW_ORDERED = 6, /* in order, likewise */
  PAIR_ROWS = 10,  /* below two columns */
  RANGE_ROWS = 3,  /* that make a range */
  MANY_ROWS = 40   /* below three columns in equal steps: a share p of such
                      rows lets p (1 - p)^40 < 1 % pass */
};

static const double numbers_most = 0.8; /* of the columns */
static const double far = 3;            /* times the largest value below */

/* 1: every number is larger than the one before; -1: smaller; 0: neither. */
static int direction(const double *row, int64_t columns)
{
  int sign = columns < 2 ? 0 : row[1] > row[0] ? 1 : -1;
  for (int64_t k = 1; k < columns; k++)
    if (!(sign * (row[k] - row[k - 1]) > 0))
      return 0;
  return sign;
}

/* In equal steps, as far as decimals can tell. */
static bool is_even(const double *row, int64_t columns)
{
  double step = row[1] - row[0];
  for (int64_t k = 2; k < columns; k++) {
    double room = 1e-9 * (fabs(row[k]) + fabs(step));
    if (!(fabs(row[k] - row[k - 1] - step) <= room))
      return false;
  }
  return step != 0;
}

/* It is 0, 1, 2, .. or 1, 2, 3, .., in three columns or more. Local. */
static bool csv_numbers_count(const double *row, int64_t columns)
{
  return columns >= FEW && (row[0] == 0 || row[0] == 1) &&
         row[1] - row[0] == 1 && is_even(row, columns);
}

static bool differ(const double *row, int64_t columns)
{
  enum { LOOKED_AT = 64 }; /* columns: equal ones among these tell enough */
  int64_t count = columns < LOOKED_AT ? columns : LOOKED_AT;
  for (int64_t k = 0; k < count; k++)
    for (int64_t j = 0; j < k; j++)
      if (row[j] == row[k])
        return false;
  return true;
}

/* Of the columns that tell something: in how many the first row is what the
 * rows below are not. */
struct contrast {
  int64_t told;
  int64_t outside; /* farther from the values below than these are apart */
  int64_t whole;   /* a whole number over others */
};

static void look_at_column(const double *row, int64_t columns,
                           const double *below, int64_t rows, int64_t column,
                           struct contrast *contrast)
{
  double lowest = INFINITY;
  double highest = -INFINITY;
  int64_t seen = 0;
  int64_t broken = 0;
  double value = row[column];
  for (int64_t i = 0; i < rows; i++) {
    double x = below[i * columns + column];
    if (isnan(x))
      continue;
    lowest = x < lowest ? x : lowest;
    highest = x > highest ? x : highest;
    broken += x != floor(x);
    seen++;
  }
  if (seen == 0 || (lowest == highest && seen > 1))
    return; /* a constant is far from anything */
  double range = highest - lowest;
  double size = fmax(fabs(lowest), fabs(highest));
  contrast->told++;
  contrast->whole += value == floor(value) && 2 * broken > seen;
  contrast->outside += (seen >= RANGE_ROWS &&
                        (value < lowest - range || value > highest + range)) ||
                       (size > 0 && fabs(value) > far * size);
}

static struct contrast compare(const double *row, int64_t columns,
                               const double *below, int64_t rows)
{
  struct contrast contrast = {0};
  for (int64_t k = 0; k < columns; k++)
    look_at_column(row, columns, below, rows, k, &contrast);
  return contrast;
}

static bool all_whole(const double *row, int64_t columns)
{
  for (int64_t k = 0; k < columns; k++)
    if (row[k] != floor(row[k]))
      return false;
  return true;
}

/* Numbers in order. */
static bool ordered_names(const double *row, int64_t columns,
                          const double *below, int64_t rows, int sign)
{
  struct contrast contrast = compare(row, columns, below, rows);
  double least = numbers_most * (double)contrast.told;
  bool alike = false; /* some row below is in order, too */
  bool even = is_even(row, columns);
  bool even_below = false;
  bool stands_out =
      contrast.told > 0 && 2 * contrast.told >= columns &&
      ((double)contrast.outside >= least || (double)contrast.whole >= least);
  for (int64_t i = 0; i < rows; i++) {
    const double *other = below + i * columns;
    bool same = direction(other, columns) == sign;
    alike = alike || same;
    even_below = even_below || (same && is_even(other, columns));
  }
  if (columns < FEW)
    return rows >= PAIR_ROWS && contrast.outside == columns;
  return stands_out ||
         (rows >= RANGE_ROWS && ((even && !even_below && columns >= FEW_EVEN) ||
                                 (!alike && columns >= FEW_ORDERED))) ||
         (rows >= MANY_ROWS && even && !even_below);
}

/* Two columns that are counted, from 0 or 1, above numbers that are not whole.
 */
static bool counts_two(const double *row, int64_t columns, const double *below,
                       int64_t rows)
{
  return columns == 2 && (row[0] == 0 || row[0] == 1) && row[1] - row[0] == 1 &&
         compare(row, columns, below, rows).whole == 2;
}

/* row[columns] looks like names, as 0, 1, 2 or 2000, 2001, 2002 or
 * wavelengths do, and not like the `rows` rows in `below`, which is NaN where
 * these have no number. Local. */
static bool numbers_are_names(const double *row, int64_t columns,
                              const double *below, int64_t rows)
{
  int sign = direction(row, columns);
  if (csv_numbers_count(row, columns))
    return true;
  if (columns < 2 || rows == 0)
    return false;
  if (counts_two(row, columns, below, rows))
    return true;
  if (sign != 0)
    return ordered_names(row, columns, below, rows, sign);
  if (columns < FEW || rows < RANGE_ROWS || !all_whole(row, columns) ||
      !differ(row, columns))
    return false;
  struct contrast contrast = compare(row, columns, below, rows);
  return contrast.told == columns &&
         (contrast.whole == columns ||
          (rows >= PAIR_ROWS && contrast.outside == columns));
}

/* --- The first lines of a file, and what they tell ------------------------ */

enum {
  LONGEST_NAME = 4096,
  MOST_PADDED = 256 << 20, /* bytes of all names as they are stored, */
  MOST_TIMES = 16          /* or so many times their own */
};

/* A record at the head of a file. */
struct head {
  const struct th_line_limit *longest; /* borrowed */
  char separator;                      /* of other data, or 0 */
  char decimal;
  char **fields;
  int64_t count;
  int64_t capacity;
  bool ended;
  char *line; /* with one blank for several */
  int64_t line_room;
  char *text; /* of the record so far */
  int64_t length;
  int64_t room;
  struct th_csv_field field; /* in that text: the next one, or an open one */
  bool open;
  bool has_text;   /* some field is neither number nor a missing value */
  bool has_number; /* some field is a number */
};

static bool is_number(const struct head *head, const char *text, size_t length)
{
  const char *p = text;
  double value;
  const struct th_cell_field cell = {
      .text = text, .length = (int64_t)length, .decimal = ','};
  if (head->decimal == ',')
    return th_cell_read(&cell, &value) == TH_CELL_NUMBER;
  return th_number_parse(&p, text + length, &value) != TH_NUMBER_NONE &&
         p == text + length;
}

/* A field that stands where data have a number: then the record is no header,
 * and the reader of rows says what is wrong with it. */
static bool is_data(const struct head *head, const char *text, size_t length)
{
  return is_number(head, text, length) ||
         th_missing_is(&th_missing_usual, text, (int64_t)length) ||
         th_text_row_is_missing(text, (int64_t)length);
}

static th_status keep_field(struct head *head, struct th_error *err)
{
  const struct th_csv_field *field = &head->field;
  char *copy = NULL;
  th_status rc = TH_OK;
  TH_TRY(TH_GROW(&head->fields, &head->capacity, head->count + 1,
                 "names of columns", err));
  TH_TRY(TH_NEW(&copy, field->length + 1, "names of columns", err));
  size_t length = (size_t)th_csv_field_copy(field, copy);
  head->fields[head->count++] = copy;
  head->has_number = head->has_number || is_number(head, copy, length);
  head->has_text = head->has_text || !is_data(head, copy, length);
done:
  return rc;
}

/* That of other data where it occurs outside of quotes, else the one that does
 * so most often. */
static char find_delimiter(const struct th_line *line, char other)
{
  static const char candidates[] = {',', ';', '\t', '|'};
  enum { CANDIDATES = sizeof candidates };
  int64_t counts[CANDIDATES] = {0};
  int best = 0;
  bool quoted = false;
  for (int64_t k = 0; k < line->length; k++) {
    quoted ^= line->text[k] == '"';
    for (int c = 0; c < CANDIDATES; c++)
      counts[c] += !quoted && line->text[k] == candidates[c];
  }
  for (int c = 0; c < CANDIDATES; c++) {
    if (candidates[c] == other && counts[c] > 0)
      return other;
    best = counts[c] > counts[best] ? c : best;
  }
  return counts[best] == 0 && th_csv_has_blanks(line->text, line->length)
             ? ' '
             : candidates[best];
}

/* A first line such as sep=; or "sep=;" tells the delimiter, for spreadsheets.
 * '\0': it is no such line. */
static char told_delimiter(const struct th_line *line)
{
  static const char words[] = "sep=";
  enum { WORDS = sizeof words - 1 };
  bool quoted = line->length > 0 && line->text[0] == '"';
  const char *text = line->text + quoted;
  int64_t length = line->length - 2 * quoted;
  if (length != WORDS + 1 || memcmp(text, words, WORDS) != 0 ||
      (quoted && text[length] != '"'))
    return '\0';
  return text[WORDS];
}

/* Add a physical line to the text of the record. A quoted line end belongs to
 * its field. */
static th_status add_line(struct head *head, const struct th_line *line,
                          struct th_error *err)
{
  struct th_csv_field *field = &head->field;
  int64_t begun = head->open ? field->text - head->text : 0;
  int64_t at = head->length + head->open;
  th_status rc = TH_GROW(&head->text, &head->room, at + line->length + 1,
                         "the first record", err);
  if (rc != TH_OK)
    return rc;
  if (head->open)
    head->text[head->length] = '\n';
  memcpy(head->text + at, line->text, (size_t)line->length);
  field->text = head->text + begun;
  field->p = head->text + at;
  head->length = at + line->length;
  field->end = head->text + head->length;
  return TH_OK;
}

/* Blanks and carriage returns between records; true where nothing follows. */
static bool skip_ends(struct th_csv_field *field)
{
  while (field->p < field->end &&
         (*field->p == '\r' || ((*field->p == ' ' || *field->p == '\t') &&
                                *field->p != field->delimiter)))
    field->p++;
  return field->p == field->end;
}

/* Read the fields of one physical line. A carriage return ends the record, too;
 * what follows it on the line is looked at and dropped. */
static th_status feed_head(struct head *head, const struct th_line *line,
                           struct th_error *err)
{
  struct th_csv_field *field = &head->field;
  enum th_csv_ending ending = head->open ? TH_CSV_OPEN : TH_CSV_LAST;
  th_status rc = add_line(head, line, err);
  for (; rc == TH_OK; field->p++) {
    if (ending == TH_CSV_LAST && skip_ends(field))
      break;
    ending = head->open ? th_csv_field_close(field) : th_csv_field_next(field);
    head->open = ending == TH_CSV_OPEN;
    if (ending == TH_CSV_MISPLACED)
      return th_text_row_fail(
          line, line->text + line->length - (field->end - field->p), err,
          "misplaced quotation mark, expected quotes only around "
          "whole fields; double a quote inside quotes");
    if (!head->open && !head->ended)
      rc = keep_field(head, err);
    head->ended = head->ended || ending == TH_CSV_LAST;
    if (field->p == field->end)
      break;
  }
  return rc;
}

static th_status record_too_long(const struct th_line *line,
                                 const struct th_line_limit *longest,
                                 struct th_error *err)
{
  return th_text_row_fail(line, line->text, err,
                          "the first record is longer than %lld bytes; close "
                          "its quotes, or %s",
                          (long long)longest->bytes, longest->remedy);
}

/* Offset of what a reader of lines has not yet handed out. */
static int64_t offset_of(const struct th_text_lines *lines)
{
  return lines->next - (lines->end - lines->begin);
}

/* Read the next record; *end is the offset behind it. The first one tells the
 * delimiter. */
static th_status read_head(struct head *head, struct th_csv *csv,
                           struct th_text_lines *lines, int64_t *end,
                           struct th_error *err)
{
  struct th_line line = {.file = lines->file->name, .number = 1, .text = ""};
  bool more = true;
  bool begun = false;
  int64_t start = offset_of(lines);
  th_status rc = TH_OK;
  while (!head->ended) {
    TH_TRY(th_text_lines_next(lines, &line, &more, err));
    if (!more)
      break;
    TH_TRY(th_text_row_check(&line, err));
    if (line.too_long || offset_of(lines) - start - 1 > lines->max_line)
      return record_too_long(&line, head->longest, err);
    if (!begun && !th_csv_reader_is_example(csv, line.text, line.length))
      continue;
    if (!begun && start == lines->file->body)
      csv->delimiter = find_delimiter(&line, head->separator);
    head->field.delimiter = csv->delimiter;
    begun = true;
    TH_TRY(th_csv_squeeze(csv->delimiter, &line, &head->line, &head->line_room,
                          err));
    TH_TRY(feed_head(head, &line, err));
  }
  *end = offset_of(lines);
  if (begun && !head->ended)
    rc = th_fail(err, TH_EDATA,
                 "%s:1:1: a quoted field of the first record is not closed; "
                 "close the quotes",
                 line.file);
done:
  return rc;
}

static struct head head_of(const struct th_line_limit *longest, char separator,
                           char decimal)
{
  return (struct head){.longest = longest,
                       .separator = separator,
                       .decimal = decimal,
                       .field = {.records = true}};
}

static void end_head(struct head *head)
{
  TH_FREE_LIST(head->fields, head->count);
  TH_FREE(head->text, head->line);
}

/* Numbers as names are those of columns that were counted: 0, 1, 2 or 1100,
 * 1102, 1104. */
static bool numbers_count(const struct head *head)
{
  enum { SURE = 3 };
  int64_t numbers = 0;
  double first = 0;
  double last = 0;
  double step = 0;
  for (int64_t k = 0; k < head->count; k++) {
    if (!is_number(head, head->fields[k], strlen(head->fields[k])))
      continue;
    double value = strtod(head->fields[k], NULL);
    if (numbers == 0)
      first = value;
    else if (numbers == 1)
      step = value - last;
    else if (value - last != step)
      return false;
    last = value;
    numbers++;
  }
  bool from_start = (first == 0 || first == 1) && (numbers == 1 || step == 1);
  return numbers >= SURE ? step != 0 : from_start;
}

/* A first record with text is a header, but where numbers stand beside the text
 * the second one has its say: a column of text is no sign of a header. */
static bool is_header(const struct head *first, const struct head *second)
{
  int64_t both = first->count < second->count ? first->count : second->count;
  bool compared = false;
  if (!first->has_text || !first->has_number)
    return first->has_text;
  for (int64_t k = 0; k < both; k++) {
    const char *below = second->fields[k];
    if (is_data(first, first->fields[k], strlen(first->fields[k])))
      continue;
    if (is_number(first, below, strlen(below)))
      return true;
    compared = compared || !is_data(first, below, strlen(below));
  }
  return !compared || numbers_count(first);
}

/* The numbers of a record; NaN where there is none. */
static void read_numbers(const struct head *head, int64_t columns, double *row)
{
  for (int64_t k = 0; k < columns; k++) {
    const char *text = k < head->count ? head->fields[k] : "";
    row[k] = is_number(head, text, strlen(text)) ? strtod(text, NULL) : NAN;
  }
}

/* Leave a first line out that tells the delimiter. */
static th_status skip_told_delimiter(struct head *head,
                                     struct th_text_file *file,
                                     const struct th_line_limit *longest,
                                     struct th_error *err)
{
  struct th_text_lines lines = {0};
  struct th_line line = {.text = ""};
  bool more = true;
  th_text_lines_begin(&lines, file, (struct th_range){file->body, file->size},
                      longest->bytes, 0);
  th_status rc = th_text_lines_next(&lines, &line, &more, err);
  char told = rc == TH_OK && more ? told_delimiter(&line) : '\0';
  if (told != '\0') {
    head->separator = told;
    file->body = offset_of(&lines);
    file->header_lines = lines.number;
  }
  th_text_lines_free(&lines);
  return rc;
}

/* The next record, as numbers; false where there is none. */
static bool next_numbers(const struct head *first, struct th_csv *csv,
                         struct th_text_lines *lines, double *row)
{
  struct head head = head_of(first->longest, first->separator, first->decimal);
  struct th_error ignored = {0};
  int64_t end = 0;
  bool more =
      read_head(&head, csv, lines, &end, &ignored) == TH_OK && head.ended;
  read_numbers(&head, first->count, row);
  end_head(&head);
  return more;
}

/* The first record and some of those below, as numbers. What cannot be read is
 * said when it is parsed. */
struct numbers {
  double *row; /* owned */
  int64_t rows;
};

static th_status read_below(const struct head *first, struct th_csv *csv,
                            const struct th_text_file *file,
                            struct numbers *numbers, struct th_error *err)
{
  enum { MOST_FIELDS = 1 << 18, LEAST_ROWS = 12 };
  struct th_text_lines lines = {0};
  int64_t columns = first->count;
  int64_t most = MOST_FIELDS / columns;
  most = most < LEAST_ROWS ? LEAST_ROWS : most;
  most = most < TH_CSV_NUMBERS_ROWS ? most : TH_CSV_NUMBERS_ROWS;
  th_status rc =
      TH_NEW(&numbers->row, (most + 1) * columns, "the first rows", err);
  if (rc != TH_OK)
    return rc;
  th_text_lines_begin(&lines, file, (struct th_range){file->body, file->size},
                      first->longest->bytes, 0);
  while (
      numbers->rows <= most &&
      next_numbers(first, csv, &lines, numbers->row + numbers->rows * columns))
    numbers->rows++;
  th_text_lines_free(&lines);
  return TH_OK;
}

static th_status ask(const struct head *first, const struct th_text_file *file,
                     bool counts, struct th_error *err)
{
  char shown[160];
  size_t used = 0;
  for (int64_t k = 0; k < first->count && k < 3; k++)
    used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%.40s",
                             k > 0 ? ", " : "", first->fields[k]);
  return th_fail(err, TH_EUSAGE,
                 "%s:1:1: the first row %s%s%s%s; say with {header} yes that "
                 "it is a header, or with {header} no that it is an example",
                 file->name, counts ? "counts the columns, " : "of numbers, ",
                 shown, first->count > 3 ? ".." : "",
                 counts ? "" : ", is not like those below, and may be names");
}

/* A field that is empty stands above an index, as pandas writes it: then the
 * others are names, where they are in order or the row below has a number
 * there. */
static bool above_an_index(const struct head *first,
                           const struct numbers *numbers)
{
  int64_t columns = first->count;
  const double *row = numbers->row;
  if (first->fields[0][0] != '\0' || columns < 3)
    return false;
  for (int64_t k = 1; k < columns; k++)
    if (isnan(row[k]))
      return false;
  return csv_numbers_count(row + 1, columns - 1) ||
         (numbers->rows > 1 && !isnan(row[columns]));
}

static bool all_numbers(const struct head *head)
{
  for (int64_t k = 0; k < head->count; k++)
    if (!is_number(head, head->fields[k], strlen(head->fields[k])))
      return false;
  return true;
}

/* Numbers may name the columns. What the first row of other data was decides;
 * else nobody can tell. */
static th_status look_for_names(const struct head *first, struct th_csv *csv,
                                const struct th_text_file *file,
                                const struct th_csv_choice *choice,
                                bool *header, struct th_error *err)
{
  enum th_fact known =
      choice->told == NULL ? TH_FACT_UNKNOWN : choice->told->header;
  struct numbers numbers = {0};
  th_status rc = TH_OK;
  if (first->count < 2 || first->has_text || known == TH_FACT_NO)
    return TH_OK;
  TH_TRY(read_below(first, csv, file, &numbers, err));
  *header = above_an_index(first, &numbers);
  if (*header || !all_numbers(first) || numbers.rows == 0 ||
      !numbers_are_names(numbers.row, first->count, numbers.row + first->count,
                         numbers.rows - 1))
    goto done;
  *header = known == TH_FACT_YES;
  if (!*header)
    rc = ask(first, file, csv_numbers_count(numbers.row, first->count), err);
done:
  free(numbers.row);
  return rc;
}

/* What cannot be read of the second record is said when it is parsed. */
static bool look_below(const struct head *first, struct th_csv *csv,
                       struct th_text_lines *lines)
{
  struct head second = head_of(first->longest, '\0', first->decimal);
  struct th_error ignored = {0};
  int64_t end = 0;
  if (first->has_text && first->has_number)
    read_head(&second, csv, lines, &end, &ignored);
  bool header = is_header(first, &second);
  end_head(&second);
  return header;
}

static int64_t list_known_names(const struct th_csv_choice *choice,
                                const struct th_csv_reference *reference,
                                const char **known)
{
  const struct th_origin *told = choice->told;
  int64_t count = 0;
  for (int64_t k = 0; k < reference->attributes; k++)
    known[count++] = reference->names[k];
  if (choice->known_target != NULL)
    known[count++] = choice->known_target;
  if (told != NULL && told->weight_name != NULL)
    known[count++] = told->weight_name;
  for (int64_t k = 0; told != NULL && told->name != NULL && k < told->others;
       k++)
    known[count++] = told->name[k];
  qsort(known, (size_t)count, sizeof *known, th_search_compare_texts);
  return count;
}

/* No field occurs twice, and every one is a name of other data, or
 * every attribute of these is a field. Numbers are a header, too, if half of
 * them are names of other data that had one: the others are told to be no names
 * then, and do not become an example. */
static th_status is_known_header(const struct head *first,
                                 const struct th_csv_choice *choice,
                                 const struct th_csv_reference *reference,
                                 bool *is, struct th_error *err)
{
  const char **known = NULL;
  const char **field = NULL;
  const struct th_origin *told = choice->told;
  int64_t most = reference->attributes + 2 + (told != NULL ? told->others : 0);
  th_status rc = TH_OK;
  *is = false;
  TH_TRY(TH_NEW(&known, most, "names of columns", err));
  TH_TRY(TH_NEW(&field, first->count, "names of columns", err));
  int64_t count = list_known_names(choice, reference, known);
  for (int64_t k = 0; k < first->count; k++)
    field[k] = first->fields[k];
  qsort(field, (size_t)first->count, sizeof *field, th_search_compare_texts);
  bool once = true;
  bool are_there = reference->attributes > 1 || reference->part;
  int64_t shared = 0;
  for (int64_t k = 0; once && k < first->count; k++) {
    once = k == 0 || strcmp(field[k], field[k - 1]) != 0;
    shared += th_search_text(known, count, field[k]);
  }
  bool are_known = shared == first->count ||
                   (told != NULL && told->header == TH_FACT_YES &&
                    2 * shared >= first->count && all_numbers(first));
  for (int64_t k = 0; are_there && k < reference->attributes; k++)
    are_there = th_search_text(field, first->count, reference->names[k]);
  *is = once && (are_known || are_there);
done:
  TH_FREE(known, field);
  return rc;
}

static th_status find_header(const struct head *first, struct th_csv *csv,
                             struct th_text_lines *lines,
                             const struct th_csv_choice *choice,
                             const struct th_csv_reference *reference,
                             bool *header, struct th_error *err)
{
  *header = choice->header == TH_HEADER_YES;
  if (choice->header != TH_HEADER_AUTO || first->count == 0)
    return TH_OK;
  if (reference->names != NULL) {
    th_status rc = is_known_header(first, choice, reference, header, err);
    if (rc != TH_OK || *header)
      return rc;
  }
  *header = look_below(first, csv, lines);
  return look_for_names(first, csv, lines->file, choice, header, err);
}

/* The names of all columns are stored with the width of the longest. */
static th_status check_name_lengths(const struct head *head, const char *file,
                                    struct th_error *err)
{
  int64_t width = 0;
  int64_t longest = 0; /* column */
  int64_t sum = 0;
  for (int64_t k = 0; k < head->count; k++) {
    int64_t length = (int64_t)strlen(head->fields[k]);
    longest = length > width ? k : longest;
    width = length > width ? length : width;
    sum += length;
  }
  if (width > LONGEST_NAME)
    return th_fail(err, TH_EDATA,
                   "%s:1: the name of column %lld, %.40s.., is longer than "
                   "%d bytes; shorten it, or say {header} no",
                   file, (long long)longest + 1, head->fields[longest],
                   LONGEST_NAME);
  if (width * head->count > MOST_PADDED &&
      width * head->count / MOST_TIMES > sum)
    return th_fail(err, TH_EDATA,
                   "%s:1: the name of column %lld, %.40s.., has %lld bytes, "
                   "and each of the %lld names is stored at its width; shorten "
                   "it, or say {header} no",
                   file, (long long)longest + 1, head->fields[longest],
                   (long long)width, (long long)head->count);
  return TH_OK;
}

static bool reads_like_word(const char *text, char decimal)
{
  const struct th_cell_field cell = {
      .text = text, .length = (int64_t)strlen(text), .decimal = decimal};
  double value;
  return th_cell_read(&cell, &value) == TH_CELL_TEXT &&
         !th_text_row_is_missing(cell.text, cell.length);
}

/* R writes the names of rows without a name for their column: the header is one
 * short of the record below (*lacks). pandas writes an empty name; with words
 * below it, such a column is an index. */
static void look_for_row_names(const struct head *first, struct th_csv *csv,
                               const struct th_text_file *file, int64_t behind,
                               bool *lacks)
{
  struct head second = head_of(first->longest, '\0', first->decimal);
  struct th_text_lines lines = {0};
  struct th_error ignored = {0};
  int64_t end = 0;
  th_text_lines_begin(&lines, file, (struct th_range){behind, file->size},
                      first->longest->bytes, 0);
  bool read =
      read_head(&second, csv, &lines, &end, &ignored) == TH_OK && second.ended;
  *lacks = read && second.count == first->count + 1;
  csv->index = read && second.count == first->count && first->count > 1 &&
               first->fields[0][0] == '\0' &&
               reads_like_word(second.fields[0], first->decimal);
  end_head(&second);
  th_text_lines_free(&lines);
}

/* Rows that all end with a delimiter, behind which nothing follows, have no
 * names of rows in front: a program has written one delimiter too many. */
static th_status refuse_open_ends(const struct head *first,
                                  const struct th_csv *csv,
                                  const struct th_text_file *file,
                                  int64_t behind, struct th_error *err)
{
  enum { ROWS = 1000 };
  struct th_text_lines lines = {0};
  struct th_line line = {0};
  bool more = csv->delimiter != ' ';
  int64_t rows = 0;
  th_status rc = TH_OK;
  th_text_lines_begin(&lines, file, (struct th_range){behind, file->size},
                      first->longest->bytes, 0);
  while (more && rows < ROWS) {
    TH_TRY(th_text_lines_next(&lines, &line, &more, err));
    if (!more || line.too_long)
      break;
    int64_t length = line.length;
    while (length > 0 && line.text[length - 1] != csv->delimiter &&
           strchr(" \t\r", line.text[length - 1]) != NULL)
      length--;
    if (length > 0 && line.text[length - 1] != csv->delimiter)
      goto done;
    rows += length > 0;
  }
  if (rows > 0)
    rc = th_fail(err, TH_EDATA,
                 "%s:1:1: rows end with '%c', and the header does not: it "
                 "names %lld of %lld columns, and the last one is empty; "
                 "remove what is at the ends of rows (sed 's/%c$//'), or, if "
                 "the first column has names of rows, name it",
                 file->name, csv->delimiter, (long long)first->count,
                 (long long)first->count + 1, csv->delimiter);
done:
  th_text_lines_free(&lines);
  return rc;
}

/* Give the column of row names an empty name. */
static th_status add_row_names(struct head *head, struct th_csv *csv,
                               struct th_error *err)
{
  char *name = NULL;
  th_status rc;
  TH_TRY(TH_GROW(&head->fields, &head->capacity, head->count + 1,
                 "names of columns", err));
  TH_TRY(TH_NEW(&name, 1, "names of columns", err));
  memmove(head->fields + 1, head->fields,
          (size_t)head->count * sizeof *head->fields);
  head->fields[0] = name;
  head->count++;
  csv->row_names = true;
  csv->columns++;
done:
  return rc;
}

th_status th_csv_header_open(struct th_csv *csv, struct th_text_file *file,
                             const struct th_line_limit *longest,
                             const struct th_csv_choice *choice,
                             const struct th_csv_reference *reference,
                             struct th_error *err)
{
  struct head head =
      head_of(longest, choice->told != NULL ? choice->told->separator : '\0',
              choice->decimal);
  struct th_text_lines lines = {0};
  int64_t end = 0;
  bool header = false;
  bool lacks = false;
  th_status rc = TH_OK;
  *csv = (struct th_csv){.delimiter = ',',
                         .decimal = choice->decimal,
                         .unsure = choice->unsure,
                         .missing = &th_missing_usual,
                         .target = -1,
                         .weight = -1,
                         .id = -1};
  TH_TRY(skip_told_delimiter(&head, file, longest, err));
  th_text_lines_begin(&lines, file, (struct th_range){file->body, file->size},
                      longest->bytes, file->header_lines);
  TH_TRY(read_head(&head, csv, &lines, &end, err));
  csv->columns = head.count;
  int64_t read = lines.number;
  TH_TRY(find_header(&head, csv, &lines, choice, reference, &header, err));
  if (header)
    look_for_row_names(&head, csv, file, end, &lacks);
  if (lacks)
    TH_TRY(refuse_open_ends(&head, csv, file, end, err));
  if (lacks)
    TH_TRY(add_row_names(&head, csv, err));
  if (header) {
    TH_TRY(check_name_lengths(&head, file->name, err));
    csv->names = head.fields;
    head.fields = NULL;
    file->body = end;
    file->header_lines = read;
  }
done:
  end_head(&head);
  th_text_lines_free(&lines);
  return rc;
}

void th_csv_header_free(struct th_csv *csv)
{
  TH_FREE_LIST(csv->names, csv->columns);
  TH_FREE(csv->role, csv->words);
  *csv = (struct th_csv){0};
}

th_status th_csv_header_names(const struct th_csv *csv, const char ***names,
                              struct th_error *err)
{
  *names = NULL;
  if (csv->names == NULL)
    return TH_OK;
  th_status rc = TH_NEW(names, csv->attributes, "names of attributes", err);
  for (int64_t k = 0; rc == TH_OK && k < csv->columns; k++)
    if (csv->role[k] >= 0)
      (*names)[csv->role[k]] = csv->names[k];
  return rc;
}
