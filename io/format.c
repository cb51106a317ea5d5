/* format.c - what kind of file a path names, and of which version
 * SPDX-License-Identifier: MIT */
#include "io/format.h"

#include "io/decompress.h"
#include "io/file.h"
#include "io/master.h"
#include "io/model_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kind {
  const char *format; /* attribute of the root */
  const char *noun;
  const char *remedy; /* when it is what was wanted */
};

static const struct kind kinds[] = {
    {TH_FORMAT_MASTER, "data set",
     "give a data set made by thresher import or thresher generate"},
    {TH_FORMAT_MODEL, "model", "give a model file made by thresher train"},
    {TH_FORMAT_SHARD, "shard", "put the shard's own file back"},
};

static const struct kind *find_kind(const char *format)
{
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (strcmp(kinds[k].format, format) == 0)
      return &kinds[k];
  return NULL;
}

static th_status check_version(const struct th_h5 *h5, struct th_error *err)
{
  int64_t major = 0;
  int64_t minor = 0;
  th_status rc = th_h5_get_i64(h5, "/", TH_A_MAJOR, &major, err);
  if (rc == TH_OK)
    rc = th_h5_get_i64(h5, "/", TH_A_MINOR, &minor, err);
  if (rc != TH_OK || major == TH_FORMAT_MAJOR)
    return rc;
  return th_fail(
      err, TH_EFORMAT, "%s has format %lld.%lld, this program reads %d.x; %s",
      h5->name, (long long)major, (long long)minor, TH_FORMAT_MAJOR,
      major > TH_FORMAT_MAJOR ? "update thresher" : "make the file again");
}

th_status th_format_check(const struct th_h5 *h5, const char *format,
                          struct th_error *err)
{
  struct th_error ignored = {0};
  const struct kind *wanted = find_kind(format);
  char *found = NULL;
  th_status rc = TH_OK;
  if (th_h5_get_text(h5, "/", TH_A_FORMAT, &found, &ignored) != TH_OK)
    return th_fail(err, TH_EFORMAT, "%s is not a thresher %s; %s", h5->name,
                   wanted->noun, wanted->remedy);
  const struct kind *is = find_kind(found);
  if (is == wanted)
    rc = check_version(h5, err);
  else
    rc = th_fail(err, TH_EFORMAT, "%s is a %s, not a %s; %s", h5->name,
                 is != NULL ? is->noun : "file of another kind", wanted->noun,
                 wanted->remedy);
  free(found);
  return rc;
}

th_status th_file_check(const char *path, const char *name,
                        struct th_error *err)
{
  struct stat s;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &s) != 0) {
    th_fail(err, TH_EIO, "cannot open %s: %s", name, strerror(errno));
    if (file >= 0)
      close(file);
    return err->code;
  }
  close(file);
  if (S_ISDIR(s.st_mode))
    return th_fail(err, TH_EIO, "%s is a folder; name a file", name);
  return TH_OK;
}

/* The kind of an HDF5 file, if it is one of ours. */
static enum th_file_kind kind_of(const struct th_h5 *h5)
{
  struct th_error ignored = {0};
  enum th_file_kind kind = TH_FILE_HDF5;
  char *found = NULL;
  if (th_h5_get_text(h5, "/", TH_A_FORMAT, &found, &ignored) != TH_OK)
    return kind;
  if (strcmp(found, TH_FORMAT_MASTER) == 0)
    kind = TH_FILE_DATASET;
  if (strcmp(found, TH_FORMAT_MODEL) == 0)
    kind = TH_FILE_MODEL;
  if (strcmp(found, TH_FORMAT_SHARD) == 0)
    kind = TH_FILE_SHARD;
  free(found);
  return kind;
}

/* Text has no control characters but blanks and ends of lines. */
static bool is_text(const unsigned char *head, int64_t bytes)
{
  for (int64_t k = 0; k < bytes; k++)
    if ((head[k] < ' ' && strchr("\t\n\r\f", head[k]) == NULL) ||
        head[k] == '\0')
      return false;
  return bytes > 0;
}

/* The kind of a file that is not HDF5. */
static enum th_file_kind kind_of_others(int fd, const char *name)
{
  enum { HEAD = 4096 };
  unsigned char head[HEAD];
  enum th_codec codec = TH_CODEC_NONE;
  struct th_error ignored = {0};
  ssize_t got = pread(fd, head, sizeof head, 0);
  bool packed = th_codec_find(fd, name, &codec, &ignored) == TH_OK &&
                codec != TH_CODEC_NONE;
  return packed || is_text(head, got) ? TH_FILE_TEXT : TH_FILE_OTHER;
}

th_status th_file_kind(const char *path, enum th_file_kind *kind,
                       struct th_error *err)
{
  struct th_h5 h5 = {0};
  struct th_error ignored = {0};
  th_status rc = th_file_check(path, path, err);
  if (rc != TH_OK)
    return rc;
  *kind = TH_FILE_OTHER;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (th_h5_open(&h5, path, path, &ignored) == TH_OK)
    *kind = kind_of(&h5);
  else if (fd >= 0)
    *kind = kind_of_others(fd, path);
  th_h5_close(&h5, &ignored);
  if (fd >= 0)
    close(fd);
  return TH_OK;
}
