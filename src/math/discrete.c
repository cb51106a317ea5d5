/* discrete.c - draws from discrete distributions: from one whose masses change
 * a few at a time, by a tree of sums, and from one that stays, by a table
 * SPDX-License-Identifier: MIT */
#include "math/discrete.h"

#include "base/integer.h"
#include "base/memory.h"

#include <stdlib.h>

/* Nodes of the level above `count` nodes; every level has whole fans. */
static int64_t nodes_above(int64_t count)
{
  return th_integer_ceil_divide(count, TH_SUM_FAN);
}

static int64_t padded(int64_t count)
{
  return th_max_i64(1, nodes_above(count)) * TH_SUM_FAN;
}

static int64_t all_nodes(int64_t leaves, int levels)
{
  int64_t nodes = padded(leaves);
  for (int level = 0; level < levels && leaves > 1; level++) {
    leaves = nodes_above(leaves);
    nodes += padded(leaves);
  }
  return nodes;
}

th_status th_discrete_init(struct th_sum_tree *tree, int64_t leaves, int levels,
                           struct th_error *err)
{
  *tree = (struct th_sum_tree){.leaves = leaves};
  th_status rc =
      TH_NEW(&tree->nodes, all_nodes(leaves, levels), "sums of masses", err);
  if (rc != TH_OK)
    return rc;
  tree->level[0] = tree->nodes;
  for (int64_t count = leaves; count > 1 && tree->levels < levels;
       tree->levels++) {
    tree->level[tree->levels + 1] = tree->level[tree->levels] + padded(count);
    count = nodes_above(count);
  }
  return TH_OK;
}

void th_discrete_free(struct th_sum_tree *tree)
{
  free(tree->nodes);
  *tree = (struct th_sum_tree){.leaves = 0};
}

/* Four lanes, added in a fixed order. */
static double sum_fan(const double *child)
{
  double lane[4];
  for (int k = 0; k < 4; k++)
    lane[k] = (child[k] + child[k + 4]) + (child[k + 8] + child[k + 12]);
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

void th_discrete_update(struct th_sum_tree *tree, int64_t leaf)
{
  for (int level = 0; level < tree->levels; level++) {
    leaf /= TH_SUM_FAN;
    tree->level[level + 1][leaf] =
        sum_fan(tree->level[level] + leaf * TH_SUM_FAN);
  }
}

void th_discrete_refresh(struct th_sum_tree *tree)
{
  int64_t count = tree->leaves;
  for (int level = 0; level < tree->levels; level++) {
    count = nodes_above(count);
    for (int64_t k = 0; k < count; k++)
      tree->level[level + 1][k] = sum_fan(tree->level[level] + k * TH_SUM_FAN);
  }
}

double th_discrete_top(const struct th_sum_tree *tree, int64_t top)
{
  return tree->level[tree->levels][top];
}

/* The child at which the sum of the children reaches *rest, which becomes what
 * is left within it. Rounding may leave a little beyond the last child: the
 * last one above 0 is taken then. */
static int64_t pick(const double *child, double *rest)
{
  int64_t last = 0;
  for (int64_t k = 0; k < TH_SUM_FAN; k++) {
    if (!(child[k] > 0))
      continue;
    if (*rest < child[k])
      return k;
    *rest -= child[k];
    last = k;
  }
  *rest = child[last];
  return last;
}

int64_t th_discrete_draw(const struct th_sum_tree *tree, int64_t top, double u)
{
  double rest = u * th_discrete_top(tree, top);
  for (int level = tree->levels - 1; level >= 0; level--)
    top = top * TH_SUM_FAN + pick(tree->level[level] + top * TH_SUM_FAN, &rest);
  return top;
}

/* --- Draws from a distribution that stays --------------------------------- */

/* Places that lack mass fill `work` from the front, those with too much from
 * the back. A place that lacks mass is completed from one that has too much,
 * which may then lack some itself. */
void th_discrete_alias_build(const struct th_alias *alias, const double *mass,
                             int32_t *work)
{
  int64_t count = alias->count;
  int64_t poor = 0;
  int64_t rich = count;
  int64_t richest = 0;
  double sum = 0;
  for (int64_t k = 0; k < count; k++) {
    sum += mass[k];
    richest = mass[k] > mass[richest] ? k : richest;
  }
  for (int64_t k = 0; k < count; k++) {
    alias->place[k].keep = mass[k] / sum * (double)count;
    alias->place[k].other = (int32_t)k;
    work[alias->place[k].keep < 1 ? poor++ : --rich] = (int32_t)k;
  }
  while (poor > 0 && rich < count) {
    int32_t needy = work[--poor];
    int32_t giver = work[rich];
    alias->place[needy].other = giver;
    alias->place[giver].keep -= 1 - alias->place[needy].keep;
    if (alias->place[giver].keep < 1) {
      rich++;
      work[poor++] = giver;
    }
  }
  /* What is left lacks nothing but rounding. */
  while (poor > 0) {
    int32_t k = work[--poor];
    alias->place[k].other = mass[k] > 0 ? k : (int32_t)richest;
    alias->place[k].keep = mass[k] > 0 ? 1 : 0;
  }
  while (rich < count)
    alias->place[work[rich++]].keep = 1;
}
