/* text_row.c - a line of a text file, and the example it holds
 * SPDX-License-Identifier: MIT */
#include "io/import/text/text_row.h"

#include "base/memory.h"
#include "io/import/text/number.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

th_status th_text_row_reset(struct th_text_row *row, int64_t count,
                            struct th_error *err)
{
  row->count = 0;
  row->nonzeros = 0;
  row->first = -1;
  row->weight = 1.0;
  th_status rc = TH_GROW(&row->index, &row->index_capacity, count,
                         "indices of a line", err);
  if (rc != TH_OK)
    return rc;
  rc = th_grow(&row->values, &row->value_capacity, count, sizeof(double),
               "values of a line", err);
  if (rc != TH_OK || !row->measured)
    return rc;
  return TH_GROW(&row->lost, &row->lost_capacity, count, "values of a line",
                 err);
}

static bool is_known_class(const struct th_text_row *row, const char *text,
                           int64_t length)
{
  for (int64_t k = 0; k < row->known_count; k++)
    if (th_class_of(&row->known[k], text, length) > 0)
      return true;
  return false;
}

int th_text_row_class(struct th_text_row *row, const struct th_class *wanted,
                      const char *text, int64_t length)
{
  int side = th_class_of(wanted, text, length);
  row->target = side;
  row->knows = row->knows || side > 0;
  if (side < 0)
    th_class_set_add(&row->others, text, length, 1);
  if (!row->knows)
    row->knows = is_known_class(row, text, length);
  if (side < 0 && row->other_class[0] == '\0')
    snprintf(row->other_class, TH_QUOTED, "%.*s",
             (int)(length < TH_QUOTED ? length : TH_QUOTED), text);
  return side;
}

void th_text_row_free(struct th_text_row *row)
{
  TH_FREE(row->index, row->values, row->lost);
  *row = (struct th_text_row){0};
}

th_status th_text_row_fail(const struct th_line *line, const char *at,
                           struct th_error *err, const char *format, ...)
{
  char text[TH_ERROR_TEXT / 2];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return th_fail(err, TH_EDATA, "%s:%lld:%lld: %s", line->file,
                 (long long)line->number, (long long)(at - line->text) + 1,
                 text);
}

th_status th_text_row_check(const struct th_line *line, struct th_error *err)
{
  const char *zero =
      line->too_long ? NULL : memchr(line->text, '\0', (size_t)line->length);
  if (zero == NULL)
    return TH_OK;
  return th_text_row_fail(line, zero, err,
                          "a byte 0 found, which text does not have; correct "
                          "the line, or save the file as text in UTF-8");
}

const char *th_text_row_quote(const struct th_line *line, const char *at,
                              char stop, char quoted[TH_QUOTED])
{
  const char *end = line->text + line->length;
  size_t used = 0;
  quoted[used++] = '\'';
  for (; at < end && *at != ' ' && *at != '\t' && *at != stop; at++) {
    if (used > TH_QUOTED - 10) {
      memcpy(quoted + used, "..", 2);
      used += 2;
      break;
    }
    if (isprint((unsigned char)*at))
      quoted[used++] = *at;
    else
      used += (size_t)snprintf(quoted + used, 5, "\\x%02x",
                               (unsigned)(unsigned char)*at);
  }
  quoted[used++] = '\'';
  quoted[used] = '\0';
  return quoted;
}

th_status th_text_row_number(const struct th_line *line, const char **cursor,
                             const char *end, char stop, const char *what,
                             double *value, struct th_error *err)
{
  char quoted[TH_QUOTED];
  const char *at = *cursor;
  switch (th_number_parse(cursor, end, value)) {
  case TH_NUMBER_OK:
    return TH_OK;
  case TH_NUMBER_HUGE:
    th_text_row_quote(line, at, stop, quoted);
    return th_text_row_fail(
        line, at, err,
        "%s found, which is beyond the range of numbers, "
        "expected a finite decimal number as %s; rescale the "
        "data",
        quoted, what);
  case TH_NUMBER_NONE:
    break;
  }
  th_text_row_quote(line, at, stop, quoted);
  return th_text_row_fail(line, at, err,
                          "%s found, expected a finite decimal number as %s; "
                          "correct the line",
                          at < end ? quoted : "nothing", what);
}

th_status th_text_row_misfit(const struct th_line *line, const char *at,
                             char stop, enum th_type type, struct th_error *err)
{
  static const char *const wanted[TH_TYPE_COUNT] = {
      [TH_F32] = "at most 3.4e38 in magnitude (f32); import with {type} f64",
      [TH_F64] = "a finite number (f64); rescale the data",
      [TH_U8] = "a whole number 0..255 (u8); import with {type} f32",
      [TH_I8] = "a whole number -128..127 (i8); import with {type} f32",
      [TH_U2] = "a whole number 0..3 (u2); import with {type} u8 or f32",
  };
  char quoted[TH_QUOTED];
  return th_text_row_fail(line, at, err, "%s found, expected %s",
                          th_text_row_quote(line, at, stop, quoted),
                          wanted[type]);
}
