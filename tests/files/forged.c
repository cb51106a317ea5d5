/* forged.c - forged files with right checksums: one line or a correct run,
 * never a place in memory that is not there
 *
 *   io_forged            every array in turn
 *   io_forged N [SEED]   N forgeries at random, one to three changes in each
 *   io_forged each N [SEED]   N of every array and attribute
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "forge_try.h"
#include "io_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SHARE
#define SHARE 1
#endif

static uint64_t next_random(uint64_t *state)
{
  *state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/* One change of one place, sealed and tried. */
static bool forge_one(const struct forge_original *original,
                      const struct forge_place *place, int64_t at,
                      enum forge_way way, uint64_t random)
{
  forge_label_clear();
  forge_label_add(place, at, (int)way);
  if (!forge_change(place, at, way, random))
    return false;
  forge_seal(original->master);
  if (getenv("FORGE_VERBOSE") != NULL)
    fprintf(stderr, "%s\n", forge_label());
  forge_try_out(original->master, random);
  forge_put_back(original);
  return true;
}

/* Every place: its first item, its last and some between, each in another way;
 * of all ways every `step`th, in turn from place to place. */
static int sweep(const struct forge_original *original, int step,
                 uint64_t *state)
{
  int tried = 0;
  for (int p = 0; p < original->places; p++) {
    const struct forge_place *place = &original->place[p];
    int ways = place->name[0] != '\0' ? FORGE_COPY : FORGE_WAYS;
    int first = place->bytes > 8 ? FORGE_RANDOM - 1 : p % step;
    for (int way = first; way < ways; way += step) {
      uint64_t random = next_random(state);
      int64_t at = way % 4 == 0   ? 0
                   : way % 4 == 1 ? place->items - 1
                                  : (int64_t)(random >> 8) % place->items;
      at = at < 0 ? -at : at;
      tried += forge_one(original, place, at, (enum forge_way)way, random);
    }
  }
  return tried;
}

/* Arrays that are shorter or longer than what counts on them. */
static int resize_all(const struct forge_original *original, uint64_t *state)
{
  int tried = 0;
  for (int p = 0; p < original->places; p++) {
    const struct forge_place *place = &original->place[p];
    for (int k = 0; k < 2; k++) {
      int64_t items = k == 0 ? place->items - 1 : place->items * 2 + 1;
      forge_label_clear();
      forge_label_add(place, items, -1);
      if (!forge_resize(place, items))
        continue;
      forge_seal(original->master);
      forge_try_out(original->master, next_random(state));
      forge_put_back(original);
      tried++;
    }
  }
  return tried;
}

static void sweep_at_random(const struct forge_original *original,
                            int64_t count, uint64_t *state)
{
  for (int64_t k = 0; k < count; k++) {
    uint64_t random = next_random(state);
    forge_label_clear();
    for (uint64_t c = 0; c <= random % 3; c++) {
      uint64_t r = next_random(state);
      const struct forge_place *place =
          &original->place[r % (uint64_t)original->places];
      int ways = place->name[0] != '\0' ? FORGE_COPY : FORGE_WAYS;
      int64_t at = (int64_t)((r >> 16) % (uint64_t)place->items);
      forge_label_add(place, at, (int)((r >> 8) % (uint64_t)ways));
      forge_change(place, at, (enum forge_way)((r >> 8) % (uint64_t)ways),
                   next_random(state));
    }
    forge_seal(original->master);
    if (getenv("FORGE_VERBOSE") != NULL)
      fprintf(stderr, "%s\n", forge_label());
    forge_try_out(original->master, random);
    forge_put_back(original);
  }
}

/* So many forgeries of every place, each of one item in any way. */
static void sweep_each(const struct forge_original *original, int64_t count,
                       uint64_t *state)
{
  int64_t tried = 0;
  for (int p = 0; p < original->places; p++) {
    const struct forge_place *place = &original->place[p];
    int ways = place->name[0] != '\0' ? FORGE_COPY : FORGE_WAYS;
    for (int64_t k = 0; k < count; k++) {
      uint64_t random = next_random(state);
      enum forge_way way = (enum forge_way)(random % (uint64_t)ways);
      int64_t at = (int64_t)((random >> 16) % (uint64_t)place->items);
      tried += forge_one(original, place, at, way, next_random(state));
    }
  }
  fprintf(stderr, "%d places, %lld forgeries\n", original->places,
          (long long)tried);
}

static const struct {
  enum th_layout layout;
  enum th_type type;
} kinds[] = {{TH_SPARSE, TH_F32},
             {TH_DENSE, TH_F32},
             {TH_DENSE, TH_U2},
             {TH_SPARSE, TH_U8}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A few forgeries of each place of a data set of kind k: one in SHARE of what
 * is tried without sanitizers. */
static void test_places(struct forge_original *original, int k, uint64_t *state)
{
  int tried = sweep(original, (k < 2 ? 3 : 6) * SHARE, state);
  int resized = k < 2 ? resize_all(original, state) : 0;
  fprintf(stderr, "%d places, %d forgeries, %d resized\n", original->places,
          tried, resized);
}

int main(int argc, char **argv)
{
  static struct forge_original original;
  struct th_comm comm;
  char folder[64];
  bool each = argc > 2 && strcmp(argv[1], "each") == 0;
  char **numbers = argv + each;
  argc -= each;
  uint64_t state = argc > 2 ? strtoull(numbers[2], NULL, 10) : 1;
  int64_t count = argc > 1 ? strtoll(numbers[1], NULL, 10) : 0;
  th_comm_self(&comm);
  test_folder(&comm, folder);
  for (int k = 0; k < KINDS; k++) {
    forge_make(&original, folder, kinds[k].layout, kinds[k].type);
    forge_label_clear();
    CHECK(forge_check(original.master) == TH_OK);
    forge_seal(original.master); /* sealing changes nothing */
    CHECK(forge_check(original.master) == TH_OK);
    if (each)
      CASE_OF(k, sweep_each(&original, count, &state));
    else if (count > 0)
      CASE_OF(k, sweep_at_random(&original, count / KINDS, &state));
    else
      CASE_OF(k, test_places(&original, k, &state));
  }
  test_folder_remove(&comm, folder);
  return check_finish(NULL);
}
