/* checkpoint_log.c - a text that grows with the run, beside its checkpoints
 * SPDX-License-Identifier: MIT */
#include "io/checkpoint/checkpoint_log.h"

#include "base/error.h"
#include "base/integer.h"
#include "base/memory.h"
#include "io/checkpoint/checkpoint.h"
#include "io/files/file.h"
#include "io/files/hash.h"
#include "io/files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PART = 64 << 10, TAIL = 4096 };

static th_status fail_log(const struct th_checkpoint *checkpoint,
                          const char *what, struct th_error *err)
{
  return th_fail(err, TH_EIO, "cannot %s %s/%s: %s", what, checkpoint->path,
                 TH_CHECKPOINT_LOG, strerror(errno));
}

/* Hash the end of the first bytes of a file. */
static th_status hash_tail(int file, int64_t bytes, int64_t *tail,
                           struct th_error *err)
{
  char end[TAIL];
  int64_t some = th_min_i64(bytes, TAIL);
  th_status rc = th_output_temporary_read(file, end, some, bytes - some,
                                          TH_CHECKPOINT_LOG, err);
  if (rc == TH_OK)
    *tail = (int64_t)(th_hash(end, (size_t)some) >> 32);
  return rc;
}

/* Copy bytes [first, last) of a file to the same place in the log. */
static th_status copy_bytes(int file, int log, int64_t first, int64_t last,
                            struct th_error *err)
{
  char *part = NULL;
  th_status rc = TH_NEW(&part, PART, "the telemetry", err);
  for (int64_t at = first; rc == TH_OK && at < last; at += PART) {
    int64_t bytes = th_min_i64(last - at, PART);
    rc = th_output_temporary_read(file, part, bytes, at, "the telemetry", err);
    if (rc == TH_OK)
      rc = th_file_write_whole(log, TH_CHECKPOINT_LOG, part, bytes, err);
  }
  free(part);
  return rc;
}

th_status th_checkpoint_log_add(const struct th_checkpoint *checkpoint,
                                int file, int64_t bytes,
                                struct th_checkpoint_text *text,
                                struct th_error *err)
{
  th_status rc = TH_OK;
  int log =
      openat(checkpoint->folder, TH_CHECKPOINT_LOG,
             O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (log < 0 || ftruncate(log, (off_t)text->bytes) != 0 ||
      lseek(log, (off_t)text->bytes, SEEK_SET) < 0)
    rc = fail_log(checkpoint, "write", err);
  if (rc == TH_OK)
    rc = copy_bytes(file, log, text->bytes, bytes, err);
  if (rc == TH_OK)
    rc = hash_tail(log, bytes, &text->tail, err);
  if (rc == TH_OK)
    rc = th_file_flush(log, TH_CHECKPOINT_LOG, err);
  if (rc == TH_OK)
    text->bytes = bytes;
  if (log >= 0)
    close(log);
  return rc;
}

static th_status check_tail(int log, const struct th_checkpoint_text *text,
                            struct th_error *err)
{
  int64_t tail = 0;
  th_status rc = hash_tail(log, text->bytes, &tail, err);
  if (rc == TH_OK && tail != text->tail)
    rc = th_fail(err, TH_EFORMAT, "%s is of another run", TH_CHECKPOINT_LOG);
  return rc;
}

static th_status print(int log, int64_t bytes, FILE *to, struct th_error *err)
{
  char *part = NULL;
  th_status rc = TH_NEW(&part, PART, "the telemetry", err);
  for (int64_t at = 0; rc == TH_OK && at < bytes; at += PART) {
    int64_t some = th_min_i64(bytes - at, PART);
    rc = th_output_temporary_read(log, part, some, at, TH_CHECKPOINT_LOG, err);
    if (rc == TH_OK)
      fwrite(part, 1, (size_t)some, to); /* a failure is noticed at the end */
  }
  free(part);
  return rc;
}

th_status th_checkpoint_log_print(const struct th_checkpoint *checkpoint,
                                  const struct th_checkpoint_text *text,
                                  FILE *to, struct th_error *err)
{
  int log = openat(checkpoint->folder, TH_CHECKPOINT_LOG,
                   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (log < 0)
    return fail_log(checkpoint, "read", err);
  th_status rc = check_tail(log, text, err);
  if (rc == TH_OK)
    rc = print(log, text->bytes, to, err);
  close(log);
  return rc;
}
