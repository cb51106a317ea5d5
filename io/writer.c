/* writer.c - writing a data set: names, shards on their ranks, giving up
 * SPDX-License-Identifier: MIT */
#include "io/writer.h"
#include "core/integer.h"
#include "core/memory.h"
#include "io/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SHARD_BYTES = 1 << 30 };

static int64_t choose_shards(const struct th_geometry *geometry,
                             const struct th_dataset_plan *plan)
{
  int64_t bytes = th_geometry_bytes(geometry, plan->expected_entries);
  int64_t shards = plan->shards;
  if (shards <= 0) {
    shards = th_ceil_divide(bytes, SHARD_BYTES);
    shards = shards < TH_MOST_SHARDS ? shards : TH_MOST_SHARDS;
  }
  shards = shards < 1 ? 1 : shards;
  int64_t attributes = geometry->shape.attributes;
  return shards < attributes ? shards : attributes;
}

/* DIR/NAME.h5 has its shards in DIR/NAME.shards. */
static th_status make_names(struct th_writer *w, const char *path,
                            struct th_error *err)
{
  const char *name = th_path_name(path);
  size_t length = strlen(name);
  char *folder = NULL;
  th_status rc = TH_OK;
  if (length > 3 && strcmp(name + length - 3, ".h5") == 0)
    length -= 3;
  int n = (int)length;
  TH_TRY(th_path_folder(path, &folder, err));
  TH_TRY(th_text(&w->path, err, "%s", path));
  TH_TRY(th_text(&w->folder, err, "%s%.*s.shards", folder, n, name));
  TH_TRY(th_text(&w->partial, err, "%s.%.*s.shards.partial", folder, n, name));
  TH_TRY(th_text(&w->old, err, "%s.%.*s.shards.old", folder, n, name));
  w->folder_name = th_path_name(w->folder);
done:
  free(folder);
  return rc;
}

static th_status init(struct th_writer *w, struct th_comm *comm,
                      const char *path, const struct th_dataset_plan *plan,
                      bool force, struct th_error *err)
{
  th_status rc = TH_OK;
  w->comm = comm;
  w->force = force;
  w->output.lock = -1;
  TH_TRY(th_geometry_init(&w->geometry, &plan->shape, err));
  w->geometry.shape.nonzeros = 0;
  w->shards = choose_shards(&w->geometry, plan);
  w->entries = plan->expected_entries;
  w->needed = th_geometry_bytes(&w->geometry, plan->expected_entries) +
              plan->shape.examples * 25 + plan->shape.attributes * 40;
  w->mine = w->shards > comm->rank
                ? (w->shards - comm->rank - 1) / comm->size + 1
                : 0;
  TH_TRY(make_names(w, path, err));
  TH_TRY(TH_NEW(&w->shard, w->mine, "shards", err));
  th_raise_limit(RLIMIT_NOFILE);
done:
  return rc;
}

/* Rank 0: the final names are free, there is room, the folder is there. */
static th_status claim(struct th_writer *w, struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(th_output_begin(&w->output, w->path, w->force, err));
  if (!w->force && access(w->folder, F_OK) == 0) {
    rc = th_fail(err, TH_EIO,
                 "%s exists; give --force to overwrite it, or another name",
                 w->folder);
    goto done;
  }
  TH_TRY(th_space_check(w->path, w->needed, err));
  /* The lock is ours: what lies there is of a run that was killed. */
  th_remove_folder(w->partial);
  w->claimed = true;
  if (mkdir(w->partial, 0777) != 0)
    rc = th_fail(err, TH_EIO, "cannot make the folder %s: %s", w->partial,
                 strerror(errno));
done:
  return rc;
}

static th_status begin_shards(struct th_writer *w, struct th_error *err)
{
  int64_t width = th_geometry_piece(&w->geometry, w->entries);
  th_status rc = TH_OK;
  w->claimed = true;
  for (int64_t k = 0; k < w->mine; k++) {
    struct th_shard_write *shard = &w->shard[k];
    shard->geometry = &w->geometry;
    shard->scratch = &w->scratch;
    shard->index = w->comm->rank + k * w->comm->size;
    shard->range = th_writer_shard(w, shard->index);
    shard->needed = w->needed;
    TH_TRY(th_shard_path(&shard->name, w->folder_name, shard->index, err));
    TH_TRY(th_shard_path(&shard->path, w->partial, shard->index, err));
    TH_TRY(th_shard_begin(shard, width, err));
  }
done:
  return rc;
}

th_status th_writer_create(struct th_writer **writer, struct th_comm *comm,
                           const char *path, const struct th_dataset_plan *plan,
                           bool force, struct th_error *err)
{
  struct th_writer *w = NULL;
  th_status rc = TH_NEW(&w, 1, "the writer", err);
  if (rc == TH_OK)
    rc = init(w, comm, path, plan, force, err);
  TH_TRY(th_agree(comm, rc, err));
  rc = comm->rank == 0 ? claim(w, err) : TH_OK;
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_agree(comm, begin_shards(w, err), err));
  *writer = w;
  w = NULL;
done:
  th_writer_abort(w);
  return rc;
}

int64_t th_writer_shards(const struct th_writer *writer)
{
  return writer->shards;
}

bool th_writer_owns(const struct th_writer *writer, int64_t shard)
{
  return shard % writer->comm->size == writer->comm->rank;
}

struct th_range th_writer_shard(const struct th_writer *writer, int64_t shard)
{
  return th_partition_shard(writer->geometry.shape.attributes, shard,
                            writer->shards);
}

int64_t th_writer_groups(const struct th_writer *writer)
{
  return writer->geometry.groups;
}

struct th_rows th_writer_group(const struct th_writer *writer, int64_t group)
{
  return th_geometry_group(&writer->geometry, group);
}

int64_t th_writer_chunk(const struct th_writer *writer)
{
  return writer->geometry.chunk;
}

static struct th_shard_write *find_shard(struct th_writer *w, int64_t shard,
                                         enum th_layout layout,
                                         struct th_error *err)
{
  if (shard >= 0 && shard < w->shards && th_writer_owns(w, shard) &&
      w->geometry.shape.layout == layout)
    return &w->shard[shard / w->comm->size];
  th_fail(err, TH_EARG, "rank %d does not write shard %lld that way",
          w->comm->rank, (long long)shard);
  return NULL;
}

th_status th_writer_dense(struct th_writer *writer, int64_t shard,
                          int64_t group, struct th_range range,
                          const void *values, int64_t stride,
                          struct th_error *err)
{
  struct th_shard_write *to = find_shard(writer, shard, TH_DENSE, err);
  return to == NULL ? err->code
                    : th_shard_dense(to, group, range, values, stride, err);
}

th_status th_writer_sparse(struct th_writer *writer, int64_t shard,
                           int64_t group, const struct th_slab *tile,
                           struct th_error *err)
{
  struct th_shard_write *to = find_shard(writer, shard, TH_SPARSE, err);
  return to == NULL ? err->code : th_shard_sparse(to, group, tile, err);
}

void th_writer_abort(struct th_writer *writer)
{
  if (writer == NULL)
    return;
  for (int64_t k = 0; writer->shard != NULL && k < writer->mine; k++) {
    if (writer->claimed && writer->shard[k].path != NULL)
      unlink(writer->shard[k].path);
    th_shard_drop(&writer->shard[k]);
  }
  /* Whichever rank comes last finds the folder empty. */
  if (writer->claimed && writer->comm->rank == 0)
    th_remove_folder(writer->partial);
  else if (writer->claimed)
    rmdir(writer->partial);
  th_output_abort(&writer->output);
  th_scratch_free(&writer->scratch);
  free(writer->shard);
  free(writer->path);
  free(writer->folder);
  free(writer->partial);
  free(writer->old);
  free(writer);
}
