/* csv_header.c - the layout of a CSV file: delimiter, header, columns' roles
 * SPDX-License-Identifier: MIT */
#include "io/csv_reader.h"

#include "core/memory.h"
#include "io/number.h"

#include <csv.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* The first record of a file, on its way through libcsv. */
struct head {
  struct csv_parser machine;
  char **fields;
  int64_t count;
  int64_t capacity;
  bool ended;
  bool has_text; /* some field is neither number nor a missing value */
  bool no_memory;
};

/* A field that stands where data have a number: then the record is no header,
 * and the reader of rows says what is wrong with it. */
static bool is_data(const char *text, size_t length)
{
  static const char *const missing[] = {
      "",          "na",        "nan",      "n/a",  "+nan", "-nan",
      "inf",       "+inf",      "-inf",     "null", "?",    "none",
      "+infinity", "-infinity", "infinity", NULL};
  const char *p = text;
  double value;
  if (th_number_parse(&p, text + length, &value) != TH_NUMBER_NONE &&
      p == text + length)
    return true;
  for (int k = 0; missing[k] != NULL; k++)
    if (strcasecmp(text, missing[k]) == 0)
      return true;
  return false;
}

static void keep_field(void *text, size_t length, void *data)
{
  struct head *head = data;
  struct th_error ignored = {0};
  if (head->no_memory || head->ended)
    return;
  char *copy = malloc(length + 1);
  if (copy == NULL ||
      th_grow((void **)&head->fields, &head->capacity, head->count + 1,
              sizeof *head->fields, "names of columns", &ignored) != TH_OK) {
    free(copy);
    head->no_memory = true;
    return;
  }
  memcpy(copy, text, length);
  copy[length] = '\0';
  head->fields[head->count++] = copy;
  head->has_text = head->has_text || !is_data(copy, length);
}

static void keep_record(int end, void *data)
{
  (void)end;
  ((struct head *)data)->ended = true;
}

/* The delimiter that occurs most often outside of quotes. */
static char find_delimiter(const struct th_line *line)
{
  static const char candidates[] = {',', ';', '\t'};
  int64_t counts[3] = {0};
  bool quoted = false;
  for (int64_t k = 0; k < line->length; k++) {
    quoted ^= line->text[k] == '"';
    for (int c = 0; c < 3; c++)
      counts[c] += !quoted && line->text[k] == candidates[c];
  }
  int best = counts[1] > counts[0] ? 1 : 0;
  return candidates[counts[2] > counts[best] ? 2 : best];
}

/* Feed one physical line; a quoted line end belongs to its field. */
static th_status feed(struct head *head, const struct th_line *line,
                      struct th_error *err)
{
  size_t length = (size_t)line->length;
  size_t done = csv_parse(&head->machine, line->text, length, keep_field,
                          keep_record, head);
  if (done == length &&
      csv_parse(&head->machine, "\n", 1, keep_field, keep_record, head) != 1)
    done = 0;
  if (head->no_memory)
    return th_fail(err, TH_ENOMEM, "%s: no memory for the names of columns",
                   line->file);
  if (done < length)
    return th_line_fail(line, line->text + done, err,
                        "misplaced quotation mark, expected quotes only around "
                        "whole fields; double a quote inside quotes");
  return TH_OK;
}

static th_status too_long(const struct th_line *line, int64_t max_line,
                          struct th_error *err)
{
  return th_line_fail(line, line->text, err,
                      "the first record is longer than %lld bytes; close its "
                      "quotes, or allow longer lines with --max-line",
                      (long long)max_line);
}

/* Offset of what a reader of lines has not yet handed out. */
static int64_t offset_of(const struct th_lines *lines)
{
  return lines->next - (lines->end - lines->begin);
}

/* Read the first record; *end is the offset behind it, *first its line. */
static th_status read_head(struct head *head, struct th_csv *csv,
                           struct th_lines *lines, int64_t *end,
                           struct th_error *err)
{
  struct th_line line = {.file = lines->file->name, .number = 1, .text = ""};
  bool more = true;
  bool begun = false;
  int64_t start = offset_of(lines);
  th_status rc = TH_OK;
  while (!head->ended) {
    TH_TRY(th_lines_next(lines, &line, &more, err));
    if (!more)
      break;
    if (line.too_long || offset_of(lines) - start > lines->max_line + 1)
      return too_long(&line, lines->max_line, err);
    if (!begun && !th_csv_is_example(csv, line.text, line.length))
      continue;
    if (!begun) {
      csv->delimiter = find_delimiter(&line);
      csv_set_delim(&head->machine, (unsigned char)csv->delimiter);
    }
    begun = true;
    TH_TRY(feed(head, &line, err));
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

static void free_fields(char **fields, int64_t count)
{
  for (int64_t k = 0; fields != NULL && k < count; k++)
    free(fields[k]);
  free(fields);
}

th_status th_csv_open(struct th_csv *csv, struct th_text_file *file,
                      int64_t max_line, struct th_error *err)
{
  struct head head = {0};
  struct th_lines lines = {0};
  int64_t end = 0;
  th_status rc = TH_OK;
  *csv = (struct th_csv){.delimiter = ','};
  if (csv_init(&head.machine, CSV_STRICT | CSV_APPEND_NULL) != 0)
    return th_fail(err, TH_ENOMEM, "no memory for reading CSV");
  th_lines_begin(&lines, file, (struct th_range){file->body, file->size},
                 max_line, 0);
  TH_TRY(read_head(&head, csv, &lines, &end, err));
  csv->columns = head.count;
  if (head.has_text) {
    csv->names = head.fields;
    head.fields = NULL;
    file->body = end;
    file->header_lines = lines.number;
  }
done:
  free_fields(head.fields, head.count);
  th_lines_free(&lines);
  csv_free(&head.machine);
  return rc;
}

void th_csv_free(struct th_csv *csv)
{
  free_fields(csv->names, csv->columns);
  free(csv->role);
  *csv = (struct th_csv){0};
}

th_status th_csv_names(const struct th_csv *csv, const char ***names,
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
