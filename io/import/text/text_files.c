/* text_files.c - the text files of an import, each looked at by one rank
 * SPDX-License-Identifier: MIT */
#include "io/import/text/text_files.h"

#include "base/memory.h"
#include "io/dataset/format.h"
#include "io/files/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Which rank looks at a file ------------------------------------------- */

/* Bytes of all files as they lie on disk: of one that is not there, 0. Each is
 * asked for on one rank. Collective. */
static void measure(const struct th_text_files *files, struct th_comm *comm,
                    int64_t *bytes)
{
  struct th_identity file;
  for (int64_t k = comm->rank; k < files->count; k += comm->size)
    if (th_file_identity_of(files->file[k].name, &file))
      bytes[k] = (int64_t)file.size;
  comm->ops->sum_i64(comm, bytes, (size_t)files->count);
}

/* Deal files by the bytes before each, so in order, the first one to rank 0. */
static void deal(struct th_text_files *files, const struct th_comm *comm,
                 const int64_t *bytes)
{
  enum { OPENING = 4096 }; /* bytes that are read while a file is opened */
  double all = 0;
  double before = 0;
  for (int64_t k = 0; k < files->count; k++)
    all += (double)bytes[k] + OPENING;
  for (int64_t k = 0; k < files->count; k++) {
    files->file[k].owner = (int)(before / all * comm->size);
    files->file[k].mine = files->file[k].owner == comm->rank;
    before += (double)bytes[k] + OPENING;
  }
}

/* --- Looking at one file; local ------------------------------------------- */

/* This rank's files under way. */
struct looking {
  const struct th_text_look *look;
  struct th_text_files *files;
  int64_t before; /* bytes of the files that have been looked at, */
  int64_t all;    /* and of all */
};

static void tell(void *self, int64_t bytes)
{
  const struct looking *looking = self;
  const struct th_text_look *look = looking->look;
  if (look->told != NULL)
    look->told(look->self, looking->before + bytes, looking->all);
}

/* Two characters of a byte and a zero each, in the same order. */
static bool is_wide(const char *text)
{
  bool zero = text[0] == '\0';
  return zero != (text[1] == '\0') && zero == (text[2] == '\0') &&
         zero != (text[3] == '\0');
}

/* That of UTF-8, which some programs write, is skipped. Text in UTF-16 begins
 * with another one, or has a zero in each of its first characters; one zero
 * alone is a byte that is wrong, which the reader of lines tells. */
static th_status read_byte_order_mark(struct th_text_file *file, int fd,
                                      struct th_error *err)
{
  enum { MARK = 3 };
  char begin[4] = "";
  ssize_t got = pread(fd, begin, sizeof begin, file->base < 0 ? 0 : file->base);
  if (got > file->size)
    got = file->size;
  if (got >= MARK && memcmp(begin, "\xef\xbb\xbf", MARK) == 0)
    file->body = MARK;
  if ((got >= 2 && (memcmp(begin, "\xff\xfe", 2) == 0 ||
                    memcmp(begin, "\xfe\xff", 2) == 0)) ||
      (got == (ssize_t)sizeof begin && is_wide(begin)))
    return th_fail(err, TH_EDATA,
                   "%s:1:1: text in UTF-16 found, expected UTF-8; convert it "
                   "with iconv -f UTF-16 -t UTF-8",
                   file->name);
  return TH_OK;
}

/* What was made of text is not text. */
static th_status refuse_hdf5(const char *name, struct th_error *err)
{
  enum th_file_kind kind = TH_FILE_OTHER;
  th_status rc = th_format_kind(name, &kind, err);
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

/* Decompress an open file to the end of this rank's temporary file. */
static th_status unpack(struct looking *looking, struct th_text_file *file,
                        int fd, enum th_codec codec, struct th_error *err)
{
  const struct th_text_look *look = looking->look;
  struct th_text_files *files = looking->files;
  struct th_reading reading = look->reading;
  reading.told = tell;
  reading.self = looking;
  th_status rc = TH_OK;
  TH_TRY(th_output_temporary_space(look->output, (int64_t)file->identity.size,
                                   "the decompressed input", err));
  if (files->path == NULL)
    TH_TRY(th_output_temporary_open(look->output, TH_FOR_TEXT, &files->path,
                                    &files->fd, err));
  off_t begin = lseek(files->fd, 0, SEEK_END);
  rc = th_decompress(codec, fd, files->fd, file->name, &reading, err);
  TH_TRY(th_text_unchanged(file, rc, err));
  off_t end = lseek(files->fd, 0, SEEK_END);
  if (begin < 0 || end < 0)
    return th_fail(err, TH_EIO, "%s: %s", file->name, strerror(errno));
  file->base = (int64_t)begin;
  file->size = (int64_t)(end - begin);
done:
  return rc;
}

static th_status look_at(struct looking *looking, struct th_text_file *file,
                         struct th_error *err)
{
  const struct th_text_look *look = looking->look;
  enum th_codec codec = TH_CODEC_NONE;
  int fd = -1;
  th_status rc = TH_OK;
  TH_TRY(th_text_open(file->name, file->name, &fd, err));
  if (!th_file_identity_of_open(fd, &file->identity))
    TH_TRY(th_fail(err, TH_EIO, "%s: %s", file->name, strerror(errno)));
  file->size = (int64_t)file->identity.size;
  if (look->text)
    TH_TRY(refuse_hdf5(file->name, err));
  TH_TRY(th_decompress_find(fd, file->name, &codec, err));
  if (codec != TH_CODEC_NONE)
    TH_TRY(unpack(looking, file, fd, codec, err));
  else
    file->sample = th_text_sample(fd, file->size);
  if (look->text)
    TH_TRY(read_byte_order_mark(
        file, codec == TH_CODEC_NONE ? fd : looking->files->fd, err));
done:
  if (fd >= 0)
    close(fd);
  return rc;
}

static th_status look_at_own(struct th_text_files *files,
                             const struct th_text_look *look,
                             const int64_t *bytes, struct th_error *err)
{
  struct looking looking = {.look = look, .files = files};
  th_status rc = TH_OK;
  for (int64_t k = 0; k < files->count; k++)
    looking.all += files->file[k].mine ? bytes[k] : 0;
  for (int64_t k = 0; rc == TH_OK && k < files->count; k++) {
    if (!files->file[k].mine)
      continue;
    rc = look_at(&looking, &files->file[k], err);
    looking.before += bytes[k];
  }
  return rc;
}

/* --- What all ranks know of it -------------------------------------------- */

/* What was found: 0 on a rank that has not looked. */
enum { SIZE, BODY, BASE, SAMPLE, FOUND };

/* Collective. */
static void share_found(struct th_text_files *files, struct th_comm *comm,
                        int64_t (*found)[FOUND])
{
  for (int64_t k = 0; k < files->count; k++) {
    const struct th_text_file *file = &files->file[k];
    const int64_t own[FOUND] = {file->size, file->body, file->base + 1,
                                (int64_t)file->sample};
    if (file->mine)
      memcpy(found[k], own, sizeof own);
  }
  comm->ops->sum_i64(comm, found[0], (size_t)files->count * FOUND);
  for (int64_t k = 0; k < files->count; k++) {
    struct th_text_file *file = &files->file[k];
    file->size = found[k][SIZE];
    file->body = found[k][BODY];
    file->base = found[k][BASE] - 1;
    file->sample = (uint64_t)found[k][SAMPLE];
  }
}

/* Where the text of each file is. Collective. */
static th_status share_paths(struct th_text_files *files, struct th_comm *comm,
                             struct th_error *err)
{
  int64_t *bytes = NULL;
  int64_t unpacked = 0;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < files->count; k++)
    unpacked += files->file[k].base >= 0;
  if (unpacked == 0)
    return TH_OK;
  const char *mine = files->path == NULL ? "" : files->path;
  TH_TRY(th_agree(comm, TH_NEW(&bytes, comm->size, "file names", err), err));
  TH_TRY(th_comm_gather(comm, mine, (int64_t)strlen(mine) + 1, bytes,
                        (void **)&files->unpacked, err));
  const char *path = files->unpacked;
  int64_t k = 0;
  for (int r = 0; r < comm->size; path += bytes[r++])
    for (; k < files->count && files->file[k].owner == r; k++)
      if (files->file[k].base >= 0)
        files->file[k].path = path;
done:
  free(bytes);
  return rc;
}

static th_status list_names(struct th_text_files *files,
                            const char *const *names, int64_t count,
                            struct th_error *err)
{
  th_status rc = TH_NEW(&files->file, count, "the list of files", err);
  if (rc != TH_OK)
    return rc;
  files->count = count;
  for (int64_t k = 0; k < count; k++)
    files->file[k] =
        (struct th_text_file){.name = names[k], .path = names[k], .base = -1};
  return TH_OK;
}

th_status th_text_files_open(struct th_text_files *files, struct th_comm *comm,
                             const char *const *names, int64_t count,
                             const struct th_text_look *look,
                             struct th_error *err)
{
  int64_t *bytes = NULL;
  int64_t(*found)[FOUND] = NULL;
  *files = (struct th_text_files){.fd = -1};
  th_status rc = list_names(files, names, count, err);
  if (rc == TH_OK)
    rc = TH_NEW(&bytes, count, "the list of files", err);
  if (rc == TH_OK)
    rc = TH_NEW(&found, count, "the list of files", err);
  TH_TRY(th_agree(comm, rc, err));
  measure(files, comm, bytes);
  deal(files, comm, bytes);
  TH_TRY(th_agree(comm, look_at_own(files, look, bytes, err), err));
  share_found(files, comm, found);
  TH_TRY(share_paths(files, comm, err));
done:
  TH_FREE(bytes, found);
  return rc;
}

void th_text_files_close(struct th_text_files *files)
{
  if (files->path != NULL) {
    th_output_temporary_remove(files->path);
    close(files->fd);
  }
  TH_FREE(files->file, files->unpacked, files->path);
  *files = (struct th_text_files){.fd = -1};
}
