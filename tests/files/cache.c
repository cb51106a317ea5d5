/* cache.c - slabs in any order under any memory limit are the same values
 * SPDX-License-Identifier: MIT */
#include "io/dataset/residency/cache.h"
#include "check.h"
#include "io_data.h"

#include <stdlib.h>
#include <string.h>

static char folder[64];
static struct th_comm comm;

/* A plain pseudo-random stream for the order of requests. */
static int64_t draw(uint64_t *state, int64_t below)
{
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (int64_t)((*state >> 33) % (uint64_t)below);
}

static struct th_rows some_rows(const struct th_shape *s, uint64_t *state)
{
  int64_t i = draw(state, s->examples);
  int64_t base = i < s->training ? 0 : s->training;
  int64_t end = base + ((i - base) / s->row_group + 1) * s->row_group;
  int64_t most = i < s->training ? s->training : s->examples;
  end = end < most ? end : most;
  return (struct th_rows){i, 1 + draw(state, end - i)};
}

static void check_slab(const struct recipe *recipe, struct th_rows rows,
                       const struct th_slab *slab)
{
  int64_t wrong = 0;
  for (int64_t a = slab->attributes.first; a < slab->attributes.last; a += 3)
    for (int64_t r = 0; r < rows.count; r += 19)
      wrong +=
          slab_value(slab, a, r) != recipe_value(recipe, a, rows.first + r);
  CHECK(wrong == 0);
}

/* Random requests, kept and not; the bytes that were read for them. */
static int64_t roam(const struct recipe *recipe, enum th_mapped mapped,
                    int64_t memory)
{
  const struct th_shape *s = &recipe->shape;
  struct th_dataset *d = NULL;
  struct th_error err;
  char path[128];
  uint64_t state = 4;
  snprintf(path, sizeof path, "%s/data.h5", folder);
  th_error_clear(&err);
  CHECK(th_dataset_open(&d, &comm, path, memory, &err) == TH_OK);
  if (d == NULL)
    return 0;
  th_dataset_map(d, mapped);
  struct th_store *store = th_dataset_store(d);
  const int64_t opened = store->bytes_read; /* targets, if there is room */
  for (int k = 0; k < 900; k++) {
    struct th_slab slab;
    struct th_rows rows = some_rows(s, &state);
    int64_t a = draw(&state, s->attributes);
    int64_t last = a + 1 + draw(&state, s->attributes - a);
    bool keep = k % 3 == 0;
    struct th_range range = {a, keep ? a + 1 : last};
    CHECK(store->ops->slab(store, rows, range, keep, &slab, &err) == TH_OK);
    CHECK(slab.attributes.first == a && slab.attributes.last > a);
    check_slab(recipe, rows, &slab);
  }
  int64_t bytes = store->bytes_read - opened;
  th_dataset_close(d);
  return bytes;
}

static void test_limits(enum th_layout layout, enum th_type type)
{
  struct recipe recipe = {.shape = {.examples = 700,
                                    .training = 500,
                                    .attributes = 1100,
                                    .row_group = 128,
                                    .layout = layout,
                                    .type = type},
                          .shards = 3};
  struct th_error err;
  char path[128];
  snprintf(path, sizeof path, "%s/data.h5", folder);
  th_error_clear(&err);
  CHECK(recipe_write(&recipe, &comm, path, true, &err) == TH_OK);
  const int64_t some = (int64_t)th_type_bytes(type, 75000);
  int64_t none = roam(&recipe, TH_MAPPED_NEVER, 0);
  int64_t little = roam(&recipe, TH_MAPPED_NEVER, some);
  int64_t all = roam(&recipe, TH_MAPPED_NEVER, (int64_t)1 << 30);
  CHECK(roam(&recipe, TH_MAPPED_ALWAYS, 0) == none);
  CHECK(roam(&recipe, TH_MAPPED_ALWAYS, some) == little);
  /* in place: no run is read alone and again with others */
  CHECK(roam(&recipe, TH_MAPPED_RESIDENT, (int64_t)1 << 30) <= all);
  CHECK(all < little && little < none);
  /* With room for all, nothing is read twice: at most the chunks, the runs and
   * their checksums. */
  int64_t values = 1100 * 128 * 6 * (4 + 2) + 1100 * 6 * 64 + 700 * 16;
  CHECK(all <= 2 * values);
}

/* A kept run is read alone, once, and never pushed out by blocks. */
static void test_keep(void)
{
  struct recipe recipe = {.shape = {.examples = 640,
                                    .training = 640,
                                    .attributes = 300,
                                    .row_group = 64,
                                    .type = TH_F64},
                          .shards = 1};
  struct th_error err;
  struct th_dataset *d = NULL;
  struct th_slab slab;
  char path[128];
  snprintf(path, sizeof path, "%s/data.h5", folder);
  th_error_clear(&err);
  CHECK(recipe_write(&recipe, &comm, path, true, &err) == TH_OK);
  CHECK(th_dataset_open(&d, &comm, path, 300000, &err) == TH_OK);
  struct th_store *store = th_dataset_store(d);
  struct th_range one = {123, 124};
  struct th_rows rows = {70, 5};
  int64_t before = store->bytes_read;
  CHECK(store->ops->slab(store, rows, one, true, &slab, &err) == TH_OK);
  CHECK(store->bytes_read - before == 64 * 8 + 8);
  for (int64_t g = 0; g < 10; g++)
    CHECK(store->ops->slab(store, (struct th_rows){64 * g, 64},
                           (struct th_range){0, 300}, false, &slab,
                           &err) == TH_OK);
  CHECK(slab.rows == 64 && slab.stride == 64);
  before = store->bytes_read;
  CHECK(store->ops->slab(store, rows, one, true, &slab, &err) == TH_OK);
  CHECK(store->bytes_read == before);
  CHECK(slab.row == 6 && slab.rows == 5);
  check_slab(&recipe, rows, &slab);
  th_dataset_close(d);
}

static void test_bad_requests(void)
{
  struct th_error err;
  struct th_dataset *d = NULL;
  struct th_slab slab;
  char path[128];
  double y[2];
  snprintf(path, sizeof path, "%s/data.h5", folder);
  th_error_clear(&err);
  CHECK(th_dataset_open(&d, &comm, path, 1 << 20, &err) == TH_OK);
  struct th_store *store = th_dataset_store(d);
  const struct {
    struct th_rows rows;
    struct th_range range;
  } bad[] = {{{60, 10}, {0, 1}}, {{-1, 1}, {0, 1}},  {{0, 0}, {0, 1}},
             {{0, 1}, {1, 1}},   {{0, 1}, {0, 301}}, {{640, 1}, {0, 1}}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    th_error_clear(&err);
    CHECK(store->ops->slab(store, bad[k].rows, bad[k].range, false, &slab,
                           &err) == TH_EARG);
  }
  th_error_clear(&err);
  CHECK(store->ops->targets(store, (struct th_rows){639, 2}, y, NULL, &err) ==
        TH_EARG);
  th_dataset_close(d);
}

/* What a room of so many bytes is filled with for a key, and whether it is
 * still. */
static void mark(unsigned char *room, int64_t key, int64_t bytes)
{
  memset(room, (int)(key % 251), (size_t)bytes);
}

static bool is_marked(const unsigned char *room, int64_t key, int64_t bytes)
{
  for (int64_t k = 0; k < bytes; k++)
    if (room[k] != key % 251)
      return false;
  return true;
}

/* Rooms of the usual size and others, which go and come back: none lies in
 * another, and blocks are used again. */
static void test_rooms(int64_t usual)
{
  enum { ROOMS = 300 };
  struct th_buffer_pool rooms = {0};
  unsigned char *room[ROOMS] = {NULL};
  int64_t bytes[ROOMS];
  uint64_t state = 2;
  th_cache_pool_expect(&rooms, usual);
  for (int k = 0; k < 20 * ROOMS; k++) {
    int64_t r = draw(&state, ROOMS);
    if (room[r] != NULL) {
      CHECK(is_marked(room[r], r, bytes[r]));
      th_cache_pool_give(&rooms, room[r], th_cache_pool_bytes(bytes[r]));
    }
    bytes[r] = k % 7 == 0 ? 1 + draw(&state, 2 * usual) : usual;
    room[r] = th_cache_pool_acquire(&rooms, bytes[r]);
    CHECK(room[r] != NULL && (uintptr_t)room[r] % 64 == 0);
    mark(room[r], r, bytes[r]);
  }
  CHECK(rooms.blocks * 32 << 20 <= 2 * ROOMS * usual + (32 << 20));
  for (int64_t r = 0; r < ROOMS; r++)
    if (room[r] != NULL) {
      CHECK(is_marked(room[r], r, bytes[r]));
      th_cache_pool_give(&rooms, room[r], th_cache_pool_bytes(bytes[r]));
    }
  th_cache_pool_free(&rooms);
}

/* The cache against a plain list. */
static void test_cache(int64_t usual)
{
  struct th_cache cache = {0};
  struct th_error err;
  uint64_t state = 1;
  int64_t largest = 0;
  th_error_clear(&err);
  th_cache_expect(&cache, usual);
  for (int k = 0; k < 20000; k++) {
    int64_t key = draw(&state, 500) * 1000003;
    int64_t *found = th_cache_find(&cache, key);
    if (found == NULL) {
      void *room = NULL;
      int64_t bytes = k % 5 == 0 ? usual / 9 + draw(&state, usual) : usual;
      CHECK(th_cache_add(&cache, key, bytes, 50 * usual, &room, &err) == TH_OK);
      found = room;
      *found = key;
    }
    CHECK(*found == key && th_cache_find(&cache, key) == found);
    largest = cache.used > largest ? cache.used : largest;
    if (k % 17 == 0) {
      th_cache_drop(&cache, key);
      CHECK(th_cache_find(&cache, key) == NULL);
    }
  }
  CHECK(largest > 25 * usual && largest <= 53 * usual);
  th_cache_free(&cache);
}

/* What is pinned stays, whatever comes; then it goes like all others. */
static void test_pins(void)
{
  struct th_cache cache = {0};
  struct th_error err = {0};
  void *room[200];
  for (int64_t key = 0; key < 200; key++) {
    CHECK(th_cache_add(&cache, key, 100, 1000, &room[key], &err) == TH_OK);
    if (key < 5)
      th_cache_pin(&cache, key);
    if (key == 4)
      th_cache_pin(&cache, 3); /* twice */
  }
  for (int64_t key = 0; key < 5; key++)
    CHECK(th_cache_find(&cache, key) == room[key]);
  CHECK(th_cache_find(&cache, 20) == NULL);
  for (int64_t key = 0; key < 5; key++)
    th_cache_unpin(&cache, key);
  for (int64_t key = 200; key < 230; key++)
    CHECK(th_cache_add(&cache, key, 100, 1000, &room[0], &err) == TH_OK);
  CHECK(th_cache_find(&cache, 3) == room[3]);
  CHECK(th_cache_find(&cache, 4) == NULL);
  th_cache_free(&cache);
}

int main(void)
{
  th_comm_self(&comm);
  test_folder(&comm, folder);
  CASE(test_rooms(1000));
  CASE(test_rooms(70000));
  CASE(test_cache(2000));
  CASE(test_cache(70000));
  CASE(test_pins());
  CASE(test_limits(TH_DENSE, TH_F32));
  CASE(test_limits(TH_DENSE, TH_U2));
  CASE(test_limits(TH_SPARSE, TH_F32));
  CASE(test_keep());
  CASE(test_bad_requests());
  test_folder_remove(&comm, folder);
  return check_finish(NULL);
}
