/* search.c - binary searches in ascending lists
 * SPDX-License-Identifier: MIT */
#include "core/search.h"

int64_t th_search_where(int64_t low, int64_t high,
                        int (*has)(void *self, int64_t k), void *self)
{
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (has(self, middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

struct members {
  const char *items;
  size_t size;
  size_t offset;
  int64_t limit;
};

static int member_reaches(void *self, int64_t k)
{
  const struct members *m = self;
  const void *member = m->items + (size_t)k * m->size + m->offset;
  return *(const int64_t *)member >= m->limit;
}

int64_t th_search_member(const void *items, size_t size, size_t offset,
                         int64_t count, int64_t limit)
{
  struct members m = {items, size, offset, limit};
  return th_search_where(0, count, member_reaches, &m);
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
