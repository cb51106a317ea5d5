/* partition.c - attribute ranges: cells on ranks, blocks J_i, storage sizes
 * SPDX-License-Identifier: MIT */
#include "ranks/partition.h"

#include "base/integer.h"
#include "base/memory.h"

#include <stdlib.h>

static struct th_range cells_to_attributes(struct th_range cells,
                                           int64_t attributes)
{
  return (struct th_range){th_min_i64(cells.first * TH_CELL, attributes),
                           th_min_i64(cells.last * TH_CELL, attributes)};
}

struct th_range th_partition_rank(int64_t attributes, int rank, int size)
{
  int64_t cells = th_integer_ceil_divide(attributes, TH_CELL);
  return cells_to_attributes(th_range_part(cells, rank, size), attributes);
}

struct th_range th_partition_shard(int64_t attributes, int64_t shard,
                                   int64_t shards)
{
  int64_t cells = th_integer_ceil_divide(attributes, TH_CELL);
  if (cells < shards)
    return th_range_part(attributes, shard, shards);
  return cells_to_attributes(th_range_part(cells, shard, shards), attributes);
}

static th_status reserve_edges(struct th_blocks *blocks, int64_t count,
                               struct th_error *err)
{
  return TH_GROW(&blocks->edges, &blocks->capacity, count,
                 "blocks of attributes", err);
}

th_status th_partition_blocks_even(struct th_blocks *blocks, int64_t attributes,
                                   int64_t width, struct th_error *err)
{
  if (width < 1)
    return th_fail(err, TH_EARG, "a block needs at least one attribute");
  int64_t count = th_integer_ceil_divide(attributes, width);
  th_status rc = reserve_edges(blocks, count + 1, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t i = 0; i <= count; i++)
    blocks->edges[i] = th_min_i64(i * width, attributes);
  blocks->count = count;
  return TH_OK;
}

int64_t th_partition_block_end(int64_t attributes, int64_t first, int64_t width,
                               const int64_t *support, int64_t support_size)
{
  struct th_range below = {0, first};
  int64_t k = th_range_members(support, support_size, below).last;
  int64_t edge = first + width;
  /* One more attribute in place of each member; a member right behind the
   * block joins it, so that no block consists of members alone. */
  while (k < support_size && support[k] <= edge) {
    edge++;
    k++;
  }
  return th_min_i64(edge, attributes);
}

void th_partition_blocks_free(struct th_blocks *blocks)
{
  free(blocks->edges);
  *blocks = (struct th_blocks){0};
}

int64_t th_partition_row_group_size(int64_t examples)
{
  int64_t size = 64;
  while (size < 16384 && 2 * size <= examples / 256)
    size *= 2;
  return size;
}

int64_t th_partition_deal_unit_size(int64_t row_group, int64_t training,
                                    int64_t consumers)
{
  int64_t size = 1;
  while (2 * size <= row_group && training >= 8 * 2 * size * consumers)
    size *= 2;
  return size;
}

/* --- Cells placed on ranks by their cost ---------------------------------- */

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

th_status th_partition_by_cost(struct th_placement *placement,
                               const struct th_cost *cost, int size,
                               struct th_error *err)
{
  struct border border = {0, 0};
  int64_t *edge = NULL;
  int64_t total = 0;
  int64_t most = 0;
  th_status rc = TH_NEW(&edge, size + 1, "balancing the ranks", err);
  if (edge == NULL)
    return rc;
  for (int64_t c = 0; c < cost->cells; c++)
    total += cost->cost[c];
  for (int r = 1; r < size; r++) {
    int64_t lowest = border.cell;
    int64_t below = border.below;
    move_border(&border, cost, scaled_share(total, r, size));
    prefer_shard(&border, cost, lowest, total / size / SLACK);
    edge[r] = th_min_i64(border.cell * TH_CELL, cost->attributes);
    most = th_max_i64(most, border.below - below);
  }
  edge[size] = cost->attributes;
  th_partition_placement_free(placement);
  most = th_max_i64(most, total - border.below);
  *placement = (struct th_placement){size, edge, most};
  return TH_OK;
}

void th_partition_placement_free(struct th_placement *placement)
{
  free(placement->edge);
  *placement = (struct th_placement){0};
}

struct th_range th_partition_owned(const struct th_placement *placement,
                                   int64_t attributes, int rank, int size)
{
  if (placement->size != size)
    return th_partition_rank(attributes, rank, size);
  return (struct th_range){placement->edge[rank], placement->edge[rank + 1]};
}

int64_t th_partition_most_owned(const struct th_placement *placement,
                                int64_t attributes, int size)
{
  int64_t most = 0;
  for (int r = 0; r < size; r++) {
    struct th_range owned = th_partition_owned(placement, attributes, r, size);
    int64_t count = th_range_count(owned);
    most = count > most ? count : most;
  }
  return most;
}
