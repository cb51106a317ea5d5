/* file.c - paths, whole writes, room on disk, folders
 * SPDX-License-Identifier: MIT */
#include "io/file.h"

#include "core/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

th_status th_text(char **out, struct th_error *err, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = NULL;
  th_status rc = TH_NEW(&text, (int64_t)length + 1, "a text", err);
  if (rc != TH_OK)
    return rc;
  va_start(args, format);
  vsnprintf(text, (size_t)length + 1, format, args);
  va_end(args);
  *out = text;
  return TH_OK;
}

const char *th_path_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

th_status th_path_folder(const char *path, char **folder, struct th_error *err)
{
  int length = (int)(th_path_name(path) - path);
  return th_text(folder, err, "%.*s", length, path);
}

const char *th_size_text(int64_t bytes, char text[TH_SIZE_TEXT])
{
  static const char *const units[] = {"kB", "MB", "GB", "TB", "PB"};
  double size = (double)bytes / 1000.0;
  size_t unit = 0;
  while (size >= 999.95 && unit + 1 < sizeof units / sizeof *units) {
    size /= 1000.0;
    unit++;
  }
  snprintf(text, TH_SIZE_TEXT, "%.1f %s", size, units[unit]);
  return text;
}

th_status th_no_space(const char *name, int64_t needed, struct th_error *err)
{
  char text[TH_SIZE_TEXT];
  return th_fail(err, TH_EIO,
                 "%s: no space left (needs about %s; free some or write "
                 "elsewhere)",
                 name, th_size_text(needed, text));
}

th_status th_space_check(const char *path, int64_t needed, struct th_error *err)
{
  struct statvfs disk;
  char *folder = NULL;
  th_status rc = th_path_folder(path, &folder, err);
  if (rc != TH_OK)
    return rc;
  if (statvfs(folder[0] != '\0' ? folder : ".", &disk) == 0 &&
      (double)disk.f_bavail * (double)disk.f_frsize < (double)needed)
    rc = th_no_space(path, needed, err);
  free(folder);
  return rc;
}

th_status th_reserve(const char *path, const char *name, int64_t bytes,
                     int64_t needed, struct th_error *err)
{
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0)
    return th_fail(err, TH_EIO, "cannot open %s: %s", name, strerror(errno));
  int code = posix_fallocate(file, 0, (off_t)bytes);
  close(file);
  if (code == ENOSPC || code == EFBIG || code == EDQUOT)
    return th_no_space(name, needed, err);
  return TH_OK;
}

static int write_all(int file, const char *data, int64_t bytes)
{
  while (bytes > 0) {
    size_t part = bytes < 1 << 30 ? (size_t)bytes : (size_t)1 << 30;
    ssize_t done = write(file, data, part);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return errno;
    data += done;
    bytes -= done;
  }
  return 0;
}

th_status th_write_whole(const char *path, const char *name, const void *data,
                         int64_t bytes, struct th_error *err)
{
  int file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (file < 0)
    return th_fail(err, TH_EIO, "cannot open %s: %s", name, strerror(errno));
  int code = write_all(file, data, bytes);
  if (code == 0 && fsync(file) != 0)
    code = errno;
  if (close(file) != 0 && code == 0)
    code = errno;
  if (code == ENOSPC || code == EFBIG || code == EDQUOT)
    return th_no_space(name, bytes, err);
  if (code != 0)
    return th_fail(err, TH_EIO, "cannot write %s: %s", name, strerror(code));
  return TH_OK;
}

th_status th_flush(const char *path, struct th_error *err)
{
  int file = open(path, O_RDONLY | O_CLOEXEC);
  int code = file < 0 ? errno : 0;
  /* Some file systems cannot flush a folder; that is no failure. */
  if (file >= 0 && fsync(file) != 0 && errno != EINVAL && errno != ENOTSUP)
    code = errno;
  if (file >= 0)
    close(file);
  if (code != 0)
    return th_fail(err, TH_EIO, "cannot write %s: %s", path, strerror(code));
  return TH_OK;
}

void th_remove_folder(const char *path)
{
  DIR *folder = opendir(path);
  if (folder == NULL)
    return;
  int at = dirfd(folder);
  for (struct dirent *e = readdir(folder); e != NULL; e = readdir(folder))
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
      unlinkat(at, e->d_name, 0);
  closedir(folder);
  rmdir(path);
}

void th_raise_limit(int which)
{
  struct rlimit limit;
  if (getrlimit(which, &limit) == 0 && limit.rlim_cur != limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(which, &limit);
  }
}

static struct th_identity identity_in(const struct stat *s)
{
  return (struct th_identity){s->st_dev, s->st_ino, s->st_size, s->st_mtim};
}

bool th_identity_of(const char *path, struct th_identity *identity)
{
  struct stat s;
  if (stat(path, &s) != 0)
    return false;
  *identity = identity_in(&s);
  return true;
}

bool th_identity_of_open(int fd, struct th_identity *identity)
{
  struct stat s;
  if (fstat(fd, &s) != 0)
    return false;
  *identity = identity_in(&s);
  return true;
}

bool th_identity_same(const struct th_identity *a, const struct th_identity *b)
{
  return a->device == b->device && a->inode == b->inode && a->size == b->size &&
         a->changed.tv_sec == b->changed.tv_sec &&
         a->changed.tv_nsec == b->changed.tv_nsec;
}
