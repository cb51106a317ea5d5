/* missing.c - what text writes for a value that nobody knows
 * SPDX-License-Identifier: MIT */
#include "io/import/text/missing.h"

#include "base/memory.h"
#include "io/import/text/number.h"

#include <string.h>
#include <strings.h>

const struct th_missing th_missing_usual = {0};

/* Blanks around a word do not count. */
static const char *strip(const char *text, int64_t *length)
{
  while (*length > 0 && *text == ' ') {
    text++;
    --*length;
  }
  while (*length > 0 && text[*length - 1] == ' ')
    --*length;
  return text;
}

/* Add a word to the list, for which there is room. */
static void add_word(struct th_missing *missing, int64_t *used,
                     const char *text, int64_t length)
{
  char *word = missing->words + *used;
  const char *p = word;
  double value;
  text = strip(text, &length);
  memcpy(word, text, (size_t)length);
  word[length] = '\0';
  *used += length + 1;
  missing->count++;
  if (th_number_parse(&p, word + length, &value) == TH_NUMBER_OK &&
      p == word + length)
    missing->number[missing->numbers++] = value;
}

th_status th_missing_read(struct th_missing *missing, const char *list,
                          struct th_error *err)
{
  const int64_t length = list != NULL ? (int64_t)strlen(list) : 0;
  const char *what = "words for missing values";
  int64_t used = 0;
  th_status rc = TH_OK;
  *missing = (struct th_missing){0};
  if (list == NULL)
    return TH_OK;
  missing->refused = strcmp(list, "error") == 0;
  if (missing->refused)
    return TH_OK;
  TH_TRY(TH_NEW(&missing->words, length + 1, what, err));
  TH_TRY(TH_NEW(&missing->number, length + 1, what, err));
  for (const char *p = list; p <= list + length;) {
    size_t word = strcspn(p, ",");
    add_word(missing, &used, p, (int64_t)word);
    p += word + 1;
  }
done:
  return rc;
}

void th_missing_free(struct th_missing *missing)
{
  TH_FREE(missing->words, missing->number);
  *missing = (struct th_missing){0};
}

static bool is_usual(const char *text, int64_t length)
{
  static const char *const words[] = {"",     "na",   "n/a",  "nan",
                                      "+nan", "-nan", "?",    "null",
                                      "none", ".",    "#n/a", "<na>"};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if ((int64_t)strlen(words[k]) == length &&
        strncasecmp(text, words[k], (size_t)length) == 0)
      return true;
  return false;
}

static bool is_told_missing(const struct th_missing *missing, const char *text,
                            int64_t length)
{
  const char *word = missing->words;
  for (int64_t k = 0; k < missing->count; k++, word += strlen(word) + 1)
    if ((int64_t)strlen(word) == length &&
        memcmp(word, text, (size_t)length) == 0)
      return true;
  return false;
}

bool th_missing_is(const struct th_missing *missing, const char *text,
                   int64_t length)
{
  return is_usual(text, length) || is_told_missing(missing, text, length);
}

bool th_missing_is_named(const struct th_missing *missing, const char *text,
                         int64_t length)
{
  const char *p = text;
  double value;
  return is_told_missing(missing, text, length) ||
         (missing->numbers > 0 &&
          th_number_parse(&p, text + length, &value) == TH_NUMBER_OK &&
          p == text + length && th_missing_is_number(missing, value));
}
