/* writers.c - a shard that several ranks write has the bytes of one that a
 * single rank has written; what fails on one of them leaves nothing
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "io/dataset/writer/slices.h"
#include "io/dataset/writer/writer.h"
#include "io_data.h"
#include "mpi/mpi_comm.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* --- Edges ---------------------------------------------------------------- */

/* Ranges follow one another; owners are those of the first attributes; shards
 * that a rank touches are those that it has a part of. */
static void check_slices(const struct th_slices *s)
{
  int64_t end = 0;
  bool cut = false;
  for (int r = 0; r < s->ranks; r++) {
    struct th_range mine = th_slices_rank(s, r);
    struct th_range touched = th_slices_touched(s, r);
    struct th_range owned = th_slices_owned(s, r);
    CHECK(mine.first == end && mine.last >= end);
    end = mine.last;
    for (int64_t k = 0; k < s->shards; k++) {
      struct th_range part = th_slices_part(s, r, k);
      bool has = th_range_count(part) > 0;
      bool owns = has && part.first == th_slices_shard(s, k).first;
      CHECK(has == (k >= touched.first && k < touched.last));
      CHECK(owns == (k >= owned.first && k < owned.last));
      CHECK(!owns || th_slices_owner(s, k) == r);
      cut = cut || (has && !owns);
    }
  }
  CHECK(end == s->attributes && cut == th_slices_cut(s));
}

static void test_all_edges(void)
{
  struct th_error err;
  int64_t load[7] = {0, 900, 1, 0, 0, 30, 70};
  th_error_clear(&err);
  for (int64_t d = 7; d < 2000; d = 3 * d + 1)
    for (int64_t shards = 1; shards <= 7; shards += 2)
      for (int ranks = 1; ranks <= 9; ranks += 2)
        for (int kind = 0; kind < 3; kind++) {
          struct th_slices s;
          struct th_slices_plan plan = {.attributes = d,
                                        .shards = shards,
                                        .ranks = ranks,
                                        .writers = kind > 0 ? ranks : 0,
                                        .load = kind == 2 ? load : NULL,
                                        .loads = 7};
          CHECK(th_slices_make(&s, &plan, &err) == TH_OK);
          check_slices(&s);
          CHECK(kind > 0 || !th_slices_cut(&s));
          th_slices_free(&s);
        }
}

/* One shard of 1000 attributes, of which the first 100 have nine tenths of the
 * load; as many ranks as the plan has writers get about the same. */
static void test_balance(void)
{
  struct th_error err;
  struct th_slices s;
  int64_t load[10] = {8100, 100, 100, 100, 100, 100, 100, 100, 100, 100};
  struct th_slices_plan plan = {.attributes = 1000,
                                .shards = 1,
                                .ranks = 8,
                                .writers = 3,
                                .load = load,
                                .loads = 10};
  th_error_clear(&err);
  CHECK(th_slices_make(&s, &plan, &err) == TH_OK);
  CHECK(s.edge[1] >= 36 && s.edge[1] <= 38); /* 3000 of 8100 */
  CHECK(s.edge[2] >= 73 && s.edge[2] <= 75);
  for (int r = 3; r <= 8; r++)
    CHECK(s.edge[r] == 1000);
  th_slices_free(&s);
}

/* A border of shards that is near takes the place of an edge: as many shards as
 * ranks are written by one rank each. */
static void test_borders(void)
{
  struct th_error err;
  struct th_slices s;
  struct th_slices_plan plan = {
      .attributes = 1001, .shards = 4, .ranks = 4, .writers = 4};
  th_error_clear(&err);
  CHECK(th_slices_make(&s, &plan, &err) == TH_OK);
  CHECK(!th_slices_cut(&s));
  th_slices_free(&s);
  plan.shards = 3;
  CHECK(th_slices_make(&s, &plan, &err) == TH_OK);
  CHECK(th_slices_cut(&s));
  th_slices_free(&s);
}

/* --- Bytes ---------------------------------------------------------------- */

static struct recipe recipe_of(enum th_layout layout, int64_t shards)
{
  struct recipe recipe = {.shape = {.examples = 150,
                                    .training = 110,
                                    .attributes = 83,
                                    .row_group = 32,
                                    .type = TH_F32,
                                    .layout = layout},
                          .shards = shards};
  return recipe;
}

static bool same_bytes(const char *one, const char *other)
{
  FILE *a = fopen(one, "rb");
  FILE *b = fopen(other, "rb");
  CHECK(a != NULL && b != NULL);
  bool same = a != NULL && b != NULL;
  for (int x = 0; same && x != EOF;) {
    x = fgetc(a);
    same = x == fgetc(b);
  }
  if (a != NULL)
    fclose(a);
  if (b != NULL)
    fclose(b);
  return same;
}

static void check_bytes(struct th_comm *comm, const char *folder,
                        struct recipe recipe)
{
  char path[2][128];
  char shard[2][160];
  struct th_error err;
  for (int k = 0; k < 2; k++) {
    snprintf(path[k], sizeof path[k], "%s/%d", folder, k);
    if (comm->rank == 0)
      mkdir(path[k], 0777);
    comm->ops->barrier(comm);
    snprintf(path[k], sizeof path[k], "%s/%d/x.h5", folder, k);
    recipe.writers = k == 0 ? 0 : comm->size;
    th_error_clear(&err);
    CHECK(recipe_write(&recipe, comm, path[k], true, &err) == TH_OK);
  }
  CHECK(same_bytes(path[0], path[1]));
  for (int64_t s = 0; s < recipe.shards; s++) {
    for (int k = 0; k < 2; k++)
      snprintf(shard[k], sizeof shard[k], "%s/%d/x.shards/%05lld.h5", folder, k,
               (long long)s);
    CHECK(same_bytes(shard[0], shard[1]));
  }
  comm->ops->barrier(comm);
}

static void test_bytes(struct th_comm *comm, const char *folder)
{
  static const enum th_type types[] = {TH_F32, TH_F64, TH_U8, TH_U2};
  for (int64_t shards = 1; shards <= 5; shards += 2)
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
      for (int sparse = 0; sparse < (types[t] == TH_U2 ? 1 : 2); sparse++) {
        struct recipe recipe = recipe_of(sparse ? TH_SPARSE : TH_DENSE, shards);
        recipe.shape.type = types[t];
        check_bytes(comm, folder, recipe);
      }
}

/* --- Failures ------------------------------------------------------------- */

static void limit_files(rlim_t bytes)
{
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}

static void expect_failed(struct th_comm *comm, const char *folder, int bad,
                          const char *text, const struct th_error *err)
{
  CHECK(err->rank == bad && strstr(err->text, text) != NULL);
  comm->ops->barrier(comm);
  CHECK(test_count_files(folder) == 0);
  comm->ops->barrier(comm);
}

static struct th_writer *begin(struct th_comm *comm, const char *folder,
                               const struct recipe *recipe,
                               struct th_error *err)
{
  struct th_dataset_plan plan = {
      .shape = recipe->shape, .shards = 1, .writers = comm->size};
  struct th_writer *writer = NULL;
  char path[160];
  snprintf(path, sizeof path, "%s/data.h5", folder);
  th_error_clear(err);
  CHECK(th_writer_create(&writer, comm, path, &plan, false, err) == TH_OK);
  CHECK(th_range_count(th_writer_mine(writer, 0)) > 0);
  return writer;
}

/* The file cannot be written by one of the ranks: each of them writes some of
 * it, beyond the limit. */
static void test_full(struct th_comm *comm, const char *folder)
{
  struct recipe recipe = recipe_of(TH_DENSE, 1);
  struct th_error err;
  for (int bad = 0; bad < comm->size; bad++) {
    struct th_writer *writer = begin(comm, folder, &recipe, &err);
    if (comm->rank == bad)
      limit_files(4096);
    th_status rc = recipe_fill(&recipe, writer, &err);
    limit_files(RLIM_INFINITY);
    CHECK(th_agree(comm, rc, &err) == TH_EIO);
    th_writer_abort(writer);
    expect_failed(comm, folder, bad, "no space left", &err);
  }
}

/* One rank writes nothing, and that is noticed at the end. */
static void test_missing(struct th_comm *comm, const char *folder)
{
  struct th_error err;
  struct th_master master = {0};
  for (int bad = 0; bad < comm->size; bad++)
    for (int sparse = 0; sparse < 2; sparse++) {
      struct recipe recipe = recipe_of(sparse ? TH_SPARSE : TH_DENSE, 1);
      struct th_writer *writer = begin(comm, folder, &recipe, &err);
      th_status rc =
          comm->rank == bad ? TH_OK : recipe_fill(&recipe, writer, &err);
      CHECK(rc == TH_OK);
      rc = th_agree(comm, th_writer_deliver(writer, rc, &err), &err);
      CHECK(rc == TH_OK);
      CHECK(th_writer_commit(writer, &master, TH_OK, &err) == TH_EARG);
      expect_failed(comm, folder, bad, "only 0 of 6 row groups", &err);
    }
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  char folder[64] = "";
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  signal(SIGXFSZ, SIG_IGN);
  test_folder(&comm, folder);
  CASE(test_all_edges());
  CASE(test_balance());
  CASE(test_borders());
  CASE(test_full(&comm, folder));
  CASE(test_missing(&comm, folder));
  CASE(test_bytes(&comm, folder));
  test_folder_remove(&comm, folder);
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
