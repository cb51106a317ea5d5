/* class.c - one class of a target against all others
 * SPDX-License-Identifier: MIT */
#include "io/class.h"

#include "io/number.h"

#include <string.h>
#include <strings.h>

bool th_text_is_missing(const char *text, int64_t length)
{
  static const char *const words[] = {
      "",          "na",        "nan",      "n/a",  "+nan", "-nan",
      "inf",       "+inf",      "-inf",     "null", "?",    "none",
      "+infinity", "-infinity", "infinity", NULL};
  for (int k = 0; words[k] != NULL; k++)
    if ((int64_t)strlen(words[k]) == length &&
        strncasecmp(text, words[k], (size_t)length) == 0)
      return true;
  return false;
}

static bool whole_number(const char *text, int64_t length, double *value)
{
  const char *p = text;
  return th_number_parse(&p, text + length, value) == TH_NUMBER_OK &&
         p == text + length;
}

struct th_class th_class_named(const char *name)
{
  struct th_class made = {.name = name};
  if (name != NULL)
    made.is_number = whole_number(name, (int64_t)strlen(name), &made.value);
  return made;
}

int th_class_of(const struct th_class *wanted, const char *text, int64_t length)
{
  double value;
  if ((int64_t)strlen(wanted->name) == length &&
      memcmp(text, wanted->name, (size_t)length) == 0)
    return 1;
  if (wanted->is_number && whole_number(text, length, &value))
    return value == wanted->value ? 1 : -1;
  return th_text_is_missing(text, length) ? 0 : -1;
}
