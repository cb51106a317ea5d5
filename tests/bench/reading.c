/* reading.c - what it costs to read data that the system has in memory
 *
 * reading DATASET.h5 SHARD [WAY]: dense data in one shard; all ways, or one.
 * Prints gigabytes in a second of the processor as JSON, the best of ROUNDS in
 * which all ways take turns: read(2) of the shard into one buffer; all tiles,
 * verified, copied and in place; two passes of exploration over halves of the
 * attributes, on data that are kept in memory, and on data of which hardly
 * anything is kept, copied and in place.
 * SPDX-License-Identifier: MIT */
#include "io/dataset/anew.h"
#include "io/dataset/residency/dataset.h"
#include "solvers/driver/train.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 7, SPARSITY = 16 };

static const int64_t LITTLE = 24 << 20;
static const int64_t SOME = 96 << 20;
static const int64_t ALL = (int64_t)1 << 40;

enum way {
  FILE_READ,
  COPIED,
  IN_PLACE,
  KEPT,
  STREAMED,
  STREAMED_IN_PLACE,
  WAYS
};
static const char *const names[WAYS] = {"read2",           "tiles_copied",
                                        "tiles_in_place",  "kept",
                                        "streamed_copied", "streamed_in_place"};

static void need(th_status rc, const struct th_error *err)
{
  if (rc == TH_OK)
    return;
  fprintf(stderr, "reading: %s\n", err->text);
  exit(1);
}

/* Seconds of the processor, whoever else has it. */
static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct th_dataset *open_set(struct th_comm *comm, const char *path,
                                   enum way way)
{
  struct th_dataset *d = NULL;
  struct th_error err = {0};
  bool tiles = way == COPIED || way == IN_PLACE;
  bool copied = way == COPIED || way == STREAMED;
  int64_t memory = tiles ? LITTLE : way == KEPT ? ALL : SOME;
  need(th_dataset_open(&d, comm, path, memory, &err), &err);
  th_dataset_map(d, copied ? TH_MAPPED_NEVER : TH_MAPPED_RESIDENT);
  need(th_dataset_read_ahead(d, true, &err), &err);
  return d;
}

static void read_file(int file)
{
  if (th_anew_read_seconds(file) < 0) {
    fprintf(stderr, "reading: the shard cannot be read\n");
    exit(1);
  }
}

static void read_tiles(struct th_store *store)
{
  const struct th_shape *s = &store->shape;
  struct th_error err = {0};
  for (int64_t row = 0; row < s->examples; row += s->row_group) {
    struct th_range rest = {0, s->attributes};
    struct th_slab slab;
    int64_t left = s->examples - row;
    struct th_rows rows = {row, left < s->row_group ? left : s->row_group};
    for (; rest.first < rest.last; rest.first = slab.attributes.last)
      need(store->ops->slab(store, rows, rest, false, &slab, &err), &err);
  }
}

static void train(struct th_store *store, struct th_comm *comm)
{
  const struct th_shape *shape = &store->shape;
  struct th_config config = {
      .solver = "exploration",
      .loss = "squared",
      .sparsity = SPARSITY,
      .budget = shape->attributes / 2 + SPARSITY,
      .passes = 2,
      .seed = 1,
      .eta = 0.01,
      .rounds.batch_explore = {1, {2 * shape->row_group}},
      .rounds.growth = 1,
      .standardize = true,
      .intercept = true,
      .rounds.shared_support = true,
      .refit = TH_REFIT_NO};
  struct th_profile profile = {0};
  struct th_model model = {0};
  struct th_error err = {0};
  struct th_plan plan;
  need(th_train_plan(&config,
                     (struct th_plan_size){.shape = shape,
                                           .ranks = 1,
                                           .owned = shape->attributes},
                     &plan, &err),
       &err);
  need(th_train(&plan, store, comm, NULL, &profile, &model, &err), &err);
  th_model_free(&model);
}

static void once(enum way way, struct th_dataset *d, struct th_comm *comm,
                 int file)
{
  if (way == FILE_READ)
    read_file(file);
  else if (way == COPIED || way == IN_PLACE)
    read_tiles(th_dataset_store(d));
  else
    train(th_dataset_store(d), comm);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  struct th_dataset *d[WAYS] = {NULL};
  double best[WAYS] = {0};
  int file = argc >= 3 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) {
    fprintf(stderr, "usage: reading DATASET.h5 SHARD [WAY]\n");
    return 2;
  }
  th_comm_self(&comm);
  for (int w = COPIED; w < WAYS; w++)
    d[w] = open_set(&comm, argv[1], (enum way)w);
  const struct th_shape *s = &th_dataset_store(d[COPIED])->shape;
  double bytes = (double)th_type_bytes(s->type, s->examples * s->attributes);
  for (int k = -1; k < ROUNDS; k++) /* the first round fills memory */
    for (int w = 0; w < WAYS; w++) {
      if (argc > 3 && strcmp(argv[3], names[w]) != 0)
        continue;
      double began = seconds();
      once((enum way)w, d[w], &comm, file);
      double rate = 1e-9 * bytes / (seconds() - began);
      if (k >= 0 && rate > best[w])
        best[w] = rate;
    }
  printf("{");
  for (int w = 0; w < WAYS; w++)
    printf("%s\"%s\": %.3g", w > 0 ? ", " : "", names[w], best[w]);
  printf(", \"tiles_over_read2\": %.3g, \"streamed_over_kept\": %.3g}\n",
         best[IN_PLACE] / best[FILE_READ],
         best[STREAMED_IN_PLACE] / best[KEPT]);
  for (int w = 0; w < WAYS; w++)
    th_dataset_close(d[w]);
  close(file);
  return 0;
}
