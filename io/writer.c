/* writer.c - writing a data set: shards on their ranks, the master on rank 0
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "io/dataset.h"
#include "io/file.h"
#include "io/master.h"
#include "io/output.h"
#include "io/shard_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct th_writer {
  struct th_comm *comm; /* borrowed */
  struct th_geometry geometry;
  int64_t shards;
  int64_t entries; /* sparse: expected */
  int64_t needed;  /* bytes, about */
  bool force;
  struct th_output output; /* the master; rank 0 */
  char *path;              /* of the master */
  char *folder;            /* of the shards: final, being written, replaced */
  char *partial;
  char *old;
  const char *folder_name; /* as in the shard table: the last part of folder */
  bool claimed;            /* this rank may remove `partial` */
  int64_t mine;            /* shards of this rank: rank, rank + size, ... */
  struct th_shard_write *shard;
  struct th_scratch scratch;
};

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

static th_status end_shards(struct th_writer *w, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; rc == TH_OK && k < w->mine; k++)
    rc = th_shard_end(&w->shard[k], err);
  return rc;
}

/* The table's numbers from the ranks that know them. Collective. */
static th_status share_table(struct th_writer *w, int64_t **table,
                             struct th_error *err)
{
  int64_t *numbers = NULL;
  th_status rc = TH_NEW(&numbers, 3 * w->shards, "the shard table", err);
  rc = th_agree(w->comm, rc, err);
  if (rc != TH_OK) {
    free(numbers);
    return rc;
  }
  for (int64_t k = 0; k < w->mine; k++) {
    int64_t *row = numbers + 3 * w->shard[k].index;
    row[0] = w->shard[k].bytes;
    row[1] = (int64_t)w->shard[k].content;
    row[2] = w->shard[k].nonzeros;
  }
  w->comm->ops->sum_i64(w->comm, numbers, (size_t)(3 * w->shards));
  *table = numbers;
  return TH_OK;
}

static th_status fill_info(const struct th_writer *w, const int64_t *table,
                           const struct th_master *master,
                           struct th_master_info *info, struct th_error *err)
{
  th_status rc = TH_OK;
  info->geometry = w->geometry;
  TH_TRY(TH_NEW(&info->shard, w->shards, "the shard table", err));
  info->shards = w->shards;
  TH_TRY(th_text(&info->provenance, err, "%s",
                 master->provenance != NULL ? master->provenance : ""));
  for (int64_t k = 0; k < w->shards; k++) {
    struct th_shard_row *row = &info->shard[k];
    row->range = th_writer_shard(w, k);
    row->bytes = table[3 * k];
    row->content = (uint64_t)table[3 * k + 1];
    info->geometry.shape.nonzeros += table[3 * k + 2];
    TH_TRY(th_shard_path(&row->path, w->folder_name, k, err));
  }
done:
  return rc;
}

static th_status move(const char *from, const char *to, struct th_error *err)
{
  if (rename(from, to) == 0)
    return TH_OK;
  return th_fail(err, TH_EIO, "cannot rename %s to %s: %s", from, to,
                 strerror(errno));
}

/* Folder first, master last: a master always finds its shards. What is being
 * replaced stays until the new data set is whole. */
static th_status give_names(struct th_writer *w, struct th_error *err)
{
  bool replaced = access(w->folder, F_OK) == 0;
  th_status rc = TH_OK;
  TH_TRY(th_flush(w->partial, err));
  if (replaced) {
    th_remove_folder(w->old);
    TH_TRY(move(w->folder, w->old, err));
  }
  rc = move(w->partial, w->folder, err);
  if (rc == TH_OK) {
    rc = th_output_commit(&w->output, err);
    if (rc != TH_OK)
      rename(w->folder, w->partial);
  }
  if (rc != TH_OK && replaced)
    rename(w->old, w->folder);
  if (rc == TH_OK && replaced)
    th_remove_folder(w->old);
done:
  return rc;
}

static th_status write_master(struct th_writer *w, const int64_t *table,
                              const struct th_master *master,
                              struct th_error *err)
{
  struct th_master_info info = {0};
  struct th_h5_image image = {0};
  th_status rc = TH_OK;
  TH_TRY(fill_info(w, table, master, &info, err));
  TH_TRY(th_master_image(w->path, &info, master, &image, err));
  TH_TRY(th_write_whole(w->output.partial, w->path, image.bytes, image.count,
                        err));
  TH_TRY(give_names(w, err));
  w->claimed = false;
done:
  free(image.bytes);
  th_master_info_free(&info);
  return rc;
}

th_status th_writer_commit(struct th_writer *writer,
                           const struct th_master *master, struct th_error *err)
{
  struct th_comm *comm = writer->comm;
  int64_t *table = NULL;
  th_status rc = TH_OK;
  TH_TRY(th_agree(comm, end_shards(writer, err), err));
  TH_TRY(share_table(writer, &table, err));
  rc = comm->rank == 0 ? write_master(writer, table, master, err) : TH_OK;
  TH_TRY(th_agree(comm, rc, err));
  writer->claimed = false;
done:
  free(table);
  th_writer_abort(writer);
  return rc;
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
