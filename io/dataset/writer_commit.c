/* writer_commit.c - finishes a data set: writes the master, then gives the
 * final names
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "io/dataset/shard_folder.h"
#include "io/dataset/writer_parts.h"
#include "io/hdf5/file.h"
#include "io/hdf5/interrupt.h"

#include <errno.h>
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

enum { NUMBERS = 4 }; /* numbers of a shard that only its writer knows */

/* From now on only rank 0 may remove or rename the folder. */
static void hand_over(struct th_writer *w)
{
  if (w->comm->rank == 0)
    return;
  th_interrupt_own_forget(w->parent, w->partial);
  close(w->inside);
  w->inside = -1;
}

/* Collect the numbers of the shard table from the ranks that know them.
 * Collective. */
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
  info->row_groups = w->row_groups;
  TH_TRY(TH_NEW(&info->shard, w->shards, "the shard table", err));
  info->shards = w->shards;
  TH_TRY(th_file_text(&info->provenance, err, "%s",
                      master->provenance != NULL ? master->provenance : ""));
  for (int64_t k = 0; k < w->shards; k++) {
    struct th_shard_row *row = &info->shard[k];
    row->range = th_writer_shard(w, k);
    row->bytes = table[NUMBERS * k];
    row->content = (uint64_t)table[NUMBERS * k + 1];
    row->hash = (uint64_t)table[NUMBERS * k + 3];
    info->row_groups.shape.nonzeros += table[NUMBERS * k + 2];
    TH_TRY(th_master_shard_path(&row->path, w->folder, k, err));
  }
done:
  return rc;
}

static th_status cannot_rename(const struct th_writer *w, const char *from,
                               const char *to, struct th_error *err)
{
  return th_fail(err, TH_EIO, "cannot rename %s%s to %s: %s", w->place, from,
                 to, strerror(errno));
}

/* Rename the folder first and the master last, so that a master always finds
 * its shards. The data set that is replaced stays until the new one is
 * complete. */
static th_status rename_all(struct th_writer *w, struct th_error *err)
{
  bool replaced = th_shard_folder_holds(w->parent, w->folder);
  if (replaced && renameat(w->parent, w->folder, w->parent, w->old) != 0)
    return cannot_rename(w, w->folder, w->old, err);
  th_status rc = TH_OK;
  bool moved = th_interrupt_own_rename(w->parent, w->partial, w->folder) == 0;
  if (moved)
    rc = th_output_rename(&w->output, err);
  else
    rc = cannot_rename(w, w->partial, w->folder, err);
  if (rc == TH_OK || w->output.partial == NULL)
    return rc; /* the master has its final name already */
  if (moved)
    renameat(w->parent, w->folder, w->parent, w->partial);
  if (replaced)
    renameat(w->parent, w->old, w->parent, w->folder);
  th_shard_folder_remove(w->parent, w->partial);
  return rc;
}

/* Give all names with signals blocked, so that none comes in between. */
static th_status give_names(struct th_writer *w, struct th_error *err)
{
  struct th_interrupt_pause pause;
  int old = -1;
  th_status rc = TH_OK;
  TH_TRY(th_file_flush(w->inside, w->path, err));
  TH_TRY(th_output_flush(&w->output, err));
  th_interrupt_pause(&pause);
  rc = rename_all(w, err);
  if (rc == TH_OK)
    old = th_shard_folder_own(w->parent, w->old);
  th_interrupt_resume(&pause);
  th_shard_folder_drop(w->parent, w->old, old);
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
  TH_TRY(th_output_write(&w->output, image.bytes, image.count, err));
  TH_TRY(give_names(w, err));
  close(w->inside);
  w->inside = -1;
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
  hand_over(writer);
  TH_TRY(share_table(writer, &table, err)); /* now all ranks have handed over */
  rc = comm->rank == 0 ? write_master(writer, table, master, err) : TH_OK;
  TH_TRY(th_agree(comm, rc, err));
done:
  free(table);
  th_writer_abort(writer);
  return rc;
}
