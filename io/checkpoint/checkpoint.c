/* checkpoint.c - the folder of a run's checkpoints: made, locked, cleared
 * SPDX-License-Identifier: MIT */
#include "io/checkpoint/checkpoint.h"

#include "core/integer.h"
#include "core/model.h"
#include "io/checkpoint/checkpoint_parts.h"
#include "io/checkpoint/manifest.h"
#include "io/hdf5/file.h"
#include "io/hdf5/interrupt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_TRIES = 50, LOCK_WAIT = 100 /* milliseconds */ };
enum { AT_ONCE = 3 }; /* checkpoints that are on disk at the same time */

static const char stop[] = "STOP";
static const char lock_file[] = ".lock";

static th_status cannot(const char *path, const char *what,
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

/* Whether the open file is still the one of that name. A run that ends takes it
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
  enum th_lock_answer answer = th_lock_take(
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
static th_status lock(struct th_checkpoint *checkpoint, bool *gone,
                      struct th_error *err)
{
  for (int k = 0; k < LOCK_TRIES; k++) {
    enum th_lock_answer answer = lock_once(checkpoint, gone);
    if (*gone || answer == TH_LOCK_MINE)
      return TH_OK;
    if (answer == TH_LOCK_NEVER)
      return cannot(checkpoint->path, "nothing can be locked in it", err);
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
static th_status open_folder(struct th_checkpoint *checkpoint,
                             struct th_error *err)
{
  checkpoint->folder =
      open(checkpoint->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (checkpoint->folder < 0)
    return cannot(checkpoint->path, "cannot be opened", err);
  return TH_OK;
}

/* Local: rank 0. */
static th_status make_folder(struct th_checkpoint *checkpoint, bool *gone,
                             struct th_error *err)
{
  checkpoint->made = mkdir(checkpoint->path, 0777) == 0;
  if (!checkpoint->made && errno != EEXIST)
    return cannot(checkpoint->path, "cannot be made", err);
  th_status rc = open_folder(checkpoint, err);
  if (rc != TH_OK)
    return rc;
  if (faccessat(checkpoint->folder, ".", W_OK | X_OK, 0) != 0)
    return cannot(checkpoint->path, "cannot be written to", err);
  return lock(checkpoint, gone, err);
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
    rc = open_folder(checkpoint, err);
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

DIR *th_checkpoint_list(const struct th_checkpoint *checkpoint)
{
  int again =
      openat(checkpoint->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = again < 0 ? NULL : fdopendir(again);
  if (list == NULL && again >= 0)
    close(again);
  return list;
}

void th_checkpoint_remove_below(struct th_checkpoint *checkpoint, int64_t least)
{
  DIR *list = th_checkpoint_list(checkpoint);
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

void th_checkpoint_clear(struct th_checkpoint *checkpoint)
{
  if (checkpoint->folder >= 0) {
    th_checkpoint_remove_below(checkpoint, INT64_MAX);
    unlinkat(checkpoint->folder, TH_CHECKPOINT_LOG, 0);
  }
  checkpoint->newest = 0;
  checkpoint->there = 0;
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
  *bytes = th_checkpoint_bytes(state);
  checkpoint->comm->ops->sum_i64(checkpoint->comm, bytes, 1);
  TH_TRY(th_file_text(&inside, err, "%s/checkpoint", checkpoint->path));
  if (checkpoint->comm->rank == 0)
    rc = th_file_space_check(inside, missing * *bytes, err);
done:
  free(inside);
  return th_agree(checkpoint->comm, rc, err);
}
