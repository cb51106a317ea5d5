/* name_text.c - makes names of attributes safe to print
 * SPDX-License-Identifier: MIT */
#include "api/name_text.h"

#include <string.h>

/* Whether a byte continues a character of UTF-8. */
static int is_continued(char byte)
{
  return ((unsigned char)byte & 0xc0U) == 0x80U;
}

const char *th_name_text(const char *name, char *text, size_t size)
{
  static const char more[] = "...";
  size_t length = strlen(name);
  size_t kept = length;
  if (length >= size) {
    kept = size - sizeof more;
    while (kept > 0 && is_continued(name[kept]))
      kept--;
  }
  memcpy(text, name, kept);
  text[kept] = '\0';
  for (char *c = text; *c != '\0'; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7f)
      *c = ' ';
  if (kept < length)
    memcpy(text + kept, more, sizeof more);
  return text;
}
