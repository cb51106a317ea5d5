/* partition.c - cells on ranks, shards, blocks J_i, storage sizes
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "ranks/partition.h"

#include <stdbool.h>
#include <stdlib.h>

static const int64_t sizes[] = {1,    2,     255,   256,     257,      511,
                                512,  513,   1000,  20000,   100000,   999983,
                                1000, 65536, 65537, 1000000, 100000000};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void test_parts(void)
{
  for (int64_t items = 0; items <= 40; items++)
    for (int64_t parts = 1; parts <= 9; parts++) {
      int64_t next = 0;
      for (int64_t k = 0; k < parts; k++) {
        struct th_range part = th_range_part(items, k, parts);
        int64_t count = part.last - part.first;
        CHECK(part.first == next);
        CHECK(count == items / parts || count == items / parts + 1);
        for (int64_t i = part.first; i < part.last; i++)
          CHECK(th_range_part_of(items, i, parts) == k);
        next = part.last;
      }
      CHECK(next == items);
    }
}

static void test_ranks(void)
{
  for (int k = 0; k < SIZES; k++)
    for (int size = 1; size <= 9; size++) {
      int64_t next = 0;
      int64_t least = sizes[k];
      int64_t most = 0;
      for (int rank = 0; rank < size; rank++) {
        struct th_range own = th_partition_rank(sizes[k], rank, size);
        CHECK(own.first == next && own.last >= own.first);
        CHECK(own.first % TH_CELL == 0 || own.first == sizes[k]);
        int64_t count = own.last - own.first;
        least = count < least ? count : least;
        most = count > most ? count : most;
        next = own.last;
      }
      CHECK(next == sizes[k]);
      CHECK(most - least <= 2 * TH_CELL - 1);
    }
}

static void test_shards(void)
{
  static const int64_t shards[] = {1, 2, 3, 8, 64, 1024};
  for (int k = 0; k < SIZES; k++)
    for (int s = 0; s < 6; s++) {
      int64_t next = 0;
      for (int64_t i = 0; i < shards[s] && shards[s] <= sizes[k]; i++) {
        struct th_range range = th_partition_shard(sizes[k], i, shards[s]);
        CHECK(range.first == next && range.last > range.first);
        next = range.last;
      }
      CHECK(next == sizes[k] || shards[s] > sizes[k]);
    }
}

static void test_even_blocks(void)
{
  struct th_blocks blocks = {0};
  struct th_error err = {0};
  for (int64_t d = 1; d <= 60; d++)
    for (int64_t width = 1; width <= d + 3; width++) {
      CHECK(th_partition_blocks_even(&blocks, d, width, &err) == TH_OK);
      CHECK(blocks.count == (d + width - 1) / width);
      CHECK(blocks.edges[0] == 0 && blocks.edges[blocks.count] == d);
      for (int64_t i = 0; i < blocks.count; i++) {
        int64_t count = blocks.edges[i + 1] - blocks.edges[i];
        CHECK(count == width ||
              (i + 1 == blocks.count && count > 0 && count < width));
      }
    }
  CHECK(th_partition_blocks_even(&blocks, 10, 0, &err) == TH_EARG);
  th_partition_blocks_free(&blocks);
  CHECK(blocks.edges == NULL && blocks.count == 0);
}

/* Every block but the last holds exactly `width` attributes outside the
 * support, the last at least one, where there is one at all. */
static void check_outside(int64_t d, int64_t width, const int64_t *support,
                          int64_t support_size)
{
  int64_t k = 0;
  for (int64_t edge = 0, next; edge < d; edge = next) {
    next = th_partition_block_end(d, edge, width, support, support_size);
    CHECK(next > edge && next <= d);
    int64_t outside = next - edge;
    for (; k < support_size && support[k] < next; k++)
      outside--;
    CHECK(outside <= width);
    CHECK(outside == width || next == d);
    CHECK(outside > 0 || support_size == d);
  }
}

static void test_blocks_outside(void)
{
  struct th_stream stream = {1, TH_PURPOSE_TEST};
  int64_t support[64];
  for (uint64_t trial = 0; trial < 4000; trial++) {
    uint32_t bits[4];
    th_random_bits(stream, trial, 0, bits);
    int64_t d = 1 + bits[0] % 60;
    int64_t width = 1 + bits[1] % 20;
    int64_t size = 0;
    for (int64_t j = 0; j < d; j++) {
      uint32_t coin[4];
      th_random_bits(stream, trial, (uint64_t)j + 1, coin);
      if (coin[0] % 100 < bits[2] % 101)
        support[size++] = j;
    }
    check_outside(d, width, support, size);
  }
  int64_t last[] = {5};
  check_outside(6, 5, last, 1);
}

static void test_meet(void)
{
  struct th_range a = {3, 9};
  struct th_range both = th_range_intersect(a, (struct th_range){5, 20});
  CHECK(both.first == 5 && both.last == 9);
  both = th_range_intersect(a, (struct th_range){9, 20});
  CHECK(both.first == both.last);
  both = th_range_intersect((struct th_range){0, 2}, a);
  CHECK(both.first == both.last);
  both = th_range_intersect((struct th_range){4, 5}, a);
  CHECK(both.first == 4 && both.last == 5);
}

static bool is_power_of_two(int64_t n)
{
  return n > 0 && (n & (n - 1)) == 0;
}

static void test_storage_sizes(void)
{
  for (int64_t n = 1; n < 10000000; n = n * 3 / 2 + 1) {
    int64_t group = th_partition_row_group_size(n);
    CHECK(is_power_of_two(group) && group >= 64 && group <= 16384);
    CHECK(group == 64 || group <= n / 256);
    CHECK(group == 16384 || 2 * group > n / 256);
    for (int64_t consumers = 1; consumers < 3000; consumers = 7 * consumers) {
      int64_t unit = th_partition_deal_unit_size(group, n, consumers);
      CHECK(is_power_of_two(unit) && unit <= group);
      CHECK(unit == 1 || n >= 8 * unit * consumers);
      CHECK(unit == group || n < 16 * unit * consumers);
    }
  }
}

static void test_find(void)
{
  const int64_t list[] = {0, 3, 4, 9};
  for (int64_t k = 0; k < 4; k++)
    CHECK(th_range_find(list, 4, list[k]) == k);
  CHECK(th_range_find(list, 4, 5) == -1 && th_range_find(list, 4, 10) == -1);
  CHECK(th_range_find(list, 0, 0) == -1);
}

int main(void)
{
  CASE(test_find());
  CASE(test_parts());
  CASE(test_ranks());
  CASE(test_shards());
  CASE(test_even_blocks());
  CASE(test_blocks_outside());
  CASE(test_meet());
  CASE(test_storage_sizes());
  return check_finish(NULL);
}
