/* alias.h - draws from a discrete distribution in constant time
 *
 * The alias method (Walker 1977; tables by Vose 1991). A table has a place for
 * each item. A draw picks a place, and then the place's own item or the other
 * one. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ALIAS_H
#define TH_ALIAS_H

#include <stdint.h>

/* A table of `count` items; the arrays are the caller's. */
struct th_alias {
  int64_t count;
  double *keep;   /* probability of a place's own item */
  int32_t *other; /* the other item */
};

/* Fill in a table: item k is drawn with probability mass[k] / sum of mass, up
 * to rounding, and never if mass[k] is 0. mass >= 0, and one is above 0. work
 * has room for `count` items. The table is a function of mass alone. */
void th_alias_build(const struct th_alias *alias, const double *mass,
                    int32_t *work);

/* The item that a uniform number in (0, 1) draws. */
static inline int64_t th_alias_draw(const struct th_alias *alias, double u)
{
  double at = u * (double)alias->count;
  int64_t place = (int64_t)at;
  place = place < alias->count ? place : alias->count - 1;
  return at - (double)place < alias->keep[place] ? place : alias->other[place];
}

#endif
