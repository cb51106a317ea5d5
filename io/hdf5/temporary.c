/* temporary.c - temporary files in the folder of an output
 * SPDX-License-Identifier: MIT */
#include "io/hdf5/temporary.h"

#include "core/memory.h"
#include "io/hdf5/interrupt.h"
#include "io/hdf5/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

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

/* Lock a file as long as it has a name: see th_temporary_clean. False if
 * another run has removed it already. Where nothing can be locked, it is as it
 * is. */
static bool lock(int fd, const char *path)
{
  struct th_lock lock;
  struct stat s;
  bool held = th_lock_take(&lock, fd, AT_FDCWD, path) == TH_LOCK_HELD;
  if (held || fstat(fd, &s) != 0 || s.st_nlink == 0) {
    th_lock_end(&lock);
    return false;
  }
  free(lock.record); /* which ends with the file's name */
  return true;
}

/* A file that keeps its name: made anew until no other run has taken it for
 * that of a killed one. */
static void make_named(char *path, int *fd)
{
  size_t random = strlen(path) - strlen(random_part);
  while ((*fd = th_interrupt_own_temporary(path)) >= 0 && !lock(*fd, path)) {
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

th_status th_temporary_open(const char *output, const char *purpose,
                            char **path, int *fd, struct th_error *err)
{
  th_temporary_clean(output);
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

void th_temporary_remove(const char *path)
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
static void remove_stale(int folder, const char *name)
{
  struct th_lock lock;
  struct stat s;
  int file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return;
  if (fstat(file, &s) == 0 && S_ISREG(s.st_mode) &&
      th_lock_take(&lock, file, folder, name) == TH_LOCK_MINE) {
    unlinkat(folder, name, 0);
    th_lock_end(&lock);
  }
  close(file);
}

void th_temporary_clean(const char *output)
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
      remove_stale(dirfd(names), e->d_name);
  if (names != NULL)
    closedir(names);
}

th_status th_temporary_space(const char *output, int64_t bytes,
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
                 name, th_memory_size_text((int64_t)left, free_text), what,
                 th_memory_size_text(bytes, needed));
}

th_status th_temporary_write(int fd, const void *data, int64_t bytes,
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

th_status th_temporary_ended(const char *name, struct th_error *err)
{
  return th_fail(err, TH_EIO,
                 "%s: ends earlier than before; leave the file alone "
                 "while it is in use",
                 name);
}

th_status th_temporary_read(int fd, void *data, int64_t bytes, int64_t offset,
                            const char *name, struct th_error *err)
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
      return th_temporary_ended(name, err);
    p += done;
    bytes -= done;
    offset += done;
  }
  return TH_OK;
}
