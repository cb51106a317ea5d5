/* cell.c - numbers as tables write them
 * SPDX-License-Identifier: MIT */
#include "io/import/text/cell.h"

#include "base/memory.h"
#include "io/import/text/number.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- Words ---------------------------------------------------------------- */

static bool spells(const struct th_cell_field *field, const char *word)
{
  int64_t k = 0;
  while (k < field->length &&
         tolower((unsigned char)field->text[k]) == word[k] && word[k] != '\0')
    k++;
  return k == field->length && word[k] == '\0';
}

static bool read_truth(const struct th_cell_field *field, double *value)
{
  bool yes = spells(field, "true") || spells(field, "yes");
  if (!yes && !spells(field, "false") && !spells(field, "no"))
    return false;
  *value = yes;
  return true;
}

/* --- Dates ---------------------------------------------------------------- */

/* The number that so many digits are, or -1. */
static int digits_at(const char *text, int count)
{
  int number = 0;
  for (int k = 0; k < count; k++) {
    if (!isdigit((unsigned char)text[k]))
      return -1;
    number = 10 * number + (text[k] - '0');
  }
  return number;
}

static bool is_leap(int year)
{
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_of(int year, int month)
{
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days since 1970-01-01, by years that begin in March (the proleptic Gregorian
 * calendar). */
static double days_since_1970(int year, int month, int day)
{
  enum { YEARS = 400, DAYS = 146097, TO_1970 = 719468 };
  int64_t y = month > 2 ? year : year - 1;
  int64_t era = y / YEARS;
  int64_t of_era = y % YEARS;
  int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  int64_t days = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
  return (double)(era * DAYS + days - TO_1970);
}

/* A clock's 12:30, 12:30:15 or 12:30:15.25 at *cursor, as a share of a day. */
static bool read_clock(const char **cursor, const char *end, double *share)
{
  enum { MINUTES = 5, SECONDS = 3 };
  const double day = 86400;
  const char *p = *cursor;
  if (end - p < MINUTES || p[2] != ':')
    return false;
  int hours = digits_at(p, 2);
  int minutes = digits_at(p + 3, 2);
  double seconds = 0;
  p += MINUTES;
  if (end - p >= SECONDS && *p == ':') {
    seconds = digits_at(p + 1, 2);
    p += SECONDS;
    double unit = 1;
    if (p + 1 < end && *p == '.' && isdigit((unsigned char)p[1]))
      for (p++; p < end && isdigit((unsigned char)*p); p++)
        seconds += (unit /= 10) * (*p - '0');
  }
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || seconds < 0 ||
      seconds >= 61)
    return false;
  *share = (60.0 * (60 * hours + minutes) + seconds) / day;
  *cursor = p;
  return true;
}

/* Z, or +01:00, which is taken away. */
static bool read_zone(const char *p, const char *end, double *share)
{
  enum { LENGTH = 6 };
  double zone = 0;
  if (p == end || (*p == 'Z' && p + 1 == end))
    return true;
  const char *clock = p + 1;
  if (end - p != LENGTH || (*p != '+' && *p != '-') ||
      !read_clock(&clock, end, &zone) || clock != end)
    return false;
  *share -= *p == '-' ? -zone : zone;
  return true;
}

/* ISO 8601: 2020-01-31, perhaps with 12:30 behind T or a blank; or 2020/01/31.
 */
static bool read_date(const struct th_cell_field *field, double *value)
{
  enum { LENGTH = 10 };
  const char *text = field->text;
  const char *end = text + field->length;
  const char *p = text + LENGTH + 1;
  double share = 0;
  if (field->length < LENGTH || (text[4] != '-' && text[4] != '/') ||
      text[7] != text[4])
    return false;
  int year = digits_at(text, 4);
  int month = digits_at(text + 5, 2);
  int day = digits_at(text + 8, 2);
  if (year < 1 || month < 1 || month > 12 || day < 1 ||
      day > days_of(year, month))
    return false;
  if (field->length > LENGTH &&
      ((p[-1] != 'T' && p[-1] != ' ') || !read_clock(&p, end, &share) ||
       !read_zone(p, end, &share)))
    return false;
  *value = days_since_1970(year, month, day) + share;
  return true;
}

/* --- Digits with marks ---------------------------------------------------- */

enum { MOST = 64 }; /* bytes of a number with marks in it, most often */

/* True if marks stand between groups of three digits, the first of which may be
 * shorter, before the decimal mark. */
static bool is_grouped(const char *text, int64_t length, char mark)
{
  int64_t group = 0; /* digits since the last mark */
  int64_t marks = 0;
  int64_t k = length > 0 && (text[0] == '-' || text[0] == '+');
  if (k < length && text[k] == '0')
    return false;
  for (; k < length && (isdigit((unsigned char)text[k]) || text[k] == mark);
       k++) {
    bool ends = text[k] == mark;
    if (ends && (group < 1 || group > 3 || (marks > 0 && group != 3)))
      return false;
    marks += ends;
    group = ends ? 0 : group + 1;
  }
  return marks > 0 && group == 3;
}

/* One mark and no more: 1.234, not 1.234.567 or 1.234,5. */
static bool has_one_mark(const struct th_cell_field *field, int64_t length,
                         char mark)
{
  const char *first = memchr(field->text, mark, (size_t)length);
  size_t rest = (size_t)(field->text + length - first) - 1;
  return memchr(first + 1, mark, rest) == NULL &&
         memchr(first + 1, field->decimal, rest) == NULL;
}

/* Copy without the marks, and with a point for the decimal mark. */
static int64_t to_plain(const char *text, int64_t length, char mark,
                        char decimal, char *plain)
{
  int64_t count = 0;
  for (int64_t k = 0; k < length; k++)
    if (text[k] != mark)
      plain[count++] = text[k] == decimal ? '.' : text[k];
  plain[count] = '\0';
  return count;
}

/* A whole text that is a number. */
static bool read_plain(const char *text, int64_t length, double *value)
{
  const char *p = text;
  return th_number_parse(&p, text + length, value) == TH_NUMBER_OK &&
         p == text + length;
}

/* Without the marks, in a copy. */
static bool read_copy(const struct th_cell_field *field, int64_t length,
                      char mark, double *value)
{
  struct th_error ignored = {0};
  char few[MOST];
  char *many = NULL;
  if (length >= MOST &&
      TH_NEW(&many, length + 1, "a number", &ignored) != TH_OK)
    return false;
  char *plain = many != NULL ? many : few;
  int64_t count = to_plain(field->text, length, mark, field->decimal, plain);
  bool good = read_plain(plain, count, value);
  free(many);
  return good;
}

static enum th_cell read_marked(const struct th_cell_field *field,
                                int64_t length, double *value)
{
  char mark = field->decimal == ',' ? '.' : ',';
  bool may = field->quoted || mark == '.';
  bool grouped = may && is_grouped(field->text, length, mark);
  if (grouped && field->unsure && has_one_mark(field, length, mark))
    return TH_CELL_TEXT;
  if ((field->decimal == '.' && !grouped) ||
      (field->decimal == ',' && !grouped &&
       memchr(field->text, '.', (size_t)length) != NULL))
    return TH_CELL_TEXT;
  if (!read_copy(field, length, grouped ? mark : '\0', value))
    return TH_CELL_TEXT;
  return grouped ? TH_CELL_GROUPED : TH_CELL_NUMBER;
}

static enum th_cell read_numeral(const struct th_cell_field *field,
                                 int64_t length, double *value)
{
  if (field->decimal == '.' && read_plain(field->text, length, value))
    return TH_CELL_NUMBER;
  return read_marked(field, length, value);
}

static bool read_percent(const struct th_cell_field *field, double *value)
{
  int64_t length = field->length - 1;
  if (field->text[length] != '%')
    return false;
  while (length > 0 && field->text[length - 1] == ' ')
    length--;
  return length > 0 && read_numeral(field, length, value) != TH_CELL_TEXT;
}

enum th_cell th_cell_read(const struct th_cell_field *field, double *value)
{
  int64_t length = field->length;
  if (length == 0)
    return TH_CELL_TEXT;
  enum th_cell found = read_numeral(field, length, value);
  if (found != TH_CELL_TEXT)
    return found;
  if (read_percent(field, value))
    return TH_CELL_PERCENT;
  if (read_date(field, value))
    return TH_CELL_DATE;
  return read_truth(field, value) ? TH_CELL_TRUTH : TH_CELL_TEXT;
}

const char *th_cell_meaning(enum th_cell form)
{
  static const char *const meanings[TH_CELL_COUNT] = {
      [TH_CELL_TRUTH] = "true and yes are 1, false and no are 0",
      [TH_CELL_DATE] = "dates are days since 1970-01-01",
      [TH_CELL_PERCENT] = "percent signs are left out: 5% is 5",
      [TH_CELL_GROUPED] = "marks between thousands are left out"};
  return meanings[form];
}
