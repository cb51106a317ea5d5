/* writer.c - writes a data set: claims names, finds shards, commits, aborts
 * SPDX-License-Identifier: MIT */
#include "io/dataset/writer/writer.h"

#include "base/error.h"
#include "base/integer.h"
#include "base/memory.h"
#include "io/dataset/format.h"
#include "io/dataset/shard_write.h"
#include "io/dataset/writer/folder.h"
#include "io/files/file.h"
#include "io/files/interrupt.h"
#include "io/files/output.h"
#include "ranks/partition.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct th_writer {
  struct th_comm *comm; /* borrowed */
  struct th_row_groups row_groups;
  int64_t shards;
  int64_t entries;      /* sparse: expected */
  const double *weight; /* of training examples; borrowed */
  int64_t needed;       /* bytes, about */
  bool force;
  struct th_output output; /* the master; rank 0 */
  struct th_folder names;
  int inside;   /* descriptor of names.partial, registered; -1: not ours */
  int64_t mine; /* shards of this rank: rank, rank + size, ... */
  struct th_shard_write *shard;
  struct th_scratch scratch;
};

enum { SHARD_BYTES = 1 << 30 };

static int64_t choose_shards(const struct th_row_groups *row_groups,
                             const struct th_dataset_plan *plan)
{
  int64_t attributes = row_groups->shape.attributes;
  int64_t bytes = th_row_groups_bytes(row_groups, plan->expected_entries) +
                  attributes * TH_RUNNING_STATS_BYTES;
  int64_t shards = plan->shards;
  if (shards <= 0) {
    shards = th_integer_ceil_divide(bytes, SHARD_BYTES);
    shards = shards < TH_MOST_SHARDS ? shards : TH_MOST_SHARDS;
  }
  shards = shards < 1 ? 1 : shards;
  return shards < attributes ? shards : attributes;
}

static th_status init(struct th_writer *w, struct th_comm *comm,
                      const char *path, const struct th_dataset_plan *plan,
                      bool force, struct th_error *err)
{
  th_status rc = TH_OK;
  w->comm = comm;
  w->force = force;
  w->output.file = -1;
  w->names.parent = -1;
  w->inside = -1;
  TH_TRY(th_row_groups_init(&w->row_groups, &plan->shape, err));
  w->row_groups.shape.nonzeros = 0;
  w->row_groups.shape.weighted_statistics = plan->weight != NULL;
  w->weight = plan->weight;
  w->shards = choose_shards(&w->row_groups, plan);
  w->entries = plan->expected_entries;
  w->needed = th_row_groups_bytes(&w->row_groups, plan->expected_entries) +
              plan->shape.examples * 25 + plan->shape.attributes * 40;
  w->mine = w->shards > comm->rank
                ? (w->shards - comm->rank - 1) / comm->size + 1
                : 0;
  TH_TRY(th_folder_names(&w->names, path, err));
  TH_TRY(TH_NEW(&w->shard, w->mine, "the list of shards", err));
  for (int64_t k = 0; k < w->mine; k++)
    w->shard[k].file = -1;
  th_file_raise_limit(RLIMIT_NOFILE);
done:
  return rc;
}

/* NAME.h5 and NAME have their shards in the same folder. --force overwrites the
 * data set of the output's name, not one of a similar name. */
static th_status check_twin(const struct th_writer *w, struct th_error *err)
{
  int stem = th_output_path_stem(w->names.path);
  bool short_name = w->names.path[stem] == '\0';
  enum th_file_kind kind = TH_FILE_OTHER;
  struct th_error ignored = {0};
  char *twin = NULL;
  char holder[TH_LOCK_HOLDER];
  th_status rc = th_file_text(&twin, err, "%.*s%s", stem, w->names.path,
                              short_name ? ".h5" : "");
  if (rc != TH_OK)
    return rc;
  if (th_format_kind(twin, &kind, &ignored) == TH_OK && kind == TH_FILE_DATASET)
    rc = th_fail(err, TH_EIO,
                 "%s: the data set %s keeps its shards in %s%s; choose another "
                 "name",
                 w->names.path, twin, w->names.place, w->names.final);
  else if (th_output_rivals(&w->output, th_file_name(twin), holder))
    rc = th_fail(err, TH_EIO,
                 "another run is writing %s, whose shards come to %s%s too%s; "
                 "wait for it or choose another name",
                 twin, w->names.place, w->names.final, holder);
  free(twin);
  return rc;
}

/* Check that the final names are free, or may be replaced. */
static th_status claim_names(struct th_writer *w, struct th_error *err)
{
  th_status rc = TH_OK;
  w->names.parent = open(w->names.place[0] != '\0' ? w->names.place : ".",
                         O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool headless = w->names.parent >= 0 && th_folder_headless(&w->names);
  TH_TRY(th_output_begin(&w->output, w->names.path, w->force, err));
  if (w->names.parent < 0)
    return th_fail(err, TH_EIO, "cannot write %s: %s", w->names.path,
                   strerror(errno));
  TH_TRY(check_twin(w, err));
  if (headless)
    th_folder_remove(w->names.parent, w->names.final);
  if (!w->force && th_folder_holds(w->names.parent, w->names.final))
    return th_fail(err, TH_EIO,
                   "%s%s exists; give {force} to overwrite it, or another name",
                   w->names.place, w->names.final);
  TH_TRY(th_folder_check(w->names.parent, w->names.place, w->names.final, err));
  TH_TRY(
      th_folder_check(w->names.parent, w->names.place, w->names.partial, err));
  TH_TRY(th_folder_check(w->names.parent, w->names.place, w->names.old, err));
  /* we have the lock, so what lies there is of a killed run */
  TH_TRY(th_folder_recover(&w->names, err));
  th_folder_remove(w->names.parent, w->names.partial);
  th_output_temporary_clean(w->names.path);
done:
  return rc;
}

/* Rank 0: claim the names, check the room on disk, and make the folder. */
static th_status claim_folder(struct th_writer *w, struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(claim_names(w, err));
  TH_TRY(th_file_space_check(w->names.path, w->needed, err));
  w->inside = th_folder_make(w->names.parent, w->names.partial, w->shards);
  if (w->inside < 0)
    rc = th_fail(err, TH_EIO, "cannot make the folder %s%s: %s", w->names.place,
                 w->names.partial, strerror(errno));
done:
  return rc;
}

/* Other ranks: enter the folder that rank 0 has made. */
static th_status enter_folder(struct th_writer *w, struct th_error *err)
{
  w->names.parent = open(w->names.place[0] != '\0' ? w->names.place : ".",
                         O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (w->names.parent >= 0)
    w->inside = th_folder_enter(w->names.parent, w->names.partial, w->shards);
  if (w->inside >= 0)
    return TH_OK;
  return th_fail(err, TH_EIO,
                 "%s%s: %s; let all ranks see the folder of the output",
                 w->names.place, w->names.partial, strerror(errno));
}

static th_status begin_shards(struct th_writer *w, struct th_error *err)
{
  int64_t width = th_row_groups_piece(&w->row_groups, w->entries);
  char *folder = NULL;
  char *final = NULL; /* that messages tell of */
  th_status rc = TH_OK;
  if (w->comm->rank > 0)
    TH_TRY(enter_folder(w, err));
  TH_TRY(th_file_text(&final, err, "%s%s", w->names.place, w->names.final));
  TH_TRY(th_file_text(&folder, err, "%s%s", w->names.place, w->names.partial));
  for (int64_t k = 0; k < w->mine; k++) {
    struct th_shard_write *shard = &w->shard[k];
    shard->row_groups = &w->row_groups;
    shard->weight = w->weight;
    shard->scratch = &w->scratch;
    shard->index = w->comm->rank + k * w->comm->size;
    shard->range = th_writer_shard(w, shard->index);
    shard->needed = w->needed;
    TH_TRY(th_master_shard_path(&shard->name, final, shard->index, err));
    TH_TRY(th_master_shard_path(&shard->path, folder, shard->index, err));
    TH_TRY(th_shard_write_begin(shard, width, err));
  }
done:
  TH_FREE(folder, final);
  return rc;
}

th_status th_writer_create(struct th_writer **writer, struct th_comm *comm,
                           const char *path, const struct th_dataset_plan *plan,
                           bool force, struct th_error *err)
{
  struct th_writer *w = NULL;
  th_status rc = TH_NEW(&w, 1, "writing the data set", err);
  if (rc == TH_OK)
    rc = init(w, comm, path, plan, force, err);
  TH_TRY(th_agree(comm, rc, err));
  rc = comm->rank == 0 ? claim_folder(w, err) : TH_OK;
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_agree(comm, begin_shards(w, err), err));
  *writer = w;
  w = NULL;
done:
  th_writer_abort(w);
  return rc;
}

th_status th_writer_statistics(const struct th_dataset_plan *plan, int ranks,
                               int64_t *bytes, struct th_error *err)
{
  struct th_row_groups row_groups;
  th_status rc = th_row_groups_init(&row_groups, &plan->shape, err);
  *bytes = 0;
  if (rc != TH_OK)
    return rc;
  int64_t shards = choose_shards(&row_groups, plan);
  int64_t each = th_integer_ceil_divide(plan->shape.attributes, shards);
  int64_t bytes_each = TH_RUNNING_STATS_BYTES + (plan->shape.weighted ? 8 : 0);
  *bytes = th_integer_ceil_divide(shards, ranks) * each * bytes_each;
  return TH_OK;
}

void th_writer_note(const struct th_writer *writer, char note[TH_LOCK_NOTE])
{
  th_output_note(&writer->output, note);
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
  return th_partition_shard(writer->row_groups.shape.attributes, shard,
                            writer->shards);
}

int64_t th_writer_groups(const struct th_writer *writer)
{
  return writer->row_groups.groups;
}

struct th_rows th_writer_group(const struct th_writer *writer, int64_t group)
{
  return th_row_groups_group(&writer->row_groups, group);
}

int64_t th_writer_chunk(const struct th_writer *writer)
{
  return writer->row_groups.chunk;
}

static struct th_shard_write *find_shard(struct th_writer *w, int64_t shard,
                                         enum th_layout layout,
                                         struct th_error *err)
{
  if (shard >= 0 && shard < w->shards && th_writer_owns(w, shard) &&
      w->row_groups.shape.layout == layout)
    return &w->shard[shard / w->comm->size];
  th_fail(err, TH_EARG,
          "rank %d may not write shard %lld: it is of another rank, or of the "
          "other layout",
          w->comm->rank, (long long)shard);
  return NULL;
}

th_status th_writer_dense(struct th_writer *writer, int64_t shard,
                          int64_t group, struct th_range range,
                          const void *values, int64_t stride,
                          struct th_error *err)
{
  struct th_shard_write *to = find_shard(writer, shard, TH_DENSE, err);
  return to == NULL
             ? err->code
             : th_shard_write_dense(to, group, range, values, stride, err);
}

th_status th_writer_sparse(struct th_writer *writer, int64_t shard,
                           int64_t group, const struct th_slab *tile,
                           struct th_error *err)
{
  struct th_shard_write *to = find_shard(writer, shard, TH_SPARSE, err);
  return to == NULL ? err->code : th_shard_write_sparse(to, group, tile, err);
}

th_status th_writer_check(const char *path, bool force, struct th_error *err)
{
  struct th_writer w = {.force = force, .output.file = -1, .names.parent = -1};
  th_status rc = th_folder_names(&w.names, path, err);
  if (rc == TH_OK)
    rc = claim_names(&w, err);
  th_output_abort(&w.output);
  th_folder_free(&w.names);
  return rc;
}

void th_writer_abort(struct th_writer *writer)
{
  if (writer == NULL)
    return;
  for (int64_t k = 0; writer->shard != NULL && k < writer->mine; k++)
    th_shard_write_drop(&writer->shard[k]);
  /* the last rank finds the folder empty */
  if (writer->inside >= 0) {
    th_interrupt_own_remove(writer->names.parent, writer->names.partial);
    close(writer->inside);
  }
  th_output_abort(&writer->output);
  th_shard_write_scratch_free(&writer->scratch);
  free(writer->shard);
  th_folder_free(&writer->names);
  free(writer);
}

/* --- Finishes a data set: writes the master, then gives the final names */

static th_status end_shards(struct th_writer *w, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; rc == TH_OK && k < w->mine; k++)
    rc = th_shard_write_end(&w->shard[k], err);
  return rc;
}

enum { NUMBERS = 4 }; /* numbers of a shard that only its writer knows */

/* From now on only rank 0 may remove or rename the folder. */
static void hand_over(struct th_writer *w)
{
  if (w->comm->rank == 0)
    return;
  th_interrupt_own_forget(w->names.parent, w->names.partial);
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
    TH_TRY(th_master_shard_path(&row->path, w->names.final, k, err));
  }
done:
  return rc;
}

static th_status cannot_rename(const struct th_writer *w, const char *from,
                               const char *to, struct th_error *err)
{
  return th_fail(err, TH_EIO, "cannot rename %s%s to %s: %s", w->names.place,
                 from, to, strerror(errno));
}

/* Rename the folder first and the master last, so that a master always finds
 * its shards. The data set that is replaced stays until the new one is
 * complete. */
static th_status rename_all(struct th_writer *w, struct th_error *err)
{
  bool replaced = th_folder_holds(w->names.parent, w->names.final);
  if (replaced && renameat(w->names.parent, w->names.final, w->names.parent,
                           w->names.old) != 0)
    return cannot_rename(w, w->names.final, w->names.old, err);
  th_status rc = TH_OK;
  bool moved = th_interrupt_own_rename(w->names.parent, w->names.partial,
                                       w->names.final) == 0;
  if (moved)
    rc = th_output_rename(&w->output, err);
  else
    rc = cannot_rename(w, w->names.partial, w->names.final, err);
  if (rc == TH_OK || w->output.partial == NULL)
    return rc; /* the master has its final name already */
  if (moved)
    renameat(w->names.parent, w->names.final, w->names.parent,
             w->names.partial);
  if (replaced)
    renameat(w->names.parent, w->names.old, w->names.parent, w->names.final);
  th_folder_remove(w->names.parent, w->names.partial);
  return rc;
}

/* Give all names with signals blocked, so that none comes in between. */
static th_status give_names(struct th_writer *w, struct th_error *err)
{
  struct th_interrupt_pause pause;
  int old = -1;
  th_status rc = TH_OK;
  TH_TRY(th_file_flush(w->inside, w->names.path, err));
  TH_TRY(th_output_flush(&w->output, err));
  th_interrupt_pause(&pause);
  rc = rename_all(w, err);
  if (rc == TH_OK)
    old = th_folder_own(w->names.parent, w->names.old);
  th_interrupt_resume(&pause);
  th_folder_drop(w->names.parent, w->names.old, old);
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
  TH_TRY(th_master_image(w->names.path, &info, master, &image, err));
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
