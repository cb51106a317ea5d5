/* search.c - where an ascending list reaches a value
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/search.h"

enum { MOST = 9 };

/* The answer, by looking at every entry. */
static int64_t slowly(const int64_t *entry, int64_t low, int64_t high,
                      int64_t limit)
{
  while (low < high && entry[low] < limit)
    low++;
  return low;
}

struct pair {
  double other;
  int64_t key;
};

/* Lists of every length, with repeats; limits at, between and beyond them. */
static void check_list(const int64_t *list, int64_t count)
{
  int32_t i32[MOST];
  uint32_t u32[MOST];
  uint16_t u16[MOST];
  struct pair pair[MOST];
  for (int64_t k = 0; k < count; k++) {
    i32[k] = (int32_t)list[k];
    u32[k] = (uint32_t)list[k];
    u16[k] = (uint16_t)list[k];
    pair[k] = (struct pair){-1, list[k]};
  }
  for (int64_t low = 0; low <= count; low++)
    for (int64_t limit = -1; limit < 12; limit++) {
      int64_t at = slowly(list, low, count, limit);
      CHECK(th_search_i64(list, low, count, limit) == at);
      CHECK(th_search_i32(i32, low, count, limit) == at);
      CHECK(th_search_u32(u32, low, count, limit) == at);
      CHECK(th_search_u16(u16, low, count, limit) == at);
      if (low == 0)
        CHECK(th_search_member(pair, sizeof *pair, offsetof(struct pair, key),
                               count, limit) == at);
    }
}

static void test_order(void)
{
  const int64_t entry[] = {7, 1, 9, 4};
  const int64_t order[] = {1, 3, 0, 2};
  for (int64_t k = 0; k < 4; k++)
    CHECK(th_search_order(entry, order, 4, entry[k]) == k);
  CHECK(th_search_order(entry, order, 4, 5) == -1);
  CHECK(th_search_order(entry, order, 4, 10) == -1);
  CHECK(th_search_order(entry, order, 0, 7) == -1);
}

/* A row of a table by its name; the table ends where it ends, or at NULL. */
static void test_names(void)
{
  static const struct {
    const char *name;
    double value;
  } table[] = {{"one", 1}, {"two", 2}, {"two", 3}, {NULL, 0}, {"four", 4}};
  CHECK(TH_SEARCH_NAME(table, "one") == 0);
  CHECK(TH_SEARCH_NAME(table, "two") == 1);
  CHECK(TH_SEARCH_NAME(table, "four") == -1);
  CHECK(TH_SEARCH_NAME(table, "") == -1);
  CHECK(th_search_name(table, sizeof *table, 1, "two") == -1);
  CHECK(th_search_name(table, sizeof *table, SIZE_MAX, "three") == -1);
}

int main(void)
{
  CASE(test_names());
  const int64_t list[MOST] = {0, 1, 1, 3, 4, 4, 4, 8, 10};
  for (int64_t count = 0; count <= MOST; count++)
    CASE(check_list(list, count));
  CASE(test_order());
  return check_finish(NULL);
}
