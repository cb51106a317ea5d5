/* text_files.c - the text files of an import, each looked at by one rank
 * SPDX-License-Identifier: MIT */
#include "io/import/text/text_files.h"

#include "base/memory.h"
#include "io/dataset/format.h"
#include "io/files/output.h"
#include "io/import/text/not_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Which rank looks at a file ------------------------------------------- */

enum { NUMBERS = 5 }; /* of a file, that are summed at a time */

/* Numbers of each file, all 0. */
static int64_t *no_numbers(const struct th_text_files *files)
{
  memset(files->number, 0,
         (size_t)files->count * NUMBERS * sizeof *files->number);
  return files->number;
}

/* Bytes of all files as they lie on disk: of one that is not there, 0. Each is
 * asked for on one rank. Collective. */
static th_status measure(const struct th_text_files *files,
                         struct th_comm *comm, th_status rc,
                         struct th_error *err)
{
  int64_t *bytes = no_numbers(files);
  struct th_identity file;
  for (int64_t k = comm->rank; rc == TH_OK && k < files->count; k += comm->size)
    if (th_file_identity_of(files->file[k].path, &file))
      bytes[k] = (int64_t)file.size;
  return th_comm_sum_agree(comm, bytes, (size_t)files->count, rc, err);
}

/* Deal files by the bytes before each, so in order, the first one to rank 0. */
static void deal(struct th_text_files *files, const struct th_comm *comm)
{
  enum { OPENING = 4096 }; /* bytes that are read while a file is opened */
  const int64_t *bytes = files->number;
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
static th_status skip_byte_order_mark(struct th_text_file *file,
                                      const char *begin, struct th_error *err)
{
  enum { MARK = 3, WIDE = 4 };
  if (file->size >= MARK && memcmp(begin, "\xef\xbb\xbf", MARK) == 0)
    file->begin = MARK;
  file->body = file->begin;
  if ((file->size >= 2 && (memcmp(begin, "\xff\xfe", 2) == 0 ||
                           memcmp(begin, "\xfe\xff", 2) == 0)) ||
      (file->size >= WIDE && is_wide(begin)))
    return th_fail(err, TH_EDATA,
                   "%s:1:1: text in UTF-16 found, expected UTF-8; convert it "
                   "with iconv -f UTF-16 -t UTF-8",
                   file->name);
  return TH_OK;
}

/* The first bytes of a file, zeros behind its end. */
enum { HEAD = 4096 };

static th_status read_beginning(const char *name, int fd, int64_t offset,
                                char head[HEAD], struct th_error *err)
{
  memset(head, 0, HEAD);
  if (pread(fd, head, HEAD, (off_t)offset) < 0)
    return th_fail(err, TH_EIO, "%s: %s; check the file", name,
                   strerror(errno));
  return TH_OK;
}

/* HDF5 begins with its signature, or behind a block of its user. */
static bool may_be_hdf5(const char head[HEAD])
{
  static const char signature[] = "\x89HDF\r\n\x1a\n";
  bool found = memcmp(head, signature, strlen(signature)) == 0;
  for (int at = 512; at < HEAD; at *= 2)
    found = found || memcmp(head + at, signature, strlen(signature)) == 0;
  return found;
}

/* What was made of text is not text; other HDF5 may hold arrays. */
static th_status refuse_hdf5(const struct th_text_file *file, bool text,
                             struct th_error *err)
{
  enum th_file_kind kind = TH_FILE_OTHER;
  const char *name = file->name;
  th_status rc = th_format_kind(file->path, &kind, err);
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
  if (kind == TH_FILE_SHARD)
    return th_fail(err, TH_EFORMAT,
                   "%s is a shard of a data set, not text; name a file of "
                   "LIBSVM text or CSV",
                   name);
  if (kind == TH_FILE_HDF5 && text)
    return th_fail(err, TH_EFORMAT,
                   "%s is an HDF5 file, not text as the first one; import it "
                   "apart",
                   name);
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

/* --- Lines that end with a carriage return alone ---------------------------
 */

/* Does the first line end so, and no line near it with a line feed? */
static bool has_returns(int fd, int64_t base, int64_t size, int64_t most)
{
  enum { PART = 1 << 16 };
  char part[PART];
  int64_t end = most > 0 && most < size ? most : size;
  for (int64_t at = 0; at < end; at += PART) {
    ssize_t got = pread(fd, part, PART, (off_t)(base + at));
    got = got > size - at ? (ssize_t)(size - at) : got;
    if (got <= 0 || memchr(part, '\n', (size_t)got) != NULL)
      return false;
    if (memchr(part, '\r', (size_t)got) != NULL)
      return true;
  }
  return false;
}

/* Put line feeds in their place in a temporary file. */
static th_status turn_returns(int fd, const struct th_text_file *file,
                              struct th_error *err)
{
  enum { PART = 1 << 16 };
  char part[PART];
  th_status rc = TH_OK;
  for (int64_t at = 0; rc == TH_OK && at < file->size; at += PART) {
    int64_t some = file->size - at < PART ? file->size - at : PART;
    off_t place = (off_t)(file->base + at);
    rc = th_output_temporary_read(fd, part, some, place, file->name, err);
    if (rc != TH_OK)
      return rc;
    for (int64_t k = 0; k < some; k++)
      part[k] = part[k] == '\r' ? '\n' : part[k];
    rc = th_file_write_at(fd, file->name, part, some, place, file->size, err);
  }
  return rc;
}

/* A file of such lines is turned where it was unpacked, or copied to. */
static th_status end_lines(struct looking *looking, struct th_text_file *file,
                           int fd, struct th_error *err)
{
  int64_t most = looking->look->reading.line.bytes;
  bool unpacked = file->base >= 0;
  th_status rc = TH_OK;
  if (!has_returns(unpacked ? looking->files->fd : fd,
                   unpacked ? file->base : 0, file->size, most))
    return TH_OK;
  if (!unpacked)
    TH_TRY(unpack(looking, file, fd, TH_CODEC_NONE, err));
  rc = turn_returns(looking->files->fd, file, err);
done:
  return rc;
}

/* --- All of a file -------------------------------------------------------- */

static th_status open_input(struct th_text_file *file, int *fd,
                            struct th_error *err)
{
  th_status rc = th_text_open(file->path, file->name, fd, err);
  if (rc != TH_OK)
    return rc;
  if (!th_file_identity_of_open(*fd, &file->identity))
    return th_fail(err, TH_EIO, "%s: %s", file->name, strerror(errno));
  if (!S_ISREG(file->identity.mode))
    return th_fail(err, TH_EIO,
                   "%s: not a regular file; save the text to a file first",
                   file->name);
  file->size = (int64_t)file->identity.size;
  file->looks = th_text_looks(&file->identity);
  return TH_OK;
}

/* What is no text, by its first bytes. */
static th_status refuse_other(const struct th_text_file *file,
                              const char head[HEAD], struct th_error *err)
{
  size_t bytes = file->size < HEAD ? (size_t)file->size : HEAD;
  return th_not_text_refuse(file->name, head, bytes, err);
}

/* Is it text? Passes over a mark of UTF-8. */
static th_status look_at_text(struct th_text_file *file, const char head[HEAD],
                              struct th_error *err)
{
  size_t bytes = file->size < HEAD ? (size_t)file->size : HEAD;
  th_status rc = skip_byte_order_mark(file, head, err);
  return rc == TH_OK ? th_not_text_refuse_zero(file->name, head,
                                               (size_t)file->begin, bytes, err)
                     : rc;
}

static th_status inspect(struct looking *looking, struct th_text_file *file,
                         struct th_error *err)
{
  bool text = looking->look->text;
  enum th_codec codec = TH_CODEC_NONE;
  char head[HEAD];
  int fd = -1;
  th_status rc = TH_OK;
  TH_TRY(open_input(file, &fd, err));
  TH_TRY(read_beginning(file->name, fd, 0, head, err));
  TH_TRY(th_decompress_find(fd, file->name, &codec, err));
  if (codec == TH_CODEC_ZIP && looking->look->archives)
    codec = TH_CODEC_NONE;
  if (text)
    TH_TRY(refuse_other(file, head, err));
  if (may_be_hdf5(head))
    TH_TRY(refuse_hdf5(file, text, err));
  if (codec != TH_CODEC_NONE)
    TH_TRY(unpack(looking, file, fd, codec, err));
  else
    file->sample = th_text_sample(fd, file->size);
  if (codec != TH_CODEC_NONE)
    TH_TRY(
        read_beginning(file->name, looking->files->fd, file->base, head, err));
  if (text && codec != TH_CODEC_NONE)
    TH_TRY(refuse_other(file, head, err));
  if (text)
    TH_TRY(look_at_text(file, head, err));
  if (text && memchr(head, '\n', HEAD) == NULL)
    TH_TRY(end_lines(looking, file, fd, err));
done:
  if (fd >= 0)
    close(fd);
  return rc;
}

static th_status look_at_own(struct th_text_files *files,
                             const struct th_text_look *look,
                             struct th_error *err)
{
  const int64_t *bytes = files->number;
  struct looking looking = {.look = look, .files = files};
  th_status rc = TH_OK;
  for (int64_t k = 0; k < files->count; k++)
    looking.all += files->file[k].mine ? bytes[k] : 0;
  for (int64_t k = 0; rc == TH_OK && k < files->count; k++) {
    if (!files->file[k].mine)
      continue;
    rc = inspect(&looking, &files->file[k], err);
    looking.before += bytes[k];
  }
  return rc;
}

/* --- What all ranks know of it -------------------------------------------- */

/* What was found: 0 on a rank that has not looked. */
enum { SIZE, BEGIN, BASE, LOOKS, SAMPLE };

/* rc: of this rank's looking. Collective. */
static th_status share_found(struct th_text_files *files, struct th_comm *comm,
                             th_status rc, struct th_error *err)
{
  int64_t *found = no_numbers(files);
  for (int64_t k = 0; k < files->count; k++) {
    const struct th_text_file *file = &files->file[k];
    const int64_t own[NUMBERS] = {
        [SIZE] = file->size,
        [BEGIN] = file->begin,
        [BASE] = file->base + 1,
        [LOOKS] = (int64_t)file->looks,
        [SAMPLE] = (int64_t)file->sample,
    };
    if (file->mine)
      memcpy(found + NUMBERS * k, own, sizeof own);
  }
  rc =
      th_comm_sum_agree(comm, found, (size_t)(files->count * NUMBERS), rc, err);
  for (int64_t k = 0; rc == TH_OK && k < files->count; k++) {
    struct th_text_file *file = &files->file[k];
    const int64_t *all = found + NUMBERS * k;
    file->size = all[SIZE];
    file->begin = all[BEGIN];
    file->body = file->begin;
    file->base = all[BASE] - 1;
    file->looks = (uint64_t)all[LOOKS];
    file->sample = (uint64_t)all[SAMPLE];
  }
  return rc;
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

static void list_names(struct th_text_files *files, const char *const *names,
                       const char *const *source)
{
  for (int64_t k = 0; k < files->count; k++)
    files->file[k] =
        (struct th_text_file){.name = names[k],
                              .path = source == NULL ? names[k] : source[k],
                              .base = -1};
}

th_status th_text_files_reserve(struct th_text_files *files, int64_t count,
                                struct th_error *err)
{
  const char *what = "the list of files";
  *files = (struct th_text_files){.fd = -1};
  th_status rc = TH_NEW(&files->file, count, what, err);
  if (rc == TH_OK)
    rc = TH_NEW(&files->number, count * NUMBERS + 1, what, err);
  if (rc == TH_OK)
    files->count = count;
  return rc;
}

void th_text_files_stand_in(struct th_text_files *files, const char *name,
                            int64_t bytes)
{
  files->file[0] = (struct th_text_file){
      .name = name, .path = name, .base = -1, .size = bytes};
}

th_status th_text_files_look(struct th_text_files *files, struct th_comm *comm,
                             const char *const *names,
                             const struct th_text_look *look, th_status rc,
                             struct th_error *err)
{
  if (rc == TH_OK)
    list_names(files, names, look->source);
  TH_TRY(measure(files, comm, rc, err));
  deal(files, comm);
  rc = look_at_own(files, look, err);
  TH_TRY(share_found(files, comm, rc, err));
  TH_TRY(share_paths(files, comm, err));
done:
  return rc;
}

th_status th_text_files_share(struct th_text_files *files, struct th_comm *comm,
                              th_status rc, struct th_error *err)
{
  int64_t *bodies = no_numbers(files);
  for (int64_t k = 0; k < files->count; k++) {
    const struct th_text_file *file = &files->file[k];
    bodies[2 * k] = file->mine ? file->body : 0;
    bodies[2 * k + 1] = file->mine ? file->header_lines : 0;
  }
  rc = th_comm_sum_agree(comm, bodies, (size_t)files->count * 2, rc, err);
  for (int64_t k = 0; rc == TH_OK && k < files->count; k++) {
    files->file[k].body = bodies[2 * k];
    files->file[k].header_lines = bodies[2 * k + 1];
  }
  return rc;
}

th_status th_text_files_check(const struct th_text_files *files,
                              struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; rc == TH_OK && k < files->count; k++)
    rc = th_text_unchanged(&files->file[k], TH_OK, err);
  return rc;
}

th_status th_text_files_unchanged(const struct th_text_files *files,
                                  struct th_comm *comm, th_status rc,
                                  struct th_error *err)
{
  struct th_error why = {.rank = -1};
  th_status changed = th_agree(comm, th_text_files_check(files, &why), &why);
  if (changed == TH_OK)
    return rc;
  *err = why;
  return changed;
}

th_status th_text_files_alone(const char *name, const char *output,
                              th_text_reader read, void *self,
                              struct th_error *err)
{
  struct th_comm alone;
  struct th_text_files text = {.fd = -1};
  const struct th_text_look look = {.output = output != NULL ? output : name,
                                    .text = true};
  th_status rc;
  th_comm_self(&alone);
  TH_TRY(th_text_files_reserve(&text, 1, err));
  TH_TRY(th_text_files_look(&text, &alone, &name, &look, TH_OK, err));
  rc = th_text_unchanged(&text.file[0], read(self, &text.file[0], err), err);
done:
  th_text_files_close(&text);
  return rc;
}

void th_text_files_close(struct th_text_files *files)
{
  if (files->path != NULL) {
    th_output_temporary_remove(files->path);
    close(files->fd);
  }
  TH_FREE(files->file, files->unpacked, files->path, files->number);
  *files = (struct th_text_files){.fd = -1};
}
