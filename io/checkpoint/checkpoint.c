/* checkpoint.c - the state of a run in a folder: written, found, cleared
 * SPDX-License-Identifier: MIT */
#include "io/checkpoint/checkpoint.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/checkpoint/manifest.h"
#include "io/files/file.h"
#include "io/files/interrupt.h"
#include "io/files/output.h"
#include "model/model.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Checkpoints that a run may have left: those it kept, and one that it was
 * writing. */
enum { AT_ONCE = 3 };

static th_status lock_folder(struct th_checkpoint *checkpoint, bool *gone,
                             struct th_error *err);

/* The files of the folder; NULL with errno. */
static DIR *checkpoint_list(const struct th_checkpoint *checkpoint)
{
  int again =
      openat(checkpoint->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = again < 0 ? NULL : fdopendir(again);
  if (list == NULL && again >= 0)
    close(again);
  return list;
}

/* Remove the manifests of all checkpoints whose number is less; or whatever
 * there is of them. Local: rank 0. */
static void remove_below(const struct th_checkpoint *checkpoint, int64_t least,
                         bool all)
{
  DIR *list = checkpoint_list(checkpoint);
  const struct dirent *entry;
  bool whole;
  if (list == NULL)
    return;
  while ((entry = readdir(list)) != NULL) {
    int64_t number = th_manifest_name_number(entry->d_name, &whole);
    if (number > 0 && number < least && (all || whole))
      unlinkat(checkpoint->folder, entry->d_name, 0);
  }
  closedir(list);
}

/* Remove this rank's share of the parts that runs before this one have left in
 * the folder: there are no more of one checkpoint than files were found. */
static void remove_share(const struct th_checkpoint *checkpoint, int64_t least)
{
  char name[TH_MANIFEST_NAME];
  const struct th_comm *comm = checkpoint->comm;
  int64_t last = th_min_i64(least - 1, checkpoint->last_found);
  for (int64_t k = th_max_i64(1, last - AT_ONCE + 1); k <= last; k++)
    for (int64_t p = comm->rank; p < checkpoint->files_found; p += comm->size)
      unlinkat(checkpoint->folder, th_manifest_part_name(k, p, name), 0);
}

/* Remove all checkpoints whose number is less, whole or not. A manifest goes
 * before its parts: what is left is not taken for whole. Collective. */
static void remove_others(struct th_checkpoint *checkpoint, int64_t least)
{
  struct th_comm *comm = checkpoint->comm;
  if (checkpoint->files_found == 0)
    return;
  if (comm->rank == 0)
    remove_below(checkpoint, least, false);
  comm->ops->barrier(comm);
  remove_share(checkpoint, least);
  comm->ops->barrier(comm);
  if (comm->rank == 0)
    remove_below(checkpoint, least, true);
}

/* --- Writes a checkpoint: parts first, the manifest last ------------------ */

/* Items of a vector that this rank writes; rank 0: what all ranks have, too. */
static int64_t written_items(const struct th_state_entry *entry, int rank)
{
  if (entry->place != TH_STATE_BY_ATTRIBUTE && rank != 0)
    return 0;
  return th_range_count(entry->here);
}

static int64_t entry_bytes(const struct th_state_entry *entry, int rank)
{
  return entry->rows * written_items(entry, rank) *
         (int64_t)th_state_size(entry->type);
}

/* Bytes of this rank's part of a checkpoint. */
static int64_t checkpoint_bytes(const struct th_state *state)
{
  int64_t sum = 0;
  for (int64_t k = 0; k < state->count; k++)
    sum += entry_bytes(&state->entry[k], state->rank);
  return sum;
}

/* A file that is written block by block. */
struct sink {
  int file;
  char name[TH_MANIFEST_NAME];
  char *block; /* of TH_MANIFEST_BLOCK bytes */
  int64_t used;
  int64_t hash;
};

static th_status flush_block(struct sink *sink, struct th_error *err)
{
  if (sink->used == 0)
    return TH_OK;
  sink->hash = th_manifest_hash_next(sink->hash, sink->block, sink->used);
  int64_t bytes = sink->used;
  sink->used = 0;
  return th_file_write_whole(sink->file, sink->name, sink->block, bytes, err);
}

static th_status sink_bytes(struct sink *sink, const char *data, int64_t bytes,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  while (bytes > 0 && rc == TH_OK) {
    int64_t part = th_min_i64(bytes, TH_MANIFEST_BLOCK - sink->used);
    memcpy(sink->block + sink->used, data, (size_t)part);
    sink->used += part;
    data += part;
    bytes -= part;
    if (sink->used == TH_MANIFEST_BLOCK)
      rc = flush_block(sink, err);
  }
  return rc;
}

static th_status add_arrays(struct sink *sink, const struct th_state *state,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; k < state->count && rc == TH_OK; k++) {
    const struct th_state_entry *entry = &state->entry[k];
    rc = sink_bytes(sink, entry->data, entry_bytes(entry, state->rank), err);
  }
  return rc == TH_OK ? flush_block(sink, err) : rc;
}

/* A new file in the folder. What has the name is of a run that was killed. */
static th_status create(const struct th_checkpoint *checkpoint,
                        struct sink *sink, struct th_error *err)
{
  const int how = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  sink->file = openat(checkpoint->folder, sink->name, how, 0666);
  if (sink->file < 0 && errno == EEXIST &&
      unlinkat(checkpoint->folder, sink->name, 0) == 0)
    sink->file = openat(checkpoint->folder, sink->name, how, 0666);
  if (sink->file >= 0)
    return TH_OK;
  return th_fail(err, TH_EIO, "cannot write %s: %s", sink->name,
                 strerror(errno));
}

/* This rank's part. Local. */
static th_status write_part(const struct th_checkpoint *checkpoint,
                            int64_t number, const struct th_state *state,
                            int64_t *hash, struct th_error *err)
{
  struct sink sink = {.file = -1};
  int64_t bytes = checkpoint_bytes(state);
  th_status rc;
  th_manifest_part_name(number, state->rank, sink.name);
  TH_TRY(TH_NEW(&sink.block, TH_MANIFEST_BLOCK, "a checkpoint", err));
  TH_TRY(create(checkpoint, &sink, err));
  if (bytes > 0)
    TH_TRY(th_file_reserve(sink.file, sink.name, bytes, bytes, err));
  TH_TRY(add_arrays(&sink, state, err));
  TH_TRY(th_file_flush(sink.file, sink.name, err));
done:
  if (sink.file >= 0 && close(sink.file) != 0 && rc == TH_OK)
    rc =
        th_fail(err, TH_EIO, "cannot write %s: %s", sink.name, strerror(errno));
  free(sink.block);
  *hash = sink.hash;
  return rc;
}

/* The manifest, from what all ranks tell of their parts: the width of each
 * array, then the checksum. Local. */
static th_status fill_manifest(struct th_manifest *manifest,
                               const struct th_state *state,
                               const int64_t *told, struct th_error *err)
{
  int64_t parts = manifest->parts;
  int64_t arrays = manifest->arrays;
  for (int64_t k = 0; k < arrays; k++) {
    struct th_state_entry *entry = &manifest->entry[k];
    *entry = state->entry[k];
    entry->data = NULL;
    entry->all = 0;
    for (int64_t p = 0; p < parts; p++) {
      manifest->width[k * parts + p] = told[p * (arrays + 1) + k];
      entry->all += told[p * (arrays + 1) + k];
    }
  }
  for (int64_t p = 0; p < parts; p++)
    manifest->hash[p] = told[p * (arrays + 1) + arrays];
  if (!th_manifest_place(manifest))
    return th_fail(err, TH_EARG, "the state of the run does not fit together");
  return TH_OK;
}

/* Local: rank 0. The rename makes the checkpoint whole. */
static th_status commit(const struct th_checkpoint *checkpoint,
                        const struct th_manifest *manifest,
                        struct th_error *err)
{
  struct sink sink = {.file = -1};
  char name[TH_MANIFEST_NAME];
  int64_t *words = NULL;
  int64_t count = 0;
  th_status rc;
  th_manifest_name(manifest->number, name);
  snprintf(sink.name, sizeof sink.name, "%.40s.partial", name);
  TH_TRY(th_manifest_pack(manifest, &words, &count, err));
  TH_TRY(create(checkpoint, &sink, err));
  TH_TRY(th_file_write_whole(sink.file, name, words,
                             count * (int64_t)sizeof *words, err));
  TH_TRY(th_file_flush(sink.file, name, err));
  TH_TRY(th_file_flush(checkpoint->folder, checkpoint->path, err));
  if (renameat(checkpoint->folder, sink.name, checkpoint->folder, name) != 0)
    rc = th_fail(err, TH_EIO, "cannot write %s: %s", name, strerror(errno));
  else
    rc = th_file_flush(checkpoint->folder, checkpoint->path, err);
done:
  if (sink.file >= 0)
    close(sink.file);
  if (rc != TH_OK)
    unlinkat(checkpoint->folder, sink.name, 0);
  free(words);
  return rc;
}

/* What every rank tells of its part, on rank 0. Collective. */
static th_status write_tell(struct th_comm *comm, const struct th_state *state,
                            int64_t hash, int64_t **told, struct th_error *err)
{
  int64_t *mine = NULL;
  void *all = NULL;
  th_status rc = TH_NEW(&mine, state->count + 1, "a checkpoint", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int64_t k = 0; k < state->count; k++)
    mine[k] = written_items(&state->entry[k], comm->rank);
  mine[state->count] = hash;
  TH_TRY(th_comm_collect(comm, mine, (size_t)(state->count + 1) * sizeof *mine,
                         &all, err));
  *told = all;
done:
  free(mine);
  return rc;
}

/* Remove what this rank has written of a checkpoint. Local; of one that is
 * whole, the others do so after rank 0, which removes the manifest first. */
static void remove_own(const struct th_checkpoint *checkpoint, int64_t number)
{
  char name[TH_MANIFEST_NAME];
  int rank = checkpoint->comm->rank;
  if (rank == 0)
    unlinkat(checkpoint->folder, th_manifest_name(number, name), 0);
  unlinkat(checkpoint->folder, th_manifest_part_name(number, rank, name), 0);
}

/* Local: rank 0. */
static th_status finish(struct th_checkpoint *checkpoint, int64_t number,
                        const char *key, const struct th_state *state,
                        const int64_t *told, struct th_error *err)
{
  struct th_manifest *manifest = NULL;
  th_status rc;
  TH_TRY(th_manifest_new(&manifest, checkpoint->comm->size, state->count, err));
  manifest->number = number;
  manifest->key = th_model_copy_string(key);
  if (manifest->key == NULL)
    TH_TRY(th_fail(err, TH_ENOMEM, "no memory for a checkpoint"));
  TH_TRY(fill_manifest(manifest, state, told, err));
  TH_TRY(commit(checkpoint, manifest, err));
  if (checkpoint->older > 0)
    remove_own(checkpoint, checkpoint->older);
done:
  th_manifest_free(manifest);
  return rc;
}

th_status th_checkpoint_write(struct th_checkpoint *checkpoint, const char *key,
                              const struct th_state *state,
                              struct th_error *err)
{
  struct th_comm *comm = checkpoint->comm;
  int64_t number = checkpoint->used + 1;
  int64_t *told = NULL;
  int64_t hash = 0;
  th_status rc;
  comm->ops->bcast(comm, &number, sizeof number, 0);
  rc = write_part(checkpoint, number, state, &hash, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(write_tell(comm, state, hash, &told, err));
  if (comm->rank == 0)
    rc = finish(checkpoint, number, key, state, told, err);
  TH_TRY(th_agree(comm, rc, err));
  if (checkpoint->older > 0 && comm->rank > 0)
    remove_own(checkpoint, checkpoint->older);
  if (checkpoint->older == 0)
    remove_others(checkpoint, checkpoint->newest);
  checkpoint->older = checkpoint->own ? checkpoint->newest : 0;
  checkpoint->newest = number;
  checkpoint->own = true;
done:
  checkpoint->used = number;
  if (rc != TH_OK) {
    th_error_name(err, checkpoint->path);
    remove_own(checkpoint, number);
  }
  free(told);
  return rc;
}

/* --- The folder: opened, locked, cleared ---------------------------------- */

enum { LOCK_TRIES = 50, LOCK_WAIT = 100 /* milliseconds */ };

static const char stop[] = "STOP";
static const char lock_file[] = ".lock";

static th_status fail_folder(const char *path, const char *what,
                             struct th_error *err)
{
  return th_fail(err, TH_EIO,
                 "checkpoint %s: %s: %s; name a folder that may be written to",
                 path, what, strerror(errno));
}

/* Open the file that is locked; a killed run may have left it. */
static int open_lock(const struct th_checkpoint *checkpoint)
{
  int file = th_interrupt_own_open(checkpoint->folder, lock_file);
  if (file < 0 && errno == EEXIST)
    file = openat(checkpoint->folder, lock_file,
                  O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  return file;
}

/* True if the open file is still the one of that name. A run that ends takes it
 * away, and the folder that it made. */
static bool is_there(const struct th_checkpoint *checkpoint)
{
  struct stat mine;
  struct stat there;
  return fstat(checkpoint->locked, &mine) == 0 &&
         fstatat(checkpoint->folder, lock_file, &there, AT_SYMLINK_NOFOLLOW) ==
             0 &&
         mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

/* One attempt. *again: what was locked has no name any more. */
static enum th_lock_answer lock_once(struct th_checkpoint *checkpoint,
                                     bool *again)
{
  checkpoint->locked = open_lock(checkpoint);
  *again = checkpoint->locked < 0 && errno == ENOENT; /* nor has the folder */
  if (checkpoint->locked < 0)
    return TH_LOCK_NEVER;
  enum th_lock_answer answer = th_lock_try(
      &checkpoint->lock, checkpoint->locked, checkpoint->folder, lock_file);
  int code = errno;
  *again = answer == TH_LOCK_MINE && !is_there(checkpoint);
  if (answer == TH_LOCK_MINE && !*again)
    return answer;
  th_interrupt_own_forget(checkpoint->folder, lock_file);
  th_lock_end(&checkpoint->lock);
  close(checkpoint->locked);
  checkpoint->locked = -1;
  errno = code;
  return answer;
}

/* A run that was killed just before may still be ending. */
static th_status lock_folder(struct th_checkpoint *checkpoint, bool *gone,
                             struct th_error *err)
{
  for (int k = 0; k < LOCK_TRIES; k++) {
    enum th_lock_answer answer = lock_once(checkpoint, gone);
    if (*gone || answer == TH_LOCK_MINE)
      return TH_OK;
    if (answer == TH_LOCK_NEVER)
      return fail_folder(checkpoint->path, "nothing can be locked in it", err);
    poll(NULL, 0, LOCK_WAIT);
  }
  return th_fail(err, TH_EIO,
                 "checkpoint %s: another run uses this folder%s; wait for it, "
                 "or name another folder",
                 checkpoint->path, checkpoint->lock.holder);
}

static void unlock(struct th_checkpoint *checkpoint)
{
  if (checkpoint->locked < 0)
    return;
  th_interrupt_own_remove(checkpoint->folder, lock_file);
  th_lock_end(&checkpoint->lock);
  close(checkpoint->locked);
  checkpoint->locked = -1;
}

void th_checkpoint_lock_note(const struct th_checkpoint *checkpoint,
                             char note[TH_LOCK_NOTE])
{
  struct th_error ignored = {0};
  char *inside = NULL;
  note[0] = '\0';
  if (checkpoint->locked >= 0 &&
      th_file_text(&inside, &ignored, "%s/%s", checkpoint->path, lock_file) ==
          TH_OK)
    th_lock_note(&checkpoint->lock, inside, note);
  free(inside);
}

/* Local. */
static th_status open_own_folder(struct th_checkpoint *checkpoint,
                                 struct th_error *err)
{
  checkpoint->folder =
      open(checkpoint->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (checkpoint->folder < 0)
    return fail_folder(checkpoint->path, "cannot be opened", err);
  return TH_OK;
}

/* Local: rank 0. */
static th_status make_folder(struct th_checkpoint *checkpoint, bool *gone,
                             struct th_error *err)
{
  checkpoint->made = mkdir(checkpoint->path, 0777) == 0;
  if (!checkpoint->made && errno != EEXIST)
    return fail_folder(checkpoint->path, "cannot be made", err);
  th_status rc = open_own_folder(checkpoint, err);
  if (rc != TH_OK)
    return rc;
  if (faccessat(checkpoint->folder, ".", W_OK | X_OK, 0) != 0)
    return fail_folder(checkpoint->path, "cannot be written to", err);
  return lock_folder(checkpoint, gone, err);
}

/* Rank 0 has locked its folder. A folder of another number where nothing is
 * locked is another one. Numbers alone would not do: some network file systems
 * have others on each host. Collective. */
static th_status check_same(const struct th_checkpoint *checkpoint,
                            struct th_error *err)
{
  struct th_comm *comm = checkpoint->comm;
  struct stat mine = {0};
  char holder[TH_LOCK_HOLDER];
  th_status rc = TH_OK;
  fstat(checkpoint->folder, &mine);
  int64_t first = (int64_t)mine.st_ino;
  comm->ops->bcast(comm, &first, sizeof first, 0);
  if (first != (int64_t)mine.st_ino &&
      !th_lock_held(checkpoint->folder, lock_file, holder))
    rc = th_fail(err, TH_EIO,
                 "checkpoint %s: is another folder here than on rank 0; name "
                 "one that all ranks share",
                 checkpoint->path);
  return th_agree(comm, rc, err);
}

th_status th_checkpoint_open(struct th_checkpoint *checkpoint,
                             struct th_comm *comm, const char *path,
                             struct th_error *err)
{
  th_status rc = TH_OK;
  *checkpoint = (struct th_checkpoint){
      .path = path, .comm = comm, .folder = -1, .locked = -1};
  bool gone = comm->rank == 0;
  while (gone && rc == TH_OK) {
    gone = false;
    if (checkpoint->folder >= 0)
      close(checkpoint->folder);
    rc = make_folder(checkpoint, &gone, err);
  }
  TH_TRY(th_agree(comm, rc, err));
  if (comm->rank != 0)
    rc = open_own_folder(checkpoint, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(check_same(checkpoint, err));
done:
  return rc;
}

void th_checkpoint_close(struct th_checkpoint *checkpoint)
{
  if (checkpoint->path == NULL)
    return;
  unlock(checkpoint);
  if (checkpoint->made)
    rmdir(checkpoint->path); /* if there is nothing in it */
  if (checkpoint->folder >= 0)
    close(checkpoint->folder);
  *checkpoint = (struct th_checkpoint){.folder = -1, .locked = -1};
}

/* Rank 0 removes its files first, with the manifests, and at last all else. */
void th_checkpoint_clear(struct th_checkpoint *checkpoint)
{
  struct th_comm *comm = checkpoint->comm;
  for (int others = 0; others < 2; others++) {
    if ((comm->rank > 0) == (others > 0)) {
      remove_own(checkpoint, checkpoint->newest);
      remove_own(checkpoint, checkpoint->older);
    }
    comm->ops->barrier(comm);
  }
  remove_others(checkpoint, INT64_MAX);
  if (comm->rank == 0) {
    remove_below(checkpoint, INT64_MAX, true);
    unlinkat(checkpoint->folder, TH_CHECKPOINT_LOG, 0);
  }
  checkpoint->newest = checkpoint->older = checkpoint->there = 0;
  checkpoint->files_found = 0;
  checkpoint->own = false;
}

bool th_checkpoint_owns(const char *path)
{
  bool whole;
  return th_manifest_name_number(th_file_name(path), &whole) > 0 ||
         strcmp(th_file_name(path), TH_CHECKPOINT_LOG) == 0;
}

bool th_checkpoint_told(const struct th_checkpoint *checkpoint)
{
  struct stat s;
  if (fstatat(checkpoint->folder, stop, &s, AT_SYMLINK_NOFOLLOW) != 0 ||
      S_ISDIR(s.st_mode))
    return false;
  unlinkat(checkpoint->folder, stop, 0); /* another user's may have to stay */
  return true;
}

th_status th_checkpoint_room(struct th_checkpoint *checkpoint,
                             const struct th_state *state, int64_t *bytes,
                             struct th_error *err)
{
  int64_t missing = AT_ONCE - th_min_i64(checkpoint->there, AT_ONCE - 1);
  char *inside = NULL;
  th_status rc = TH_OK;
  *bytes = checkpoint_bytes(state);
  checkpoint->comm->ops->sum_i64(checkpoint->comm, bytes, 1);
  TH_TRY(th_file_text(&inside, err, "%s/checkpoint", checkpoint->path));
  if (checkpoint->comm->rank == 0)
    rc = th_file_space_check(inside, missing * *bytes, err);
done:
  free(inside);
  return th_agree(checkpoint->comm, rc, err);
}

/* --- Finds the newest checkpoint that is whole, and reads it -------------- */

enum { MOST_TRIED = 4, LINE = 240 };

/* Put a number into its place among the largest. */
static void insert(int64_t newest[MOST_TRIED], int64_t number)
{
  for (int k = 0; k < MOST_TRIED; k++) {
    int64_t larger = th_max_i64(newest[k], number);
    number = th_min_i64(newest[k], number);
    newest[k] = larger;
  }
}

/* No run comes to such a number; those after it would be refused. */
static const int64_t far = INT64_C(1) << 45;

/* Take the name of a file into account. Local: rank 0. */
static void take_name(struct th_checkpoint *checkpoint,
                      int64_t newest[MOST_TRIED], const char *name)
{
  bool whole;
  int64_t number = th_manifest_name_number(name, &whole);
  if (number > far)
    return;
  checkpoint->used = th_max_i64(checkpoint->used, number);
  checkpoint->files_found += number > 0;
  if (!whole)
    return;
  insert(newest, number);
  checkpoint->there++;
}

/* The numbers of the newest manifests, the newest first, and the largest number
 * of any file. A folder that cannot be listed is not an empty one. Local: rank
 * 0. */
static th_status list_numbers(struct th_checkpoint *checkpoint,
                              int64_t newest[MOST_TRIED], struct th_error *err)
{
  DIR *list = checkpoint_list(checkpoint);
  int failure = list == NULL ? errno : 0;
  bool more = list != NULL;
  while (more) {
    errno = 0;
    const struct dirent *entry = readdir(list);
    failure = errno;
    more = entry != NULL;
    if (more)
      take_name(checkpoint, newest, entry->d_name);
  }
  if (list != NULL)
    closedir(list);
  if (failure == 0)
    return TH_OK;
  return th_fail(err, TH_EIO, "checkpoint %s: cannot be listed: %s",
                 checkpoint->path, strerror(failure));
}

/* All ranks know what rank 0 has found. Collective. */
static void tell_found(struct th_checkpoint *checkpoint)
{
  int64_t found[] = {checkpoint->used, checkpoint->files_found};
  checkpoint->comm->ops->bcast(checkpoint->comm, found, sizeof found, 0);
  checkpoint->used = checkpoint->last_found = found[0];
  checkpoint->files_found = found[1];
}

/* The length of a line. */
static int line_length(const char *line)
{
  int length = (int)strcspn(line, "\n");
  return length < LINE ? length : LINE;
}

/* Local, replicated. */
static th_status compare_keys(const struct th_checkpoint *checkpoint,
                              const char *theirs, const char *mine,
                              struct th_error *err)
{
  while (*theirs != '\0' && strcspn(theirs, "\n") == strcspn(mine, "\n") &&
         strncmp(theirs, mine, strcspn(mine, "\n") + 1) == 0) {
    mine += strcspn(mine, "\n") + (strchr(mine, '\n') != NULL);
    theirs += strcspn(theirs, "\n") + (strchr(theirs, '\n') != NULL);
  }
  if (*theirs == '\0' && *mine == '\0')
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "checkpoint %s: it is of another run, with '%.*s' where this "
                 "one has '%.*s'; start that run again, or give {fresh}, or "
                 "name another folder",
                 checkpoint->path, line_length(theirs), theirs,
                 line_length(mine), mine);
}

/* Try one checkpoint. Collective. */
static th_status try_one(struct th_checkpoint *checkpoint, int64_t number,
                         const char *key, struct th_checkpoint_image *found,
                         struct th_error *err)
{
  struct th_comm *comm = checkpoint->comm;
  th_status rc;
  TH_TRY(
      th_checkpoint_image_open(found, comm, checkpoint->folder, number, err));
  TH_TRY(th_agree(
      comm, compare_keys(checkpoint, th_checkpoint_image_key(found), key, err),
      err));
  TH_TRY(th_checkpoint_image_check(found, checkpoint->path, err));
  checkpoint->newest = number;
done:
  return rc;
}

static void read_tell(const struct th_checkpoint *checkpoint, const char *why,
                      char note[TH_CHECKPOINT_NOTE])
{
  snprintf(note, TH_CHECKPOINT_NOTE,
           "checkpoint %.200s: %.160s; the one before it is used",
           checkpoint->path, why);
}

th_status th_checkpoint_find(struct th_checkpoint *checkpoint, const char *key,
                             struct th_checkpoint_image *found,
                             char note[TH_CHECKPOINT_NOTE],
                             struct th_error *err)
{
  struct th_comm *comm = checkpoint->comm;
  int64_t newest[MOST_TRIED] = {0};
  struct th_error why;
  th_status rc = TH_OK;
  *found = (struct th_checkpoint_image){.file = -1};
  note[0] = '\0';
  if (comm->rank == 0)
    rc = list_numbers(checkpoint, newest, err);
  rc = th_agree(comm, rc, err);
  if (rc != TH_OK)
    return rc;
  comm->ops->bcast(comm, newest, sizeof newest, 0);
  tell_found(checkpoint);
  for (int k = 0; k < MOST_TRIED && newest[k] > 0 && key != NULL; k++) {
    th_error_clear(&why);
    rc = try_one(checkpoint, newest[k], key, found, &why);
    if (rc == TH_OK)
      return TH_OK;
    th_checkpoint_image_release(found);
    if (rc != TH_EFORMAT && rc != TH_EIO) {
      *err = why;
      return rc;
    }
    read_tell(checkpoint, why.text, note);
  }
  if (rc == TH_OK)
    return TH_OK;
  return th_fail(err, TH_EFORMAT,
                 "checkpoint %s: none can be used: %s; give {fresh} to begin "
                 "anew",
                 checkpoint->path, why.text);
}
