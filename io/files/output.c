/* output.c - a file appears under its final name whole, or not at all
 * SPDX-License-Identifier: MIT */
#include "io/files/output.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/printable.h"
#include "io/files/file.h"
#include "io/files/hash.h"
#include "io/files/interrupt.h"
#include "io/files/lock.h"
#include "model/model.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static th_status lock_partial(struct th_output *output, struct th_error *err);

enum { LINK_TEXT = 256 };

const char *th_output_name(const char *path)
{
  return strcmp(path, "-") == 0 ? "the standard output" : path;
}

/* A symbolic link is refused. To replace it would leave its target as it was;
 * to follow it would overwrite a file elsewhere. */
static th_status refuse_symlink(const struct th_output *output,
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
    return refuse_symlink(output, err);
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
static bool is_still_named(const struct th_output *output, int file)
{
  struct stat mine;
  struct stat there;
  return fstat(file, &mine) == 0 && S_ISREG(mine.st_mode) &&
         fstatat(output->folder, output->partial, &there,
                 AT_SYMLINK_NOFOLLOW) == 0 &&
         mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

/* Lock an open file, and see that it is the one of that name. */
static th_status lock_file(struct th_output *output, int file,
                           struct th_error *err)
{
  switch (th_lock_try(&output->lock, file, output->folder, output->partial)) {
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
  th_status rc = lock_file(output, file, err);
  if (rc == TH_OK && !is_still_named(output, file))
    rc = in_the_way(output, err);
  if (rc == TH_OK)
    th_interrupt_own_remove(output->folder, output->partial);
  th_lock_end(&output->lock);
  close(file);
  return rc;
}

static th_status lock_partial(struct th_output *output, struct th_error *err)
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
  th_status rc = lock_file(output, output->file, err);
  if (rc == TH_OK && is_still_named(output, output->file))
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
  rc = lock_partial(output, err);
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
  if (rc == TH_OK && !is_still_named(output, output->file))
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

/* --- Temporary files in the folder of an output --------------------------- */

static const char random_part[] = "XXXXXX"; /* for mkstemp */

/* Return the length of the folder's part of a path; 0: the working folder. */
static int folder_length(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash == NULL ? 0 : (int)(slash - path + 1);
}

static char *format_path(const char *output, const char *purpose)
{
  int folder = folder_length(output);
  const char *name = output + folder;
  size_t size =
      strlen(output) + strlen(purpose) + sizeof "..-" + strlen(random_part);
  char *path = malloc(size);
  if (path != NULL)
    snprintf(path, size, "%.*s.%s.%s-%s", folder, output, name, purpose,
             random_part);
  return path;
}

static th_status cannot_make(const char *output, struct th_error *err)
{
  int folder = folder_length(output);
  return th_fail(err, TH_EIO,
                 "folder %.*s: no temporary file can be made (%s); choose "
                 "another folder for the output",
                 folder > 0 ? folder : 1, folder > 0 ? output : ".",
                 strerror(errno));
}

/* Lock a file as long as it has a name: see th_output_temporary_clean. False if
 * another run has removed it already. Where nothing can be locked, it is as it
 * is. */
static bool temporary_lock(int fd, const char *path)
{
  struct th_lock temporary_lock;
  struct stat s;
  bool held = th_lock_try(&temporary_lock, fd, AT_FDCWD, path) == TH_LOCK_HELD;
  if (held || fstat(fd, &s) != 0 || s.st_nlink == 0) {
    th_lock_end(&temporary_lock);
    return false;
  }
  free(temporary_lock.record); /* which ends with the file's name */
  return true;
}

/* A file that keeps its name: made anew until no other run has taken it for
 * that of a killed one. */
static void make_named(char *path, int *fd)
{
  size_t random = strlen(path) - strlen(random_part);
  while ((*fd = th_interrupt_own_temporary(path)) >= 0 &&
         !temporary_lock(*fd, path)) {
    th_interrupt_own_remove(AT_FDCWD, path);
    close(*fd);
    memcpy(path + random, random_part, strlen(random_part));
  }
}

static void make_nameless(char *path, int *fd)
{
  *fd = th_interrupt_own_temporary(path);
  if (*fd >= 0)
    th_interrupt_own_remove(AT_FDCWD, path);
}

th_status th_output_temporary_open(const char *output, const char *purpose,
                                   char **path, int *fd, struct th_error *err)
{
  th_output_temporary_clean(output);
  char *made = format_path(output, purpose);
  if (made == NULL)
    return th_fail(err, TH_ENOMEM, "no memory for a file name");
  (path != NULL ? make_named : make_nameless)(made, fd);
  if (*fd < 0)
    cannot_make(output, err);
  if (*fd >= 0 && path != NULL)
    *path = made;
  else
    free(made);
  return *fd >= 0 ? TH_OK : err->code;
}

void th_output_temporary_remove(const char *path)
{
  th_lock_forget(AT_FDCWD, path); /* a file without one counts as left */
  th_interrupt_own_remove(AT_FDCWD, path);
}

/* Say whether a name is .NAME.PURPOSE-XXXXXX with one of the purposes. */
static bool is_temporary(const char *name, const char *output)
{
  static const char *const purposes[] = {TH_FOR_TEXT, TH_FOR_SPILL};
  size_t length = strlen(output);
  if (name[0] != '.' || strncmp(name + 1, output, length) != 0 ||
      name[1 + length] != '.')
    return false;
  const char *rest = name + 2 + length;
  for (size_t k = 0; k < sizeof purposes / sizeof *purposes; k++) {
    size_t purpose = strlen(purposes[k]);
    if (strncmp(rest, purposes[k], purpose) == 0 && rest[purpose] == '-' &&
        strlen(rest + purpose) == strlen(random_part) + 1)
      return true;
  }
  return false;
}

/* Remove a file that can be locked, since no run uses it. */
static void temporary_remove_stale(int folder, const char *name)
{
  struct th_lock lock;
  struct stat s;
  int file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return;
  if (fstat(file, &s) == 0 && S_ISREG(s.st_mode) &&
      th_lock_try(&lock, file, folder, name) == TH_LOCK_MINE) {
    unlinkat(folder, name, 0);
    th_lock_end(&lock);
  }
  close(file);
}

void th_output_temporary_clean(const char *output)
{
  int length = folder_length(output);
  char folder[PATH_MAX];
  if (length >= PATH_MAX)
    return;
  snprintf(folder, sizeof folder, "%.*s", length > 0 ? length : 1,
           length > 0 ? output : ".");
  DIR *names = opendir(folder);
  struct dirent *e = names != NULL ? readdir(names) : NULL;
  for (; e != NULL; e = readdir(names))
    if (is_temporary(e->d_name, output + length))
      temporary_remove_stale(dirfd(names), e->d_name);
  if (names != NULL)
    closedir(names);
}

th_status th_output_temporary_space(const char *output, int64_t bytes,
                                    const char *what, struct th_error *err)
{
  struct statvfs space;
  int folder = folder_length(output);
  char name[4096];
  snprintf(name, sizeof name, "%.*s", folder > 0 ? folder : 1,
           folder > 0 ? output : ".");
  if (statvfs(name, &space) != 0)
    return th_fail(err, TH_EIO,
                   "folder %s: %s; choose another folder for the output", name,
                   strerror(errno));
  double left = (double)space.f_bavail * (double)space.f_frsize;
  char free_text[TH_SIZE_TEXT];
  char needed[TH_SIZE_TEXT];
  if (left >= (double)bytes)
    return TH_OK;
  return th_fail(err, TH_EIO,
                 "folder %s: %s are free, %s needs about %s; make room or "
                 "choose another folder",
                 name, th_printable_size((int64_t)left, free_text), what,
                 th_printable_size(bytes, needed));
}

th_status th_output_temporary_write(int fd, const void *data, int64_t bytes,
                                    const char *name, struct th_error *err)
{
  const char *p = data;
  while (bytes > 0) {
    ssize_t done = write(fd, p, (size_t)bytes);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return th_fail(err, TH_EIO,
                     "%s: %s; make room%s or choose another folder", name,
                     done < 0 ? strerror(errno) : "nothing was written",
                     done < 0 && errno == EFBIG ? ", raise ulimit -f" : "");
    p += done;
    bytes -= done;
  }
  return TH_OK;
}

th_status th_output_temporary_ended(const char *name, struct th_error *err)
{
  return th_fail(err, TH_EIO,
                 "%s: ends earlier than before; leave the file alone "
                 "while it is in use",
                 name);
}

th_status th_output_temporary_read(int fd, void *data, int64_t bytes,
                                   int64_t offset, const char *name,
                                   struct th_error *err)
{
  char *p = data;
  while (bytes > 0) {
    ssize_t done = pread(fd, p, (size_t)bytes, (off_t)offset);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return th_fail(err, TH_EIO, "%s: %s; check the file", name,
                     strerror(errno));
    if (done == 0)
      return th_output_temporary_ended(name, err);
    p += done;
    bytes -= done;
    offset += done;
  }
  return TH_OK;
}

/* --- Which paths lead to one file, and where a data set keeps its shards */

int th_output_path_stem(const char *path)
{
  static const char end[] = ".h5";
  size_t length = strlen(path);
  size_t name = strlen(th_file_name(path));
  if (name > strlen(end) && strcmp(path + length - strlen(end), end) == 0)
    length -= strlen(end);
  return (int)length;
}

/* Without memory for a name, no file is found. */
static bool stat_folder(const char *path, struct stat *s)
{
  struct th_error ignored = {0};
  char *folder = NULL;
  if (th_file_folder(path, &folder, &ignored) != TH_OK)
    return false;
  bool found = stat(folder[0] != '\0' ? folder : ".", s) == 0;
  free(folder);
  return found;
}

static bool is_one(const struct stat *a, const struct stat *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool th_output_path_beside(const char *a, const char *b)
{
  struct stat x;
  struct stat y;
  return stat_folder(a, &x) && stat_folder(b, &y) && is_one(&x, &y);
}

bool th_output_path_same(const char *a, const char *b)
{
  struct stat x;
  struct stat y;
  if (strcmp(a, b) == 0)
    return true;
  if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) /* no names of files */
    return false;
  if (stat(a, &x) == 0 && stat(b, &y) == 0 && is_one(&x, &y))
    return true;
  return strcmp(th_file_name(a), th_file_name(b)) == 0 &&
         th_output_path_beside(a, b);
}

bool th_output_path_among_shards(const char *path, const char *master)
{
  struct th_error ignored = {0};
  char *shard = NULL;
  if (th_file_text(&shard, &ignored, "%.*s.shards/",
                   th_output_path_stem(master), master) != TH_OK)
    return false;
  bool among = th_output_path_beside(path, shard);
  free(shard);
  return among;
}

/* --- The checksum behind a small HDF5 file -------------------------------- */

enum { MARK = 8, SEAL = MARK + sizeof(uint64_t) };

static const char mark[MARK + 1] = "THRSEAL1";

/* The 16 bytes; the hash with its lowest byte first. */
static void make_seal(uint64_t hash, unsigned char seal[SEAL])
{
  memcpy(seal, mark, MARK);
  for (int k = MARK; k < SEAL; k++, hash >>= 8)
    seal[k] = (unsigned char)(hash & 255);
}

bool th_output_seal_add(void **room, int64_t *bytes)
{
  unsigned char *larger = realloc(*room, (size_t)*bytes + SEAL);
  if (larger == NULL)
    return false;
  make_seal(th_hash(larger, (size_t)*bytes), larger + *bytes);
  *room = larger;
  *bytes += SEAL;
  return true;
}

/* *holds: the bytes of a file are those that its seal was made of. False, with
 * errno, when they cannot be read. */
static bool check_seal(int file, bool *holds)
{
  unsigned char wanted[SEAL];
  unsigned char found[SEAL];
  struct stat s;
  uint64_t hash = 0;
  *holds = false;
  if (fstat(file, &s) != 0)
    return false;
  int64_t bytes = (int64_t)s.st_size - SEAL;
  if (bytes <= 0)
    return true;
  errno = EIO; /* if there are fewer bytes than that by now */
  if (pread(file, found, SEAL, (off_t)bytes) != SEAL ||
      !th_hash_first(file, bytes, &hash))
    return false;
  make_seal(hash, wanted);
  *holds = memcmp(wanted, found, SEAL) == 0;
  return true;
}

th_status th_output_seal_check(const char *path, bool *holds,
                               struct th_error *err)
{
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  bool read = file >= 0 && check_seal(file, holds);
  th_status rc = TH_OK;
  if (!read)
    rc = th_fail(err, TH_EIO, "%s cannot be read: %s", path, strerror(errno));
  if (file >= 0)
    close(file);
  return rc;
}
