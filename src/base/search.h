/* search.h - binary searches in ascending lists, and names in tables
 *
 * All functions are local and pure; a list may be empty.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SEARCH_H
#define TH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* th_search_T: the first k of [low, high) whose entry is not below `limit`;
 * high if there is none. Entries ascend. */
#define TH_DEFINE_SEARCH(name, type)                                           \
  static inline int64_t th_search_##name(const type *entry, int64_t low,       \
                                         int64_t high, int64_t limit)          \
  {                                                                            \
    while (low < high) {                                                       \
      int64_t middle = low + (high - low) / 2;                                 \
      if ((int64_t)entry[middle] < limit)                                      \
        low = middle + 1;                                                      \
      else                                                                     \
        high = middle;                                                         \
    }                                                                          \
    return low;                                                                \
  }
TH_DEFINE_SEARCH(i64, int64_t)
TH_DEFINE_SEARCH(i32, int32_t)
TH_DEFINE_SEARCH(u32, uint32_t)
TH_DEFINE_SEARCH(u16, uint16_t)

/* The first of `count` ascending items whose int64_t is not below `limit`;
 * count if there is none. Items have `size` bytes, and the number lies `offset`
 * bytes from their beginning. */
static inline int64_t th_search_member(const void *items, size_t size,
                                       size_t offset, int64_t count,
                                       int64_t limit)
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

/* The entry of `order` that names `value`, or -1: entry[order[k]] ascends over
 * the `count` entries of `order`. */
static inline int64_t th_search_order(const int64_t *entry,
                                      const int64_t *order, int64_t count,
                                      int64_t value)
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

/* The order of texts, for qsort over pointers to them. */
static inline int th_search_compare_texts(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* True if that text is one of `count` texts in ascending order. */
static inline bool th_search_text(const char *const *sorted, int64_t count,
                                  const char *text)
{
  return bsearch(&text, sorted, (size_t)count, sizeof *sorted,
                 th_search_compare_texts) != NULL;
}

/* The row of that name in a table whose rows begin with theirs, or -1: of at
 * most `rows` rows, and before the first whose name is NULL. */
static inline int64_t th_search_name(const void *table, size_t size,
                                     size_t rows, const char *name)
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

/* The row of that name in an array that is in sight, or -1. */
#define TH_SEARCH_NAME(table, name)                                            \
  th_search_name((table), sizeof *(table), sizeof(table) / sizeof *(table),    \
                 (name))

#endif
