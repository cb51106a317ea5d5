/* temporary.c - temporary files in the folder of an output
 * SPDX-License-Identifier: MIT */
#include "io/temporary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Bytes of the folder's part of a path; 0: the working folder. */
static int folder_length(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash == NULL ? 0 : (int)(slash - path + 1);
}

static char *format_path(const char *output, const char *purpose)
{
  int folder = folder_length(output);
  const char *name = output + folder;
  size_t size = strlen(output) + strlen(purpose) + sizeof "..-XXXXXX";
  char *path = malloc(size);
  if (path != NULL)
    snprintf(path, size, "%.*s.%s.%s-XXXXXX", folder, output, name, purpose);
  return path;
}

th_status th_temporary_open(const char *output, const char *purpose,
                            char **path, int *fd, struct th_error *err)
{
  char *made = format_path(output, purpose);
  if (made == NULL)
    return th_fail(err, TH_ENOMEM, "no memory for a file name");
  *fd = mkstemp(made);
  if (*fd < 0) {
    int folder = folder_length(output);
    th_fail(err, TH_EIO,
            "folder %.*s: no temporary file can be made (%s); choose another "
            "folder for the output",
            folder > 0 ? folder : 1, folder > 0 ? output : ".",
            strerror(errno));
    free(made);
    return TH_EIO;
  }
  if (path != NULL) {
    *path = made;
    return TH_OK;
  }
  unlink(made);
  free(made);
  return TH_OK;
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
  if (left >= (double)bytes)
    return TH_OK;
  return th_fail(err, TH_EIO,
                 "folder %s: %.0f MB are free, %s needs about %.0f MB; make "
                 "room or choose another folder",
                 name, left / 1e6, what, (double)bytes / 1e6);
}

th_status th_write_all(int fd, const void *data, int64_t bytes,
                       const char *name, struct th_error *err)
{
  const char *p = data;
  while (bytes > 0) {
    ssize_t done = write(fd, p, (size_t)bytes);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return th_fail(err, TH_EIO, "%s: %s; make room or choose another folder",
                     name, done < 0 ? strerror(errno) : "nothing was written");
    p += done;
    bytes -= done;
  }
  return TH_OK;
}

th_status th_read_all(int fd, void *data, int64_t bytes, int64_t offset,
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
      return th_fail(err, TH_EIO,
                     "%s: ends earlier than before; leave the file alone "
                     "while it is in use",
                     name);
    p += done;
    bytes -= done;
    offset += done;
  }
  return TH_OK;
}
