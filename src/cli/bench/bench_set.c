/* bench_set.c - a data set for measurements that leaves nothing behind
 * SPDX-License-Identifier: MIT */
#include "cli/bench/bench_set.h"

#include "core/memory.h"
#include "io/dataset/shard_folder.h"
#include "io/dataset/writer.h"
#include "io/hdf5/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOLDER = 3900, PATH = 4096 };

/* Uniform values by a cheap recurrence, since only the speed matters. */
static th_status write_values(struct th_writer *writer,
                              const struct th_shape *shape,
                              struct th_error *err)
{
  int64_t chunk = th_writer_chunk(writer);
  struct th_range all = {0, shape->attributes};
  uint64_t state = 1;
  float *values = NULL;
  th_status rc = TH_NEW(&values, chunk * TH_BENCH_ROWS, "values", err);
  for (int64_t g = 0; g < TH_BENCH_GROUPS; g++)
    for (int64_t a = 0; a < all.last && rc == TH_OK; a += chunk) {
      for (int64_t k = 0; k < chunk * TH_BENCH_ROWS; k++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        values[k] = (float)(state >> 40) * 0x1p-24F;
      }
      struct th_range part =
          th_range_intersect((struct th_range){a, a + chunk}, all);
      rc = th_writer_dense(writer, 0, g, part, values, TH_BENCH_ROWS, err);
    }
  free(values);
  return rc;
}

static th_status write_set(struct th_bench_set *set, const char *path,
                           struct th_error *err)
{
  struct th_dataset_plan plan = {.shape = set->shape, .shards = 1};
  struct th_master master = {.provenance = "thresher bench"};
  struct th_writer *writer = NULL;
  double *target = NULL;
  int64_t *row = NULL;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&target, set->shape.examples, "targets", err));
  TH_TRY(TH_NEW(&row, set->shape.examples, "row numbers", err));
  for (int64_t i = 0; i < set->shape.examples; i++) {
    row[i] = i;
    target[i] = (double)(i * 37 % 101);
  }
  master.target = target;
  master.row = row;
  TH_TRY(th_writer_create(&writer, &set->self, path, &plan, false, err));
  rc = write_values(writer, &set->shape, err);
  if (rc == TH_OK)
    rc = th_writer_commit(writer, &master, err);
  else
    th_writer_abort(writer);
done:
  TH_FREE(target, row);
  return rc;
}

static th_status open_set(struct th_bench_set *set, const char *path,
                          const char *shard, int64_t memory,
                          struct th_error *err)
{
  struct th_slab slab; /* the first one opens the shard */
  struct th_rows rows = {0, 1};
  struct th_range one = {0, 1};
  th_status rc = TH_OK;
  TH_TRY(th_dataset_open(&set->dataset, &set->self, path, memory, err));
  set->store = th_dataset_store(set->dataset);
  th_dataset_map(set->dataset, TH_MAPPED_RESIDENT);
  TH_TRY(th_dataset_read_ahead(set->dataset, true, err));
  TH_TRY(set->store->ops->slab(set->store, rows, one, false, &slab, err));
  set->file = open(shard, O_RDONLY);
  if (set->file < 0)
    rc = th_fail(err, TH_EIO, "%s: %s", shard, strerror(errno));
done:
  return rc;
}

th_status th_bench_set_open(struct th_bench_set *set, int64_t attributes,
                            enum th_storage storage, int64_t memory,
                            struct th_error *err)
{
  const char *parent = getenv("TMPDIR");
  char folder[FOLDER];
  char path[PATH];
  char shards[PATH];
  char shard[PATH + 16];
  *set = (struct th_bench_set){.file = -1};
  th_comm_self(&set->self);
  set->shape = (struct th_shape){.examples = TH_BENCH_ROWS * TH_BENCH_GROUPS,
                                 .training = TH_BENCH_ROWS * TH_BENCH_GROUPS,
                                 .attributes = attributes,
                                 .row_group = TH_BENCH_ROWS,
                                 .layout = TH_DENSE,
                                 .type = TH_F32};
  int64_t bytes = set->shape.examples * attributes * (int64_t)sizeof(float);
  snprintf(folder, sizeof folder, "%.3000s/thresher-bench-XXXXXX",
           parent != NULL && parent[0] != '\0' ? parent : ".");
  th_status rc = th_temporary_space(folder, 2 * bytes, "the benchmark", err);
  if (rc != TH_OK)
    return rc;
  if (mkdtemp(folder) == NULL)
    return th_fail(err, TH_EIO, "%s: %s", folder, strerror(errno));
  snprintf(path, sizeof path, "%s/data.h5", folder);
  snprintf(shards, sizeof shards, "%s/data.shards", folder);
  snprintf(shard, sizeof shard, "%s/00000.h5", shards);
  rc = write_set(set, path, err);
  if (rc == TH_OK)
    rc = th_anew_shard(shard, storage, TH_BENCH_ROWS, err);
  if (rc == TH_OK)
    rc = open_set(set, path, shard, memory, err);
  th_shard_folder_remove(AT_FDCWD, shards);
  unlink(path);
  rmdir(folder);
  return rc;
}

void th_bench_set_close(struct th_bench_set *set)
{
  th_dataset_close(set->dataset);
  if (set->file >= 0)
    close(set->file);
  *set = (struct th_bench_set){.file = -1};
}
