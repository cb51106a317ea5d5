/* file_kind.c - what kind of file a path names, by its content
 * SPDX-License-Identifier: MIT */
#include "io/dataset/file_kind.h"

#include "io/dataset/format.h"
#include "io/files/decompress.h"
#include "io/files/file.h"
#include "io/hdf5/h5.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The kind of an HDF5 file. */
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
  bool packed = th_decompress_find(fd, name, &codec, &ignored) == TH_OK &&
                codec != TH_CODEC_NONE;
  return packed || is_text(head, got) ? TH_FILE_TEXT : TH_FILE_OTHER;
}

th_status th_file_kind(const char *path, enum th_file_kind *kind,
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
