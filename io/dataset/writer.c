/* writer.c - writes a data set: claims names, finds shards, aborts
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "core/partition.h"
#include "io/dataset/file_kind.h"
#include "io/dataset/shard_folder.h"
#include "io/dataset/writer_parts.h"
#include "io/hdf5/file.h"
#include "io/hdf5/interrupt.h"
#include "io/hdf5/path.h"
#include "io/hdf5/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

/* DIR/NAME.h5 has its shards in DIR/NAME.shards. */
static th_status make_names(struct th_writer *w, const char *path,
                            struct th_error *err)
{
  const char *name = th_file_name(path);
  int n = th_path_stem(name);
  th_status rc = TH_OK;
  TH_TRY(th_file_folder(path, &w->place, err));
  TH_TRY(th_file_text(&w->path, err, "%s", path));
  TH_TRY(th_file_text(&w->folder, err, "%.*s.shards", n, name));
  TH_TRY(th_file_text(&w->partial, err, ".%.*s.shards.partial", n, name));
  TH_TRY(th_file_text(&w->old, err, ".%.*s.shards.old", n, name));
done:
  return rc;
}

static void free_names(struct th_writer *w)
{
  if (w->parent >= 0)
    close(w->parent);
  TH_FREE(w->place, w->path, w->folder, w->partial, w->old);
}

static th_status init(struct th_writer *w, struct th_comm *comm,
                      const char *path, const struct th_dataset_plan *plan,
                      bool force, struct th_error *err)
{
  th_status rc = TH_OK;
  w->comm = comm;
  w->force = force;
  w->output.file = -1;
  w->parent = -1;
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
  TH_TRY(make_names(w, path, err));
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
  int stem = th_path_stem(w->path);
  bool short_name = w->path[stem] == '\0';
  enum th_file_kind kind = TH_FILE_OTHER;
  struct th_error ignored = {0};
  char *twin = NULL;
  char holder[TH_LOCK_HOLDER];
  th_status rc = th_file_text(&twin, err, "%.*s%s", stem, w->path,
                              short_name ? ".h5" : "");
  if (rc != TH_OK)
    return rc;
  if (th_file_kind(twin, &kind, &ignored) == TH_OK && kind == TH_FILE_DATASET)
    rc = th_fail(err, TH_EIO,
                 "%s: the data set %s keeps its shards in %s%s; choose another "
                 "name",
                 w->path, twin, w->place, w->folder);
  else if (th_output_rivals(&w->output, th_file_name(twin), holder))
    rc = th_fail(err, TH_EIO,
                 "another run is writing %s, whose shards come to %s%s too%s; "
                 "wait for it or choose another name",
                 twin, w->place, w->folder, holder);
  free(twin);
  return rc;
}

/* Check that the final names are free, or may be replaced. */
static th_status claim_names(struct th_writer *w, struct th_error *err)
{
  th_status rc = TH_OK;
  w->parent = open(w->place[0] != '\0' ? w->place : ".",
                   O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool headless = w->parent >= 0 && th_writer_is_headless(w);
  TH_TRY(th_output_begin(&w->output, w->path, w->force, err));
  if (w->parent < 0)
    return th_fail(err, TH_EIO, "cannot write %s: %s", w->path,
                   strerror(errno));
  TH_TRY(check_twin(w, err));
  if (headless)
    th_shard_folder_remove(w->parent, w->folder);
  if (!w->force && th_shard_folder_holds(w->parent, w->folder))
    return th_fail(err, TH_EIO,
                   "%s%s exists; give {force} to overwrite it, or another name",
                   w->place, w->folder);
  TH_TRY(th_shard_folder_check(w->parent, w->place, w->folder, err));
  TH_TRY(th_shard_folder_check(w->parent, w->place, w->partial, err));
  TH_TRY(th_shard_folder_check(w->parent, w->place, w->old, err));
  /* we have the lock, so what lies there is of a killed run */
  TH_TRY(th_writer_recover(w, err));
  th_shard_folder_remove(w->parent, w->partial);
  th_temporary_clean(w->path);
done:
  return rc;
}

/* Rank 0: claim the names, check the room on disk, and make the folder. */
static th_status claim(struct th_writer *w, struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(claim_names(w, err));
  TH_TRY(th_file_space_check(w->path, w->needed, err));
  w->inside = th_shard_folder_make(w->parent, w->partial, w->shards);
  if (w->inside < 0)
    rc = th_fail(err, TH_EIO, "cannot make the folder %s%s: %s", w->place,
                 w->partial, strerror(errno));
done:
  return rc;
}

/* Other ranks: enter the folder that rank 0 has made. */
static th_status enter(struct th_writer *w, struct th_error *err)
{
  w->parent = open(w->place[0] != '\0' ? w->place : ".",
                   O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (w->parent >= 0)
    w->inside = th_shard_folder_enter(w->parent, w->partial, w->shards);
  if (w->inside >= 0)
    return TH_OK;
  return th_fail(err, TH_EIO,
                 "%s%s: %s; let all ranks see the folder of the output",
                 w->place, w->partial, strerror(errno));
}

static th_status begin_shards(struct th_writer *w, struct th_error *err)
{
  int64_t width = th_row_groups_piece(&w->row_groups, w->entries);
  char *folder = NULL;
  char *final = NULL; /* that messages tell of */
  th_status rc = TH_OK;
  if (w->comm->rank > 0)
    TH_TRY(enter(w, err));
  TH_TRY(th_file_text(&final, err, "%s%s", w->place, w->folder));
  TH_TRY(th_file_text(&folder, err, "%s%s", w->place, w->partial));
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
    TH_TRY(th_shard_begin(shard, width, err));
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
  rc = comm->rank == 0 ? claim(w, err) : TH_OK;
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

th_status th_writer_check(const char *path, bool force, struct th_error *err)
{
  struct th_writer w = {.force = force, .output.file = -1, .parent = -1};
  th_status rc = make_names(&w, path, err);
  if (rc == TH_OK)
    rc = claim_names(&w, err);
  th_output_abort(&w.output);
  free_names(&w);
  return rc;
}

void th_writer_abort(struct th_writer *writer)
{
  if (writer == NULL)
    return;
  for (int64_t k = 0; writer->shard != NULL && k < writer->mine; k++)
    th_shard_drop(&writer->shard[k]);
  /* the last rank finds the folder empty */
  if (writer->inside >= 0) {
    th_interrupt_own_remove(writer->parent, writer->partial);
    close(writer->inside);
  }
  th_output_abort(&writer->output);
  th_shard_scratch_free(&writer->scratch);
  free(writer->shard);
  free_names(writer);
  free(writer);
}
