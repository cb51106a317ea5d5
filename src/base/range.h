/* range.h - half-open ranges of attributes or rows, and lists that lie in them
 *
 * All functions are local and pure.
 * SPDX-License-Identifier: MIT */
#ifndef TH_RANGE_H
#define TH_RANGE_H

#include <stdint.h>

/* A half-open range [first, last) of attributes or of rows. */
struct th_range {
  int64_t first;
  int64_t last;
};

/* The part that two ranges share; first == last if they share nothing. */
struct th_range th_range_intersect(struct th_range a, struct th_range b);

/* Part k when `items` things are cut into `parts` parts of nearly equal size;
 * items < 2^52. */
struct th_range th_range_part(int64_t items, int64_t k, int64_t parts);

/* Which entries of an ascending list of attributes lie in a range: those at
 * places first .. last - 1 of the list. */
struct th_range th_range_members(const int64_t *ascending, int64_t count,
                                 struct th_range range);

/* The place of an attribute in an ascending list, or -1. */
int64_t th_range_find(const int64_t *ascending, int64_t count,
                      int64_t attribute);

#endif
