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

/* Remove all checkpoints whose number is less, whole or not. */
static void remove_below(struct th_checkpoint *checkpoint, int64_t least)
{
  DIR *list = checkpoint_list(checkpoint);
  bool whole;
  if (list == NULL)
    return;
  /* a manifest goes before its parts: what is left is not taken for whole */
  for (int parts = 0; parts < 2; parts++) {
    const struct dirent *entry;
    rewinddir(list);
    while ((entry = readdir(list)) != NULL) {
      int64_t number = th_manifest_name_number(entry->d_name, &whole);
      if (number > 0 && number < least && (parts == 1 || whole))
        unlinkat(checkpoint->folder, entry->d_name, 0);
    }
  }
  closedir(list);
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
  else
    remove_below(checkpoint, checkpoint->newest);
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
enum { AT_ONCE = 3 }; /* checkpoints that are on disk at the same time */

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
  if (comm->rank == 0 && checkpoint->folder >= 0) {
    remove_below(checkpoint, INT64_MAX);
    unlinkat(checkpoint->folder, TH_CHECKPOINT_LOG, 0);
  }
  checkpoint->newest = checkpoint->older = checkpoint->there = 0;
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

/* No manifest has more bytes. */
static const int64_t most_bytes = INT64_C(1) << 30;

/* Open a regular file, and nothing else: no pipe would let go. Its size, or -1.
 */
static int64_t open_regular(int folder, const char *name, int *file)
{
  struct stat s;
  *file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (*file < 0)
    return -1;
  if (fstat(*file, &s) == 0 && S_ISREG(s.st_mode))
    return (int64_t)s.st_size;
  close(*file);
  *file = -1;
  return -1;
}

/* The words of a manifest. Local: rank 0. */
static th_status read_words(const struct th_checkpoint *checkpoint,
                            int64_t number, int64_t **words, int64_t *count,
                            struct th_error *err)
{
  char name[TH_MANIFEST_NAME];
  int file = -1;
  int64_t bytes =
      open_regular(checkpoint->folder, th_manifest_name(number, name), &file);
  th_status rc = TH_OK;
  if (bytes <= 0 || bytes > most_bytes || bytes % (int64_t)sizeof **words != 0)
    rc = th_fail(err, TH_EFORMAT, "its manifest is damaged");
  *count = bytes / (int64_t)sizeof **words;
  if (rc == TH_OK)
    rc = TH_NEW(words, *count, "a checkpoint", err);
  if (rc == TH_OK)
    rc = th_output_temporary_read(file, *words, bytes, 0, name, err);
  if (file >= 0)
    close(file);
  return rc;
}

/* Give rank 0's words to all ranks. Collective. */
static th_status share_words(struct th_comm *comm, int64_t **words,
                             int64_t *count, struct th_error *err)
{
  th_status rc = TH_OK;
  comm->ops->bcast(comm, count, sizeof *count, 0);
  if (comm->rank != 0)
    rc = TH_NEW(words, *count, "a checkpoint", err);
  rc = th_agree(comm, rc, err);
  if (rc == TH_OK)
    comm->ops->bcast(comm, *words, (size_t)*count * sizeof **words, 0);
  return rc;
}

static th_status fail_part(const char *name, const char *why,
                           struct th_error *err)
{
  return th_fail(err, TH_EFORMAT, "%s %s", name, why);
}

/* Read a part and compare its checksum. Local. */
static th_status check_open_part(const struct th_manifest *manifest,
                                 int64_t part, const char *name, int file,
                                 struct th_error *err)
{
  int64_t bytes = manifest->offset[(part + 1) * (manifest->arrays + 1) - 1];
  int64_t hash = 0;
  char *block = NULL;
  th_status rc = TH_NEW(&block, TH_MANIFEST_BLOCK, "a checkpoint", err);
  for (int64_t at = 0; at < bytes && rc == TH_OK; at += TH_MANIFEST_BLOCK) {
    int64_t now = th_min_i64(bytes - at, TH_MANIFEST_BLOCK);
    rc = th_output_temporary_read(file, block, now, at, name, err);
    if (rc == TH_OK)
      hash = th_manifest_hash_next(hash, block, now);
  }
  free(block);
  if (rc == TH_OK && hash != manifest->hash[part])
    return fail_part(name, "is damaged", err);
  return rc;
}

static th_status check_part_file(const struct th_checkpoint *checkpoint,
                                 const struct th_manifest *manifest,
                                 int64_t part, struct th_error *err)
{
  char name[TH_MANIFEST_NAME];
  int file = -1;
  int64_t wanted = manifest->offset[(part + 1) * (manifest->arrays + 1) - 1];
  int64_t bytes =
      open_regular(checkpoint->folder,
                   th_manifest_part_name(manifest->number, part, name), &file);
  th_status rc;
  if (bytes < 0)
    return fail_part(name, "is not there, or no file", err);
  if (bytes != wanted)
    rc = fail_part(name, "has another size", err);
  else
    rc = check_open_part(manifest, part, name, file, err);
  close(file);
  return rc;
}

/* The parts are dealt out over the ranks. Collective. */
static th_status check_parts(const struct th_checkpoint *checkpoint,
                             const struct th_manifest *manifest,
                             struct th_error *err)
{
  struct th_comm *comm = checkpoint->comm;
  th_status rc = TH_OK;
  for (int64_t p = comm->rank; p < manifest->parts && rc == TH_OK;
       p += comm->size)
    rc = check_part_file(checkpoint, manifest, p, err);
  return th_agree(comm, rc, err);
}

/* Collective. */
static th_status load(const struct th_checkpoint *checkpoint, int64_t number,
                      struct th_manifest **manifest, struct th_error *err)
{
  struct th_comm *comm = checkpoint->comm;
  int64_t *words = NULL;
  int64_t count = 0;
  th_status rc = TH_OK;
  *manifest = NULL;
  if (comm->rank == 0)
    rc = read_words(checkpoint, number, &words, &count, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(share_words(comm, &words, &count, err));
  rc = th_manifest_unpack(manifest, words, count, err);
  if (rc == TH_OK && (*manifest)->number != number)
    rc = th_fail(err, TH_EFORMAT, "its manifest is of another one");
  TH_TRY(th_agree(comm, rc, err));
done:
  free(words);
  if (rc != TH_OK) {
    th_manifest_free(*manifest);
    *manifest = NULL;
  }
  return rc;
}

/* Local. */
static th_status read_part_file(struct th_checkpoint_image *found, int64_t part,
                                void *to, int64_t bytes, int64_t offset,
                                struct th_error *err)
{
  char name[TH_MANIFEST_NAME];
  th_manifest_part_name(found->number, part, name);
  if (found->file < 0 || found->part != part) {
    if (found->file >= 0)
      close(found->file);
    found->part = part;
    if (open_regular(found->folder, name, &found->file) < 0)
      return fail_part(name, "is not there, or no file", err);
  }
  return th_output_temporary_read(found->file, to, bytes, offset, name, err);
}

/* Items of a vector of an array: from the parts that have them. Local. */
static th_status fetch_items(void *self, int64_t k, int64_t row,
                             struct th_range range, void *to,
                             struct th_error *err)
{
  struct th_checkpoint_image *found = self;
  const struct th_manifest *m = found->manifest;
  int64_t item = (int64_t)th_state_size(m->entry[k].type);
  int64_t first = 0; /* item of the vector, of this part */
  char *out = to;
  th_status rc = TH_OK;
  for (int64_t p = 0; p < m->parts && rc == TH_OK; p++) {
    int64_t width = m->width[k * m->parts + p];
    struct th_range part =
        th_range_intersect(range, (struct th_range){first, first + width});
    int64_t bytes = th_range_count(part) * item;
    if (bytes > 0)
      rc = read_part_file(found, p, out, bytes,
                          m->offset[p * (m->arrays + 1) + k] +
                              (row * width + part.first - first) * item,
                          err);
    out += bytes;
    first += width;
  }
  return rc;
}

void th_checkpoint_release(struct th_checkpoint_image *found)
{
  if (found->file >= 0 && found->number > 0)
    close(found->file);
  free(found->image.entry);
  th_manifest_free(found->manifest);
  *found = (struct th_checkpoint_image){.file = -1};
}

/* Local. */
static th_status show(struct th_checkpoint *checkpoint,
                      struct th_manifest *manifest,
                      struct th_checkpoint_image *found, struct th_error *err)
{
  int64_t arrays = manifest->arrays;
  found->manifest = manifest;
  found->number = manifest->number;
  found->folder = checkpoint->folder;
  found->image.fetch = fetch_items;
  found->image.self = found;
  found->image.name = checkpoint->path;
  found->image.count = arrays;
  th_status rc = TH_NEW(&found->image.entry, arrays, "a checkpoint", err);
  if (rc == TH_OK && arrays > 0)
    memcpy(found->image.entry, manifest->entry,
           (size_t)arrays * sizeof *manifest->entry);
  return rc;
}

/* Put a number into its place among the largest. */
static void insert(int64_t newest[MOST_TRIED], int64_t number)
{
  for (int k = 0; k < MOST_TRIED; k++) {
    int64_t larger = th_max_i64(newest[k], number);
    number = th_min_i64(newest[k], number);
    newest[k] = larger;
  }
}

/* Take the name of a file into account. Local: rank 0. */
static void take_name(struct th_checkpoint *checkpoint,
                      int64_t newest[MOST_TRIED], const char *name)
{
  bool whole;
  int64_t number = th_manifest_name_number(name, &whole);
  checkpoint->used = th_max_i64(checkpoint->used, number);
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
  struct th_manifest *manifest = NULL;
  th_status rc;
  TH_TRY(load(checkpoint, number, &manifest, err));
  TH_TRY(th_agree(checkpoint->comm,
                  compare_keys(checkpoint, manifest->key, key, err), err));
  TH_TRY(check_parts(checkpoint, manifest, err));
  rc = show(checkpoint, manifest, found, err);
  manifest = NULL;
  TH_TRY(th_agree(checkpoint->comm, rc, err));
  checkpoint->newest = number;
done:
  th_manifest_free(manifest);
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
  for (int k = 0; k < MOST_TRIED && newest[k] > 0 && key != NULL; k++) {
    th_error_clear(&why);
    rc = try_one(checkpoint, newest[k], key, found, &why);
    if (rc == TH_OK)
      return TH_OK;
    th_checkpoint_release(found);
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
