/* libsvm_label.c - what stands before the first index:value of a line
 * SPDX-License-Identifier: MIT */
#include "io/import/libsvm_parts.h"

#include "io/import/number.h"

th_status th_libsvm_junk(const struct th_line *line, const char *at,
                         const char *token, const char *what,
                         struct th_error *err)
{
  char quoted[TH_QUOTED];
  return th_text_row_fail(
      line, at, err,
      "unexpected character in %s, expected a finite decimal "
      "number as %s; correct the line",
      th_text_row_quote(line, token, '#', quoted), what);
}

static th_status no_label(const struct th_line *line, const char *at,
                          struct th_error *err)
{
  char quoted[TH_QUOTED];
  return th_text_row_fail(line, at, err,
                          "%s found, expected a label before the first "
                          "index:value; begin every line with the target, or "
                          "import data without one with {like} TRAIN.h5",
                          th_text_row_quote(line, at, '#', quoted));
}

/* The label as the name of a class: a word. */
static th_status read_class(const struct th_libsvm *format,
                            const struct th_line *line, const char **cursor,
                            struct th_text_row *row, struct th_error *err)
{
  char quoted[TH_QUOTED];
  const char *end = line->text + line->length;
  const char *at = th_libsvm_skip_blanks(*cursor, end);
  const char *p = at;
  while (!th_libsvm_ends_token(p, end) && *p != ':' && *p != ',')
    p++;
  *cursor = p;
  if (p < end && *p == ':')
    return no_label(line, at, err);
  if (p < end && *p == ',')
    return th_text_row_fail(
        line, p, err,
        "several labels in %s, expected one; keep one label "
        "on each line",
        th_text_row_quote(line, at, '#', quoted));
  if (th_text_row_class(row, &format->class, at, p - at) == 0)
    return th_text_row_fail(
        line, at, err,
        "%s found, expected the name of a class as label; drop "
        "the line",
        th_text_row_quote(line, at, '#', quoted));
  return TH_OK;
}

static th_status read_label(const struct th_line *line, const char **cursor,
                            struct th_text_row *row, struct th_error *err)
{
  char quoted[TH_QUOTED];
  const char *end = line->text + line->length;
  const char *at = th_libsvm_skip_blanks(*cursor, end);
  const char *p = at;
  enum th_number found = th_number_parse(&p, end, &row->target);
  if (found == TH_NUMBER_NONE)
    return th_text_row_fail(
        line, at, err,
        "%s found, expected a finite decimal number as label; "
        "correct the line, or import with {positive-class} A "
        "for a class A against all others",
        th_text_row_quote(line, at, '#', quoted));
  const char *whole = at;
  if (found == TH_NUMBER_HUGE)
    return th_text_row_number(line, &whole, end, '#', "label", &row->target,
                              err);
  if (p < end && *p == ':')
    return no_label(line, at, err);
  *cursor = p;
  if (!th_libsvm_ends_token(p, end))
    return th_libsvm_junk(line, p, at, "label", err);
  return TH_OK;
}

/* What stands before the first index:value. */
th_status th_libsvm_target(const struct th_libsvm *format,
                           const struct th_line *line, const char **cursor,
                           struct th_text_row *row, struct th_error *err)
{
  if (!format->unlabelled)
    return format->class.name != NULL
               ? read_class(format, line, cursor, row, err)
               : read_label(line, cursor, row, err);
  row->target = NAN;
  if (th_libsvm_is_unlabelled(line->text, line->length))
    return TH_OK;
  if (th_libsvm_is_example(line->text, line->length))
    return th_text_row_fail(
        line, line->text, err,
        "a label found, expected index:value as on the first "
        "line, which has no label; begin all lines with one, "
        "or none");
  return th_text_row_fail(line, line->text, err,
                          "an empty line found: it may be an example of zeros; "
                          "remove it, or begin every line with a label");
}
