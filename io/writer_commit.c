/* writer_commit.c - finishing a data set: the master, then the final names
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "io/file.h"
#include "io/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static th_status end_shards(struct th_writer *w, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; rc == TH_OK && k < w->mine; k++)
    rc = th_shard_end(&w->shard[k], err);
  return rc;
}

enum { NUMBERS = 4 }; /* of a shard, that its writer alone knows */

/* The table's numbers from the ranks that know them. Collective. */
static th_status share_table(struct th_writer *w, int64_t **table,
                             struct th_error *err)
{
  int64_t *numbers = NULL;
  th_status rc = TH_NEW(&numbers, NUMBERS * w->shards, "the shard table", err);
  rc = th_agree(w->comm, rc, err);
  if (rc != TH_OK) {
    free(numbers);
    return rc;
  }
  for (int64_t k = 0; k < w->mine; k++) {
    int64_t *row = numbers + NUMBERS * w->shard[k].index;
    row[0] = w->shard[k].bytes;
    row[1] = (int64_t)w->shard[k].content;
    row[2] = w->shard[k].nonzeros;
    row[3] = (int64_t)w->shard[k].hash;
  }
  w->comm->ops->sum_i64(w->comm, numbers, (size_t)(NUMBERS * w->shards));
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
    row->bytes = table[NUMBERS * k];
    row->content = (uint64_t)table[NUMBERS * k + 1];
    row->hash = (uint64_t)table[NUMBERS * k + 3];
    info->geometry.shape.nonzeros += table[NUMBERS * k + 2];
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
