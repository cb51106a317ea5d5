/* sum_tree.h - sums of many numbers that change a few at a time, and draws in
 * proportion to them
 *
 * A node is the sum of TH_SUM_FAN children, in a fixed order. So every sum is a
 * function of the leaves alone, and not of how they came to be: a tree is
 * derived from its leaves and no part of a state. Leaves are at least 0. A tree
 * may end below the root, with several tops. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SUM_TREE_H
#define TH_SUM_TREE_H

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
 * more than lead to one root. Release with th_sum_tree_free. */
th_status th_sum_tree_init(struct th_sum_tree *tree, int64_t leaves, int levels,
                           struct th_error *err);
void th_sum_tree_free(struct th_sum_tree *tree);

/* Form the sums above one leaf, or above all leaves, anew; the leaves were set
 * by the caller in tree->level[0]. */
void th_sum_tree_update(struct th_sum_tree *tree, int64_t leaf);
void th_sum_tree_refresh(struct th_sum_tree *tree);

/* Bring near what an update of a leaf is going to need. */
static inline void th_sum_tree_near(const struct th_sum_tree *tree,
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
double th_sum_tree_top(const struct th_sum_tree *tree, int64_t top);

/* The leaf below a top that a uniform number in (0, 1) draws, in proportion to
 * the leaves. Never one that is 0. The top is above 0. */
int64_t th_sum_tree_draw(const struct th_sum_tree *tree, int64_t top, double u);

#endif
