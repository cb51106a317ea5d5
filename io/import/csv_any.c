/* csv_any.c - any line of CSV text, over libcsv, and what is wrong with it
 * SPDX-License-Identifier: MIT */
#include "io/import/csv_any.h"

#include "base/memory.h"
#include "io/import/text/number.h"
#include "io/import/text/quote.h"

#include <csv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum fault {
  NO_FAULT,
  NOT_A_NUMBER,
  NO_CLASS,
  NEGATIVE_WEIGHT,
  MISFIT,
  SURPLUS
};

struct th_csv_any {
  struct csv_parser machine;
  const struct th_csv *csv;
  struct th_text_row *row;
  double *counted;  /* values of the line's counters */
  int64_t field;    /* the next one */
  enum fault fault; /* the first one of the line */
  int64_t fault_field;
};

th_status th_csv_any_create(struct th_csv_any **parser, struct th_error *err)
{
  const unsigned char options = CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL;
  struct th_csv_any *made = NULL;
  th_status rc = TH_NEW(&made, 1, "reading CSV", err);
  if (rc != TH_OK)
    return rc;
  if (csv_init(&made->machine, options) != 0) {
    free(made);
    return th_fail(err, TH_ENOMEM, "no memory for reading CSV");
  }
  *parser = made;
  return TH_OK;
}

void th_csv_any_free(struct th_csv_any *parser)
{
  if (parser == NULL)
    return;
  csv_free(&parser->machine);
  free(parser);
}

static void keep_counters(struct th_csv_any *parser, double value)
{
  const struct th_csv *csv = parser->csv;
  for (int k = 0; k < csv->counters; k++)
    if (csv->counter[k].column == parser->field)
      parser->counted[k] = value;
}

static enum fault take_class(struct th_csv_any *parser, const char *text,
                             size_t length)
{
  int side = th_text_row_class(parser->row, &parser->csv->class, text,
                               (int64_t)length);
  return side == 0 ? NO_CLASS : NO_FAULT;
}

/* A field that is no attribute. */
static enum fault take_other(struct th_csv_any *parser, int64_t role,
                             const char *text, size_t length)
{
  struct th_text_row *row = parser->row;
  const char *p = text;
  double value;
  if (role == TH_COLUMN_IGNORED)
    return NO_FAULT;
  if (role == TH_COLUMN_TARGET && parser->csv->class.name != NULL)
    return take_class(parser, text, length);
  if (th_number_parse(&p, text + length, &value) != TH_NUMBER_OK ||
      p != text + length)
    return NOT_A_NUMBER;
  if (role == TH_COLUMN_TARGET)
    row->target = value;
  else
    row->weight = value;
  return row->weight < 0.0 ? NEGATIVE_WEIGHT : NO_FAULT;
}

static enum fault take(struct th_csv_any *parser, const char *text,
                       size_t length)
{
  const struct th_csv *csv = parser->csv;
  if (parser->field >= csv->columns)
    return SURPLUS;
  int64_t role = csv->role[parser->field];
  if (role < 0)
    return take_other(parser, role, text, length);
  const char *p = text;
  double value;
  if (th_number_parse(&p, text + length, &value) != TH_NUMBER_OK ||
      p != text + length)
    return NOT_A_NUMBER;
  if (csv->counters > 0)
    keep_counters(parser, value);
  return th_text_row_put(parser->row, role, value) ? NO_FAULT : MISFIT;
}

static void take_field(void *text, size_t length, void *data)
{
  struct th_csv_any *parser = data;
  if (parser->fault == NO_FAULT) {
    parser->fault = take(parser, text, length);
    parser->fault_field = parser->field;
  }
  parser->field++;
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
  bool missing = th_class_is_missing(text, (int64_t)strlen(text));
  bool target = csv->role[field] == TH_COLUMN_TARGET;
  if (missing && !target)
    return th_text_row_fail(
        line, at, err,
        "%s found in %s: fill missing values in, drop the row, "
        "or leave the column out with {ignore} %s",
        quoted, what, th_csv_column_text(csv, field, typed));
  if (!target)
    return th_text_row_fail(line, at, err,
                            "%s found, expected a finite decimal number in %s; "
                            "leave the column out with {ignore} %s, or replace "
                            "text by numbers",
                            quoted, what,
                            th_csv_column_text(csv, field, typed));
  if (missing)
    return th_text_row_fail(
        line, at, err,
        "%s found, expected a finite decimal number in %s, the "
        "target; drop the row",
        quoted, what);
  return th_text_row_fail(
      line, at, err,
      "%s found, expected a finite decimal number in %s, the "
      "target; where it is the name of a class, import with "
      "{positive-class} %s for this class against all others",
      quoted, what, th_quote_shell_word(text, typed, sizeof typed));
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
        "nothing found, expected a number in %s; missing "
        "values are not supported, fill them in or drop the "
        "row",
        what);
  const char *p = at;
  double value;
  if (th_number_parse(&p, end, &value) == TH_NUMBER_HUGE)
    return th_text_row_number(line, &at, end, csv->delimiter, what, &value,
                              err);
  return text_found(csv, line, at, field, what, err);
}

static th_status report_fault(const struct th_csv_any *parser,
                              const struct th_line *line, struct th_error *err)
{
  const struct th_csv *csv = parser->csv;
  int64_t field = parser->fault_field;
  const char *at = find_field(csv, line, field);
  if (parser->fault == NOT_A_NUMBER || parser->fault == NO_CLASS)
    return not_a_number(csv, line, at, field, err);
  if (parser->fault == MISFIT)
    return th_text_row_misfit(line, at, csv->delimiter, parser->row->type, err);
  if (parser->fault == NEGATIVE_WEIGHT)
    return th_text_row_fail(
        line, at, err, "weight %g found, expected 0 or more; correct the row",
        parser->row->weight);
  return th_text_row_fail(
      line, at, err,
      "%lld fields found, expected %lld; remove what is too "
      "much",
      (long long)parser->field, (long long)csv->columns);
}

static th_status check_line(const struct th_csv_any *parser,
                            const struct th_line *line, struct th_error *err)
{
  if (parser->fault != NO_FAULT)
    return report_fault(parser, line, err);
  const char *end = line->text + line->length;
  if (parser->field < parser->csv->columns)
    return th_text_row_fail(line, end, err,
                            "the row ends after %lld fields, expected %lld; "
                            "complete the row",
                            (long long)parser->field,
                            (long long)parser->csv->columns);
  return TH_OK;
}

static th_status feed(struct th_csv_any *parser, const struct th_line *line,
                      struct th_error *err)
{
  size_t length = (size_t)line->length;
  const char *cr = memchr(line->text, '\r', length);
  if (cr != NULL)
    return th_text_row_fail(
        line, cr, err,
        "carriage return found inside the line, expected line "
        "ends LF or CR LF; convert the line ends");
  size_t done =
      csv_parse(&parser->machine, line->text, length, take_field, NULL, parser);
  if (parser->fault == NO_FAULT && done < length)
    return th_text_row_fail(
        line, line->text + done, err,
        "misplaced quotation mark, expected quotes only around "
        "whole fields; double a quote inside quotes");
  if (csv_fini(&parser->machine, take_field, NULL, parser) != 0 &&
      parser->fault == NO_FAULT)
    return th_text_row_fail(
        line, find_field(parser->csv, line, parser->field), err,
        "the quoted field is not closed on its line, expected "
        "a number; close the quotes");
  return TH_OK;
}

th_status th_csv_any_row(struct th_csv_any *parser, const struct th_csv *csv,
                         const struct th_line *line, struct th_text_row *row,
                         double counted[TH_CSV_COUNTERS], struct th_error *err)
{
  th_status rc = TH_OK;
  parser->csv = csv;
  parser->row = row;
  parser->counted = counted;
  parser->field = 0;
  parser->fault = NO_FAULT;
  row->nonzeros = 0;
  row->weight = 1.0;
  csv_set_delim(&parser->machine, (unsigned char)csv->delimiter);
  TH_TRY(feed(parser, line, err));
  TH_TRY(check_line(parser, line, err));
done:
  return rc;
}
