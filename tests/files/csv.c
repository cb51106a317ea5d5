/* csv.c - lines of CSV are read as a plain reader of RFC 4180 reads them, byte
 * after byte, and are refused where that one refuses them
 * SPDX-License-Identifier: MIT */
#include "io/import/csv/csv.h"
#include "base/random.h"
#include "check.h"
#include "io/import/text/number.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 60000, MOST_COLUMNS = 40, ROOM = 4096 };

/* Random choices, one after the other. */
struct dice {
  uint64_t thrown;
};

static int64_t throw(struct dice * dice, int64_t sides)
{
  struct th_stream stream = {11, TH_PURPOSE_TEST};
  uint32_t bits[4];
  th_random_bits(stream, 0, dice->thrown++, bits);
  return (int64_t)(bits[0] % (uint64_t)sides);
}

/* A text that grows. */
struct text {
  char bytes[ROOM];
  size_t length;
};

static void add(struct text *text, const char *more)
{
  size_t length = strlen(more);
  if (text->length + length < ROOM) {
    memcpy(text->bytes + text->length, more, length);
    text->length += length;
  }
}

static void add_number(struct text *text, struct dice *dice)
{
  static const char *const forms[] = {"%.6g",  "%.17g", "%.3f", "%.0f",
                                      "%+.9g", "%.12e", "%.19f"};
  char number[64];
  double size[] = {1, 1e-3, 1e5, 1e9, 1e25, 1e-30, 0};
  double value =
      (double)(throw(dice, 2000001) - 1000000) / 1e6 * size[throw(dice, 7)];
  snprintf(number, sizeof number,
           forms[throw(dice, sizeof forms / sizeof *forms)], value);
  add(text, number);
}

/* A field of any kind; most are numbers, some of them in quotes. */
static void add_field(struct text *text, struct dice *dice, int64_t oddity)
{
  static const char *const odd[] = {"",
                                    " ",
                                    "\"",
                                    "\"\"",
                                    "\"a\"",
                                    "a b",
                                    " a ",
                                    "\"a,b;c\td\"",
                                    "\r",
                                    "1\r",
                                    "NA",
                                    "nan",
                                    "1e999",
                                    "-",
                                    "+",
                                    ".",
                                    "\"1",
                                    "1\"",
                                    "\"\"1",
                                    " \"1\"",
                                    "\"1\" ",
                                    "1 2",
                                    "1,2",
                                    "\"a\"\"b\"",
                                    "e5",
                                    "1e",
                                    "1e5",
                                    "-0",
                                    "256",
                                    "0.5",
                                    "-1",
                                    "A",
                                    "\"A\"",
                                    "\" A\"",
                                    "\"1 \"",
                                    "\" 1\"",
                                    "\"1\"2",
                                    "\357\273\2771",
                                    "00000000000000000000012345678901234567890",
                                    "\"\r\"",
                                    "\t1",
                                    "1\t"};
  if (oddity > 0 && throw(dice, oddity) == 0) {
    if (throw(dice, 30) == 0 && text->length + 1 < ROOM)
      text->bytes[text->length++] = '\0';
    add(text, odd[throw(dice, sizeof odd / sizeof *odd)]);
    return;
  }
  bool quoted = throw(dice, 3) == 0;
  add(text, quoted ? "\"" : "");
  add_number(text, dice);
  add(text, quoted ? "\"" : "");
}

static const struct th_missing refused = {.refused = true};

/* A line and how it is to be read. */
static void make_case(struct th_csv *csv, struct text *text, struct dice *dice)
{
  static const int64_t others[] = {TH_COLUMN_TARGET, TH_COLUMN_WEIGHT,
                                   TH_COLUMN_IGNORED};
  const char delimiter[2] = {",;\t"[throw(dice, 3)], '\0'};
  const int64_t oddities[] = {0, 0, 2, 20, 100};
  int64_t oddity = oddities[throw(dice, 5)];
  int64_t place = throw(dice, 3); /* of an odd column */
  csv->delimiter = delimiter[0];
  csv->columns = 1 + throw(dice, throw(dice, 2) == 0 ? 4 : MOST_COLUMNS);
  csv->attributes = 0;
  csv->counters = throw(dice, 8) == 0;
  csv->counter[0].column = throw(dice, csv->columns);
  csv->class = th_text_row_class_named(throw(dice, 3) == 0 ? "A" : NULL);
  csv->missing = throw(dice, 2) == 0 ? &refused : &th_missing_usual;
  for (int64_t k = 0; k < csv->columns; k++)
    csv->role[k] =
        k < 3 && k == place ? others[throw(dice, 3)] : csv->attributes++;
  int64_t fields =
      csv->columns + (throw(dice, 40) == 0) - (throw(dice, 40) == 0);
  text->length = 0;
  for (int64_t k = 0; k < fields; k++) {
    add(text, k > 0 ? delimiter : "");
    add_field(text, dice, oddity);
  }
}

/* What one reader makes of a line. */
struct outcome {
  struct th_text_row row;
  bool good;
};

static bool same(const struct outcome *a, const struct outcome *b,
                 int64_t attributes)
{
  size_t size = th_type_size(th_type_single(a->row.type));
  return memcmp(a->row.values, b->row.values, (size_t)attributes * size) == 0 &&
         memcmp(&a->row.target, &b->row.target, sizeof(double)) == 0 &&
         memcmp(a->row.other_class, b->row.other_class, TH_QUOTED) == 0 &&
         a->row.weight == b->row.weight && a->row.nonzeros == b->row.nonzeros &&
         a->row.knows == b->row.knows;
}

static void begin(struct outcome *outcome, enum th_type type, bool measured)
{
  struct th_error err;
  *outcome = (struct outcome){.row = {.type = type, .measured = measured}};
  CHECK(th_text_row_reset(&outcome->row, MOST_COLUMNS, &err) == TH_OK);
}

/* The fields of a line, one after the other, each with a zero behind it. */
struct parts {
  char text[2 * ROOM];
  size_t used;
  const char *field[ROOM];
  int64_t count;
};

/* Blanks around it do not count, inside quotes or not. */
static void end_part(struct parts *parts, const char *begin)
{
  const char *end = parts->text + parts->used;
  while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  parts->used = (size_t)(end - parts->text);
  parts->text[parts->used++] = '\0';
  while (*begin == ' ' || *begin == '\t')
    begin++;
  parts->field[parts->count++] = begin;
}

/* False where a quote does not stand around a whole field. */
static bool split(const struct text *text, char delimiter, struct parts *parts)
{
  enum { BEFORE, BARE, QUOTED, BEHIND } at = BEFORE;
  const char *begin = parts->text;
  for (size_t k = 0; k <= text->length; k++) {
    char c = k < text->length ? text->bytes[k] : delimiter;
    bool blank = c == ' ' || c == '\t';
    if (k == text->length && at == QUOTED)
      return false;
    if (c == delimiter && at != QUOTED) {
      end_part(parts, begin);
      begin = parts->text + parts->used;
      at = BEFORE;
    } else if (c == '"' && at == BEFORE) {
      at = QUOTED;
    } else if (c == '"' && at == QUOTED && text->bytes[k + 1] == '"' &&
               k + 1 < text->length) {
      parts->text[parts->used++] = text->bytes[k++];
    } else if (c == '"' && at == QUOTED) {
      at = BEHIND;
    } else if (at == QUOTED || (at != BEHIND && !blank && c != '"')) {
      at = at == QUOTED ? QUOTED : BARE;
      parts->text[parts->used++] = c;
    } else if (blank && at == BARE) {
      parts->text[parts->used++] = c;
    } else if (!blank) {
      return false;
    }
  }
  return true;
}

static bool take(const struct th_csv *csv, int64_t role, const char *text,
                 struct th_text_row *row)
{
  int64_t length = (int64_t)strlen(text);
  const char *p = text;
  double value;
  if (role == TH_COLUMN_IGNORED)
    return true;
  if (role == TH_COLUMN_TARGET && csv->class.name != NULL)
    return th_text_row_class(row, &csv->class, text, length) != 0;
  if (role >= 0 && !csv->missing->refused &&
      th_missing_is(csv->missing, text, length)) {
    th_text_row_put_missing(row, role);
    return true;
  }
  if (th_number_parse(&p, text + length, &value) != TH_NUMBER_OK || *p != '\0')
    return false;
  if (role >= 0)
    return th_text_row_put(row, role, value);
  *(role == TH_COLUMN_TARGET ? &row->target : &row->weight) = value;
  return row->weight >= 0;
}

/* The example of a line by the plain reader. */
static bool expect(const struct th_csv *csv, const struct text *text,
                   struct th_text_row *row)
{
  static struct parts parts;
  parts.used = 0;
  parts.count = 0;
  bool good = memchr(text->bytes, '\r', text->length) == NULL &&
              split(text, csv->delimiter, &parts) &&
              parts.count == csv->columns;
  for (int64_t k = 0; good && k < csv->columns; k++)
    good = take(csv, csv->role[k], parts.field[k], row);
  if (csv->target < 0)
    row->target = NAN;
  return good;
}

/* True where the line holds an example. It has memory of exactly its size, so
 * that a sanitizer sees any look behind it. */
static bool compare(struct th_csv_parser *parser, const struct th_csv *csv,
                    const struct text *text, enum th_type type, bool measured)
{
  struct outcome is;
  struct outcome wanted;
  struct th_error err;
  char *copy = malloc(text->length + 1);
  if (copy == NULL)
    abort();
  memcpy(copy, text->bytes, text->length);
  copy[text->length] = '\n';
  struct th_line line = {.file = "f.csv",
                         .number = 7,
                         .text = copy,
                         .length = (int64_t)text->length};
  begin(&is, type, measured);
  begin(&wanted, type, measured);
  th_error_clear(&err);
  is.good = th_csv_reader_row(parser, csv, &line, &is.row, &err) == TH_OK;
  wanted.good = expect(csv, text, &wanted.row);
  bool right = is.good == wanted.good &&
               (is.good ? same(&is, &wanted, csv->attributes)
                        : strncmp(err.text, "f.csv:7:", 8) == 0);
  if (!right)
    fprintf(stderr, "'%.*s': read otherwise, %s\n", (int)text->length, copy,
            err.text);
  CHECK(right);
  free(copy);
  th_text_row_free(&is.row);
  th_text_row_free(&wanted.row);
  return is.good;
}

static void test_lines(void)
{
  static const enum th_type types[] = {TH_F32, TH_F64, TH_U8, TH_F32};
  int64_t role[MOST_COLUMNS];
  struct th_csv csv = {.role = role, .weight = -1, .decimal = '.'};
  struct th_csv_parser *parser = NULL;
  struct th_error err;
  struct text text;
  struct dice dice = {0};
  int64_t good = 0;
  CHECK(th_csv_reader_create(&parser, &err) == TH_OK);
  for (int k = 0; k < LINES; k++) {
    make_case(&csv, &text, &dice);
    if (!th_csv_reader_is_example(&csv, text.bytes, (int64_t)text.length) ||
        memchr(text.bytes, '\0', text.length) != NULL)
      continue; /* no reader sees it */
    good += compare(parser, &csv, &text, types[k % 4], k % 8 == 7);
  }
  CHECK(good > LINES / 4 && good < LINES * 3 / 4);
  th_csv_reader_free(parser);
}

int main(void)
{
  CASE(test_lines());
  return check_finish(NULL);
}
