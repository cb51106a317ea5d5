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
                          "index:value; begin every line with the target, "
                          "import data without one with {like} TRAIN.h5, or "
                          "say {labels} weighted if it is label:weight",
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
  if (p < end && *p == ':' && !format->weighted)
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

static th_status read_label(const struct th_libsvm *format,
                            const struct th_line *line, const char **cursor,
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
  *cursor = p;
  if (p < end && *p == ':')
    return format->weighted ? TH_OK : no_label(line, at, err);
  if (!th_libsvm_ends_token(p, end))
    return th_libsvm_junk(line, p, at, "label", err);
  return TH_OK;
}

/* What stands behind the label: a colon and a weight. */
static th_status read_weight(const struct th_line *line, const char **cursor,
                             struct th_text_row *row, struct th_error *err)
{
  const char *end = line->text + line->length;
  const char *p = *cursor;
  if (p == end || *p != ':')
    return th_text_row_fail(line, p, err,
                            "no weight found behind the label, expected "
                            "label:weight as on the first line");
  const char *start = ++p;
  if (th_number_parse(&p, end, &row->weight) != TH_NUMBER_OK)
    return th_text_row_number(line, &start, end, '#', "weight", &row->weight,
                              err);
  if (!th_libsvm_ends_token(p, end))
    return th_libsvm_junk(line, p, start, "weight", err);
  if (row->weight < 0)
    return th_text_row_fail(
        line, start, err,
        "weight %g found, expected 0 or more; correct the row", row->weight);
  *cursor = p;
  return TH_OK;
}

struct th_libsvm_word th_libsvm_first_word(const char *text, int64_t length,
                                           bool zero_based)
{
  const char *end = text + length;
  const char *p = th_libsvm_skip_blanks(text, end);
  struct th_libsvm_word word = {.label = p};
  bool digits = true;
  for (; !th_libsvm_ends_token(p, end) && *p != ':'; p++)
    digits = digits && th_libsvm_is_digit(*p);
  const char *colon = p;
  double next;
  word.length = p - word.label;
  p = word.label;
  word.is_number =
      th_number_parse(&p, colon, &word.value) == TH_NUMBER_OK && p == colon;
  if (colon == end || *colon != ':' || word.length == 0)
    return word;
  p = colon + 1;
  if (th_number_parse(&p, end, &word.weight) != TH_NUMBER_OK ||
      !th_libsvm_ends_token(p, end))
    return word;
  word.is_weight = word.weight >= 0;
  word.is_index =
      digits && word.is_number && word.value >= (zero_based ? 0 : 1);
  p = th_libsvm_skip_blanks(p, end);
  if (word.is_index && th_number_parse(&p, end, &next) == TH_NUMBER_OK &&
      p < end && *p == ':')
    word.is_index = next > word.value;
  return word;
}

/* What stands before the first index:value. */
th_status th_libsvm_target(const struct th_libsvm *format,
                           const struct th_line *line, const char **cursor,
                           struct th_text_row *row, struct th_error *err)
{
  if (!format->unlabelled) {
    th_status rc = format->class.name != NULL
                       ? read_class(format, line, cursor, row, err)
                       : read_label(format, line, cursor, row, err);
    return rc == TH_OK && format->weighted ? read_weight(line, cursor, row, err)
                                           : rc;
  }
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
