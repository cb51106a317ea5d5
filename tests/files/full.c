/* full.c - a full disk is one clean error, and nothing is left
 *
 * The limit on file sizes stands in for the full disk: the same calls fail, at
 * the same places.
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "io/dataset/writer/writer.h"
#include "io/model/model_file.h"
#include "io_data.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char folder[64];
static struct th_comm comm;

static void limit_files(rlim_t bytes)
{
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}

static int files_left(void)
{
  int count = 0;
  DIR *open = opendir(folder);
  for (struct dirent *e = readdir(open); e != NULL; e = readdir(open))
    count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
  closedir(open);
  return count;
}

static void expect_full(th_status rc, const struct th_error *err)
{
  limit_files(RLIM_INFINITY);
  CHECK(rc == TH_EIO);
  CHECK(strstr(err->text, "no space left") != NULL);
  CHECK(strchr(err->text, '\n') == NULL);
  CHECK(files_left() == 0);
  if (check_failures > 0)
    fprintf(stderr, "%s (%d left)\n", err->text, files_left());
}

static struct recipe recipe_of(enum th_layout layout, int64_t examples,
                               int64_t attributes)
{
  struct recipe recipe = {.shape = {.examples = examples,
                                    .training = examples,
                                    .attributes = attributes,
                                    .row_group = 1024,
                                    .layout = layout,
                                    .type = TH_F64},
                          .shards = 2};
  return recipe;
}

/* At the very beginning, in the middle of the shards, at the master. */
static void test_whole(void)
{
  struct th_error err;
  char path[128];
  snprintf(path, sizeof path, "%s/data.h5", folder);
  struct recipe dense = recipe_of(TH_DENSE, 5000, 300);
  struct recipe sparse = recipe_of(TH_SPARSE, 20000, 600);
  struct recipe long_one = recipe_of(TH_DENSE, 200000, 2);
  sparse.estimate = 1;
  long_one.shape.type = TH_U8;
  th_error_clear(&err);
  limit_files(2 << 20);
  expect_full(recipe_write(&dense, &comm, path, false, &err), &err);
  CHECK(strstr(err.text, "needs about") != NULL);
  th_error_clear(&err);
  limit_files(6 << 20);
  expect_full(recipe_write(&sparse, &comm, path, false, &err), &err);
  th_error_clear(&err);
  limit_files(3 << 19);
  expect_full(recipe_write(&long_one, &comm, path, false, &err), &err);
  CHECK(strstr(err.text, "data.h5: no space") != NULL);
}

/* Inside HDF5: the room that was reserved cannot be written after all. */
static void test_writes(enum th_layout layout)
{
  struct recipe recipe = recipe_of(layout, 4096, 40);
  struct th_dataset_plan plan = {.shape = recipe.shape, .shards = 2};
  struct th_writer *writer = NULL;
  struct th_error err;
  char path[128];
  snprintf(path, sizeof path, "%s/data.h5", folder);
  th_error_clear(&err);
  CHECK(th_writer_create(&writer, &comm, path, &plan, false, &err) == TH_OK);
  limit_files(20000);
  th_status rc = recipe_fill(&recipe, writer, &err);
  if (rc != TH_OK)
    th_writer_abort(writer);
  expect_full(rc, &err);
}

static void test_model(void)
{
  struct th_model model = {.attributes = 100000};
  struct th_error err;
  char path[128];
  snprintf(path, sizeof path, "%s/model.h5", folder);
  th_error_clear(&err);
  CHECK(th_model_reserve(&model, 10000, &err) == TH_OK);
  for (int64_t k = 0; k < 10000; k++)
    model.support[k] = k;
  limit_files(50000);
  expect_full(th_model_file_write(&model, &comm, path, false, &err), &err);
  th_model_free(&model);
}

int main(void)
{
  signal(SIGXFSZ, SIG_IGN);
  th_comm_self(&comm);
  test_folder(&comm, folder);
  CASE(test_whole());
  CASE(test_writes(TH_DENSE));
  CASE(test_writes(TH_SPARSE));
  CASE(test_model());
  CASE(test_whole()); /* HDF5 is as usable as before */
  test_folder_remove(&comm, folder);
  return check_finish(NULL);
}
