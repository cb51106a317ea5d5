/* discrete.h - draws from discrete distributions: from one whose masses change
 * a few at a time, by a tree of sums, and from one that stays, by a table
 *
 * A node is the sum of TH_SUM_FAN children, in a fixed order. So every sum is a
 * function of the leaves alone, and not of how they came to be: a tree is
 * derived from its leaves and no part of a state. Leaves are at least 0. A tree
 * may end below the root, with several tops. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_DISCRETE_H
#define TH_DISCRETE_H

#include "base/error.h"

#include <stdint.h>

enum { TH_SUM_FAN = 16, TH_SUM_LEVELS = 16 };

struct th_sum_tree {
  int64_t leaves;
  int levels;                   /* above the leaves */
  double *level[TH_SUM_LEVELS]; /* level[0]: the leaves; padded by zeros */
  double *nodes;                /* owned: all levels */
};

/* All leaves are 0. levels: how many at most; a tree with fewer leaves has no
 * more than lead to one root. Release with th_discrete_free. */
th_status th_discrete_init(struct th_sum_tree *tree, int64_t leaves, int levels,
                           struct th_error *err);
void th_discrete_free(struct th_sum_tree *tree);

/* Form the sums above one leaf, or above all leaves, anew; the leaves were set
 * by the caller in tree->level[0]. */
void th_discrete_update(struct th_sum_tree *tree, int64_t leaf);
void th_discrete_refresh(struct th_sum_tree *tree);

/* Bring near what an update of a leaf is going to need. */
static inline void th_discrete_prefetch(const struct th_sum_tree *tree,
                                        int64_t leaf)
{
  for (int level = 0; level < tree->levels; level++) {
    leaf /= TH_SUM_FAN;
    const double *child = tree->level[level] + leaf * TH_SUM_FAN;
    __builtin_prefetch(child, 1);
    __builtin_prefetch(child + TH_SUM_FAN / 2, 1);
  }
}

/* One of the tops. */
double th_discrete_top(const struct th_sum_tree *tree, int64_t top);

/* The leaf below a top that a uniform number in (0, 1) draws, in proportion to
 * the leaves. Never one that is 0. The top is above 0. */
int64_t th_discrete_draw(const struct th_sum_tree *tree, int64_t top, double u);

/* --- Draws from a distribution that stays ------------------------
 *
 * The alias method (Walker 1977; tables by Vose 1991). A table has a place for
 * each item. A draw picks a place, and then the place's own item or the other
 * one. All functions are local. */

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
void th_discrete_alias_build(const struct th_alias *alias, const double *mass,
                             int32_t *work);

/* The place that a uniform number in (0, 1) leads to, and the item that it
 * draws there. */
static inline int64_t th_discrete_alias_place(const struct th_alias *alias,
                                              double u)
{
  int64_t place = (int64_t)(u * (double)alias->count);
  return place < alias->count ? place : alias->count - 1;
}
static inline int64_t th_discrete_alias_draw(const struct th_alias *alias,
                                             double u)
{
  int64_t place = th_discrete_alias_place(alias, u);
  const struct th_alias_place *at = &alias->place[place];
  double rest = u * (double)alias->count - (double)place;
  return rest < at->keep ? place : at->other;
}

#endif
