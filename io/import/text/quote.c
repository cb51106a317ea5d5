/* quote.c - a text as one word of a shell's command line
 * SPDX-License-Identifier: MIT */
#include "io/import/text/quote.h"

#include "base/printable.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { UNIT = 8 }; /* a character as it is typed, or an escaped byte */

static bool is_plain_word(const char *word)
{
  for (const char *p = word; *p != '\0'; p++)
    if (!isalnum((unsigned char)*p) && strchr("_./:+=@%,-", *p) == NULL)
      return false;
  return word[0] != '\0';
}

/* Bytes of the character at the beginning, if it can be shown; else 0. */
static int shown(const char *word)
{
  uint32_t code;
  int length = th_printable_decode(word, &code);
  return length > 0 && th_printable_code(code) ? length : 0;
}

static bool all_shown(const char *word)
{
  int length = 1;
  for (; *word != '\0' && length > 0; word += length)
    length = shown(word);
  return length > 0;
}

/* The next unit of a word in quotes, '..' or $'..'; what it takes of the word.
 * A byte has three octal digits: any shell knows where they end. */
static int quote_unit(const char *word, bool escaped, char unit[UNIT])
{
  int length = shown(word);
  if (*word == '\'')
    snprintf(unit, UNIT, "%s", escaped ? "\\'" : "'\\''");
  else if (*word == '\\' && escaped)
    snprintf(unit, UNIT, "\\\\");
  else if (length > 0)
    snprintf(unit, UNIT, "%.*s", length, word);
  else
    snprintf(unit, UNIT, "\\%03o", (unsigned)(unsigned char)*word);
  return length > 0 ? length : 1;
}

const char *th_quote_shell_word(const char *word, char *text, size_t size)
{
  if (is_plain_word(word)) {
    snprintf(text, size, "%s", word);
    return text;
  }
  bool escaped = !all_shown(word);
  char unit[UNIT];
  size_t used = (size_t)snprintf(text, size, escaped ? "$'" : "'");
  while (*word != '\0') {
    word += quote_unit(word, escaped, unit);
    if (used + strlen(unit) + sizeof "'" > size)
      break;
    used += (size_t)snprintf(text + used, size - used, "%s", unit);
  }
  snprintf(text + used, size - used, "'");
  return text;
}
