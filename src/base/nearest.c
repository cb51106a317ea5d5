/* nearest.c - the name that a misspelt one may stand for
 * SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include <stdbool.h>
#include <string.h>

static int count_edits(const char *a, const char *b)
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

int th_nearest_distance(const char *name, const char *other)
{
  size_t length = strlen(name);
  bool opens = length > 2 && strncmp(name, other, length) == 0;
  return opens ? 0 : count_edits(name, other);
}

int th_nearest_most(const char *name)
{
  return (int)strlen(name) / 3 + 1;
}

const char *th_nearest(const char *name, const char *(*known)(int64_t k))
{
  const char *nearest = NULL;
  int best = th_nearest_most(name) + 1;
  for (int64_t k = 0; known(k) != NULL; k++) {
    int far = th_nearest_distance(name, known(k));
    if (far < best) {
      best = far;
      nearest = known(k);
    }
  }
  return nearest;
}
