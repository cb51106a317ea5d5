/* slab.c - storage types: exact, nearest, or refused
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "data/slab.h"

#include <float.h>
#include <string.h>

static void test_names(void)
{
  for (int t = 0; t < TH_TYPE_COUNT; t++)
    CHECK(th_type_find(th_type_name((enum th_type)t)) == t);
  for (int k = 0; k < TH_LAYOUT_COUNT; k++)
    CHECK(th_type_layout_find(th_type_layout_name((enum th_layout)k)) == k);
  CHECK(th_type_find("f16") == -1);
  CHECK(th_type_find("") == -1);
  CHECK(th_type_layout_find("Dense") == -1);
  CHECK(th_type_size(TH_F32) == 4 && th_type_size(TH_F64) == 8);
  CHECK(th_type_size(TH_U8) == 1 && th_type_size(TH_I8) == 1);
  CHECK(th_type_bytes(TH_F64, 3) == 24 && th_type_bytes(TH_U8, 3) == 3);
  CHECK(th_type_bytes(TH_U2, 0) == 0 && th_type_bytes(TH_U2, 5) == 2);
  CHECK(th_type_offset(TH_U2, 5) == 1 && th_type_offset(TH_F32, 5) == 20);
  CHECK(th_type_whole(TH_U2, 5) == 8 && th_type_whole(TH_I8, 5) == 5);
}

/* Stored at index 1, loaded again, neighbours untouched. */
static bool round_trip(enum th_type type, double value, double *back)
{
  unsigned char room[24];
  memset(room, 0xa5, sizeof room);
  size_t size = th_type_size(type);
  double memory[3];
  memcpy(memory, room, sizeof room);
  bool stored = th_type_store(type, memory, 1, value);
  *back = th_type_load(type, memory, 1);
  memcpy(room, memory, sizeof room);
  for (size_t k = 0; k < 3 * size; k++)
    CHECK(room[k] == 0xa5 || (k >= size && k < 2 * size));
  return stored;
}

static void check_exact(enum th_type type, double value)
{
  double back = 0;
  CHECK(round_trip(type, value, &back));
  CHECK(back == value && th_type_fits(type, value));
}

static void check_refused(enum th_type type, double value)
{
  double back = 0;
  CHECK(!round_trip(type, value, &back));
  CHECK(!th_type_fits(type, value));
}

/* Four to a byte: one value changes, the other three stay. */
static void test_packed(void)
{
  const double refused[] = {-1, 4, 0.5, 3.0000001, 1e300, NAN, INFINITY};
  for (int k = 0; k < 12; k++)
    for (int value = 0; value < 4; value++) {
      uint8_t array[3] = {0x1b, 0xe4, 0x93};
      uint8_t before[3] = {0x1b, 0xe4, 0x93};
      CHECK(th_type_store(TH_U2, array, k, value));
      for (int i = 0; i < 12; i++)
        CHECK(th_type_load(TH_U2, array, i) ==
              (i == k ? value : th_type_load(TH_U2, before, i)));
    }
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
    uint8_t byte = 0xa5;
    CHECK(!th_type_store(TH_U2, &byte, 1, refused[k]) && byte == 0xa5);
  }
  uint8_t one = 0;
  CHECK(th_type_store(TH_U2, &one, 1, 3) && one == 0x0c);
  CHECK(th_type_single(TH_U2) == TH_U8 && th_type_single(TH_F64) == TH_F64);
}

/* Packed in place, with zeros behind. */
static void test_pack(void)
{
  for (int count = 0; count <= 9; count++) {
    uint8_t array[9] = {3, 0, 1, 2, 2, 3, 3, 1, 1};
    const uint8_t same[9] = {3, 0, 1, 2, 2, 3, 3, 1, 1};
    th_type_pack(TH_U2, array, count);
    for (int i = 0; i < th_type_whole(TH_U2, count); i++)
      CHECK(th_type_load(TH_U2, array, i) == (i < count ? same[i] : 0));
    memcpy(array, same, sizeof array);
    th_type_pack(TH_I8, array, count);
    CHECK(memcmp(array, same, sizeof array) == 0);
  }
}

/* Many values at once are those one by one, up to the first one that does not
 * fit. */
static void test_store_all(void)
{
  const double odd[] = {1e39, 0.5, -1, 256, NAN, INFINITY, 1e-50};
  for (enum th_type type = 0; type < TH_TYPE_COUNT; type++)
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
      const double values[] = {3, 0, -0.0, 2, odd[k], 1};
      double many[8] = {0};
      double single[8] = {0};
      int64_t count = 0;
      while (count < 6 && th_type_store(type, single, count + 1, values[count]))
        count++;
      CHECK(th_type_store_all(type, many, 1, 6, values) == count);
      for (int64_t i = 0; i <= count; i++)
        CHECK(th_type_load(type, many, i) == th_type_load(type, single, i));
    }
}

/* Many values at once are those one by one. */
static void test_load_all(void)
{
  unsigned char array[9 * sizeof(double)];
  double values[7];
  for (enum th_type type = 0; type < TH_TYPE_COUNT; type++) {
    memset(array, 0, sizeof array);
    for (int64_t i = 0; i < 9; i++)
      CHECK(th_type_store(type, array, i, (double)(i * 5 % 4)));
    for (int64_t first = 0; first < 3; first++) {
      th_type_load_all(type, array, first, 7, values);
      for (int64_t i = 0; i < 7; i++)
        CHECK(values[i] == (double)((first + i) * 5 % 4));
    }
  }
}

/* The values of u2, counted by words, are those that stand there. */
static void test_tally(void)
{
  unsigned char array[64];
  for (int k = 0; k < 64; k++)
    array[k] = (unsigned char)(k * 89 + k / 7);
  for (int64_t items = 0; items <= 256; items++) {
    int64_t count[4];
    int64_t plain[4] = {0};
    th_type_tally(array, items, count);
    for (int64_t i = 0; i < items; i++)
      plain[(int)th_type_load(TH_U2, array, i)]++;
    CHECK(memcmp(count, plain, sizeof count) == 0);
  }
}

/* A slab whose first row lies inside of a byte. */
static void test_slab(void)
{
  uint8_t array[6] = {0};
  for (int k = 0; k < 24; k++)
    th_type_store(TH_U2, array, k, k * 7 / 3 % 4);
  for (int row = 0; row < 8; row++) {
    struct th_slab slab = {.type = TH_U2,
                           .row = row,
                           .rows = 12 - row,
                           .stride = 12,
                           .values = array + th_type_offset(TH_U2, row)};
    CHECK(th_slab_skip(&slab) == row % 4);
    for (int a = 0; a < 2; a++)
      for (int i = 0; i < slab.rows; i++)
        CHECK(th_slab_load(&slab, a, i) == (12 * a + row + i) * 7 / 3 % 4);
  }
}

static void test_integers(void)
{
  for (int k = -200; k <= 400; k++) {
    if (k >= 0 && k <= 255)
      check_exact(TH_U8, k);
    else
      check_refused(TH_U8, k);
    if (k >= -128 && k <= 127)
      check_exact(TH_I8, k);
    else
      check_refused(TH_I8, k);
  }
  check_refused(TH_U8, 0.5);
  check_refused(TH_U8, -1e-300);
  check_refused(TH_I8, 127.0000001);
  check_refused(TH_I8, 1e300);
}

static void test_reals(void)
{
  double back = 0;
  check_exact(TH_F32, 0x1p24);
  check_exact(TH_F32, (double)FLT_MAX);
  check_exact(TH_F64, DBL_MAX);
  check_exact(TH_F64, 0.1);
  CHECK(round_trip(TH_F32, 0.1, &back));
  CHECK(back == (double)0.1f);
  CHECK(round_trip(TH_F32, 16777217.0, &back));
  CHECK(back == 16777216.0); /* ties to even */
  CHECK(round_trip(TH_F32, -0.0, &back));
  CHECK(back == 0.0 && signbit(back));
  check_refused(TH_F32, 3.5e38);
  check_refused(TH_F32, -DBL_MAX);
}

static void test_not_finite(void)
{
  for (int t = 0; t < TH_TYPE_COUNT && t != TH_U2; t++) {
    check_refused((enum th_type)t, NAN);
    check_refused((enum th_type)t, INFINITY);
    check_refused((enum th_type)t, -INFINITY);
  }
}

/* Runs of attributes 5, 7, 12 and 30 in a slab of 5..39, seen through lists. */
static void test_select(void)
{
  static const uint32_t attribute[] = {0, 2, 7, 25};
  static const uint32_t start[] = {10, 11, 13, 14, 16};
  static const int64_t all[] = {5, 6, 7, 12, 20, 30, 50};
  static const int64_t without_12[] = {5, 7, 30};
  static const int64_t beyond[] = {6, 100};
  uint32_t numbers[4] = {0};
  const struct th_slab whole = {.layout = TH_SPARSE,
                                .type = TH_F32,
                                .attributes = {5, 40},
                                .rows = 64,
                                .runs = 4,
                                .base = 5,
                                .attribute = attribute,
                                .start = start};
  struct th_slab slab = whole;
  th_slab_select(&slab, all, 7, numbers);
  CHECK(slab.runs == 4 && slab.attributes.first == 5);
  CHECK(slab.attributes.last == 5 + 6); /* all but 50 */
  CHECK(slab.base + slab.attribute[2] == 5 + 3);
  CHECK(slab.base + slab.attribute[3] == 5 + 5);
  slab = whole;
  th_slab_select(&slab, without_12, 3, numbers);
  CHECK(slab.runs == 2); /* 12 is not to be seen */
  CHECK(slab.attributes.last == 5 + 2);
  slab = th_slab_part(&whole, (struct th_range){6, 40});
  th_slab_select(&slab, beyond, 2, numbers);
  CHECK(slab.runs == 0 && slab.attributes.last == 6 + 1);
}

/* Parts of parts: where they lie, and what lies behind them. */
static void test_dense_parts(void)
{
  static const float values[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  struct th_slab whole = {.layout = TH_DENSE,
                          .type = TH_F32,
                          .attributes = {20, 26},
                          .rows = 2,
                          .values = values,
                          .stride = 2};
  struct th_slab part = th_slab_part(&whole, (struct th_range){21, 24});
  struct th_slab last = th_slab_part(&part, (struct th_range){23, 24});
  CHECK(whole.following == 0 && part.following == 2 && last.following == 2);
  CHECK(th_slab_value(&part, 21, 1) == 3 && th_slab_value(&last, 23, 0) == 6);
}

int main(void)
{
  CASE(test_dense_parts());
  CASE(test_select());
  CASE(test_names());
  CASE(test_packed());
  CASE(test_pack());
  CASE(test_store_all());
  CASE(test_load_all());
  CASE(test_tally());
  CASE(test_slab());
  CASE(test_integers());
  CASE(test_reals());
  CASE(test_not_finite());
  return check_finish(NULL);
}
