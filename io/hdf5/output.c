/* output.c - a file appears under its final name whole, or not at all
 * SPDX-License-Identifier: MIT */
#include "io/hdf5/output.h"

#include "core/memory.h"
#include "core/model.h"
#include "io/hdf5/file.h"
#include "io/hdf5/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINK_TEXT = 256 };

const char *th_output_name(const char *path)
{
  return strcmp(path, "-") == 0 ? "the standard output" : path;
}

/* A symbolic link is refused. To replace it would leave its target as it was;
 * to follow it would overwrite a file elsewhere. */
static th_status refuse_link(const struct th_output *output,
                             struct th_error *err)
{
  char target[LINK_TEXT] = "";
  ssize_t length = readlinkat(output->folder, th_file_name(output->path),
                              target, sizeof target - 1);
  return th_fail(err, TH_EIO,
                 "%s is a symbolic link%s%s; give the name of the file itself, "
                 "or another one",
                 output->path, length > 0 ? " to " : "", target);
}

/* Check that the final name is free, or a file that may be replaced. */
static th_status check_free(const struct th_output *output,
                            struct th_error *err)
{
  struct stat s;
  if (fstatat(output->folder, th_file_name(output->path), &s,
              AT_SYMLINK_NOFOLLOW) != 0)
    return TH_OK;
  if (S_ISDIR(s.st_mode))
    return th_fail(err, TH_EIO, "%s: is a folder; name a file in it",
                   output->path);
  if (S_ISLNK(s.st_mode))
    return refuse_link(output, err);
  /* A device or a pipe would be replaced by a plain file of its name. */
  if (!S_ISREG(s.st_mode))
    return th_fail(err, TH_EIO,
                   "%s: neither a file nor a new name; choose another name",
                   output->path);
  if (!output->force)
    return th_fail(err, TH_EIO,
                   "%s exists; give {force} to overwrite it, or another name",
                   output->path);
  return TH_OK;
}

static th_status cannot_write(const struct th_output *output,
                              struct th_error *err)
{
  return th_fail(err, TH_EIO,
                 "cannot write %s: %s; choose a folder that exists and may be "
                 "written to",
                 output->path, strerror(errno));
}

static th_status in_use(const struct th_output *output, struct th_error *err)
{
  return th_fail(err, TH_EIO,
                 "another run is writing %s%s; wait for it or choose another "
                 "name",
                 output->path, output->lock.holder);
}

static th_status in_the_way(const struct th_output *output,
                            struct th_error *err)
{
  return th_fail(err, TH_EIO,
                 "cannot write %s: %s beside it is in the way; remove that, "
                 "or choose another name",
                 output->path, output->partial);
}

/* Is this open file still the one of that name? Another run may have removed
 * or renamed it since it was opened. */
static bool is_named(const struct th_output *output, int file)
{
  struct stat mine;
  struct stat there;
  return fstat(file, &mine) == 0 && S_ISREG(mine.st_mode) &&
         fstatat(output->folder, output->partial, &there,
                 AT_SYMLINK_NOFOLLOW) == 0 &&
         mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

/* Lock an open file, and see that it is the one of that name. */
static th_status take(struct th_output *output, int file, struct th_error *err)
{
  switch (th_lock_take(&output->lock, file, output->folder, output->partial)) {
  case TH_LOCK_HELD:
    return in_use(output, err);
  case TH_LOCK_NEVER:
    return th_fail(err, TH_EIO,
                   "cannot write %s: nothing can be locked in its folder (%s); "
                   "choose another folder",
                   output->path, strerror(errno));
  case TH_LOCK_MINE:
    break;
  }
  return TH_OK;
}

/* A partial file that can be locked belongs to no run, and is removed. */
static th_status remove_stale(struct th_output *output, struct th_error *err)
{
  int file = openat(output->folder, output->partial,
                    O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return errno == ENOENT ? TH_OK : in_the_way(output, err);
  th_status rc = take(output, file, err);
  if (rc == TH_OK && !is_named(output, file))
    rc = in_the_way(output, err);
  if (rc == TH_OK)
    th_interrupt_own_remove(output->folder, output->partial);
  th_lock_end(&output->lock);
  close(file);
  return rc;
}

static th_status lock(struct th_output *output, struct th_error *err)
{
  output->file = th_interrupt_own_open(output->folder, output->partial);
  if (output->file < 0 && errno == EEXIST) {
    th_status rc = remove_stale(output, err);
    if (rc != TH_OK)
      return rc;
    output->file = th_interrupt_own_open(output->folder, output->partial);
    if (output->file < 0 && errno == EEXIST)
      return in_use(output, err);
  }
  if (output->file < 0)
    return cannot_write(output, err);
  th_status rc = take(output, output->file, err);
  if (rc == TH_OK && is_named(output, output->file))
    return TH_OK;
  th_interrupt_own_forget(output->folder, output->partial);
  return rc != TH_OK ? rc : in_use(output, err);
}

/* Release everything but the file itself. */
static void release(struct th_output *output)
{
  if (output->text != NULL && output->text != stdout)
    fclose(output->text);
  th_lock_end(&output->lock);
  if (output->file >= 0)
    close(output->file);
  if (output->folder >= 0)
    close(output->folder);
  TH_FREE(output->path, output->partial);
  *output = (struct th_output){.folder = -1, .file = -1};
}

static th_status open_folder(struct th_output *output, struct th_error *err)
{
  char *folder = NULL;
  th_status rc = th_file_folder(output->path, &folder, err);
  if (rc != TH_OK)
    return rc;
  output->folder = open(folder[0] != '\0' ? folder : ".",
                        O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free(folder);
  return output->folder < 0 ? cannot_write(output, err) : TH_OK;
}

static th_status begin(struct th_output *output, const char *path, bool force,
                       struct th_error *err)
{
  const char *name = th_file_name(path);
  th_status rc = TH_OK;
  *output = (struct th_output){.folder = -1, .file = -1, .force = force};
  TH_TRY(th_file_text(&output->path, err, "%s", path));
  if (strcmp(path, "-") == 0)
    return TH_OK;
  if (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
    return th_fail(err, TH_EIO, "%s: is a folder; name a file in it", path);
  TH_TRY(open_folder(output, err));
  TH_TRY(check_free(output, err));
  TH_TRY(th_file_text(&output->partial, err, ".%s.partial", name));
  rc = lock(output, err);
  if (rc != TH_OK) { /* it belongs to another run */
    free(output->partial);
    output->partial = NULL;
  }
done:
  return rc;
}

th_status th_output_begin_text(struct th_output *output, const char *path,
                               bool force, struct th_error *err)
{
  th_status rc = begin(output, path, force, err);
  if (rc != TH_OK)
    release(output);
  return rc;
}

th_status th_output_begin(struct th_output *output, const char *path,
                          bool force, struct th_error *err)
{
  if (strcmp(path, "-") != 0)
    return th_output_begin_text(output, path, force, err);
  *output = (struct th_output){.folder = -1, .file = -1};
  return th_fail(err, TH_EUSAGE,
                 "-: an HDF5 file cannot go to the standard output; name a "
                 "file");
}

th_status th_output_write(struct th_output *output, const void *data,
                          int64_t bytes, struct th_error *err)
{
  return th_file_write_whole(output->file, output->path, data, bytes, err);
}

th_status th_output_text(struct th_output *output, struct th_error *err)
{
  output->text = stdout;
  if (output->partial == NULL)
    return TH_OK;
  int file = fcntl(output->file, F_DUPFD_CLOEXEC, 0);
  output->text = file < 0 ? NULL : fdopen(file, "w");
  if (output->text != NULL)
    return TH_OK;
  if (file >= 0)
    close(file);
  return th_fail(err, TH_EIO, "cannot write %s: %s", output->path,
                 strerror(errno));
}

/* End the printed text. A failed write is noticed here at the latest. */
static th_status end_text(struct th_output *output, struct th_error *err)
{
  FILE *text = output->text;
  output->text = NULL;
  if (text == NULL)
    return TH_OK;
  bool good = !ferror(text);
  errno = 0;
  good = (text == stdout ? fflush(text) : fclose(text)) == 0 && good;
  if (good)
    return TH_OK;
  return th_fail(err, TH_EIO, "cannot write %s%s%s",
                 th_output_name(output->path), errno != 0 ? ": " : "",
                 errno != 0 ? strerror(errno) : "");
}

th_status th_output_flush(struct th_output *output, struct th_error *err)
{
  th_status rc = end_text(output, err);
  if (rc != TH_OK || output->partial == NULL)
    return rc;
  return th_file_flush(output->file, output->path, err);
}

th_status th_output_rename(struct th_output *output, struct th_error *err)
{
  if (output->partial == NULL)
    return TH_OK;
  th_status rc = check_free(output, err); /* a file may have appeared since */
  if (rc == TH_OK && !is_named(output, output->file))
    rc = in_the_way(output, err);
  if (rc == TH_OK && th_interrupt_own_rename(output->folder, output->partial,
                                             th_file_name(output->path)) != 0)
    rc = th_fail(err, TH_EIO, "cannot write %s: %s", output->path,
                 strerror(errno));
  if (rc != TH_OK)
    return rc;
  /* From here on the output exists: nothing below takes it back. */
  free(output->partial);
  output->partial = NULL;
  return th_file_flush(output->folder, output->path, err);
}

bool th_output_rivals(const struct th_output *output, const char *name,
                      char holder[TH_LOCK_HOLDER])
{
  struct th_error ignored = {0};
  char *partial = NULL;
  holder[0] = '\0';
  if (th_file_text(&partial, &ignored, ".%s.partial", name) != TH_OK)
    return true;
  bool held = th_lock_held(output->folder, partial, holder);
  free(partial);
  return held;
}

void th_output_note(const struct th_output *output, char note[TH_LOCK_NOTE])
{
  note[0] = '\0';
  if (output->partial != NULL)
    th_lock_note(&output->lock, output->path, note);
}

th_status th_output_commit(struct th_output *output, struct th_error *err)
{
  th_status rc = th_output_flush(output, err);
  if (rc == TH_OK)
    rc = th_output_rename(output, err);
  if (rc == TH_OK)
    release(output);
  return rc;
}

void th_output_abort(struct th_output *output)
{
  if (output->path == NULL)
    return;
  if (output->partial != NULL)
    th_interrupt_own_remove(output->folder, output->partial);
  release(output);
}
