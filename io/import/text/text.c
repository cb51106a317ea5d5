/* text.c - text files as lines, whole or in byte ranges on line borders
 * SPDX-License-Identifier: MIT */
#include "io/import/text/text.h"

#include "base/memory.h"
#include "base/printable.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/files/hash.h"
#include "io/files/output.h"

#include <ctype.h>
#include <emmintrin.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Opening text files, and seeing that they stay as they are ------------ */

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
  bool same = file->unpacked || (th_file_identity_of(file->name, &now) &&
                                 th_file_identity_same(&now, &file->identity));
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
  TH_TRY(th_output_temporary_space(output, (int64_t)file->identity.size,
                                   "the decompressed input", err));
  TH_TRY(th_output_temporary_open(output, TH_FOR_TEXT, path, &to, err));
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
static th_status read_byte_order_mark(struct th_text_file *file,
                                      struct th_error *err)
{
  enum { MARK = 3 };
  char begin[4] = "";
  ssize_t got = pread(file->fd, begin, sizeof begin, 0);
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

static th_status open_unpacked(struct th_text_file *file, const char *path,
                               bool text, struct th_error *err)
{
  struct th_identity identity = file->identity;
  if (path != NULL) {
    close(file->fd);
    file->fd = -1;
    th_status rc = open_plain(path, path, &file->fd, err);
    if (rc != TH_OK)
      return rc;
    file->unpacked = true;
    if (!th_file_identity_of_open(file->fd, &identity))
      return th_fail(err, TH_EIO, "%s: %s", file->name, strerror(errno));
  }
  file->size = (int64_t)identity.size;
  return text ? read_byte_order_mark(file, err) : TH_OK;
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

static th_status open_named(struct th_text_file *file, bool text,
                            enum th_codec *codec, struct th_error *err)
{
  th_status rc = open_plain(file->name, file->name, &file->fd, err);
  if (rc == TH_OK && !th_file_identity_of_open(file->fd, &file->identity))
    rc = th_fail(err, TH_EIO, "%s: %s", file->name, strerror(errno));
  if (rc == TH_OK && text)
    rc = refuse_hdf5(file->name, err);
  return rc == TH_OK ? th_decompress_find(file->fd, file->name, codec, err)
                     : rc;
}

/* A hash of text at places spread evenly over a file, its end among them: what
 * tells a copy of another day, at no cost. Local; 0 where it cannot be read. */
static uint64_t sample(const struct th_text_file *file)
{
  enum { PLACES = 32, PLACE = 4096 };
  char text[PLACE];
  uint64_t hash = 1;
  int64_t last = file->size > PLACE ? file->size - PLACE : 0;
  for (int64_t k = 0; k < PLACES; k++) {
    int64_t at = (int64_t)((double)last * (double)k / (PLACES - 1));
    ssize_t got = pread(file->fd, text, PLACE, (off_t)at);
    if (got < 0)
      return 0;
    hash = th_fingerprint_next(hash, th_hash(text, (size_t)got));
  }
  return hash;
}

/* All ranks must see one and the same file. Collective. */
static th_status compare_files(const struct th_text_file *file,
                               struct th_comm *comm, struct th_error *err)
{
  uint64_t mine[2] = {(uint64_t)file->size, sample(file)};
  uint64_t first[2] = {mine[0], mine[1]};
  comm->ops->bcast(comm, first, sizeof first, 0);
  th_status rc = TH_OK;
  if (first[0] != mine[0])
    rc = th_fail(err, TH_EIO,
                 "%s: %lld bytes here, %lld on rank 0; let all ranks see the "
                 "same file",
                 file->name, (long long)mine[0], (long long)first[0]);
  else if (first[1] != mine[1])
    rc = th_fail(err, TH_EIO,
                 "%s: other text here than on rank 0; let all ranks see the "
                 "same file",
                 file->name);
  return th_agree(comm, th_text_unchanged(file, rc, err), err);
}

th_status th_text_open(struct th_text_file *file, struct th_comm *comm,
                       const char *name, const char *output, bool text,
                       const struct th_reading *reading, struct th_error *err)
{
  char *path = NULL;
  enum th_codec codec = TH_CODEC_NONE;
  *file = (struct th_text_file){.name = name, .fd = -1};
  th_status rc = open_named(file, text, &codec, err);
  TH_TRY(th_agree(comm, rc, err));
  if (comm->rank == 0 && codec != TH_CODEC_NONE)
    rc = unpack(file, codec, output, reading, &path, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(share_path(comm, &path, err));
  TH_TRY(th_agree(comm, open_unpacked(file, path, text, err), err));
  TH_TRY(compare_files(file, comm, err));
done:
  if (comm->rank == 0 && path != NULL)
    th_output_temporary_remove(path);
  free(path);
  return rc;
}

void th_text_close(struct th_text_file *file)
{
  if (file->name != NULL && file->fd >= 0)
    close(file->fd);
  *file = (struct th_text_file){.fd = -1};
}

/* --- Lines ---------------------------------------------------------------- */

enum { READ_PART = 256 << 10, SCAN_PART = 1 << 16 };

/* Where the first line begins at or behind `offset`. */
static th_status next_line(const struct th_text_file *file, int64_t max_line,
                           int64_t *offset, struct th_error *err)
{
  char part[SCAN_PART];
  if (*offset <= file->body) {
    *offset = file->body;
    return TH_OK;
  }
  int64_t at = *offset - 1;
  int64_t limit = file->size;
  if (limit - *offset > max_line)
    limit = *offset + max_line + 2; /* as good as the end */
  while (at < file->size && at < limit) {
    int64_t bytes = file->size - at;
    bytes = bytes > SCAN_PART ? SCAN_PART : bytes;
    th_status rc =
        th_output_temporary_read(file->fd, part, bytes, at, file->name, err);
    if (rc != TH_OK)
      return rc;
    const char *found = memchr(part, '\n', (size_t)bytes);
    if (found != NULL) {
      *offset = at + (found - part) + 1;
      return TH_OK;
    }
    at += bytes;
  }
  *offset = at;
  return TH_OK;
}

th_status th_text_align(const struct th_text_file *file, int64_t max_line,
                        struct th_range *range, struct th_error *err)
{
  th_status rc = next_line(file, max_line, &range->first, err);
  if (rc == TH_OK)
    rc = next_line(file, max_line, &range->last, err);
  return rc;
}

void th_text_lines_begin(struct th_text_lines *lines,
                         const struct th_text_file *file, struct th_range range,
                         int64_t max_line, int64_t number)
{
  lines->file = file;
  lines->max_line = max_line;
  lines->number = number;
  lines->next = range.first;
  lines->last = range.last;
  lines->begin = 0;
  lines->end = 0;
}

void th_text_lines_free(struct th_text_lines *lines)
{
  free(lines->buffer);
  *lines = (struct th_text_lines){0};
}

/* Move what is left to the front of the buffer and read on behind it; a buffer
 * that is full of one line grows. */
static th_status read_on(struct th_text_lines *lines, struct th_error *err)
{
  int64_t left = lines->end - lines->begin;
  if (left > 0 && lines->begin > 0)
    memmove(lines->buffer, lines->buffer + lines->begin, (size_t)left);
  lines->begin = 0;
  lines->end = left;
  int64_t wanted = left > READ_PART / 2 ? 2 * left : READ_PART;
  if (wanted > left + lines->last - lines->next)
    wanted = left + lines->last - lines->next;
  if (wanted > lines->capacity) {
    int64_t held = lines->capacity == 0 ? 0 : lines->capacity + 1;
    th_status rc = th_grow((void **)&lines->buffer, &held, wanted + 1, 1,
                           "reading lines", err);
    if (rc != TH_OK)
      return rc;
    lines->capacity = held - 1;
  }
  int64_t bytes = lines->last - lines->next;
  if (bytes > lines->capacity - left)
    bytes = lines->capacity - left;
  th_status rc =
      th_output_temporary_read(lines->file->fd, lines->buffer + left, bytes,
                               lines->next, lines->file->name, err);
  lines->next += bytes;
  lines->end += bytes;
  lines->buffer[lines->end] = '\n';
  return rc;
}

static void hand_out(struct th_text_lines *lines, struct th_line *line,
                     int64_t length)
{
  char *text = lines->buffer + lines->begin;
  lines->begin += length;
  if (length > 0 && text[length - 1] == '\r')
    length--;
  *line = (struct th_line){.file = lines->file->name,
                           .number = ++lines->number,
                           .text = text,
                           .length = length,
                           .too_long = length > lines->max_line};
  if (line->too_long) {
    lines->begin = lines->end;
    lines->next = lines->last;
  }
}

th_status th_text_lines_next(struct th_text_lines *lines, struct th_line *line,
                             bool *more, struct th_error *err)
{
  int64_t searched = 0; /* bytes of the line in which no line end was found */
  *more = true;
  while (true) {
    int64_t held = lines->end - lines->begin;
    const char *found = NULL;
    if (held > searched)
      found = memchr(lines->buffer + lines->begin + searched, '\n',
                     (size_t)(held - searched));
    if (found != NULL) {
      hand_out(lines, line, found - (lines->buffer + lines->begin));
      lines->begin += line->too_long ? 0 : 1;
      return TH_OK;
    }
    searched = held;
    if (lines->next == lines->last || held - 1 > lines->max_line)
      break;
    th_status rc = read_on(lines, err);
    if (rc != TH_OK)
      return rc;
  }
  *more = lines->end > lines->begin;
  if (*more)
    hand_out(lines, line, lines->end - lines->begin);
  return TH_OK;
}

/* --- A text as one word of a shell's command line ------------------------- */

enum { UNIT = 8 }; /* a character as it is typed, or an escaped byte */

static bool is_plain_word(const char *word)
{
  for (const char *p = word; *p != '\0'; p++)
    if (!isalnum((unsigned char)*p) && strchr("_./:+=@%,-", *p) == NULL)
      return false;
  return word[0] != '\0';
}

/* Bytes of the character at the beginning, if it can be shown; else 0. */
static int shown(const char *word)
{
  uint32_t code;
  int length = th_printable_decode(word, &code);
  return length > 0 && th_printable_code(code) ? length : 0;
}

static bool all_shown(const char *word)
{
  int length = 1;
  for (; *word != '\0' && length > 0; word += length)
    length = shown(word);
  return length > 0;
}

/* The next unit of a word in quotes, '..' or $'..'; what it takes of the word.
 * A byte has three octal digits: any shell knows where they end. */
static int quote_unit(const char *word, bool escaped, char unit[UNIT])
{
  int length = shown(word);
  if (*word == '\'')
    snprintf(unit, UNIT, "%s", escaped ? "\\'" : "'\\''");
  else if (*word == '\\' && escaped)
    snprintf(unit, UNIT, "\\\\");
  else if (length > 0)
    snprintf(unit, UNIT, "%.*s", length, word);
  else
    snprintf(unit, UNIT, "\\%03o", (unsigned)(unsigned char)*word);
  return length > 0 ? length : 1;
}

const char *th_text_shell_word(const char *word, char *text, size_t size)
{
  if (is_plain_word(word)) {
    snprintf(text, size, "%s", word);
    return text;
  }
  bool escaped = !all_shown(word);
  char unit[UNIT];
  size_t used = (size_t)snprintf(text, size, escaped ? "$'" : "'");
  while (*word != '\0') {
    word += quote_unit(word, escaped, unit);
    if (used + strlen(unit) + sizeof "'" > size)
      break;
    used += (size_t)snprintf(text + used, size - used, "%s", unit);
  }
  snprintf(text + used, size - used, "'");
  return text;
}
