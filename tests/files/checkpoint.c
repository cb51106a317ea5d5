/* checkpoint.c - checkpoints: what some ranks write, other ranks read;
 * manifests that were forged, with the checksum made right, are refused
 * SPDX-License-Identifier: MIT */
#include "io/checkpoint/checkpoint.h"
#include "base/range.h"
#include "check.h"
#include "io/checkpoint/manifest.h"
#include "io/files/hash.h"
#include "io_data.h"
#include "mpi/mpi_comm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTRIBUTES = 1000, ROWS = 3, EXAMPLES = 40, FORGERIES = 20000 };

static const char run_key[] = "a 1\nb 2\n";

/* A state with an array of every place. */
struct run {
  int64_t steps;
  double *vector; /* ROWS vectors, of the attributes of this rank */
  int64_t count;  /* of the keys */
  int64_t *key;   /* attributes of this rank */
  uint16_t *value;
  unsigned char example[EXAMPLES];
  double first[5];
  struct th_range owned;
};

static void make(struct run *run, const struct th_comm *comm)
{
  *run =
      (struct run){.owned = th_range_part(ATTRIBUTES, comm->rank, comm->size)};
  int64_t width = run->owned.last - run->owned.first;
  run->vector = calloc((size_t)(ROWS * width), sizeof *run->vector);
  run->key = calloc((size_t)width, sizeof *run->key);
  run->value = calloc((size_t)width, sizeof *run->value);
}

static void drop(struct run *run)
{
  free(run->vector);
  free(run->key);
  free(run->value);
}

/* Values that tell where they belong. */
static void fill(struct run *run, int64_t steps)
{
  int64_t width = run->owned.last - run->owned.first;
  run->steps = steps;
  for (int64_t r = 0; r < ROWS; r++)
    for (int64_t k = 0; k < width; k++)
      run->vector[r * width + k] =
          (double)(steps + 10000 * r + run->owned.first + k);
  for (int64_t a = run->owned.first; a < run->owned.last; a++)
    if (a % 7 == 3) {
      run->key[run->count] = a;
      run->value[run->count++] = (uint16_t)(a % 1000);
    }
  for (int k = 0; k < EXAMPLES; k++)
    run->example[k] = (unsigned char)(k + steps);
  for (int k = 0; k < 5; k++)
    run->first[k] = k + 0.5;
}

static void describe(struct run *run, struct th_state *state)
{
  const int64_t *keys = NULL;
  TH_STATE_ONE(state, run, steps);
  th_state_spread(state, "vector", TH_STATE_F64, run->vector, ROWS, run->owned);
  struct th_range here = {0, run->count};
  if (th_state_puts(state))
    here = th_state_find(state, "key", run->owned, &keys);
  run->count = here.last - here.first;
  th_state_spread(state, "key", TH_STATE_I64, run->key, 1, here);
  th_state_spread(state, "value", TH_STATE_U16, run->value, 1, here);
  th_state_examples(state, "example", TH_STATE_U8, run->example, EXAMPLES);
  th_state_first(state, "first", TH_STATE_F64, run->first, 5);
}

static th_status write_state(struct th_checkpoint *checkpoint,
                             struct th_comm *comm, int64_t steps,
                             struct th_error *err)
{
  struct run run;
  struct th_state state;
  make(&run, comm);
  fill(&run, steps);
  th_state_list(&state, comm, run.owned, err);
  describe(&run, &state);
  th_status rc = th_checkpoint_write(checkpoint, run_key, &state, err);
  th_state_free(&state);
  drop(&run);
  return rc;
}

static bool same(const struct run *a, const struct run *b, int rank)
{
  size_t width = (size_t)(a->owned.last - a->owned.first);
  return a->steps == b->steps && a->count == b->count &&
         memcmp(a->vector, b->vector, ROWS * width * sizeof *a->vector) == 0 &&
         memcmp(a->key, b->key, (size_t)a->count * sizeof *a->key) == 0 &&
         memcmp(a->value, b->value, (size_t)a->count * sizeof *a->value) == 0 &&
         memcmp(a->example, b->example, EXAMPLES) == 0 &&
         (rank != 0 || memcmp(a->first, b->first, sizeof a->first) == 0);
}

/* Read what was found; it has to be that of so many steps. */
static void check_found(struct th_checkpoint_image *found, struct th_comm *comm,
                        int64_t steps)
{
  struct th_error err;
  struct run run;
  struct run wanted;
  struct th_state state;
  th_error_clear(&err);
  make(&run, comm);
  make(&wanted, comm);
  fill(&wanted, steps);
  th_state_from(&state, &found->image, comm, run.owned, &err);
  describe(&run, &state);
  CHECK(th_state_put(&state, comm, &err) == TH_OK);
  CHECK(same(&run, &wanted, comm->rank));
  th_state_free(&state);
  drop(&run);
  drop(&wanted);
}

/* Open the folder and look for a checkpoint of this key. */
static th_status open_find(struct th_checkpoint *checkpoint,
                           struct th_comm *comm, const char *path,
                           const char *key, struct th_checkpoint_image *found,
                           struct th_error *err)
{
  char note[TH_CHECKPOINT_NOTE];
  th_error_clear(err);
  CHECK(th_checkpoint_open(checkpoint, comm, path, err) == TH_OK);
  return th_checkpoint_find(checkpoint, key, found, note, err);
}

/* Find and check; steps 0: there is none. */
static void check_there(struct th_comm *comm, const char *path, int64_t steps)
{
  struct th_checkpoint checkpoint;
  struct th_checkpoint_image found;
  struct th_error err;
  CHECK(open_find(&checkpoint, comm, path, run_key, &found, &err) == TH_OK);
  CHECK((found.number > 0) == (steps > 0));
  if (found.number > 0)
    check_found(&found, comm, steps);
  th_checkpoint_image_release(&found);
  th_checkpoint_close(&checkpoint);
  comm->ops->barrier(comm);
}

/* All ranks write; a team of fewer reads, and the other way round. */
static void test_ranks(struct th_comm *comm, const char *path)
{
  struct th_checkpoint checkpoint;
  struct th_comm half;
  struct th_error err;
  th_error_clear(&err);
  comm->ops->split(comm, comm->rank < (comm->size + 1) / 2 ? 0 : 1, &half);
  CHECK(th_checkpoint_open(&checkpoint, comm, path, &err) == TH_OK);
  for (int64_t steps = 1; steps <= 4; steps++)
    CHECK(write_state(&checkpoint, comm, steps, &err) == TH_OK);
  th_checkpoint_close(&checkpoint);
  comm->ops->barrier(comm);
  check_there(comm, path, 4);
  if (comm->rank < (comm->size + 1) / 2) {
    check_there(&half, path, 4);
    struct th_checkpoint_image found;
    CHECK(open_find(&checkpoint, &half, path, run_key, &found, &err) == TH_OK);
    th_checkpoint_image_release(&found);
    CHECK(write_state(&checkpoint, &half, 5, &err) == TH_OK);
    th_checkpoint_close(&checkpoint);
  }
  comm->ops->barrier(comm);
  check_there(comm, path, 5);
  th_comm_free(&half);
}

/* What every rank needs was read once: the file may go. */
static void test_common(struct th_comm *comm, const char *path)
{
  struct th_checkpoint checkpoint;
  struct th_checkpoint_image found;
  struct th_error err;
  unsigned char example[EXAMPLES] = {0};
  char name[TH_MANIFEST_NAME];
  CHECK(open_find(&checkpoint, comm, path, run_key, &found, &err) == TH_OK);
  th_manifest_part_name(found.number, 0, name);
  if (comm->rank == 0)
    CHECK(renameat(checkpoint.folder, name, checkpoint.folder, "away") == 0);
  comm->ops->barrier(comm);
  for (int64_t k = 0; k < found.image.count && comm->rank > 0; k++)
    if (found.image.entry[k].place == TH_STATE_BY_EXAMPLE)
      CHECK(found.image.fetch(found.image.self, k, 0,
                              (struct th_range){1, EXAMPLES}, example,
                              &err) == TH_OK);
  CHECK(comm->rank == 0 || example[EXAMPLES - 2] == example[0] + EXAMPLES - 2);
  CHECK(comm->rank == 0 || example[0] == 1 + 5);
  comm->ops->barrier(comm);
  if (comm->rank == 0)
    CHECK(renameat(checkpoint.folder, "away", checkpoint.folder, name) == 0);
  th_checkpoint_image_release(&found);
  th_checkpoint_close(&checkpoint);
  comm->ops->barrier(comm);
}

/* Another key; and none left once they are cleared. */
static void test_key(struct th_comm *comm, const char *path)
{
  struct th_checkpoint checkpoint;
  struct th_checkpoint_image found;
  struct th_error err;
  CHECK(open_find(&checkpoint, comm, path, "a 1\nb 3\n", &found, &err) ==
        TH_EUSAGE);
  CHECK(strstr(err.text, "'b 2' where this one has 'b 3'") != NULL);
  th_checkpoint_image_release(&found);
  comm->ops->barrier(comm);
  th_checkpoint_clear(&checkpoint);
  th_checkpoint_close(&checkpoint);
  comm->ops->barrier(comm);
  check_there(comm, path, 0);
}

/* SplitMix64. */
static uint64_t next(uint64_t *state)
{
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* One word, or one byte, becomes another; the checksum is made right. */
static void forge(int64_t *words, int64_t count, uint64_t *random)
{
  static const int64_t values[] = {0,
                                   -1,
                                   1,
                                   2,
                                   INT64_MAX,
                                   INT64_MIN,
                                   1 << 20,
                                   1 << 22,
                                   INT32_MAX,
                                   (int64_t)1 << 40,
                                   1 << 16,
                                   1 << 17,
                                   (int64_t)1 << 56,
                                   (int64_t)1 << 61};
  int64_t at = (int64_t)(next(random) % (uint64_t)(count - 1));
  uint64_t how = next(random);
  if (how % 3 == 0)
    words[at] = (int64_t)((uint64_t)words[at] ^ UINT64_C(1) << (how >> 8) % 64);
  else if (how % 3 == 1)
    words[at] = values[(how >> 8) % (sizeof values / sizeof *values)];
  else
    words[at] = (int64_t)((uint64_t)words[at] + (how >> 8) % 5 - 2);
  words[count - 1] =
      (int64_t)th_hash(words, (size_t)(count - 1) * sizeof *words);
}

/* Nothing but refusals, or manifests whose numbers fit together. */
static void test_forged(void)
{
  struct th_manifest *made = NULL;
  struct th_error err;
  int64_t *words = NULL;
  int64_t count = 0;
  int64_t good = 0;
  uint64_t random = 1;
  th_error_clear(&err);
  CHECK(th_manifest_new(&made, 3, 4, &err) == TH_OK);
  made->number = 7;
  made->key = strdup("data 1\nsolver sift\n");
  for (int k = 0; k < 4; k++) {
    snprintf(made->entry[k].name, TH_STATE_NAME, "array %d", k);
    made->entry[k].place = k < 2 ? TH_STATE_BY_ATTRIBUTE : TH_STATE_FIRST_RANK;
    made->entry[k].rows = k + 1;
    made->entry[k].all = 9;
    for (int p = 0; p < 3; p++)
      made->width[k * 3 + p] = k < 2 ? 3 : p == 0 ? 9 : 0;
  }
  CHECK(th_manifest_place(made));
  CHECK(th_manifest_pack(made, &words, &count, &err) == TH_OK);
  int64_t *forged = malloc((size_t)count * sizeof *forged);
  for (int k = 0; k < FORGERIES && forged != NULL; k++) {
    struct th_manifest *read = NULL;
    memcpy(forged, words, (size_t)count * sizeof *forged);
    for (int times = 0; times <= k % 3; times++)
      forge(forged, count, &random);
    th_error_clear(&err);
    th_status rc = th_manifest_unpack(&read, forged, count, &err);
    CHECK(rc == TH_OK || rc == TH_EFORMAT);
    good += rc == TH_OK;
    th_manifest_free(rc == TH_OK ? read : NULL);
  }
  CHECK(good > 0 && good < FORGERIES);
  printf("%d forgeries, of which %" PRId64 " have other numbers that fit\n",
         FORGERIES, good);
  free(forged);
  free(words);
  th_manifest_free(made);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  char folder[64];
  char path[96];
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  test_folder(&comm, folder);
  snprintf(path, sizeof path, "%s/kept", folder);
  CASE(test_ranks(&comm, path));
  CASE(test_common(&comm, path));
  CASE(test_key(&comm, path));
  if (comm.rank == 0)
    CASE(test_forged());
  comm.ops->barrier(&comm);
  if (comm.rank == 0)
    rmdir(path);
  test_folder_remove(&comm, folder);
  int rc = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return rc;
}
