/* name_text.c - makes names of attributes safe to print
 * SPDX-License-Identifier: MIT */
#include "api/name_text.h"

#include "core/printable.h"

#include <string.h>

const char *th_name_text(const char *name, char *text, size_t size)
{
  static const char more[] = "...";
  static const char blanks[] = "\t\n\v\f\r";
  size_t length = strlen(name);
  size_t kept = length < size ? length : size - sizeof more;
  memcpy(text, name, kept);
  text[kept] = '\0';
  if (kept < length)
    th_printable_drop_tail(text);
  for (char *c = strpbrk(text, blanks); c != NULL; c = strpbrk(c, blanks))
    *c = ' ';
  th_printable(text);
  if (kept < length)
    memcpy(text + strlen(text), more, sizeof more);
  return text;
}
