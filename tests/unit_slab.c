/* unit_slab.c - storage types: exact, nearest, or refused
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "core/slab.h"

#include <float.h>
#include <string.h>

static void test_names(void)
{
  for (int t = 0; t < TH_TYPE_COUNT; t++)
    CHECK(th_type_find(th_type_name((enum th_type)t)) == t);
  for (int k = 0; k < TH_LAYOUT_COUNT; k++)
    CHECK(th_layout_find(th_layout_name((enum th_layout)k)) == k);
  CHECK(th_type_find("f16") == -1);
  CHECK(th_type_find("") == -1);
  CHECK(th_layout_find("Dense") == -1);
  CHECK(th_type_size(TH_F32) == 4 && th_type_size(TH_F64) == 8);
  CHECK(th_type_size(TH_U8) == 1 && th_type_size(TH_I8) == 1);
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
  CHECK(back == value);
}

static void check_refused(enum th_type type, double value)
{
  double back = 0;
  CHECK(!round_trip(type, value, &back));
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
  for (int t = 0; t < TH_TYPE_COUNT; t++) {
    check_refused((enum th_type)t, NAN);
    check_refused((enum th_type)t, INFINITY);
    check_refused((enum th_type)t, -INFINITY);
  }
}

int main(void)
{
  test_names();
  test_integers();
  test_reals();
  test_not_finite();
  return check_finish(NULL);
}
