/* quote.c - a text as one word of a shell's command line
 * SPDX-License-Identifier: MIT */
#include "io/import/quote.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_plain(const char *word)
{
  for (const char *p = word; *p != '\0'; p++)
    if (!isalnum((unsigned char)*p) && strchr("_./:+=@%,-", *p) == NULL)
      return false;
  return word[0] != '\0';
}

const char *th_quote_shell_word(const char *word, char *text, size_t size)
{
  if (is_plain(word)) {
    snprintf(text, size, "%s", word);
    return text;
  }
  size_t used = (size_t)snprintf(text, size, "'");
  for (const char *p = word; *p != '\0' && used < size; p++)
    used += (size_t)snprintf(text + used, size - used,
                             *p == '\'' ? "'\\''" : "%c", *p);
  if (used < size)
    snprintf(text + used, size - used, "'");
  return text;
}
