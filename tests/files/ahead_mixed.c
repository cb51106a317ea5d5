/* ahead_mixed.c - values are right, and the same bytes are read, in whatever
 * order slabs are announced and asked for, however little memory there is, and
 * whichever shards only HDF5 can read; every second amount of memory with each
 * seed, with an argument all of them
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "io/dataset/anew.h"
#include "io_data.h"

#include <stdlib.h>
#include <unistd.h>

enum {
  R = 64,
  ATTRIBUTES = 17, /* 5, 4, 4 and 4 in four shards: rooms of several sizes */
  SHARDS = 4,
  ROWS = 400,
  ROUNDS = 12,
  ASKED = 12,                  /* slabs in a round */
  ALL = ATTRIBUTES * ROWS * 4, /* bytes of values */
  MEMORY_STEP = 4300,
  MOST_MEMORY = 90000
};

static char folder[64];
static struct th_comm comm;
static bool all_memory; /* and not every second amount */

static const struct recipe recipe = {.shape = {.examples = ROWS,
                                               .training = ROWS,
                                               .attributes = ATTRIBUTES,
                                               .row_group = R,
                                               .type = TH_F32},
                                     .shards = SHARDS};

/* Something that a solver might ask for. */
struct request {
  struct th_rows rows;
  struct th_range range;
  bool keep;
  bool announced;
};

static int64_t below(uint64_t *state, int64_t n)
{
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407U;
  return (int64_t)((*state >> 33) % (uint64_t)n);
}

static struct request draw_request(uint64_t *state)
{
  int64_t group = below(state, (ROWS + R - 1) / R);
  int64_t rows = group * R + R <= ROWS ? R : ROWS - group * R;
  int64_t first = below(state, ATTRIBUTES);
  struct request r = {.rows = {group * R, rows},
                      .range = {first, first + 1},
                      .keep = below(state, 3) == 0,
                      .announced = below(state, 5) != 0};
  if (!r.keep)
    r.range.last += below(state, ATTRIBUTES - first);
  return r;
}

static int64_t wrong_values(const struct request *r, const struct th_slab *slab)
{
  int64_t wrong = 0;
  for (int64_t a = slab->attributes.first; a < slab->attributes.last; a++)
    for (int64_t i = 0; i < r->rows.count; i += 9)
      wrong +=
          slab_value(slab, a, i) != recipe_value(&recipe, a, r->rows.first + i);
  return wrong;
}

static int64_t ask(struct th_store *store, const struct request *r)
{
  struct th_range rest = r->range;
  int64_t wrong = 0;
  while (rest.first < rest.last) {
    struct th_error err = {0};
    struct th_slab slab;
    th_status rc = store->ops->slab(store, r->rows, rest, r->keep, &slab, &err);
    if (rc != TH_OK) {
      fprintf(stderr, "%s\n", err.text);
      return 1;
    }
    wrong += wrong_values(r, &slab);
    rest.first = slab.attributes.last;
  }
  return wrong;
}

/* The bytes that were read for a random order of work. */
static int64_t work(bool threaded, enum th_mapped mapped, int64_t memory,
                    uint64_t seed)
{
  char path[128];
  struct th_dataset *d = NULL;
  struct th_error err = {0};
  uint64_t state = seed;
  int64_t wrong = 0;
  snprintf(path, sizeof path, "%s/data.h5", folder);
  CHECK(th_dataset_open(&d, &comm, path, memory, &err) == TH_OK);
  th_dataset_map(d, mapped);
  CHECK(th_dataset_read_ahead(d, threaded, &err) == TH_OK);
  struct th_store *store = th_dataset_store(d);
  for (int round = 0; round < ROUNDS; round++) {
    struct request r[ASKED];
    if (below(&state, 4) == 0)
      store->ops->forget(store);
    for (int k = 0; k < ASKED; k++) {
      r[k] = draw_request(&state);
      if (r[k].announced)
        store->ops->announce(store, r[k].rows, r[k].range, r[k].keep);
    }
    for (int k = 0; k < ASKED; k++)
      if (below(&state, 8) != 0) /* some are announced for nothing */
        wrong += ask(store, &r[k]);
  }
  CHECK(wrong == 0);
  int64_t bytes = store->bytes_read;
  th_dataset_close(d);
  return bytes;
}

static void sweep_memory(uint64_t seed)
{
  int64_t every = all_memory ? 1 : 2;
  int64_t first = 1 + MEMORY_STEP * (int64_t)(seed % (uint64_t)every);
  for (int64_t memory = first; memory < MOST_MEMORY;
       memory += every * MEMORY_STEP) {
    int64_t bytes = work(false, TH_MAPPED_NEVER, memory, seed);
    CHECK(work(true, TH_MAPPED_NEVER, memory, seed) == bytes);
    bool odd = memory / MEMORY_STEP % 2 == 1;
    enum th_mapped mapped = odd ? TH_MAPPED_ALWAYS : TH_MAPPED_RESIDENT;
    int64_t in_place = work(true, mapped, memory, seed);
    CHECK(work(false, mapped, memory, seed) == in_place);
    CHECK(memory < ALL ? in_place == bytes : in_place <= bytes);
  }
}

/* Those shards whose bits are set are stored anew. */
static void store_anew(int shards, enum th_storage storage)
{
  struct th_error err = {0};
  char path[160];
  snprintf(path, sizeof path, "%s/data.h5", folder);
  CHECK(recipe_write(&recipe, &comm, path, true, &err) == TH_OK);
  for (int k = 0; k < SHARDS; k++) {
    snprintf(path, sizeof path, "%s/data.shards/%05d.h5", folder, k);
    if ((shards >> k & 1) != 0)
      CHECK(th_anew_shard(path, storage, R, &err) == TH_OK);
  }
  test_grow_old();
}

static void test_alike(void)
{
  store_anew(0, TH_STORED_TILES);
  for (uint64_t seed = 1; seed <= 3; seed++)
    sweep_memory(seed);
}

static void test_filtered(void)
{
  for (int shards = 1; shards < 1 << SHARDS; shards++) {
    store_anew(shards, TH_STORED_FILTERED);
    sweep_memory((uint64_t)shards);
  }
}

static void test_other_stores(void)
{
  for (int k = 0; k < SHARDS; k++) {
    store_anew(1 << k, k % 2 == 0 ? TH_STORED_CONTIGUOUS : TH_STORED_CHUNKS);
    sweep_memory((uint64_t)k);
  }
}

int main(int argc, char **argv)
{
  (void)argv;
  all_memory = argc > 1;
  th_comm_self(&comm);
  test_folder(&comm, folder);
  CASE(test_alike());
  CASE(test_filtered());
  CASE(test_other_stores());
  test_folder_remove(&comm, folder);
  return check_finish(NULL);
}
