/* entries.c - what it costs to look up single values in memory
 *
 * entries DATASET.h5: mini-batches of 256 examples, with five attributes of
 * each, both drawn at random; first with every value read once, so that all are
 * in memory, then the best of REPEATS turns. Prints nanoseconds per value as
 * JSON, also for the way by slabs.
 * SPDX-License-Identifier: MIT */
#include "core/store.h"
#include "io/dataset/dataset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 256, BUDGET = 5, COUNT = BATCH * BUDGET };
enum { REPEATS = 7, BATCHES = 400 };

/* Where values are asked for. */
struct places {
  int64_t row[COUNT];
  int64_t attribute[COUNT];
};

static void give_up(const char *why)
{
  fprintf(stderr, "entries: %s\n", why);
  exit(1);
}

/* A plain pseudo-random stream. */
static int64_t draw(uint64_t *state, int64_t below)
{
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (int64_t)((*state >> 33) % (uint64_t)below);
}

static struct places *draw_all(const struct th_shape *shape)
{
  struct places *places = malloc(BATCHES * sizeof *places);
  uint64_t state = 1;
  if (places == NULL)
    give_up("no memory");
  for (int b = 0; b < BATCHES; b++)
    for (int k = 0; k < COUNT; k++) {
      places[b].row[k] =
          k % BUDGET > 0 ? places[b].row[k - 1] : draw(&state, shape->examples);
      places[b].attribute[k] = draw(&state, shape->attributes);
    }
  return places;
}

/* Nanoseconds per value of all batches. */
static double look_up(struct th_store *store, const struct places *places)
{
  static double value[COUNT];
  static volatile double sink;
  struct th_error err = {0};
  double began = th_comm_clock();
  for (int b = 0; b < BATCHES; b++) {
    struct th_entries entries = {COUNT, places[b].row, places[b].attribute};
    if (th_store_entries(store, &entries, value, &err) != TH_OK)
      give_up(err.text);
    sink = sink + value[b];
  }
  return 1e9 * (th_comm_clock() - began) / ((double)BATCHES * COUNT);
}

static double best_of(struct th_store *store, const struct places *places)
{
  double best = INFINITY;
  for (int k = 0; k < REPEATS; k++)
    best = fmin(best, look_up(store, places));
  return best;
}

/* Ask for a value of every attribute on every row group. */
static void touch_all(struct th_store *store)
{
  const struct th_shape *shape = &store->shape;
  struct th_error err = {0};
  double value;
  for (int64_t i = 0; i < shape->examples; i += th_shape_rest(shape, i).count)
    for (int64_t a = 0; a < shape->attributes; a++) {
      struct th_entries one = {1, &i, &a};
      if (th_store_entries(store, &one, &value, &err) != TH_OK)
        give_up(err.text);
    }
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  struct th_dataset *d = NULL;
  struct th_error err = {0};
  th_comm_self(&comm);
  if (argc != 2)
    give_up("DATASET.h5 is wanted");
  if (th_dataset_open(&d, &comm, argv[1], (int64_t)1 << 40, &err) != TH_OK)
    give_up(err.text);
  struct th_store *store = th_dataset_store(d);
  struct places *places = draw_all(&store->shape);
  double began = th_comm_clock();
  touch_all(store);
  double touched = th_comm_clock() - began;
  double entries = best_of(store, places);
  struct th_store_ops ops = *store->ops;
  ops.entries = NULL;
  store->ops = &ops;
  double slabs = best_of(store, places);
  printf("{\"attributes\": %lld, \"first_touch_s\": %.2f, "
         "\"entry_ns\": %.1f, \"slab_ns\": %.1f}\n",
         (long long)store->shape.attributes, touched, entries, slabs);
  free(places);
  th_dataset_close(d);
  return 0;
}
