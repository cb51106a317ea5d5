/* text_open.c - opening text files, and seeing that they stay as they are
 * SPDX-License-Identifier: MIT */
#include "io/text_input.h"

#include "core/memory.h"
#include "io/model_file.h"
#include "io/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

th_status th_text_changed(const struct th_text_file *file, struct th_error *err)
{
  th_error_clear(err); /* whatever was found in it */
  return th_fail(err, TH_EIO,
                 "%s changed while it was read; wait until nothing writes to "
                 "it, or import a copy",
                 file->name);
}

th_status th_text_unchanged(const struct th_text_file *file, th_status rc,
                            struct th_error *err)
{
  struct th_identity now;
  bool same = file->unpacked || (th_identity_of(file->name, &now) &&
                                 th_identity_same(&now, &file->identity));
  return same ? rc : th_text_changed(file, err);
}

static th_status open_plain(const char *path, const char *name, int *fd,
                            struct th_error *err)
{
  struct stat status;
  *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (*fd < 0)
    return th_fail(err, TH_EIO, "%s: %s; check the name of the input", name,
                   strerror(errno));
  if (fstat(*fd, &status) == 0 && S_ISREG(status.st_mode))
    return TH_OK;
  return th_fail(err, TH_EIO,
                 "%s: not a regular file; save the text to a file first", name);
}

/* Rank 0's part of opening a compressed file; *path is its text's name. */
static th_status unpack(struct th_text_file *file, enum th_codec codec,
                        const char *output, const struct th_reading *reading,
                        char **path, struct th_error *err)
{
  int to = -1;
  th_status rc = TH_OK;
  TH_TRY(th_temporary_space(output, (int64_t)file->identity.size,
                            "the decompressed input", err));
  TH_TRY(th_temporary_open(output, "text", path, &to, err));
  rc = th_decompress(codec, file->fd, to, file->name, reading, err);
  TH_TRY(th_text_unchanged(file, rc, err));
done:
  if (to >= 0)
    close(to);
  return rc;
}

/* Hand rank 0's string, which may be NULL, to all ranks. Collective. */
static th_status share_path(struct th_comm *comm, char **path,
                            struct th_error *err)
{
  int64_t length = *path == NULL ? 0 : (int64_t)strlen(*path) + 1;
  comm->ops->bcast(comm, &length, sizeof length, 0);
  if (length == 0)
    return TH_OK;
  th_status rc = TH_OK;
  if (comm->rank > 0)
    rc = TH_NEW(path, length, "a file name", err);
  rc = th_agree(comm, rc, err);
  if (rc == TH_OK)
    comm->ops->bcast(comm, *path, (size_t)length, 0);
  return rc;
}

/* That of UTF-8, which some programs write. */
static void skip_byte_order_mark(struct th_text_file *file)
{
  char mark[3];
  if (pread(file->fd, mark, sizeof mark, 0) == (ssize_t)sizeof mark &&
      memcmp(mark, "\xef\xbb\xbf", sizeof mark) == 0)
    file->body = sizeof mark;
}

static th_status open_unpacked(struct th_text_file *file, const char *path,
                               struct th_error *err)
{
  struct th_identity identity = file->identity;
  if (path != NULL) {
    close(file->fd);
    file->fd = -1;
    th_status rc = open_plain(path, path, &file->fd, err);
    if (rc != TH_OK)
      return rc;
    file->unpacked = true;
    if (!th_identity_of_open(file->fd, &identity))
      return th_fail(err, TH_EIO, "%s: %s", file->name, strerror(errno));
  }
  file->size = (int64_t)identity.size;
  skip_byte_order_mark(file);
  return TH_OK;
}

/* What was made of text is not text. */
static th_status refuse_hdf5(const char *name, struct th_error *err)
{
  enum th_file_kind kind = TH_FILE_OTHER;
  th_status rc = th_file_kind(name, &kind, err);
  if (rc != TH_OK)
    return rc;
  if (kind == TH_FILE_DATASET)
    return th_fail(err, TH_EFORMAT,
                   "%s is a data set, not text; train, evaluate and predict "
                   "take it as it is",
                   name);
  if (kind == TH_FILE_MODEL)
    return th_fail(err, TH_EFORMAT,
                   "%s is a model, not text; name a file of LIBSVM text or CSV",
                   name);
  if (kind == TH_FILE_SHARD || kind == TH_FILE_HDF5)
    return th_fail(
        err, TH_EFORMAT,
        "%s is %s, not text; name a file of LIBSVM text or CSV", name,
        kind == TH_FILE_SHARD ? "a shard of a data set" : "an HDF5 file");
  return TH_OK;
}

static th_status open_named(struct th_text_file *file, enum th_codec *codec,
                            struct th_error *err)
{
  th_status rc = open_plain(file->name, file->name, &file->fd, err);
  if (rc == TH_OK && !th_identity_of_open(file->fd, &file->identity))
    rc = th_fail(err, TH_EIO, "%s: %s", file->name, strerror(errno));
  if (rc == TH_OK)
    rc = refuse_hdf5(file->name, err);
  return rc == TH_OK ? th_codec_find(file->fd, file->name, codec, err) : rc;
}

/* All ranks must see one and the same file. Collective. */
static th_status compare_sizes(const struct th_text_file *file,
                               struct th_comm *comm, struct th_error *err)
{
  int64_t size = file->size;
  comm->ops->bcast(comm, &size, sizeof size, 0);
  th_status rc = TH_OK;
  if (size != file->size)
    rc = th_fail(err, TH_EIO,
                 "%s: %lld bytes here, %lld on rank 0; let all ranks see the "
                 "same file",
                 file->name, (long long)file->size, (long long)size);
  return th_agree(comm, th_text_unchanged(file, rc, err), err);
}

th_status th_text_open(struct th_text_file *file, struct th_comm *comm,
                       const char *name, const char *output,
                       const struct th_reading *reading, struct th_error *err)
{
  char *path = NULL;
  enum th_codec codec = TH_CODEC_NONE;
  *file = (struct th_text_file){.name = name, .fd = -1};
  th_status rc = open_named(file, &codec, err);
  TH_TRY(th_agree(comm, rc, err));
  if (comm->rank == 0 && codec != TH_CODEC_NONE)
    rc = unpack(file, codec, output, reading, &path, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(share_path(comm, &path, err));
  TH_TRY(th_agree(comm, open_unpacked(file, path, err), err));
  TH_TRY(compare_sizes(file, comm, err));
done:
  if (comm->rank == 0 && path != NULL)
    unlink(path);
  free(path);
  return rc;
}

void th_text_close(struct th_text_file *file)
{
  if (file->name != NULL && file->fd >= 0)
    close(file->fd);
  *file = (struct th_text_file){.fd = -1};
}
