/* libsvm.c - lines of LIBSVM text: what is read, what is refused, where
 * SPDX-License-Identifier: MIT */
#include "io/import/text/libsvm.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

static const struct th_libsvm plain = {.limiter = "--attributes"};
static const struct th_libsvm from_zero = {.zero_based = true,
                                           .limiter = "--attributes"};
static const struct th_libsvm limited = {.attributes = 5,
                                         .limiter = "--attributes"};

static const struct th_libsvm bare = {.unlabelled = true,
                                      .limiter = "--attributes"};
static const struct th_libsvm classes = {.class = {.name = "ALL"},
                                         .limiter = "--attributes"};

/* A line of its own in memory of exactly its size, so that a sanitizer sees
 * any look behind it. */
static th_status parse_bytes(const struct th_libsvm *format, const char *text,
                             size_t length, struct th_text_row *row,
                             struct th_error *err)
{
  char *copy = malloc(length + 1);
  if (copy == NULL)
    abort();
  memcpy(copy, text, length);
  copy[length] = '\n';
  struct th_line line = {
      .file = "f.svm", .number = 7, .text = copy, .length = (int64_t)length};
  th_error_clear(err);
  th_status rc = th_libsvm_row(format, &line, row, err);
  free(copy);
  return rc;
}

static void check_good(const struct th_libsvm *format, const char *text,
                       double target, int64_t count, const uint32_t *index,
                       const double *value)
{
  struct th_text_row row = {.type = TH_F64};
  struct th_error err;
  th_status rc = parse_bytes(format, text, strlen(text), &row, &err);
  if (rc != TH_OK)
    fprintf(stderr, "'%s': %s\n", text, err.text);
  CHECK(rc == TH_OK);
  CHECK(row.target == target && row.weight == 1.0 && row.count == count);
  for (int64_t k = 0; rc == TH_OK && k < count; k++) {
    int64_t found = row.first < 0 ? row.index[k] : row.first + k;
    CHECK(found == index[k] && ((double *)row.values)[k] == value[k]);
  }
  th_text_row_free(&row);
}

static void test_good(void)
{
  const uint32_t i123[] = {0, 1, 2};
  const uint32_t i13[] = {0, 2};
  const uint32_t big[] = {41, 123456788, 4294967293};
  const double v123[] = {1.5, -2.0, 0.0};
  const double v13[] = {0.25, 3e-5};
  check_good(&plain, "1 1:1.5 2:-2 3:0", 1.0, 3, i123, v123);
  check_good(&from_zero, "+1 0:1.5 1:-2 2:0", 1.0, 3, i123, v123);
  check_good(&plain, "-1.5e1 1:.25 3:3e-5", -15.0, 2, i13, v13);
  check_good(&plain, " \t-15\t1:.25  3:3e-5 \t", -15.0, 2, i13, v13);
  check_good(&plain, "2 1:.25 3:3e-5 # 4:x qid:", 2.0, 2, i13, v13);
  check_good(&plain, "2 1:.25 3:3e-5#", 2.0, 2, i13, v13);
  check_good(&plain, "2 0001:.25 000000000000003:3e-5", 2.0, 2, i13, v13);
  check_good(&plain, "7", 7.0, 0, NULL, NULL);
  check_good(&plain, "7 # nothing", 7.0, 0, NULL, NULL);
  check_good(&plain, "0 42:1.5 123456789:-2 4294967294:0", 0.0, 3, big, v123);
  check_good(&plain, "0 1:1.5 2:-2 3:1e-400", 0.0, 3, i123, v123);
}

static void test_run(void)
{
  struct th_text_row row = {.type = TH_F32};
  struct th_error err;
  const char *text = "1 3:1 4:0 5:1e-50 6:2";
  CHECK(parse_bytes(&plain, text, strlen(text), &row, &err) == TH_OK);
  CHECK(row.first == 2 && row.count == 4 && row.nonzeros == 2);
  text = "1 3:1 5:0 6:2";
  CHECK(parse_bytes(&plain, text, strlen(text), &row, &err) == TH_OK);
  CHECK(row.first == -1 && row.count == 3 && row.nonzeros == 2);
  CHECK(row.index[0] == 2 && row.index[1] == 4 && row.index[2] == 5);
  th_text_row_free(&row);
}

struct bad {
  const struct th_libsvm *format;
  enum th_type type;
  int column;
  const char *text;
  const char *says; /* part of the message */
};

static const struct bad bad_lines[] = {
    {&plain, TH_F32, 3, "1 0:1", "index 0 found"},
    {&plain, TH_F32, 11, "1 1:2 2:0 2:1", "index 2 found twice"},
    {&plain, TH_F32, 7, "1 3:2 2:1", "index 2 found after index 3"},
    {&from_zero, TH_F32, 7, "1 0:2 0:1", "index 0 found twice"},
    {&limited, TH_F32, 7, "1 5:2 6:1", "index 6 found, expected at most 5"},
    {&plain, TH_F32, 3, "1 4294967295:1", "expected at most 4294967294"},
    {&plain, TH_F32, 3, "1 12345678901234567890:1",
     "index 12345678901234567890 found, expected at most 4294967294"},
    {&plain, TH_F32, 3, "1 18446744073709551616:1",
     "expected an index of at most 18446744073709551615"},
    {&plain, TH_F32, 1, "1:2 2:3", "expected a label"},
    {&plain, TH_F32, 1, "x 1:2", "'x' found"},
    {&plain, TH_F32, 2, "1x 1:2", "'1x'"},
    {&plain, TH_F32, 2, "1,2 1:2", "'1,2'"},
    {&plain, TH_F32, 1, "nan 1:2", "'nan' found"},
    {&plain, TH_F32, 1, "inf 1:2", "'inf' found"},
    {&plain, TH_F32, 1, "1e400 1:2", "beyond the range"},
    {&plain, TH_F32, 3, "1 qid:3 1:2", "ranking"},
    {&plain, TH_F32, 5, "1 1:nan", "'nan' found"},
    {&plain, TH_F32, 9, "1 1:2 2:-inf", "'-inf' found"},
    {&plain, TH_F32, 6, "1 1:0x10", "'0x10'"},
    {&plain, TH_F32, 5, "1 1:1e400 2:3", "beyond the range"},
    {&plain, TH_F64, 5, "1 1:-1e400", "beyond the range"},
    {&plain, TH_F32, 5, "1 1:1e39", "f32"},
    {&plain, TH_U8, 5, "1 1:256", "u8"},
    {&plain, TH_U8, 5, "1 1:-1", "u8"},
    {&plain, TH_U8, 5, "1 1:1.5", "u8"},
    {&plain, TH_I8, 11, "1 1:127 2:128", "i8"},
    {&plain, TH_F32, 5, "1 1:", "nothing found"},
    {&plain, TH_F32, 5, "1 1: 2", "expected a finite decimal number"},
    {&plain, TH_F32, 3, "1 1 :2", "expected index:value"},
    {&plain, TH_F32, 6, "1 1:2:3", "'2:3'"},
    {&plain, TH_F32, 6, "1 1:2,2:3", "'2,2:3'"},
    {&plain, TH_F32, 3, "1 -1:2", "'-1:2' found"},
    {&plain, TH_F32, 3, "1 1.5:2", "'1.5:2' found"},
    {&plain, TH_F32, 3, "1 :2", "':2' found"},
    {&plain, TH_F32, 3, "1 2", "'2' found"},
    {&plain, TH_F32, 6, "1 1:2\r3:4", "\\x0d"},
    {&plain, TH_F32, 1, "\x89PNG\x1a 1:2", "\\x89PNG\\x1a"},
    {&plain, TH_F32, 1, "<html>", "'<html>' found"},
    {&plain, TH_F32, 1, "ALL 1:2", "{positive-class} A"},
    {&plain, TH_F32, 1, "1:2 2:3", "{like} TRAIN.h5"},
    {&classes, TH_F32, 1, "1:2 2:3", "expected a label"},
    {&classes, TH_F32, 1, "ALL:2 2:3", "expected a label"},
    {&classes, TH_F32, 4, "ALL,AML 2:3", "several labels in 'ALL,AML'"},
    {&classes, TH_F32, 1, "NA 2:3", "expected the name of a class"},
    {&classes, TH_F32, 1, "? 2:3", "expected the name of a class"},
    {&bare, TH_F32, 1, "1 1:2", "a label found"},
    {&bare, TH_F32, 1, "-1", "a label found"},
    {&bare, TH_F32, 1, "", "an empty line found"},
    {&bare, TH_F32, 1, " \t", "an empty line found"},
};

static void test_bad(void)
{
  for (size_t k = 0; k < sizeof bad_lines / sizeof *bad_lines; k++) {
    const struct bad *bad = &bad_lines[k];
    struct th_text_row row = {.type = bad->type};
    struct th_error err;
    char place[32];
    snprintf(place, sizeof place, "f.svm:7:%d: ", bad->column);
    th_status rc =
        parse_bytes(bad->format, bad->text, strlen(bad->text), &row, &err);
    bool good =
        rc == TH_EDATA && strncmp(err.text, place, strlen(place)) == 0 &&
        strstr(err.text, bad->says) != NULL && strchr(err.text, '\n') == NULL;
    if (!good)
      fprintf(stderr, "'%s': %s (wanted %s..%s)\n", bad->text, err.text, place,
              bad->says);
    CHECK(good);
    th_text_row_free(&row);
  }
}

static void test_classes(void)
{
  static const struct {
    const char *class;
    const char *text;
    int side;
  } cases[] = {{"ALL", "ALL", 1},    {"ALL", "AML", -1}, {"ALL", "all", -1},
               {"ALL", "ALLY", -1},  {"ALL", "3", -1},   {"ALL", "", 0},
               {"ALL", "nan", 0},    {"NA", "NA", 1},    {"3", "3", 1},
               {"3", "+3.0e0", 1},   {"3", "33", -1},    {"3", "three", -1},
               {"-1", "-1.0", 1},    {"0.5", "inf", 0},  {"3.0", "3", 1},
               {"1e400", "1e400", 1}};
  const uint32_t i2[] = {1};
  const double v2[] = {3.0};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct th_class class = th_text_row_class_named(cases[k].class);
    int64_t length = (int64_t)strlen(cases[k].text);
    CHECK(th_text_row_class_of(&class, cases[k].text, length) == cases[k].side);
  }
  check_good(&classes, "ALL 2:3", 1.0, 1, i2, v2);
  check_good(&classes, "\tAML 2:3 # ALL", -1.0, 1, i2, v2);
  check_good(&classes, "2 2:3", -1.0, 1, i2, v2);
  check_good(&classes, "ALL", 1.0, 0, NULL, NULL);
}

static void test_unlabelled(void)
{
  struct th_text_row row = {.type = TH_F64};
  struct th_error err;
  CHECK(parse_bytes(&bare, " 2:3 7:1 # 1", 12, &row, &err) == TH_OK);
  CHECK(isnan(row.target) && row.count == 2 && row.index[0] == 1);
  CHECK(th_libsvm_is_unlabelled("1:2", 3) &&
        th_libsvm_is_unlabelled(" 12:x", 5));
  CHECK(!th_libsvm_is_unlabelled("1 1:2", 5) &&
        !th_libsvm_is_unlabelled(":2", 2) && !th_libsvm_is_unlabelled("12", 2));
  th_text_row_free(&row);
}

/* NUL bytes are junk as any other. */
static void test_nul(void)
{
  static const char text[] = "1 1:2\0 3:4";
  struct th_text_row row = {.type = TH_F32};
  struct th_error err;
  CHECK(parse_bytes(&plain, text, sizeof text - 1, &row, &err) == TH_EDATA);
  CHECK(strstr(err.text, "f.svm:7:6: ") == err.text);
  th_text_row_free(&row);
}

/* Every prefix of a good line, and every byte replaced by another, is read or
 * refused without looking outside of the line. */
static void test_cuts(void)
{
  static const char text[] = "-1.25e2 1:0.123456789 22:1e-3 333:-4 # c";
  static const char others[] = {' ', ':', '#',  '9',   '.',
                                'e', '-', '\0', '\xff'};
  struct th_text_row row = {.type = TH_F32};
  struct th_error err;
  int64_t refused = 0;
  for (size_t length = 0; length < sizeof text; length++)
    parse_bytes(&plain, text, length, &row, &err);
  for (size_t k = 0; k < sizeof text - 1; k++)
    for (size_t o = 0; o < sizeof others; o++) {
      char changed[sizeof text];
      memcpy(changed, text, sizeof text);
      changed[k] = others[o];
      refused +=
          parse_bytes(&plain, changed, sizeof text - 1, &row, &err) != TH_OK;
    }
  CHECK(refused > 100);
  th_text_row_free(&row);
}

static void test_lines(void)
{
  CHECK(th_libsvm_is_example("1", 1) && th_libsvm_is_example("  x", 3));
  CHECK(!th_libsvm_is_example("", 0) && !th_libsvm_is_example(" \t", 2));
  CHECK(!th_libsvm_is_example("# 1 1:2", 7) && !th_libsvm_is_example(" #", 2));
  CHECK(th_libsvm_recognise("1 1:2", 5) && th_libsvm_recognise("a  3:x", 6));
  CHECK(th_libsvm_recognise("1 qid:2 1:3", 11));
  CHECK(!th_libsvm_recognise("1,2:3", 5) && !th_libsvm_recognise("1", 1));
  CHECK(!th_libsvm_recognise("1 2 ", 4) && !th_libsvm_recognise("a :b", 4));
}

int main(void)
{
  CASE(test_good());
  CASE(test_run());
  CASE(test_bad());
  CASE(test_classes());
  CASE(test_unlabelled());
  CASE(test_nul());
  CASE(test_cuts());
  CASE(test_lines());
  return check_finish(NULL);
}
