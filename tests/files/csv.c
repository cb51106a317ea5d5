/* csv.c - lines of CSV: the short way reads what the reader of any line
 * reads, or leaves the line to it
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "check.h"
#include "io/import/csv_any.h"
#include "io/import/csv_plain.h"

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
  csv->class = th_class_named(throw(dice, 3) == 0 ? "A" : NULL);
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
  double counted[TH_CSV_COUNTERS];
  bool good;
};

static bool same(const struct outcome *a, const struct outcome *b,
                 int64_t attributes)
{
  size_t size = th_type_size(th_type_single(a->row.type));
  return memcmp(a->row.values, b->row.values, (size_t)attributes * size) == 0 &&
         memcmp(a->counted, b->counted, sizeof a->counted) == 0 &&
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

/* True where the short way has taken the line. The line has memory of exactly
 * its size, so that a sanitizer sees any look behind it. */
static bool compare(const struct th_csv *csv, const struct text *text,
                    enum th_type type, bool measured)
{
  struct th_csv_any *parser = NULL; /* of no use behind a fault */
  struct outcome plain;
  struct outcome any;
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
  begin(&plain, type, measured);
  begin(&any, type, measured);
  th_error_clear(&err);
  CHECK(th_csv_any_create(&parser, &err) == TH_OK);
  plain.good = th_csv_plain_row(csv, &line, &plain.row, plain.counted);
  any.good =
      th_csv_any_row(parser, csv, &line, &any.row, any.counted, &err) == TH_OK;
  bool right = !plain.good || (any.good && same(&plain, &any, csv->attributes));
  if (!right)
    fprintf(stderr, "'%.*s': read otherwise\n", (int)text->length, copy);
  CHECK(right);
  free(copy);
  th_csv_any_free(parser);
  th_text_row_free(&plain.row);
  th_text_row_free(&any.row);
  return plain.good;
}

static void test_short_way(void)
{
  static const enum th_type types[] = {TH_F32, TH_F64, TH_U8, TH_F32};
  int64_t role[MOST_COLUMNS];
  struct th_csv csv = {.role = role};
  struct text text;
  struct dice dice = {0};
  int64_t taken = 0;
  for (int k = 0; k < LINES; k++) {
    make_case(&csv, &text, &dice);
    if (!th_csv_is_example(&csv, text.bytes, (int64_t)text.length))
      continue; /* no reader sees it */
    taken += compare(&csv, &text, types[k % 4], k % 8 == 7);
  }
  CHECK(taken > LINES / 4 && taken < LINES * 3 / 4);
  printf("%lld of %d lines were taken the short way\n", (long long)taken,
         LINES);
}

int main(void)
{
  CASE(test_short_way());
  return check_finish(NULL);
}
