/* class.c - one class of a target against all others
 * SPDX-License-Identifier: MIT */
#include "io/import/text/class.h"

#include "io/import/text/number.h"

#include <string.h>
#include <strings.h>

bool th_class_is_missing(const char *text, int64_t length)
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

/* Where a name is or belongs. */
static int64_t search_class(const struct th_class_set *set, const char *name,
                            bool *found)
{
  int64_t k = 0;
  int order = -1;
  while (k < set->count && (order = strcmp(set->name[k], name)) < 0)
    k++;
  *found = k < set->count && order == 0;
  return k;
}

void th_class_set_add(struct th_class_set *set, const char *text,
                      int64_t length, int64_t times)
{
  char name[TH_CLASS_ROOM] = {0};
  bool found;
  if (set->more)
    return;
  set->more = length >= TH_CLASS_ROOM;
  if (set->more)
    return;
  memcpy(name, text, (size_t)length);
  int64_t at = search_class(set, name, &found);
  if (found) {
    set->times[at] += times;
    return;
  }
  set->more = set->count == TH_CLASSES_KEPT;
  if (set->more)
    return;
  memmove(set->name[at + 1], set->name[at],
          (size_t)(set->count - at) * TH_CLASS_ROOM);
  memmove(set->times + at + 1, set->times + at,
          (size_t)(set->count - at) * sizeof *set->times);
  set->times[at] = times;
  memcpy(set->name[at], name, TH_CLASS_ROOM);
  set->count++;
}

int th_class_of(const struct th_class *wanted, const char *text, int64_t length)
{
  double value;
  if ((int64_t)strlen(wanted->name) == length &&
      memcmp(text, wanted->name, (size_t)length) == 0)
    return 1;
  if (wanted->is_number && whole_number(text, length, &value))
    return value == wanted->value ? 1 : -1;
  return th_class_is_missing(text, length) ? 0 : -1;
}
