/* range.h - half-open ranges of attributes or rows, and lists that lie in them
 *
 * All functions are local and pure.
 * SPDX-License-Identifier: MIT */
#ifndef TH_RANGE_H
#define TH_RANGE_H

#include "base/integer.h"
#include "base/search.h"

#include <stdint.h>

/* A half-open range [first, last) of attributes or of rows. */
struct th_range {
  int64_t first;
  int64_t last;
};

static inline int64_t th_range_count(struct th_range range)
{
  return range.last - range.first;
}

/* The part that two ranges share; first == last if they share nothing. */
static inline struct th_range th_range_intersect(struct th_range a,
                                                 struct th_range b)
{
  int64_t first = a.first > b.first ? a.first : b.first;
  int64_t last = th_min_i64(a.last, b.last);
  return (struct th_range){first, last > first ? last : first};
}

/* Part k when `items` things are cut into `parts` parts of nearly equal size;
 * items < 2^52. */
static inline struct th_range th_range_part(int64_t items, int64_t k,
                                            int64_t parts)
{
  int64_t share = items / parts;
  int64_t extra = items % parts;
  int64_t first = k * share + th_min_i64(k, extra);
  return (struct th_range){first, first + share + (k < extra)};
}

/* The part that thing `item` of 0 .. items - 1 is in. */
static inline int64_t th_range_part_of(int64_t items, int64_t item,
                                       int64_t parts)
{
  int64_t share = items / parts;
  int64_t longer = items % parts * (share + 1); /* things in longer parts */
  return item < longer ? item / (share + 1)
                       : items % parts + (item - longer) / share;
}

/* Which entries of an ascending list of attributes lie in a range: those at
 * places first .. last - 1 of the list. */
static inline struct th_range
th_range_members(const int64_t *ascending, int64_t count, struct th_range range)
{
  return (struct th_range){th_search_i64(ascending, 0, count, range.first),
                           th_search_i64(ascending, 0, count, range.last)};
}

/* The place of an attribute in an ascending list, or -1. */
static inline int64_t th_range_find(const int64_t *ascending, int64_t count,
                                    int64_t attribute)
{
  struct th_range one = {attribute, attribute + 1};
  struct th_range at = th_range_members(ascending, count, one);
  return at.last > at.first ? at.first : -1;
}

#endif
