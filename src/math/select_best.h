/* select_best.h - the order of a selection, and the first of one rank in it
 *
 * For select.c. Larger magnitudes go first, and at equal magnitude the lower
 * attribute. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SELECT_BEST_H
#define TH_SELECT_BEST_H

#include "math/select.h"

#include <math.h>
#include <string.h>

/* Whose entry j is. */
static inline int64_t
th_select_best_attribute(const struct th_select_among *entries, int64_t j)
{
  return entries->attribute != NULL ? entries->attribute[j]
                                    : entries->first + j;
}

/* Magnitudes are ordered like the integers of their bit patterns. */
static inline uint64_t th_select_best_magnitude(double value)
{
  double magnitude = fabs(value);
  uint64_t bits;
  memcpy(&bits, &magnitude, sizeof bits);
  return bits;
}

/* For qsort, of struct th_index_value: negative if a goes before b. */
int th_select_best_order(const void *a, const void *b);

/* Put the first `most` entries above the threshold into best[most], the last of
 * them in place 0 and the others in no order. Returns how many are above the
 * threshold in all, which may be more than `most`. */
int64_t th_select_best(const struct th_select_among *entries, int64_t most,
                       struct th_index_value *best);

/* Choose up to k among `total` candidates, which are put into another order:
 * chosen[k] receives them by attribute. Returns how many. */
int64_t th_select_best_choose(struct th_index_value *candidates, int64_t total,
                              int64_t k, struct th_index_value *chosen);

#endif
