/* search.c - binary searches in ascending lists, and names in tables
 * SPDX-License-Identifier: MIT */
#include "base/search.h"

#include <string.h>

int64_t th_search_member(const void *items, size_t size, size_t offset,
                         int64_t count, int64_t limit)
{
  const char *members = (const char *)items + offset;
  int64_t low = 0;
  int64_t high = count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    const void *member = members + (size_t)middle * size;
    if (*(const int64_t *)member < limit)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int64_t th_search_order(const int64_t *entry, const int64_t *order,
                        int64_t count, int64_t value)
{
  int64_t low = 0;
  int64_t high = count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (entry[order[middle]] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && entry[order[low]] == value ? order[low] : -1;
}

int64_t th_search_name(const void *table, size_t size, size_t rows,
                       const char *name)
{
  const char *row = table;
  for (size_t k = 0; k < rows; k++) {
    const char *its;
    memcpy(&its, row + k * size, sizeof its);
    if (its == NULL)
      break;
    if (strcmp(its, name) == 0)
      return (int64_t)k;
  }
  return -1;
}
