/* writer.c - writes a data set: claims names, finds shards, commits, aborts,
 * and mends what a killed run has left
 * SPDX-License-Identifier: MIT */
#include "io/dataset/writer/writer.h"

#include "base/error.h"
#include "base/integer.h"
#include "base/memory.h"
#include "io/dataset/format.h"
#include "io/dataset/master.h"
#include "io/dataset/writer/shard_set.h"
#include "io/files/file.h"
#include "io/files/interrupt.h"
#include "io/files/output.h"
#include "io/hdf5/h5.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- The folder of the shards while it is written ------------------------- */

/* Names are relative to a folder's descriptor. A symbolic link in the place of
 * a folder or of a shard is never followed. All of this is local. */

/* DIR/NAME.h5 has its shards in DIR/NAME.shards. */
struct folder {
  char *path;  /* of the master */
  char *place; /* its folder, with a slash, or "" */
  int parent;  /* descriptor of that folder; -1: not open yet */
  char *final; /* of the shards: final name, then while it is written, then of
                  a replaced one */
  char *partial;
  char *old;
};

enum { DIGITS = 5, MOST_DIGITS = 6 };

/* The number of a shard named NNNNN.h5, as by th_master_shard_path; -1: another
 * name. */
static int64_t shard_number(const char *name)
{
  size_t digits = strspn(name, "0123456789");
  if (digits < DIGITS || digits > MOST_DIGITS ||
      (digits > DIGITS && name[0] == '0') || strcmp(name + digits, ".h5") != 0)
    return -1;
  return strtoll(name, NULL, 10);
}

/* True if a name exists. */
static bool folder_holds(int folder, const char *name)
{
  struct stat s;
  return fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) == 0;
}

static int open_subfolder(int folder, const char *name)
{
  return openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* The next name except . and .. ; NULL: no more. */
static const char *next_name(DIR *names)
{
  for (struct dirent *e = readdir(names); e != NULL; e = readdir(names))
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
      return e->d_name;
  return NULL;
}

static bool is_shard(int inside, const char *name)
{
  struct stat s;
  return shard_number(name) >= 0 &&
         fstatat(inside, name, &s, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(s.st_mode);
}

/* Open a stream of the names in a folder, on a copy of its descriptor. */
static DIR *open_names(int inside)
{
  int copy = fcntl(inside, F_DUPFD_CLOEXEC, 0);
  DIR *names = copy < 0 ? NULL : fdopendir(copy);
  if (names == NULL && copy >= 0)
    close(copy);
  if (names != NULL)
    rewinddir(names);
  return names;
}

static th_status check_only_shards(int inside, const char *path,
                                   const char *name, struct th_error *err)
{
  DIR *names = open_names(inside);
  if (names == NULL)
    return th_fail(err, TH_EIO, "cannot look into %s%s: %s", path, name,
                   strerror(errno));
  const char *found = next_name(names);
  while (found != NULL && is_shard(inside, found))
    found = next_name(names);
  if (found != NULL)
    th_fail(err, TH_EIO,
            "%s%s holds %s, which is no shard and would be lost; move it "
            "away, or choose another name for the output",
            path, name, found);
  closedir(names);
  return found != NULL ? TH_EIO : TH_OK;
}

/* An error unless the name does not exist or is a folder with nothing but
 * shards (NNNNN.h5). The message has its path and the first other name in it.
 * path: that of the parent folder, with its slash. */
static th_status folder_check(int folder, const char *path, const char *name,
                              struct th_error *err)
{
  if (!folder_holds(folder, name))
    return TH_OK;
  int inside = open_subfolder(folder, name);
  if (inside < 0)
    return th_fail(err, TH_EIO,
                   "%s%s is in the way: %s; remove it, or choose another name "
                   "for the output",
                   path, name,
                   errno == ELOOP || errno == ENOTDIR
                       ? "it is a link or a file, not a folder of shards"
                       : strerror(errno));
  th_status rc = check_only_shards(inside, path, name, err);
  close(inside);
  return rc;
}

static int folder_enter(int folder, const char *name, int64_t shards)
{
  int inside = open_subfolder(folder, name);
  if (inside < 0 || th_interrupt_own_folder(folder, name, inside, shards) == 0)
    return inside;
  int saved = errno;
  close(inside);
  errno = saved;
  return -1;
}

/* Make the folder, or enter one that another rank has made. Returns its
 * descriptor, registered as a folder of so many shards (io/files/interrupt.h),
 * or -1 with errno. */
static int folder_make(int folder, const char *name, int64_t shards)
{
  struct th_interrupt_pause pause;
  int inside = -1;
  th_interrupt_pause(&pause);
  if (mkdirat(folder, name, 0777) == 0) {
    inside = folder_enter(folder, name, shards);
    int saved = errno;
    if (inside < 0)
      unlinkat(folder, name, AT_REMOVEDIR);
    errno = saved;
  }
  th_interrupt_resume(&pause);
  return inside;
}

/* From now on a signal removes a folder with its shards. Returns its
 * descriptor, or -1 where there is none. */
static int folder_own(int folder, const char *name)
{
  int64_t shards = 0;
  int inside = open_subfolder(folder, name);
  DIR *names = inside < 0 ? NULL : open_names(inside);
  if (names == NULL) {
    if (inside >= 0)
      close(inside);
    return -1;
  }
  for (const char *n = next_name(names); n != NULL; n = next_name(names))
    if (shard_number(n) >= shards)
      shards = shard_number(n) + 1;
  closedir(names);
  th_interrupt_own_folder(folder, name, inside, shards);
  return inside;
}

/* Remove the shards in a folder, and then the folder if it is empty, and close
 * its descriptor; -1: nothing. */
static void folder_drop(int folder, const char *name, int inside)
{
  DIR *names = inside < 0 ? NULL : open_names(inside);
  if (inside < 0)
    return;
  if (names != NULL) {
    rewinddir(names);
    for (const char *n = next_name(names); n != NULL; n = next_name(names))
      if (is_shard(inside, n))
        unlinkat(inside, n, 0);
    closedir(names);
  }
  unlinkat(folder, name, AT_REMOVEDIR);
  th_interrupt_own_forget(folder, name);
  close(inside);
}

void th_writer_folder_remove(int folder, const char *name)
{
  folder_drop(folder, name, folder_own(folder, name));
}

/* --- The names of a data set that is written ------------------------------ */

static th_status folder_names(struct folder *f, const char *path,
                              struct th_error *err)
{
  const char *name = th_file_name(path);
  int n = th_output_path_stem(name);
  th_status rc = TH_OK;
  TH_TRY(th_file_folder(path, &f->place, err));
  TH_TRY(th_file_text(&f->path, err, "%s", path));
  TH_TRY(th_file_text(&f->final, err, "%.*s.shards", n, name));
  TH_TRY(th_file_text(&f->partial, err, ".%.*s.shards.partial", n, name));
  TH_TRY(th_file_text(&f->old, err, ".%.*s.shards.old", n, name));
done:
  return rc;
}

static void folder_free(struct folder *f)
{
  if (f->parent >= 0)
    close(f->parent);
  TH_FREE(f->place, f->path, f->final, f->partial, f->old);
}

/* --- What a killed run has left of a data set: put back, or removed
 *
 * The folders of shards are renamed before the master is. Which folder a master
 * belongs to is told by what the master says of its shards, never by which
 * partial files happen to be there. A folder that no master is known to belong
 * to is left alone. */

/* Shard k in a folder is the one that a master names. */
static bool is_written_shard(const struct folder *f, const char *folder,
                             int64_t k, const struct th_shard_row *row)
{
  struct th_error ignored = {0};
  struct th_h5 h5 = {0};
  struct stat s;
  uint64_t content = 0;
  char *inside = NULL;
  char *path = NULL;
  th_status rc = th_file_text(&inside, &ignored, "%s%s", f->place, folder);
  if (rc == TH_OK)
    rc = th_master_shard_path(&path, inside, k, &ignored);
  bool good =
      rc == TH_OK && stat(path, &s) == 0 && S_ISREG(s.st_mode) &&
      s.st_size == row->bytes &&
      th_h5_open(&h5, path, path, &ignored) == TH_OK &&
      th_h5_get_u64(&h5, "/", TH_A_CONTENT, &content, &ignored) == TH_OK &&
      content == row->content;
  th_h5_close(&h5, &ignored);
  TH_FREE(inside, path);
  return good;
}

/* A master, which need not be there, was written with the shards in a
 * folder. */
static bool master_fits(const struct folder *f, const char *master,
                        const char *folder)
{
  struct th_master_info info = {0};
  struct th_error ignored = {0};
  bool good = folder_holds(f->parent, folder) &&
              th_master_read(master, &info, &ignored) == TH_OK;
  for (int64_t k = 0; good && k < info.shards; k++)
    good = is_written_shard(f, folder, k, &info.shard[k]);
  th_master_info_free(&info);
  return good;
}

/* True if the shards under their final name are of a run that was killed before
 * its master got one: the master is there as a partial file, and belongs to
 * them. To be asked before the output is claimed, which removes that file. */
static bool folder_headless(const struct folder *f)
{
  struct th_error ignored = {0};
  struct stat s;
  char *master = NULL;
  bool found = th_file_text(&master, &ignored, "%s.%s.partial", f->place,
                            th_file_name(f->path)) == TH_OK &&
               lstat(f->path, &s) != 0 &&
               !folder_holds(f->parent, f->partial) &&
               master_fits(f, master, f->final);
  free(master);
  return found;
}

/* After a run that was killed while it renamed files: put back the shards that
 * it was replacing, or remove them if the new master has its final name. An
 * error if the master belongs to neither. With the output claimed. */
static th_status folder_recover(const struct folder *f, struct th_error *err)
{
  if (!folder_holds(f->parent, f->old))
    return TH_OK;
  bool both = folder_holds(f->parent, f->final);
  if (both && master_fits(f, f->path, f->final)) {
    th_writer_folder_remove(f->parent, f->old);
    return TH_OK;
  }
  if (both && !master_fits(f, f->path, f->old))
    return th_fail(
        err, TH_EIO,
        "a run that was killed has left %s%s and %s%s, and %s belongs "
        "to neither; remove the one that you do not want to keep",
        f->place, f->final, f->place, f->old, f->path);
  if (both) {
    th_writer_folder_remove(f->parent, f->partial);
    renameat(f->parent, f->final, f->parent, f->partial);
  }
  renameat(f->parent, f->old, f->parent, f->final);
  return TH_OK;
}

/* --- Claims names, finds shards, aborts ----------------------------------- */

struct th_writer {
  struct th_comm *comm; /* borrowed */
  struct th_row_groups row_groups;
  int64_t shards;
  int64_t needed; /* bytes, about */
  bool force;
  struct th_output output; /* the master; rank 0 */
  struct folder names;
  int inside; /* descriptor of names.partial, registered; -1: not ours */
  struct th_shard_set set;
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

static th_status make_slices(struct th_slices *slices, int64_t shards,
                             int ranks, const struct th_dataset_plan *plan,
                             struct th_error *err)
{
  const struct th_slices_plan wanted = {.attributes = plan->shape.attributes,
                                        .shards = shards,
                                        .ranks = ranks,
                                        .writers = plan->writers,
                                        .load = plan->load,
                                        .loads = plan->loads};
  return th_slices_make(slices, &wanted, err);
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
  w->set.guest.file = -1;
  TH_TRY(th_row_groups_init(&w->row_groups, &plan->shape, err));
  w->row_groups.shape.nonzeros = 0;
  w->row_groups.shape.weighted_statistics = plan->weight != NULL;
  w->shards = choose_shards(&w->row_groups, plan);
  w->needed = th_row_groups_bytes(&w->row_groups, plan->expected_entries) +
              plan->shape.examples * 25 + plan->shape.attributes * 40;
  TH_TRY(folder_names(&w->names, path, err));
  w->set.comm = comm;
  w->set.row_groups = &w->row_groups;
  w->set.weight = plan->weight;
  w->set.needed = w->needed;
  TH_TRY(make_slices(&w->set.slices, w->shards, comm->size, plan, err));
  TH_TRY(th_shard_set_init(&w->set, err));
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
  bool headless = w->names.parent >= 0 && folder_headless(&w->names);
  TH_TRY(th_output_begin(&w->output, w->names.path, w->force, err));
  if (w->names.parent < 0)
    return th_fail(err, TH_EIO, "cannot write %s: %s", w->names.path,
                   strerror(errno));
  TH_TRY(check_twin(w, err));
  if (headless)
    th_writer_folder_remove(w->names.parent, w->names.final);
  if (!w->force && folder_holds(w->names.parent, w->names.final))
    return th_fail(err, TH_EIO,
                   "%s%s exists; give {force} to overwrite it, or another name",
                   w->names.place, w->names.final);
  TH_TRY(folder_check(w->names.parent, w->names.place, w->names.final, err));
  TH_TRY(folder_check(w->names.parent, w->names.place, w->names.partial, err));
  TH_TRY(folder_check(w->names.parent, w->names.place, w->names.old, err));
  /* we have the lock, so what lies there is of a killed run */
  TH_TRY(folder_recover(&w->names, err));
  th_writer_folder_remove(w->names.parent, w->names.partial);
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
  w->inside = folder_make(w->names.parent, w->names.partial, w->shards);
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
    w->inside = folder_enter(w->names.parent, w->names.partial, w->shards);
  if (w->inside >= 0)
    return TH_OK;
  return th_fail(err, TH_EIO,
                 "%s%s: %s; let all ranks see the folder of the output",
                 w->names.place, w->names.partial, strerror(errno));
}

/* Make the files of the shards in the folder. Collective. */
static th_status make_shard_files(struct th_writer *w, struct th_error *err)
{
  char *partial = NULL;
  char *final = NULL; /* that messages tell of */
  th_status rc = w->comm->rank > 0 ? enter_folder(w, err) : TH_OK;
  if (rc == TH_OK)
    rc = th_file_text(&final, err, "%s%s", w->names.place, w->names.final);
  if (rc == TH_OK)
    rc = th_file_text(&partial, err, "%s%s", w->names.place, w->names.partial);
  rc = th_shard_set_begin(&w->set, partial, final, rc, err);
  TH_FREE(partial, final);
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
  if (rc == TH_OK && comm->rank == 0)
    rc = claim_folder(w, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(make_shard_files(w, err));
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
  struct th_slices slices = {0};
  th_status rc = TH_OK;
  *bytes = 0;
  TH_TRY(th_row_groups_init(&row_groups, &plan->shape, err));
  TH_TRY(
      make_slices(&slices, choose_shards(&row_groups, plan), ranks, plan, err));
  int64_t each = TH_RUNNING_STATS_BYTES + (plan->shape.weighted ? 8 : 0);
  int64_t item =
      th_row_groups_short_stats(&row_groups) ? sizeof(float) : sizeof(double);
  int64_t delivered = th_slices_cut(&slices) ? TH_STATS_KINDS * item : 0;
  for (int r = 0; r < ranks; r++) {
    int64_t own = th_range_count(th_slices_owned_attributes(&slices, r));
    int64_t needed =
        th_range_count(th_slices_rank(&slices, r)) * each + own * delivered;
    *bytes = needed > *bytes ? needed : *bytes;
  }
done:
  th_slices_free(&slices);
  return rc;
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
  return shard >= writer->set.touched.first && shard < writer->set.touched.last;
}

struct th_range th_writer_shard(const struct th_writer *writer, int64_t shard)
{
  return th_slices_shard(&writer->set.slices, shard);
}

struct th_range th_writer_touched(const struct th_writer *writer, int rank)
{
  return th_slices_touched(&writer->set.slices, rank);
}

struct th_range th_writer_mine(const struct th_writer *writer, int64_t shard)
{
  return th_writer_part(writer, writer->comm->rank, shard);
}

struct th_range th_writer_part(const struct th_writer *writer, int rank,
                               int64_t shard)
{
  return th_slices_part(&writer->set.slices, rank, shard);
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

th_status th_writer_dense(struct th_writer *writer, int64_t shard,
                          int64_t group, struct th_range range,
                          const void *values, int64_t stride,
                          struct th_error *err)
{
  return th_shard_set_dense(&writer->set, shard, group, range, values, stride,
                            err);
}

th_status th_writer_sparse(struct th_writer *writer, int64_t shard,
                           int64_t group, const struct th_slab *tile,
                           struct th_error *err)
{
  return th_shard_set_sparse(&writer->set, shard, group, tile, err);
}

th_status th_writer_deliver(struct th_writer *writer, th_status rc,
                            struct th_error *err)
{
  return th_shard_set_deliver(&writer->set, rc, err);
}

th_status th_writer_check(const char *path, bool force, struct th_error *err)
{
  struct th_writer w = {.force = force, .output.file = -1, .names.parent = -1};
  th_status rc = folder_names(&w.names, path, err);
  if (rc == TH_OK)
    rc = claim_names(&w, err);
  th_output_abort(&w.output);
  folder_free(&w.names);
  return rc;
}

void th_writer_abort(struct th_writer *writer)
{
  if (writer == NULL)
    return;
  th_shard_set_free(&writer->set);
  /* the last rank finds the folder empty */
  if (writer->inside >= 0) {
    th_interrupt_own_remove(writer->names.parent, writer->names.partial);
    close(writer->inside);
  }
  th_output_abort(&writer->output);
  folder_free(&writer->names);
  free(writer);
}

/* --- Finishes a data set: writes the master, then gives the final names */

/* From now on only rank 0 may remove or rename the folder. */
static void hand_over(struct th_writer *w)
{
  if (w->comm->rank == 0)
    return;
  th_interrupt_own_forget(w->names.parent, w->names.partial);
  close(w->inside);
  w->inside = -1;
}

static th_status fill_info(const struct th_writer *w,
                           const struct th_master *master,
                           struct th_master_info *info, struct th_error *err)
{
  th_status rc = TH_OK;
  info->row_groups = w->row_groups;
  info->row_groups.shape.missing = 0;
  TH_TRY(TH_NEW(&info->shard, w->shards, "the shard table", err));
  info->shards = w->shards;
  TH_TRY(th_file_text(&info->provenance, err, "%s",
                      master->provenance != NULL ? master->provenance : ""));
  for (int64_t k = 0; k < w->shards; k++) {
    struct th_shard_row *row = &info->shard[k];
    const struct th_shard_told *told = &w->set.told[k];
    row->range = th_writer_shard(w, k);
    row->bytes = told->bytes;
    row->content = told->content;
    row->hash = told->hash;
    info->row_groups.shape.nonzeros += told->nonzeros;
    info->row_groups.shape.missing += told->missing;
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
  bool replaced = folder_holds(w->names.parent, w->names.final);
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
  th_writer_folder_remove(w->names.parent, w->names.partial);
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
    old = folder_own(w->names.parent, w->names.old);
  th_interrupt_resume(&pause);
  folder_drop(w->names.parent, w->names.old, old);
done:
  return rc;
}

static th_status write_master(struct th_writer *w,
                              const struct th_master *master,
                              struct th_error *err)
{
  struct th_master_info info = {0};
  struct th_h5_image image = {0};
  th_status rc = TH_OK;
  TH_TRY(fill_info(w, master, &info, err));
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
                           const struct th_master *master, th_status rc,
                           struct th_error *err)
{
  struct th_comm *comm = writer->comm;
  rc = th_shard_set_end(&writer->set, rc, err);
  if (rc == TH_OK) /* of a rank that has failed, there is more to remove */
    hand_over(writer);
  TH_TRY(th_shard_set_share(&writer->set, rc, err));
  /* now all ranks have handed over */
  rc = comm->rank == 0 ? write_master(writer, master, err) : TH_OK;
  TH_TRY(th_agree(comm, rc, err));
done:
  th_writer_abort(writer);
  return rc;
}
