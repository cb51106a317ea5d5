/* number.c - decimal text to doubles, against the C library
 * SPDX-License-Identifier: MIT */
#include "io/import/text/number.h"
#include "base/random.h"
#include "check.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Parse a text with so many bytes of other text behind it. */
static enum th_number parse(const char *text, size_t behind, size_t *used,
                            double *value)
{
  char buffer[8192];
  size_t length = strlen(text);
  memcpy(buffer, text, length + 1);
  memset(buffer + length, ' ', behind);
  buffer[length + behind] = '\n';
  const char *p = buffer;
  enum th_number outcome = th_number_parse(&p, buffer + length + behind, value);
  *used = (size_t)(p - buffer);
  return outcome;
}

static bool same_bits(double a, double b)
{
  return a == b && signbit(a) == signbit(b);
}

/* The way for long numbers takes all of a text, or some of it, or nothing. */
static void check_long(const char *text, double expected)
{
  char buffer[8192];
  size_t length = strlen(text);
  const char *p = buffer;
  double value = -77.0;
  memcpy(buffer, text, length + 1);
  memset(buffer + length, ' ', TH_NUMBER_LONG_LOOK);
  if (!th_number_long(&p, &value))
    CHECK(p == buffer && value == -77.0);
  else if (p == buffer + length)
    CHECK(same_bits(value, expected));
}

static void check_like_library(const char *text)
{
  check_long(text, strtod(text, NULL));
  for (size_t behind = 0; behind <= 24; behind += 24) {
    double value = -77.0;
    size_t used = 0;
    double expected = strtod(text, NULL);
    enum th_number outcome = parse(text, behind, &used, &value);
    bool good = isfinite(expected)
                    ? outcome == TH_NUMBER_OK && same_bits(value, expected)
                    : outcome == TH_NUMBER_HUGE;
    if (!good || used != strlen(text))
      fprintf(stderr, "'%s': %.17g, expected %.17g\n", text, value, expected);
    CHECK(good && used == strlen(text));
  }
}

static void test_examples(void)
{
  static const char *const texts[] = {
      "0",
      "-0",
      "+0",
      "0.0",
      "1",
      "-1",
      "+1",
      "1.",
      ".5",
      "-.5",
      "+.5e1",
      "00012",
      "0000000000000000000000000000001",
      "1e0",
      "1E5",
      "1e+5",
      "1e-5",
      "12345678",
      "1234567.12345678",
      "12345678.9",
      "1.123456789",
      "1.12345678e3",
      "9007199254740992",
      "9007199254740993",
      "9007199254740993.0",
      "9007199254740992.5",
      "9007199254740995",
      "18446744073709551615",
      "9999999999999999999",
      "0.1",
      "0.2",
      "0.3",
      "123456.789e-3",
      "1e22",
      "1e23",
      "1e-22",
      "1e-23",
      "4.35",
      "8.5e-5",
      "1e308",
      "1.7976931348623157e308",
      "1.7976931348623159e308",
      "1e309",
      "1e400",
      "-1e400",
      "1e-400",
      "-1e-400",
      "4.9e-324",
      "2.4e-324",
      "2.5e-324",
      "2.2250738585072011e-308",
      "0e999999999999999999999",
      "0.000e-99999999",
      "1e99999999999999999999",
      "1e-99999999999999999999",
      "7205759403792793199999e-5",
      "5e-324",
      "9.5367431640625e-7",
      "0.500000000000000166533453693773481063544750213623046875",
      "3.518437208883201171875e13",
      "62.5364939768271845828",
      "8.10109172351e-10",
      "1.50000000000000011102230246251565",
      "9007199254740991.4999999999999999999999999999999995",
      "30078505129381147446200",
      "1777820000000000000001",
      "0.00012345678901234567",
      "0.0000000000000000000000000000012345678901234567",
      "000000000000000000000000000000.0",
      "1.234567890123456789e-08",
      "9.999999999999999999e-09",
      "1234567890123456789e27",
      "1234567890123456789e28",
      "9007199254740993e25",
      "1e27",
      "1e-27",
      "1e-28",
      "9999999999999999999e-27"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    check_like_library(texts[k]);
}

static void test_refusals(void)
{
  static const char *const texts[] = {"",    "nan", "inf", "-inf", "+", "-",
                                      ".",   "-.",  "e5",  ".e5",  "x", "--1",
                                      "+-1", " 1",  "#",   "NaN"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    for (size_t behind = 0; behind <= 24; behind += 24) {
      double value = -77.0;
      size_t used = 99;
      CHECK(parse(texts[k], behind, &used, &value) == TH_NUMBER_NONE);
      CHECK(used == 0 && value == -77.0);
    }
}

/* What follows a number is left alone. */
static void test_borders(void)
{
  static const struct {
    const char *text;
    size_t used;
    double value;
  } cases[] = {{"0x10", 1, 0.0},
               {"1e", 1, 1.0},
               {"1e+", 1, 1.0},
               {"1ex", 1, 1.0},
               {"1.5.2", 3, 1.5},
               {"1,5", 1, 1.0},
               {"12345678x", 8, 12345678.0},
               {"1:2", 1, 1.0},
               {"3#c", 1, 3.0},
               {"1.25e1e1", 6, 12.5}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (size_t behind = 0; behind <= 24; behind += 24) {
      double value = -77.0;
      size_t used = 0;
      CHECK(parse(cases[k].text, behind, &used, &value) == TH_NUMBER_OK);
      CHECK(used == cases[k].used && value == cases[k].value);
    }
}

static void test_long(void)
{
  char text[4100];
  memset(text, '3', sizeof text);
  text[1] = '.';
  text[4000] = '\0';
  check_like_library(text);
  memset(text, '0', 4000);
  text[3999] = '7';
  check_like_library(text);
  text[0] = '.';
  check_like_library(text);
}

/* Random doubles and random decimals in the formats that files are full of. */
static void test_random(void)
{
  static const char *const formats[] = {"%.6g",  "%.15g", "%.16g",
                                        "%.17g", "%.18g", "%.19e",
                                        "%.3f",  "%.10f", "%.18e"};
  struct th_stream stream = {1, TH_PURPOSE_TEST};
  char text[512];
  for (uint64_t i = 0; i < 40000; i++) {
    uint32_t bits[4];
    double pair[2];
    th_random_bits(stream, 0, i, bits);
    th_random_normal(stream, 1, i, pair);
    double scaled = ldexp(pair[0], (int)(bits[1] % 120) - 60);
    snprintf(text, sizeof text, formats[bits[0] % 9], scaled);
    check_like_library(text);
    snprintf(text, sizeof text, "%" PRIu64 "e%d",
             ((uint64_t)bits[2] << 32 | bits[3]) >> (bits[0] >> 8) % 64,
             (int)(bits[1] % 50) - 25);
    check_like_library(text);
  }
}

/* Halfway between two doubles, and next to it: where a wrong rounding shows. */
static void test_ties(void)
{
  struct th_stream stream = {2, TH_PURPOSE_TEST};
  char text[64];
  for (uint64_t i = 0; i < 20000; i++) {
    uint32_t bits[4];
    th_random_bits(stream, 0, i, bits);
    uint64_t mantissa = ((uint64_t)bits[0] << 32 | bits[1]) >> 11;
    uint64_t tie = (mantissa | (uint64_t)1 << 52) * 2 + 1; /* 54 bits, odd */
    int shift = (int)(bits[2] % 9);
    for (int64_t next = -1; next <= 1; next++) {
      snprintf(text, sizeof text, "%" PRIu64, (tie << shift) + (uint64_t)next);
      check_like_library(text);
      /* tie / 2^k has a finite decimal form; k = 1 keeps within 19 digits */
      snprintf(text, sizeof text, "%" PRIu64 ".%s", tie / 2,
               next < 0    ? "49"
               : next == 0 ? "5"
                           : "51");
      check_like_library(text);
    }
  }
}

int main(void)
{
  CASE(test_examples());
  CASE(test_refusals());
  CASE(test_borders());
  CASE(test_long());
  CASE(test_random());
  CASE(test_ties());
  return check_finish(NULL);
}
