/* option_nearest.c - the option that a misspelt name may stand for
 * SPDX-License-Identifier: MIT */
#include "cli/options/options.h"

#include <string.h>

/* Levenshtein's distance; names longer than the row count as far away. */
static int distance(const char *a, const char *b)
{
  enum { LONGEST = 40 };
  int row[LONGEST + 1];
  size_t length = strlen(b);
  if (length > LONGEST)
    return LONGEST;
  for (size_t j = 0; j <= length; j++)
    row[j] = (int)j;
  for (size_t i = 0; a[i] != '\0'; i++) {
    int diagonal = row[0];
    row[0] = (int)i + 1;
    for (size_t j = 1; j <= length; j++) {
      int change = diagonal + (a[i] != b[j - 1]);
      diagonal = row[j];
      int shift = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      row[j] = change < shift ? change : shift;
    }
  }
  return row[length];
}

const char *th_option_nearest(const char *name, unsigned commands)
{
  int count = th_option_count();
  const char *nearest = NULL;
  const char *bare = strncmp(name, "no-", 3) == 0 ? name + 3 : name;
  int best = (int)strlen(name) / 3 + 2;
  for (int k = 0; k < count; k++) {
    int far = distance(bare, th_option_row(k)->name);
    bool opens = strlen(bare) > 2 &&
                 strncmp(bare, th_option_row(k)->name, strlen(bare)) == 0;
    far = opens ? 0 : far; /* an abbreviation: nothing is nearer */
    if ((th_option_row(k)->commands & commands) != 0 && far < best) {
      best = far;
      nearest = th_option_row(k)->name;
    }
  }
  return nearest;
}
