/* entries.c - what it costs to look up single values in memory
 *
 * entries DATASET.h5: mini-batches of 256 examples, with five attributes of
 * each, both drawn at random; first with every value read once, so that all are
 * in memory, then the best of REPEATS turns. Prints nanoseconds per value as
 * JSON, also for the way by slabs.
 * entries FAMILY EXAMPLES ATTRIBUTES: of computed data.
 * SPDX-License-Identifier: MIT */
#include "data/store.h"
#include "io/dataset/residency/dataset.h"
#include "ranks/partition.h"
#include "synthetic/synthetic.h"
#include "synthetic/synthetic_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 256, BUDGET = 5, COUNT = BATCH * BUDGET };
enum { REPEATS = 7, BATCHES = 400 };

static const int64_t MEMORY = (int64_t)1 << 40;

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

/* Seconds of the processor, whoever else has it. */
static double now(void)
{
  return (double)clock() / CLOCKS_PER_SEC;
}

/* Nanoseconds per value of all batches. */
static double look_up(struct th_store *store, const struct places *places)
{
  static double value[COUNT];
  static volatile double sink;
  struct th_error err = {0};
  double began = now();
  for (int b = 0; b < BATCHES; b++) {
    struct th_entries entries = {COUNT, places[b].row, places[b].attribute};
    if (th_store_entries(store, &entries, value, &err) != TH_OK)
      give_up(err.text);
    sink = sink + value[b];
  }
  return 1e9 * (now() - began) / ((double)BATCHES * COUNT);
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
  for (int64_t i = 0; i < shape->examples;
       i += th_store_shape_rest(shape, i).count)
    for (int64_t a = 0; a < shape->attributes; a++) {
      struct th_entries one = {1, &i, &a};
      if (th_store_entries(store, &one, &value, &err) != TH_OK)
        give_up(err.text);
    }
}

static void measure(struct th_store *store)
{
  struct places *places = draw_all(&store->shape);
  double began = now();
  touch_all(store);
  double touched = now() - began;
  double entries = best_of(store, places);
  struct th_store_ops ops = *store->ops;
  ops.entries = NULL;
  store->ops = &ops;
  double slabs = best_of(store, places);
  printf("{\"examples\": %lld, \"attributes\": %lld, "
         "\"first_touch_s\": %.2f, \"entry_ns\": %.1f, \"slab_ns\": %.1f}\n",
         (long long)store->shape.examples, (long long)store->shape.attributes,
         touched, entries, slabs);
  free(places);
}

static void measure_file(const char *path)
{
  struct th_comm comm;
  struct th_dataset *d = NULL;
  struct th_error err = {0};
  th_comm_self(&comm);
  if (th_dataset_open(&d, &comm, path, MEMORY, &err) != TH_OK)
    give_up(err.text);
  measure(th_dataset_store(d));
  th_dataset_close(d);
}

static void measure_family(char **argument)
{
  struct th_synthetic_store *computed = NULL;
  struct th_error err = {0};
  struct th_ground_truth truth = {.seed = 1};
  struct th_shape shape = {.examples = atoll(argument[1]),
                           .attributes = atoll(argument[2])};
  const struct th_family *family = th_synthetic_family_find(argument[0]);
  if (family == NULL || shape.examples < 1)
    give_up("no such family, or no examples");
  shape.training = shape.examples;
  shape.layout = family->layout;
  shape.row_group = th_partition_row_group_size(shape.examples);
  truth.noise = family->default_noise;
  truth.own = (struct th_family_parameters){
      .correlation = strcmp(family->name, "toeplitz") == 0 ? 0.5 : 0,
      .density = strcmp(family->name, "sparse") == 0 ? 0.001 : 0,
      .alpha = strcmp(family->name, "kukliansky") == 0 ? -1 : 0};
  snprintf(truth.family, sizeof truth.family, "%s", family->name);
  if (th_synthetic_truth_init(&truth, shape.attributes, &err) != TH_OK ||
      th_synthetic_store_create(&computed, &truth, &shape, MEMORY, &err) !=
          TH_OK)
    give_up(err.text);
  measure(th_synthetic_store_of(computed));
  th_synthetic_store_free(computed);
  th_synthetic_truth_free(&truth);
}

int main(int argc, char **argv)
{
  if (argc == 2)
    measure_file(argv[1]);
  else if (argc == 4)
    measure_family(argv + 1);
  else
    give_up("DATASET.h5 is wanted, or FAMILY EXAMPLES ATTRIBUTES");
  return 0;
}
