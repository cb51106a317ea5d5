/* alias.h - draws from a discrete distribution in constant time
 *
 * The alias method (Walker 1977; tables by Vose 1991). A table has a place for
 * each item. A draw picks a place, and then the place's own item or the other
 * one. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ALIAS_H
#define TH_ALIAS_H

#include <stdint.h>

struct th_alias_place {
  double keep;   /* probability of the place's own item */
  int32_t other; /* the other item */
};

/* A table of `count` items; the places are the caller's. */
struct th_alias {
  int64_t count;
  struct th_alias_place *place;
};

/* Fill in a table: item k is drawn with probability mass[k] / sum of mass, up
 * to rounding, and never if mass[k] is 0. mass >= 0, and one is above 0. work
 * has room for `count` items. The table is a function of mass alone. */
void th_alias_build(const struct th_alias *alias, const double *mass,
                    int32_t *work);

/* The place that a uniform number in (0, 1) leads to, and the item that it
 * draws there. */
static inline int64_t th_alias_place(const struct th_alias *alias, double u)
{
  int64_t place = (int64_t)(u * (double)alias->count);
  return place < alias->count ? place : alias->count - 1;
}
static inline int64_t th_alias_draw(const struct th_alias *alias, double u)
{
  int64_t place = th_alias_place(alias, u);
  const struct th_alias_place *at = &alias->place[place];
  double rest = u * (double)alias->count - (double)place;
  return rest < at->keep ? place : at->other;
}

#endif
