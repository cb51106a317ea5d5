/* source.c - --source: a synthetic family named on the command line
 * SPDX-License-Identifier: MIT */
#include "cli/shared/source.h"

#include <string.h>

/* The row of a key, by name or by letter, or -1. */
static int row_of(const char *key)
{
  int count = th_option_count();
  for (int k = 0; k < count; k++) {
    bool letter =
        key[0] == th_option_row(k)->letter && key[0] != 0 && key[1] == 0;
    if ((th_option_row(k)->commands & TH_SOURCE) != 0 &&
        (letter || strcmp(key, th_option_row(k)->name) == 0))
      return k;
  }
  return -1;
}

static th_status unknown_key(const char *where, const char *key,
                             struct th_error *err)
{
  const char *nearest = th_option_nearest(key, TH_SOURCE);
  if (nearest != NULL)
    return th_fail(err, TH_EUSAGE, "%s: %s is not a key; did you mean %s?",
                   where, key, nearest);
  return th_fail(err, TH_EUSAGE,
                 "%s: %s is not a key; they are options of generate such as "
                 "examples, attributes, support, noise and seed",
                 where, key);
}

/* One key=value; cut up in place. */
static th_status read_pair(struct th_options *options, char *pair,
                           const char *where, struct th_error *err)
{
  char place[96];
  char *value = strchr(pair, '=');
  if (value == NULL)
    return th_fail(err, TH_EUSAGE,
                   "%s: '%s' is not key=value; write it like "
                   "murata:examples=1000,attributes=500",
                   where, pair);
  *value++ = '\0';
  int row = row_of(pair);
  if (row < 0)
    return unknown_key(where, pair, err);
  if (options->given[row] != TH_NOT_GIVEN)
    return th_fail(err, TH_EUSAGE, "%s: %s is given twice", where, pair);
  options->given[row] = TH_GIVEN_ON_LINE;
  snprintf(place, sizeof place, "%s: %s", where, pair);
  return th_option_set(options, row, value, place, err);
}

/* The pairs behind the family's name; cut up in place. */
static th_status read_pairs(struct th_options *options, char *pairs,
                            const char *where, struct th_error *err)
{
  th_status rc = TH_OK;
  while (pairs != NULL && rc == TH_OK) {
    char *next = strchr(pairs, ',');
    if (next != NULL)
      *next++ = '\0';
    rc = read_pair(options, pairs, where, err);
    pairs = next;
  }
  return rc;
}

/* Every parameter as it is used; what follows from others by itself is left
 * out. */
static void write_text(const struct th_synthesis *synthesis,
                       const struct th_options *options, char *text)
{
  int count = th_option_count();
  struct th_options used = *options;
  used.synthetic.support = synthesis->truth.support_size;
  used.synthetic.noise = synthesis->truth.noise;
  size_t length =
      (size_t)snprintf(text, TH_SOURCE_TEXT, "%s", synthesis->family->name);
  char joint = ':';
  for (int k = 0; k < count && length < TH_SOURCE_TEXT; k++) {
    char value[64];
    if ((th_option_row(k)->commands & TH_SOURCE) == 0 ||
        !th_family_uses(synthesis->family, th_option_row(k)->name))
      continue;
    th_option_text(&used, k, value, sizeof value);
    if (strcmp(value, "auto") == 0)
      continue;
    length += (size_t)snprintf(text + length, TH_SOURCE_TEXT - length,
                               "%c%s=%s", joint, th_option_row(k)->name, value);
    joint = ',';
  }
}

th_status th_source_read(struct th_synthesis *synthesis, const char *source,
                         const char *command, char text[TH_SOURCE_TEXT],
                         struct th_error *err)
{
  struct th_options options = {0};
  char copy[TH_SOURCE_TEXT];
  char where[64];
  th_status rc;
  *synthesis = (struct th_synthesis){0};
  snprintf(where, sizeof where, "%s: --source", command);
  if (strlen(source) >= sizeof copy)
    return th_fail(err, TH_EUSAGE, "%s: longer than %d characters", where,
                   TH_SOURCE_TEXT - 1);
  memcpy(copy, source, strlen(source) + 1);
  char *pairs = strchr(copy, ':');
  if (pairs != NULL)
    *pairs++ = '\0';
  TH_TRY(th_options_init(&options, NULL, err));
  TH_TRY(read_pairs(&options, pairs, where, err));
  TH_TRY(th_family_plan(synthesis, &options, copy, where, "", err));
  write_text(synthesis, &options, text);
done:
  th_options_free(&options);
  return rc;
}
