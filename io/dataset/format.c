/* format.c - what kind of file a path names, and of which version
 * SPDX-License-Identifier: MIT */
#include "io/dataset/format.h"

#include "base/error.h"
#include "base/search.h"
#include "io/files/decompress.h"
#include "io/files/file.h"
#include "io/files/output.h"
#include "io/hdf5/h5.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kind {
  const char *format; /* attribute of the root; first, for TH_SEARCH_NAME */
  enum th_file_kind kind;
  const char *noun;
  const char *remedy; /* what to do if the file should be of this kind */
};

enum { FIRST_SEALED = 3 }; /* minor version */

static const struct kind kinds[] = {
    {TH_FORMAT_MASTER, TH_FILE_DATASET, "data set",
     "give a data set made by thresher import or thresher generate"},
    {TH_FORMAT_MODEL, TH_FILE_MODEL, "model",
     "give a model file made by thresher train"},
    {TH_FORMAT_SHARD, TH_FILE_SHARD, "shard", "put the shard's own file back"},
};

static const struct kind *find_format(const char *format)
{
  int64_t k = TH_SEARCH_NAME(kinds, format);
  return k < 0 ? NULL : &kinds[k];
}

static th_status check_version(const struct th_h5 *h5, struct th_error *err)
{
  int64_t major = 0;
  int64_t minor = 0;
  th_status rc = th_h5_get_i64(h5, "/", TH_A_MAJOR, &major, err);
  if (rc == TH_OK)
    rc = th_h5_get_i64(h5, "/", TH_A_MINOR, &minor, err);
  if (rc != TH_OK || major == TH_FORMAT_MAJOR ||
      (major == TH_FORMAT_MAJOR_WEIGHTLESS &&
       th_h5_has(h5, "/", TH_A_WEIGHTLESS)) ||
      (major == TH_FORMAT_MAJOR_MISSING && th_h5_has(h5, "/", TH_A_MISSING)) ||
      (major == TH_FORMAT_MAJOR_INDEXED && th_h5_has(h5, "/", TH_A_INDEXED)))
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
  const struct kind *wanted = find_format(format);
  char *found = NULL;
  th_status rc = TH_OK;
  if (th_h5_get_text(h5, "/", TH_A_FORMAT, &found, &ignored) != TH_OK)
    return th_fail(err, TH_EFORMAT, "%s is not a thresher %s; %s", h5->name,
                   wanted->noun, wanted->remedy);
  const struct kind *is = find_format(found);
  if (is == wanted)
    rc = check_version(h5, err);
  else
    rc = th_fail(err, TH_EFORMAT, "%s is a %s, not a %s; %s", h5->name,
                 is != NULL ? is->noun : "file of another kind", wanted->noun,
                 wanted->remedy);
  free(found);
  return rc;
}

/* The minor version of a file, or -1. */
static int64_t minor_of(const char *path)
{
  struct th_error ignored = {0};
  struct th_h5 h5 = {0};
  int64_t minor = -1;
  if (th_h5_open_own(&h5, path, path, &ignored) != TH_OK ||
      th_h5_get_i64(&h5, "/", TH_A_MINOR, &minor, &ignored) != TH_OK)
    minor = -1;
  th_h5_close(&h5, &ignored);
  return minor;
}

th_status th_format_check_bytes(const char *path, struct th_error *err)
{
  bool holds = false;
  th_status rc = th_output_seal_check(path, &holds, err);
  if (rc != TH_OK)
    return rc;
  int64_t minor = holds ? 0 : minor_of(path);
  if (minor >= 0 && minor < FIRST_SEALED)
    return TH_OK;
  return th_fail(err, TH_EFORMAT,
                 "%s: its bytes are not those it was written with; make the "
                 "file again",
                 path);
}

th_status th_format_check_file(const char *path, const char *name,
                               struct th_error *err)
{
  struct stat s;
  /* opening a pipe without a writer would block */
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0 || fstat(file, &s) != 0) {
    th_fail(err, TH_EIO, "cannot open %s: %s", name, strerror(errno));
    if (file >= 0)
      close(file);
    return err->code;
  }
  close(file);
  if (S_ISDIR(s.st_mode))
    return th_fail(err, TH_EIO, "%s is a folder; name a file", name);
  if (!S_ISREG(s.st_mode))
    return th_fail(err, TH_EIO, "%s is a pipe or a device; name a file", name);
  return TH_OK;
}

/* --- What kind of file a path names, by its content ----------------------- */

/* The kind of an HDF5 file. */
static enum th_file_kind kind_of(const struct th_h5 *h5)
{
  struct th_error ignored = {0};
  char *found = NULL;
  if (th_h5_get_text(h5, "/", TH_A_FORMAT, &found, &ignored) != TH_OK)
    return TH_FILE_HDF5;
  const struct kind *is = find_format(found);
  free(found);
  return is != NULL ? is->kind : TH_FILE_HDF5;
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
  bool packed = th_decompress_find(fd, name, &codec, &ignored) == TH_OK &&
                codec != TH_CODEC_NONE;
  return packed || is_text(head, got) ? TH_FILE_TEXT : TH_FILE_OTHER;
}

th_status th_format_kind(const char *path, enum th_file_kind *kind,
                         struct th_error *err)
{
  struct th_h5 h5 = {0};
  struct th_error ignored = {0};
  struct th_error why = {0};
  th_status rc = th_format_check_file(path, path, err);
  if (rc != TH_OK)
    return rc;
  *kind = TH_FILE_OTHER;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  rc = th_h5_open_own(&h5, path, path, &why);
  bool fails = rc == TH_ENOMEM || (rc != TH_OK && th_h5_left_open(path));
  if (fails)
    *err = why;
  else if (rc == TH_OK)
    *kind = kind_of(&h5);
  else if (H5Fis_hdf5(path) > 0) /* of another program, or damaged */
    *kind = TH_FILE_HDF5;
  else if (fd >= 0)
    *kind = kind_of_others(fd, path);
  th_h5_close(&h5, &ignored);
  if (fd >= 0)
    close(fd);
  return fails ? rc : TH_OK;
}
