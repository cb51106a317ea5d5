/* ranks.c - what fails on one rank fails on all, with the same words
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "io/dataset/writer/writer.h"
#include "io_data.h"
#include "mpi/mpi_comm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHARDS = 5 };

static struct recipe recipe_of(void)
{
  struct recipe recipe = {.shape = {.examples = 130,
                                    .training = 100,
                                    .attributes = 50,
                                    .row_group = 32,
                                    .type = TH_F32},
                          .shards = SHARDS};
  return recipe;
}

/* The same text everywhere: no rank's hash differs from the largest. */
static void check_same(struct th_comm *comm, const struct th_error *err)
{
  int64_t both[2] = {0, 0};
  for (const char *c = err->text; *c != '\0'; c++)
    both[0] = (both[0] * 31 + *c) % 1000003;
  both[1] = -both[0];
  comm->ops->max_i64(comm, both, 2);
  CHECK(both[0] == -both[1]);
}

static bool exists(const char *folder, const char *name)
{
  char path[160];
  struct stat s;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return lstat(path, &s) == 0;
}

static void check_nothing_left(struct th_comm *comm, const char *folder)
{
  static const char *const names[] = {
      "data.h5", "data.shards", ".data.h5.partial", ".data.shards.partial",
      ".data.shards.old"};
  comm->ops->barrier(comm);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    CHECK(!exists(folder, names[k]));
  comm->ops->barrier(comm);
}

/* One shard is damaged: the rank that verifies it fails, all say so. */
static void test_check(struct th_comm *comm, const char *folder)
{
  struct recipe recipe = recipe_of();
  char path[128];
  snprintf(path, sizeof path, "%s/data.h5", folder);
  for (int k = 0; k < SHARDS; k++) {
    struct th_error err;
    struct th_dataset *d = NULL;
    char shard[160];
    char words[32];
    th_error_clear(&err);
    CHECK(recipe_write(&recipe, comm, path, true, &err) == TH_OK);
    CHECK(th_dataset_open(&d, comm, path, 1 << 20, &err) == TH_OK);
    snprintf(shard, sizeof shard, "%s/data.shards/%05d.h5", folder, k);
    comm->ops->barrier(comm);
    CHECK(comm->rank != 0 || truncate(shard, 300) == 0);
    comm->ops->barrier(comm);
    CHECK(th_dataset_check(d, comm, &err) == TH_EFORMAT);
    snprintf(words, sizeof words, "%05d.h5: truncated", k);
    CHECK(strstr(err.text, words) != NULL);
    CHECK(err.rank == k % comm->size);
    check_same(comm, &err);
    th_dataset_close(d);
  }
}

static void test_open(struct th_comm *comm)
{
  struct th_error err;
  struct th_dataset *d = NULL;
  th_error_clear(&err);
  CHECK(th_dataset_open(&d, comm, "/nowhere/d.h5", 0, &err) == TH_EIO);
  CHECK(d == NULL && err.rank == 0);
  check_same(comm, &err);
}

/* One rank finds another data set under the name: an old copy, say, of as many
 * examples or of fewer. Rank 0 being the one, the next is named. */
static void test_other_master(struct th_comm *comm, const char *folder)
{
  struct recipe recipe = recipe_of();
  struct recipe others[3] = {recipe, recipe, recipe};
  char path[2][128];
  others[0].salt = 1;
  others[1].shape.examples -= 40;
  others[1].shape.training -= 40;
  others[2].named = true;
  for (int k = 0; k < 2; k++)
    snprintf(path[k], sizeof path[k], "%s/%d.h5", folder, k);
  struct th_error err;
  th_error_clear(&err);
  CHECK(recipe_write(&recipe, comm, path[0], true, &err) == TH_OK);
  for (int k = 0; k < 3; k++) {
    CHECK(recipe_write(&others[k], comm, path[1], true, &err) == TH_OK);
    for (int odd = 0; odd < comm->size && comm->size > 1; odd++) {
      struct th_dataset *d = NULL;
      const char *mine = path[comm->rank == odd];
      th_error_clear(&err);
      CHECK(th_dataset_open(&d, comm, mine, 1 << 20, &err) == TH_EIO);
      CHECK(d == NULL && err.rank == (odd == 0 ? 1 : odd));
      CHECK(strstr(err.text, "is not the file that rank 0 reads") != NULL);
      check_same(comm, &err);
    }
  }
}

/* One rank's shards are those of a data set with another split, whose bytes are
 * the same otherwise: statistics are not. */
static void test_other_split(struct th_comm *comm, const char *folder)
{
  struct recipe recipe = recipe_of();
  struct recipe other = recipe;
  char path[2][128];
  char shard[2][160];
  struct th_error err;
  struct th_statistics statistics;
  struct th_dataset *d = NULL;
  recipe.shape.examples = 96;
  recipe.shape.training = 64;
  other.shape.examples = 96;
  other.shape.training = 96;
  for (int k = 0; k < 2; k++) {
    snprintf(path[k], sizeof path[k], "%s/%d.h5", folder, k);
    snprintf(shard[k], sizeof shard[k], "%s/%d.shards/00000.h5", folder, k);
  }
  th_error_clear(&err);
  CHECK(recipe_write(&recipe, comm, path[0], true, &err) == TH_OK);
  CHECK(recipe_write(&other, comm, path[1], true, &err) == TH_OK);
  comm->ops->barrier(comm);
  CHECK(comm->rank != 0 || rename(shard[1], shard[0]) == 0);
  comm->ops->barrier(comm);
  CHECK(th_dataset_open(&d, comm, path[0], 1 << 20, &err) == TH_OK);
  struct th_store *store = th_dataset_store(d);
  CHECK(store->ops->statistics(store, (struct th_range){0, 1}, &statistics,
                               &err) == TH_EFORMAT);
  CHECK(strstr(err.text, "00000.h5: not the one that") != NULL);
  th_dataset_close(d);
}

/* A value that cannot be stored, written by one rank only. */
static void test_bad_value(struct th_comm *comm, const char *folder)
{
  struct recipe recipe = recipe_of();
  struct th_dataset_plan plan = {.shape = recipe.shape, .shards = SHARDS};
  char path[160];
  for (int64_t bad = 0; bad < SHARDS; bad++) {
    struct th_writer *writer = NULL;
    struct th_error err;
    float values[64 * 256];
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
      values[k] = k == 70 ? NAN : 1.0F;
    snprintf(path, sizeof path, "%s/data.h5", folder);
    th_error_clear(&err);
    CHECK(th_writer_create(&writer, comm, path, &plan, false, &err) == TH_OK);
    th_status rc = TH_OK;
    if (th_writer_owns(writer, bad))
      rc = th_writer_dense(writer, bad, 0, th_writer_shard(writer, bad), values,
                           64, &err);
    CHECK(th_agree(comm, rc, &err) == TH_EDATA);
    CHECK(strstr(err.text, "row group 0: a value is not a finite") != NULL);
    th_writer_abort(writer);
    check_nothing_left(comm, folder);
  }
}

/* A shard that was never written is noticed at the end. */
static void test_unwritten(struct th_comm *comm, const char *folder)
{
  struct recipe recipe = recipe_of();
  struct th_dataset_plan plan = {.shape = recipe.shape, .shards = SHARDS};
  struct th_writer *writer = NULL;
  struct th_master master = {0};
  struct th_error err;
  char path[128];
  snprintf(path, sizeof path, "%s/data.h5", folder);
  th_error_clear(&err);
  CHECK(th_writer_create(&writer, comm, path, &plan, false, &err) == TH_OK);
  CHECK(th_writer_commit(writer, &master, TH_OK, &err) == TH_EARG);
  check_same(comm, &err);
  check_nothing_left(comm, folder);
}

/* A target that is not a number is refused, and the old data set stays. */
static void test_bad_target(struct th_comm *comm, const char *folder)
{
  struct recipe recipe = recipe_of();
  struct th_dataset *d = NULL;
  struct th_error err;
  char path[128];
  snprintf(path, sizeof path, "%s/data.h5", folder);
  th_error_clear(&err);
  CHECK(recipe_write(&recipe, comm, path, false, &err) == TH_OK);
  recipe.bad_target = 17;
  CHECK(recipe_write(&recipe, comm, path, true, &err) == TH_EDATA);
  CHECK(strstr(err.text, "the target of example 112 of the input") != NULL);
  check_same(comm, &err);
  th_error_clear(&err);
  CHECK(th_dataset_open(&d, comm, path, 1 << 20, &err) == TH_OK);
  CHECK(th_dataset_check(d, comm, &err) == TH_OK);
  th_dataset_close(d);
  CHECK(!exists(folder, ".data.shards.partial"));
  CHECK(!exists(folder, ".data.shards.old"));
  CHECK(!exists(folder, ".data.h5.partial"));
  comm->ops->barrier(comm); /* the next one writes files of these names */
}

/* Two runs at once: the second is refused, the first is not disturbed. */
static void test_lock(struct th_comm *comm, const char *folder)
{
  struct recipe recipe = recipe_of();
  struct th_dataset_plan plan = {.shape = recipe.shape, .shards = SHARDS};
  struct th_writer *one = NULL;
  struct th_writer *two = NULL;
  struct th_error err;
  char path[128];
  snprintf(path, sizeof path, "%s/lock.h5", folder);
  th_error_clear(&err);
  CHECK(th_writer_create(&one, comm, path, &plan, false, &err) == TH_OK);
  CHECK(th_writer_create(&two, comm, path, &plan, true, &err) == TH_EIO);
  CHECK(strstr(err.text, "another run is writing") != NULL);
  CHECK(exists(folder, ".lock.shards.partial/00000.h5"));
  comm->ops->barrier(comm);
  th_writer_abort(one);
  comm->ops->barrier(comm);
  CHECK(!exists(folder, ".lock.shards.partial"));
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  char folder[64] = "";
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  test_folder(&comm, folder);
  CASE(test_open(&comm));
  CASE(test_other_master(&comm, folder));
  CASE(test_other_split(&comm, folder));
  CASE(test_bad_value(&comm, folder));
  CASE(test_unwritten(&comm, folder));
  CASE(test_lock(&comm, folder));
  CASE(test_bad_target(&comm, folder));
  CASE(test_check(&comm, folder));
  test_folder_remove(&comm, folder);
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
