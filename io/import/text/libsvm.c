/* libsvm.c - strict reading of LIBSVM text, one line at a time
 * SPDX-License-Identifier: MIT */
#include "io/import/text/libsvm.h"

#include "io/import/text/index_set.h"
#include "io/import/text/missing.h"
#include "io/import/text/number.h"
#include "io/import/text/text.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static th_status fail_junk(const struct th_line *line, const char *at,
                           const char *token, const char *what,
                           struct th_error *err);
static th_status read_target(const struct th_libsvm *format,
                             const struct th_line *line, const char **cursor,
                             struct th_text_row *row, struct th_error *err);

static inline bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

static inline bool libsvm_is_digit(char c)
{
  return (unsigned char)(c - '0') < 10;
}

static inline const char *libsvm_skip_blanks(const char *p, const char *end)
{
  while (p < end && is_blank(*p))
    p++;
  return p;
}

static inline bool ends_here(const char *p, const char *end)
{
  return p == end || *p == '#';
}

static inline bool ends_token(const char *p, const char *end)
{
  return ends_here(p, end) || is_blank(*p);
}

enum { SHORTEST_ENTRY = 4 }; /* bytes of " 1:1" */

bool th_libsvm_is_example(const char *text, int64_t length)
{
  const char *end = text + length;
  return !ends_here(libsvm_skip_blanks(text, end), end);
}

bool th_libsvm_is_unlabelled(const char *text, int64_t length)
{
  const char *end = text + length;
  const char *first = libsvm_skip_blanks(text, end);
  const char *p = first;
  while (p < end && libsvm_is_digit(*p))
    p++;
  return p > first && p < end && *p == ':';
}

bool th_libsvm_recognise(const char *text, int64_t length)
{
  const char *end = text + length;
  for (const char *p = text; p < end; p++) {
    if (!is_blank(*p))
      continue;
    p = libsvm_skip_blanks(p, end);
    const char *digits = p;
    while (p < end && libsvm_is_digit(*p))
      p++;
    if (p > digits && p < end && *p == ':')
      return true;
    p--; /* the byte itself may be a blank */
  }
  return false;
}

/* Why no index can be read at `at`. */
static th_status bad_index(const struct th_line *line, const char *at,
                           struct th_error *err)
{
  char quoted[TH_QUOTED];
  const char *end = line->text + line->length;
  if (end - at >= 4 && memcmp(at, "qid:", 4) == 0)
    return th_text_row_fail(
        line, at, err,
        "'qid:' found, expected index:value; ranking data are "
        "not supported, remove the qid entries");
  th_text_row_quote(line, at, '#', quoted);
  const char *p = at;
  while (p < end && libsvm_is_digit(*p))
    p++;
  if (p > at && p < end && *p == ':')
    return th_text_row_fail(line, at, err,
                            "%s found, expected an index of at most %" PRIu64
                            "; correct the line",
                            quoted, UINT64_MAX);
  return th_text_row_fail(
      line, at, err,
      "%s found, expected index:value with a whole number as "
      "index; correct the line, or name the format with "
      "{format}",
      quoted);
}

/* The index before, as it is written. */
struct previous {
  bool any;
  uint64_t index;
};

/* Why this index, as it is written, must not stand at `at`. */
static th_status wrong_index(const struct th_libsvm *format,
                             const struct th_line *line, const char *at,
                             uint64_t index, struct previous previous,
                             struct th_error *err)
{
  int64_t shift = format->zero_based ? 0 : 1;
  if (index == 0 && shift > 0)
    return th_text_row_fail(line, at, err,
                            "index 0 found, expected indices from 1 on; import "
                            "with {zero-based} if the first attribute is 0");
  if (previous.any && index == previous.index)
    return th_text_row_fail(line, at, err,
                            "index %" PRIu64
                            " found twice, expected ascending indices; "
                            "keep one of the two values",
                            index);
  if (previous.any && index < previous.index)
    return th_text_row_fail(line, at, err,
                            "index %" PRIu64 " found after index %" PRIu64
                            ", expected ascending "
                            "indices; sort the line",
                            index, previous.index);
  if (format->set != NULL)
    return th_text_row_fail(line, at, err,
                            "index %" PRIu64 " found, which was not there "
                            "before; leave files alone while they are imported",
                            index);
  if (format->attributes > 0)
    return th_text_row_fail(
        line, at, err,
        "index %" PRIu64 " found, expected at most %lld (%s); correct "
        "the line or the limit",
        index, (long long)(format->attributes - 1 + shift), format->limiter);
  return th_text_row_fail(line, at, err,
                          "index %" PRIu64
                          " found, expected at most %lld where "
                          "the line does not end with it; sort the line",
                          index, (long long)TH_TEXT_ATTRIBUTES);
}

/* The index at *cursor and its colon; false where there is none. */
static inline bool read_index(const char **cursor, const char *end,
                              uint64_t *index)
{
  enum { SURE = 19 }; /* digits that take no more than 64 bits */
  const char *p = *cursor;
  uint64_t value = 0;
  if (end - p > 8)
    p += th_number_digits_eight(p, &value);
  for (; p < end && libsvm_is_digit(*p) && p - *cursor < SURE; p++)
    value = 10 * value + (uint64_t)(*p - '0');
  if (p < end && libsvm_is_digit(*p)) {
    while (p < end && libsvm_is_digit(*p))
      p++;
    if (!th_index_set_read(*cursor, p, &value))
      return false;
  }
  if (p == *cursor || p == end || *p != ':')
    return false;
  *cursor = p + 1;
  *index = value;
  return true;
}

/* The attribute of an index, as it is written; -1: it has none. */
static inline int64_t attribute_of(const struct th_libsvm *format,
                                   uint64_t index, int64_t limit)
{
  if (format->set != NULL)
    return th_index_set_find(format->set, index);
  index -= format->zero_based ? 0 : 1;
  return index < (uint64_t)limit ? (int64_t)index : -1;
}

/* A value that is missing: the number that was read, if one was known, or a
 * word, behind which *cursor then is. */
static bool is_missing_value(const struct th_libsvm *format,
                             const char **cursor, const char *end, bool known,
                             double value)
{
  const char *p = *cursor;
  if (format->missing == NULL || format->missing->refused)
    return false;
  if (known)
    return th_missing_is_number(format->missing, value);
  while (!ends_token(p, end))
    p++;
  if (p == *cursor || !th_missing_is(format->missing, *cursor, p - *cursor))
    return false;
  *cursor = p;
  return true;
}

/* One index:value at *cursor. */
static inline th_status
read_entry(const struct th_libsvm *format, const struct th_line *line,
           int64_t limit, const char **cursor, struct previous *previous,
           struct th_text_row *row, struct th_error *err)
{
  const char *end = line->text + line->length;
  const char *at = *cursor;
  const char *p = at;
  uint64_t index = 0;
  if (!read_index(&p, end, &index))
    return bad_index(line, at, err);
  int64_t attribute = attribute_of(format, index, limit);
  if ((index == 0 && !format->zero_based) ||
      (previous->any && index <= previous->index) ||
      (attribute < 0 && !format->leaves_out))
    return wrong_index(format, line, at, index, *previous, err);
  const char *start = p;
  double value;
  bool known = th_number_usual(&p, end, &value) ||
               th_number_parse(&p, end, &value) == TH_NUMBER_OK;
  bool missing = is_missing_value(format, &p, end, known, value);
  if (!known && !missing)
    return th_text_row_number(line, &start, end, '#', "value", &value, err);
  if (!ends_token(p, end))
    return fail_junk(line, p, start, "value", err);
  *previous = (struct previous){true, index};
  *cursor = p;
  if (attribute < 0) {
    row->left_out++;
    return row->unseen == NULL ? TH_OK
                               : th_index_set_note(row->unseen, index, err);
  }
  if (missing)
    th_text_row_put_missing(row, row->count);
  if (!missing && !th_text_row_put(row, row->count, value))
    return th_text_row_misfit(line, start, '#', row->type, err);
  row->index[row->count++] = (uint32_t)attribute;
  return TH_OK;
}

/* The text of the next index, when it differs from the one before in its last
 * digit alone: what dense rows are full of. To compare it takes no time, as
 * nothing waits for how long it is. */
struct expected {
  uint64_t text; /* "124:" as eight bytes, the first lowest */
  uint64_t mask; /* of the bytes that count */
  int length;
};

static inline struct expected expect_next(struct expected last)
{
  const struct expected none = {1, 0, 0};
  int shift = 8 * (last.length - 2);
  if (last.length == 0 || (last.text >> shift & 0xff) == '9')
    return none;
  last.text += (uint64_t)1 << shift;
  return last;
}

/* Entries in the form that most files are full of: up to 7 digits, a colon, a
 * number that th_number_plain takes, one blank. Stops, with nothing said,
 * before the first entry of another form: read_entry takes that one. The blank
 * is looked for on its own, so that no entry waits for the digits of the one
 * before. */
static const char *read_usual(const struct th_libsvm *format, const char *p,
                              const char *end, int64_t limit,
                              struct previous *previous,
                              struct th_text_row *row)
{
  enum { LOOKED_AT = 32 }; /* bytes, at most */
  static_assert(LOOKED_AT >= 8 + TH_NUMBER_LOOK, "an index and a number");
  float *f32 = row->type == TH_F32 && !row->measured ? row->values : NULL;
  const th_text_bytes blanks = th_text_every(' ');
  int64_t nonzeros = 0;
  const int64_t shift = format->zero_based ? 0 : 1;
  struct expected next = {1, 0, 0};
  if (format->missing != NULL && format->missing->numbers > 0)
    return p; /* each number may be one of these */
  if (format->set != NULL || (previous->any && previous->index > INT64_MAX))
    return p;
  int64_t last = previous->any ? (int64_t)previous->index - shift : -1;
  int64_t count = row->count;
  while (end - p >= LOOKED_AT) {
    int length = th_text_find_in_32(p, blanks);
    int64_t index = last + 1;
    uint64_t text = th_number_digits_eight_bytes(p);
    if ((text & next.mask) != next.text) {
      uint64_t written;
      int digits = th_number_digits_eight(p, &written);
      if (digits == 0 || digits == 8 || p[digits] != ':')
        break;
      index = (int64_t)written - shift;
      next.length = digits + 1;
      next.mask = ~(uint64_t)0 >> (8 * (8 - next.length));
      next.text = text & next.mask;
    }
    const char *q = p + next.length;
    double value;
    if (index <= last || index >= limit || !th_number_plain(&q, &value) ||
        q != p + length || length == LOOKED_AT)
      break;
    if (f32 != NULL) { /* holds every such number */
      f32[count] = (float)value;
      nonzeros += f32[count] != 0.0F;
    } else if (!th_text_row_put(row, count, value)) {
      break;
    }
    row->index[count++] = (uint32_t)index;
    last = index;
    p += length + 1;
    next = expect_next(next);
  }
  row->count = count;
  row->nonzeros += nonzeros;
  if (last >= 0)
    *previous = (struct previous){true, (uint64_t)(last + shift)};
  return p;
}

th_status th_libsvm_row(const struct th_libsvm *format,
                        const struct th_line *line, struct th_text_row *row,
                        struct th_error *err)
{
  const char *p = line->text;
  const char *end = p + line->length;
  int64_t limit =
      format->attributes > 0 ? format->attributes : TH_TEXT_ATTRIBUTES;
  struct previous previous = {0};
  th_status rc = TH_OK;
  TH_TRY(th_text_row_reset(row, line->length / SHORTEST_ENTRY + 1, err));
  TH_TRY(read_target(format, line, &p, row, err));
  while (true) {
    p = read_usual(format, libsvm_skip_blanks(p, end), end, limit, &previous,
                   row);
    p = libsvm_skip_blanks(p, end);
    if (ends_here(p, end))
      break;
    TH_TRY(read_entry(format, line, limit, &p, &previous, row, err));
  }
  if (row->count > 0 &&
      row->index[row->count - 1] - row->index[0] == row->count - 1)
    row->first = row->index[0];
done:
  return rc;
}

/* --- Indices alone -------------------------------------------------------- */

/* Where the first index:value may stand. */
static const char *behind_label(const struct th_libsvm *format, const char *p,
                                const char *end)
{
  p = libsvm_skip_blanks(p, end);
  while (!format->unlabelled && !ends_token(p, end))
    p++;
  return libsvm_skip_blanks(p, end);
}

bool th_libsvm_last_index(const struct th_libsvm *format, const char *text,
                          int64_t length, uint64_t *index)
{
  const char *comment = memchr(text, '#', (size_t)length);
  const char *end = comment != NULL ? comment : text + length;
  const char *first = behind_label(format, text, end);
  while (end > first && is_blank(end[-1]))
    end--;
  const char *at = end;
  while (at > first && !is_blank(at[-1]))
    at--;
  const char *colon = at;
  while (colon < end && libsvm_is_digit(*colon))
    colon++;
  if (colon == at || colon == end || *colon != ':')
    return false;
  if (!th_index_set_read(at, colon, index))
    *index = UINT64_MAX;
  return true;
}

bool th_libsvm_next_index(const struct th_libsvm *format,
                          const struct th_line *line, const char **cursor,
                          uint64_t *index)
{
  const char *end = line->text + line->length;
  const char *p = *cursor;
  if (p == line->text)
    p = behind_label(format, p, end);
  else
    while (!ends_token(p, end)) /* the value */
      p++;
  p = libsvm_skip_blanks(p, end);
  if (ends_here(p, end) || !read_index(&p, end, index))
    return false;
  *cursor = p;
  return true;
}

/* --- What stands before the first index:value of a line ------------------- */

/* TH_EDATA for what follows the number of a token; `what` it should be. Local.
 */
static th_status fail_junk(const struct th_line *line, const char *at,
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

static bool is_named_missing(const struct th_libsvm *format, const char *text,
                             int64_t length)
{
  return format->missing != NULL &&
         th_missing_is_named(format->missing, text, length);
}

static th_status missing_label(const struct th_line *line, const char *at,
                               struct th_error *err)
{
  char quoted[TH_QUOTED];
  return th_text_row_fail(line, at, err,
                          "%s found, a missing value, expected a label; drop "
                          "the line",
                          th_text_row_quote(line, at, '#', quoted));
}

/* The label as the name of a class: a word. */
static th_status read_class(const struct th_libsvm *format,
                            const struct th_line *line, const char **cursor,
                            struct th_text_row *row, struct th_error *err)
{
  char quoted[TH_QUOTED];
  const char *end = line->text + line->length;
  const char *at = libsvm_skip_blanks(*cursor, end);
  const char *p = at;
  while (!ends_token(p, end) && *p != ':' && *p != ',')
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
  if (is_named_missing(format, at, p - at))
    return missing_label(line, at, err);
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
  const char *at = libsvm_skip_blanks(*cursor, end);
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
  if (is_named_missing(format, at, p - at))
    return missing_label(line, at, err);
  if (p < end && *p == ':')
    return format->weighted ? TH_OK : no_label(line, at, err);
  if (!ends_token(p, end))
    return fail_junk(line, p, at, "label", err);
  return TH_OK;
}

/* What stands behind the label: a colon and a weight. */
static th_status read_weight(const struct th_libsvm *format,
                             const struct th_line *line, const char **cursor,
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
  if (!ends_token(p, end))
    return fail_junk(line, p, start, "weight", err);
  if (row->weight < 0 || is_named_missing(format, start, p - start))
    return th_text_row_fail(
        line, start, err,
        row->weight < 0 ? "weight %g found, expected 0 or more; correct the row"
                        : "weight %g found, a missing value; drop the row",
        row->weight);
  *cursor = p;
  return TH_OK;
}

struct th_libsvm_word th_libsvm_first_word(const char *text, int64_t length,
                                           bool zero_based)
{
  const char *end = text + length;
  const char *p = libsvm_skip_blanks(text, end);
  struct th_libsvm_word word = {.label = p};
  bool digits = true;
  for (; !ends_token(p, end) && *p != ':'; p++)
    digits = digits && libsvm_is_digit(*p);
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
      !ends_token(p, end))
    return word;
  word.is_weight = word.weight >= 0;
  word.is_index =
      digits && word.is_number && word.value >= (zero_based ? 0 : 1);
  p = libsvm_skip_blanks(p, end);
  if (word.is_index && th_number_parse(&p, end, &next) == TH_NUMBER_OK &&
      p < end && *p == ':')
    word.is_index = next > word.value;
  return word;
}

/* Read what stands before the first index:value. Local. */
static th_status read_target(const struct th_libsvm *format,
                             const struct th_line *line, const char **cursor,
                             struct th_text_row *row, struct th_error *err)
{
  if (!format->unlabelled) {
    th_status rc = format->class.name != NULL
                       ? read_class(format, line, cursor, row, err)
                       : read_label(format, line, cursor, row, err);
    return rc == TH_OK && format->weighted
               ? read_weight(format, line, cursor, row, err)
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
