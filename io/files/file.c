/* file.c - paths, complete writes, room on disk
 * SPDX-License-Identifier: MIT */
#include "io/files/file.h"

#include "base/memory.h"
#include "base/printable.h"
#include "io/files/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

th_status th_file_text(char **out, struct th_error *err, const char *format,
                       ...)
{
  va_list args;
  va_start(args, format);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = NULL;
  th_status rc = TH_NEW(&text, (int64_t)length + 1, "text of a file", err);
  if (rc != TH_OK)
    return rc;
  va_start(args, format);
  vsnprintf(text, (size_t)length + 1, format, args);
  va_end(args);
  *out = text;
  return TH_OK;
}

const char *th_file_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

th_status th_file_folder(const char *path, char **folder, struct th_error *err)
{
  int length = (int)(th_file_name(path) - path);
  return th_file_text(folder, err, "%.*s", length, path);
}

th_status th_file_no_space(const char *name, int64_t needed,
                           struct th_error *err)
{
  char text[TH_SIZE_TEXT];
  return th_fail(err, TH_EIO,
                 "%s: no space left (needs about %s; free some or write "
                 "elsewhere%s)",
                 name, th_printable_size(needed, text),
                 th_file_limit() < needed ? ", or raise ulimit -f" : "");
}

int64_t th_file_limit(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
      limit.rlim_cur > (rlim_t)INT64_MAX)
    return INT64_MAX;
  return (int64_t)limit.rlim_cur;
}

th_status th_file_space_check(const char *path, int64_t needed,
                              struct th_error *err)
{
  struct statvfs disk;
  char *folder = NULL;
  th_status rc = th_file_folder(path, &folder, err);
  if (rc != TH_OK)
    return rc;
  if (statvfs(folder[0] != '\0' ? folder : ".", &disk) == 0 &&
      (double)disk.f_bavail * (double)disk.f_frsize < (double)needed)
    rc = th_file_no_space(path, needed, err);
  free(folder);
  return rc;
}

th_status th_file_reserve(int file, const char *name, int64_t bytes,
                          int64_t needed, struct th_error *err)
{
  int code;
  do
    code = posix_fallocate(file, 0, (off_t)bytes);
  while (code == EINTR);
  if (code == ENOSPC || code == EFBIG || code == EDQUOT)
    return th_file_no_space(name, needed, err);
  return TH_OK;
}

enum { BEHIND = -1 }; /* the offset of what lies behind the last write */

static int write_bytes(int file, const char *data, int64_t bytes, int64_t at)
{
  while (bytes > 0) {
    size_t part = bytes < 1 << 30 ? (size_t)bytes : (size_t)1 << 30;
    ssize_t done = at == BEHIND ? write(file, data, part)
                                : pwrite(file, data, part, (off_t)at);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return errno;
    data += done;
    bytes -= done;
    at += at == BEHIND ? 0 : done;
  }
  return 0;
}

static th_status no_write(const char *name, int code, int64_t needed,
                          struct th_error *err)
{
  if (code == ENOSPC || code == EFBIG || code == EDQUOT)
    return th_file_no_space(name, needed, err);
  return th_fail(err, TH_EIO, "cannot write %s: %s", name, strerror(code));
}

th_status th_file_write_whole(int file, const char *name, const void *data,
                              int64_t bytes, struct th_error *err)
{
  int code = write_bytes(file, data, bytes, BEHIND);
  return code == 0 ? TH_OK : no_write(name, code, bytes, err);
}

th_status th_file_write_at(int file, const char *name, const void *data,
                           int64_t bytes, int64_t offset, int64_t needed,
                           struct th_error *err)
{
  int code = write_bytes(file, data, bytes, offset);
  return code == 0 ? TH_OK : no_write(name, code, needed, err);
}

struct flush {
  int file;
  int code; /* errno after a failure, else 0 */
};

static void *sync_file(void *argument)
{
  struct flush *job = argument;
  do
    job->code = fsync(job->file) == 0 ? 0 : errno;
  while (job->code == EINTR);
  return NULL;
}

/* Flushing may take long, and no signal gets through meanwhile. A thread that
 * waits for another one can be interrupted. */
static int flush_aside(int file)
{
  struct flush job = {.file = file};
  struct th_interrupt_pause pause;
  pthread_t thread;
  th_interrupt_pause(&pause); /* signals are not for the thread */
  int failed = pthread_create(&thread, NULL, sync_file, &job);
  th_interrupt_resume(&pause);
  if (failed == 0)
    pthread_join(thread, NULL);
  else
    sync_file(&job);
  return job.code;
}

th_status th_file_flush(int file, const char *name, struct th_error *err)
{
  int code = flush_aside(file);
  /* Some file systems cannot flush a folder; that is no failure. */
  if (code == 0 || code == EINVAL || code == ENOTSUP)
    return TH_OK;
  if (code == ENOSPC || code == EDQUOT)
    return th_fail(err, TH_EIO,
                   "%s: no space left; free some or write elsewhere", name);
  return th_fail(err, TH_EIO, "cannot write %s: %s", name, strerror(code));
}

void th_file_raise_limit(int which)
{
  struct rlimit limit;
  if (getrlimit(which, &limit) == 0 && limit.rlim_cur != limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(which, &limit);
  }
}

static struct th_identity identity_in(const struct stat *s)
{
  return (struct th_identity){s->st_dev,  s->st_ino,  s->st_size,
                              s->st_mtim, s->st_ctim, s->st_mode};
}

bool th_file_identity_of(const char *path, struct th_identity *identity)
{
  struct stat s;
  if (stat(path, &s) != 0)
    return false;
  *identity = identity_in(&s);
  return true;
}

bool th_file_identity_of_open(int fd, struct th_identity *identity)
{
  struct stat s;
  if (fstat(fd, &s) != 0)
    return false;
  *identity = identity_in(&s);
  return true;
}

static bool same_time(struct timespec a, struct timespec b)
{
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool th_file_identity_same(const struct th_identity *a,
                           const struct th_identity *b)
{
  return a->device == b->device && a->inode == b->inode && a->size == b->size &&
         same_time(a->changed, b->changed);
}

bool th_file_identity_untouched(const struct th_identity *a,
                                const struct th_identity *b)
{
  return th_file_identity_same(a, b) && same_time(a->touched, b->touched);
}
