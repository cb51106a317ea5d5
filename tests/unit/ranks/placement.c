/* placement.c - cells on ranks by cost: balanced, on borders of shards
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "ranks/partition.h"

#include <stdlib.h>

enum { CELLS = 3000, MOST_RANKS = 40 };

static int64_t cost_of(int pattern, int64_t c)
{
  struct th_stream stream = {5, TH_PURPOSE_TEST};
  double u[2];
  th_random_uniform(stream, (uint64_t)pattern, (uint64_t)c, u);
  switch (pattern) {
  case 0: /* all alike */
    return 256;
  case 1:
    return (int64_t)(1000 * u[0]);
  case 2: /* nearly everything in the first tenth, as in text */
    return c < CELLS / 10 ? 1000000 : 100;
  case 3: /* nearly everything in the last cells */
    return c >= CELLS - 100 ? 1000000 : 1;
  case 4: /* a few heavy cells */
    return c % 700 == 13 ? 5000000 : 1000;
  case 5: /* larger than 2^53 together */
    return (int64_t)(0x1p46 * u[0]);
  default:
    return 0;
  }
}

enum { PATTERNS = 7 };

static int64_t sum_of(const struct th_cost *cost, struct th_range attributes)
{
  int64_t sum = 0;
  for (int64_t c = attributes.first / TH_CELL;
       c * TH_CELL < attributes.last && c < cost->cells; c++)
    sum += cost->cost[c];
  return sum;
}

static void test_balance(int pattern, int64_t attributes, int size)
{
  static int64_t values[CELLS];
  struct th_cost cost = {.attributes = attributes,
                         .cells = (attributes + TH_CELL - 1) / TH_CELL,
                         .cost = values};
  struct th_placement placement = {0};
  struct th_error err = {0};
  int64_t next = 0;
  int64_t total = 0;
  int64_t heaviest = 0;
  for (int64_t c = 0; c < cost.cells; c++) {
    values[c] = cost_of(pattern, c);
    total += values[c];
    heaviest = values[c] > heaviest ? values[c] : heaviest;
  }
  CHECK(th_partition_by_cost(&placement, &cost, size, &err) == TH_OK);
  for (int r = 0; r < size; r++) {
    struct th_range owned = th_partition_owned(&placement, attributes, r, size);
    CHECK(owned.first == next && owned.last >= owned.first);
    CHECK(owned.first % TH_CELL == 0 || owned.first == attributes);
    CHECK(sum_of(&cost, owned) <= total / size + heaviest + 1);
    next = owned.last;
  }
  CHECK(next == attributes);
  th_partition_placement_free(&placement);
}

/* Borders go to those of shards where that is cheap, and only there. */
static void test_shards(void)
{
  static int64_t values[CELLS];
  const int64_t attributes = (int64_t)CELLS * TH_CELL;
  struct th_cost cost = {attributes, 7, CELLS, values};
  struct th_placement placement = {0};
  struct th_error err = {0};
  for (int64_t c = 0; c < CELLS; c++)
    values[c] = 1000 + c % 3;
  CHECK(th_partition_by_cost(&placement, &cost, 7, &err) == TH_OK);
  for (int r = 0; r < 7; r++)
    CHECK(th_partition_owned(&placement, attributes, r, 7).first ==
          th_partition_shard(attributes, r, 7).first);
  CHECK(th_partition_by_cost(&placement, &cost, 14, &err) == TH_OK);
  for (int r = 0; r < 7; r++)
    CHECK(th_partition_owned(&placement, attributes, 2 * r, 14).first ==
          th_partition_shard(attributes, r, 7).first);
  CHECK(th_partition_by_cost(&placement, &cost, 4, &err) == TH_OK);
  for (int r = 0; r <= 4; r++)
    CHECK(placement.edge[r] == (int64_t)r * CELLS / 4 * TH_CELL);
  th_partition_placement_free(&placement);
}

/* Ranks that it was not made for own even ranges. */
static void test_other_sizes(void)
{
  int64_t values[4] = {1, 1, 1, 97};
  struct th_cost cost = {1000, 0, 4, values};
  struct th_placement placement = {0};
  struct th_error err = {0};
  CHECK(th_partition_by_cost(&placement, &cost, 2, &err) == TH_OK);
  CHECK(placement.edge[1] == 768);
  CHECK(th_partition_most_owned(&placement, 1000, 2) == 768);
  CHECK(th_partition_most_owned(&placement, 1000, 1) == 1000);
  CHECK(th_partition_most_owned(&placement, 1000, 4) == 256);
  th_partition_placement_free(&placement);
  CHECK(th_partition_most_owned(&placement, 1000, 2) == 512);
}

int main(void)
{
  const int64_t attributes[] = {1, 255, 257, 2000, 100000, CELLS * TH_CELL};
  for (int pattern = 0; pattern < PATTERNS; pattern++)
    for (int a = 0; a < 6; a++)
      for (int size = 1; size <= MOST_RANKS; size += 1 + size / 5)
        CASE(test_balance(pattern, attributes[a], size));
  CASE(test_shards());
  CASE(test_other_sizes());
  return check_finish(NULL);
}
