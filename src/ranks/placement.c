/* placement.c - which rank owns which attributes: cells placed by their cost
 * SPDX-License-Identifier: MIT */
#include "ranks/placement.h"

#include "base/integer.h"
#include "base/memory.h"
#include "ranks/partition.h"

#include <stdlib.h>

enum { SLACK = 100 }; /* a border may move by that part of a rank's share */

/* total * k / parts, without overflow. */
static int64_t scaled_share(int64_t total, int64_t k, int64_t parts)
{
  return total / parts * k + total % parts * k / parts;
}

static int64_t cost_apart(int64_t a, int64_t b)
{
  return a > b ? a - b : b - a;
}

/* A border between cells, and what the cells below it cost. */
struct border {
  int64_t cell;
  int64_t below;
};

/* Move to the border whose cost below is nearest to the wanted one. */
static void move_border(struct border *border, const struct th_cost *cost,
                        int64_t wanted)
{
  while (border->cell < cost->cells) {
    int64_t next = border->below + cost->cost[border->cell];
    if (cost_apart(next, wanted) > cost_apart(border->below, wanted))
      break;
    border->below = next;
    border->cell++;
  }
}

/* The border of a shard that is nearest to a cell; -1 where there is none. */
static int64_t shard_border(const struct th_cost *cost, int64_t cell)
{
  if (cost->shards < 2 || cost->cells < cost->shards)
    return -1; /* shards end within cells */
  int64_t attribute = cell * TH_CELL;
  int64_t guess = scaled_share(cost->shards, cell, cost->cells);
  int64_t best = -1;
  for (int64_t k = guess > 1 ? guess - 1 : 1;
       k <= guess + 2 && k < cost->shards; k++) {
    int64_t first = th_partition_shard(cost->attributes, k, cost->shards).first;
    if (best < 0 || cost_apart(first, attribute) < cost_apart(best, attribute))
      best = first;
  }
  return best < 0 ? -1 : best / TH_CELL;
}

/* Go on to a near border of a shard, forwards or backwards, if it is cheap. */
static void prefer_shard(struct border *border, const struct th_cost *cost,
                         int64_t lowest, int64_t slack)
{
  int64_t goal = shard_border(cost, border->cell);
  int64_t moved = 0;
  if (goal < lowest)
    return;
  for (int64_t c = goal; c < border->cell && moved <= slack; c++)
    moved += cost->cost[c];
  for (int64_t c = border->cell; c < goal && moved <= slack; c++)
    moved += cost->cost[c];
  if (moved > slack)
    return;
  border->below += goal > border->cell ? moved : -moved;
  border->cell = goal;
}

th_status th_placement_by_cost(struct th_placement *placement,
                               const struct th_cost *cost, int size,
                               struct th_error *err)
{
  struct border border = {0, 0};
  int64_t *edge = NULL;
  int64_t total = 0;
  th_status rc = TH_NEW(&edge, size + 1, "balancing the ranks", err);
  if (edge == NULL)
    return rc;
  for (int64_t c = 0; c < cost->cells; c++)
    total += cost->cost[c];
  for (int r = 1; r < size; r++) {
    int64_t lowest = border.cell;
    move_border(&border, cost, scaled_share(total, r, size));
    prefer_shard(&border, cost, lowest, total / size / SLACK);
    edge[r] = th_min_i64(border.cell * TH_CELL, cost->attributes);
  }
  edge[size] = cost->attributes;
  th_placement_free(placement);
  *placement = (struct th_placement){size, edge};
  return TH_OK;
}

void th_placement_free(struct th_placement *placement)
{
  free(placement->edge);
  *placement = (struct th_placement){0};
}

struct th_range th_placement_rank(const struct th_placement *placement,
                                  int64_t attributes, int rank, int size)
{
  if (placement->size != size)
    return th_partition_rank(attributes, rank, size);
  return (struct th_range){placement->edge[rank], placement->edge[rank + 1]};
}

int64_t th_placement_most(const struct th_placement *placement,
                          int64_t attributes, int size)
{
  int64_t most = 0;
  for (int r = 0; r < size; r++) {
    struct th_range owned = th_placement_rank(placement, attributes, r, size);
    int64_t count = th_range_count(owned);
    most = count > most ? count : most;
  }
  return most;
}
