/* search.c - where an ascending list reaches a value
 * SPDX-License-Identifier: MIT */
#include "core/search.h"

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
