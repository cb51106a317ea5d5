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
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Files that stay as they are ------------------------------------------ */

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
  bool same = !file->mine || file->base >= 0 ||
              (th_file_identity_of(file->path, &now) &&
               th_file_identity_same(&now, &file->identity));
  return same ? rc : th_text_changed(file, err);
}

/* --- A file that is being read ------------------------------------------- */

th_status th_text_open(const char *path, const char *name, int *fd,
                       struct th_error *err)
{
  *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (*fd < 0)
    return th_fail(err, TH_EIO, "%s: %s; check the name of the input", name,
                   strerror(errno));
  return TH_OK;
}

uint64_t th_text_looks(const struct th_identity *identity)
{
  const uint64_t facts[] = {(uint64_t)identity->device,
                            (uint64_t)identity->inode,
                            (uint64_t)identity->size,
                            (uint64_t)identity->changed.tv_sec,
                            (uint64_t)identity->changed.tv_nsec,
                            (uint64_t)identity->touched.tv_sec,
                            (uint64_t)identity->touched.tv_nsec};
  return th_hash(facts, sizeof facts);
}

uint64_t th_text_sample(int fd, int64_t size)
{
  enum { PLACES = 32, PLACE = 4096 };
  char text[PLACES * PLACE];
  uint64_t hash = 1;
  bool whole = size <= (int64_t)sizeof text;
  int64_t last = whole ? 0 : size - PLACE;
  for (int64_t k = 0; k < (whole ? 1 : PLACES); k++) {
    int64_t at = (int64_t)((double)last * (double)k / (PLACES - 1));
    ssize_t got = pread(fd, text, whole ? sizeof text : PLACE, (off_t)at);
    if (got < 0)
      return 0;
    hash = th_fingerprint_next(hash, th_hash(text, (size_t)got));
  }
  return hash;
}

/* The file that another rank has looked at is the one that is here. */
static th_status compare(const struct th_text_file *file, int fd,
                         struct th_error *err)
{
  struct th_identity here;
  if (!th_file_identity_of_open(fd, &here))
    return th_fail(err, TH_EIO, "%s: %s", file->name, strerror(errno));
  if ((int64_t)here.size != file->size)
    return th_fail(err, TH_EIO,
                   "%s: %lld bytes here, %lld on rank %d; let all ranks see "
                   "the same file",
                   file->name, (long long)here.size, (long long)file->size,
                   file->owner);
  if (th_text_looks(&here) != file->looks &&
      th_text_sample(fd, file->size) != file->sample)
    return th_fail(err, TH_EIO,
                   "%s: other text here than on rank %d; let all ranks see the "
                   "same file",
                   file->name, file->owner);
  return TH_OK;
}

th_status th_text_open_file(const struct th_text_file *file, int *fd,
                            struct th_error *err)
{
  th_status rc = th_text_open(file->path, file->name, fd, err);
  if (rc == TH_OK && !file->mine && file->base < 0)
    rc = compare(file, *fd, err);
  if (rc == TH_OK || *fd < 0)
    return rc;
  close(*fd);
  *fd = -1;
  return rc;
}

/* Open the file of the range, unless it is open. */
static th_status turn_to(struct th_text_lines *lines,
                         const struct th_text_file *file, struct th_error *err)
{
  if (lines->open == file)
    return TH_OK;
  if (lines->open != NULL)
    close(lines->fd);
  lines->open = NULL;
  th_status rc = th_text_open_file(file, &lines->fd, err);
  if (rc == TH_OK)
    lines->open = file;
  return rc;
}

/* Bytes of a file's text. */
static th_status read_text(struct th_text_lines *lines,
                           const struct th_text_file *file, void *to,
                           int64_t bytes, int64_t offset, struct th_error *err)
{
  th_status rc = turn_to(lines, file, err);
  if (rc != TH_OK)
    return rc;
  if (file->base > 0)
    offset += file->base;
  return th_output_temporary_read(lines->fd, to, bytes, offset, file->name,
                                  err);
}

/* --- Lines ---------------------------------------------------------------- */

enum { READ_PART = 256 << 10, SCAN_FIRST = 1 << 13, SCAN_PART = 1 << 16 };

/* Where the first line begins at or behind `offset`. */
static th_status next_line(struct th_text_lines *lines,
                           const struct th_text_file *file, int64_t max_line,
                           int64_t *offset, struct th_error *err)
{
  char part[SCAN_PART];
  if (*offset <= file->body) {
    *offset = file->body;
    return TH_OK;
  }
  if (*offset >= file->size) {
    *offset = file->size;
    return TH_OK;
  }
  int64_t at = *offset - 1;
  int64_t limit = file->size;
  int64_t most = SCAN_FIRST; /* lines are short, as a rule */
  if (limit - *offset > max_line)
    limit = *offset + max_line + 2; /* as good as the end */
  while (at < file->size && at < limit) {
    int64_t bytes = file->size - at;
    bytes = bytes > most ? most : bytes;
    most = most < SCAN_PART ? 2 * most : most;
    th_status rc = read_text(lines, file, part, bytes, at, err);
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

th_status th_text_align(struct th_text_lines *lines,
                        const struct th_text_file *file, int64_t max_line,
                        struct th_range *range, struct th_error *err)
{
  th_status rc = next_line(lines, file, max_line, &range->first, err);
  if (rc == TH_OK)
    rc = next_line(lines, file, max_line, &range->last, err);
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
  if (lines->open != NULL)
    close(lines->fd);
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
  th_status rc = read_text(lines, lines->file, lines->buffer + left, bytes,
                           lines->next, err);
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

th_status th_text_lines_each(const struct th_text_file *file, int64_t longest,
                             int64_t header, th_text_take *take, void *self,
                             struct th_error *err)
{
  struct th_text_lines lines = {0};
  struct th_line line;
  bool more = true;
  th_status rc;
  th_text_lines_begin(&lines, file, (struct th_range){file->body, file->size},
                      longest, header);
  while (true) {
    TH_TRY(th_text_lines_next(&lines, &line, &more, err));
    if (!more)
      break;
    TH_TRY(th_text_row_check(&line, err));
    TH_TRY(take(self, &line, err));
  }
done:
  th_text_lines_free(&lines);
  return rc;
}

th_status th_text_lines_first(struct th_text_lines *lines,
                              const struct th_text_file *file, int64_t bytes,
                              struct th_line *line, bool *whole,
                              struct th_error *err)
{
  bool more = false;
  *whole = false;
  if (file->size - file->begin < bytes)
    return TH_OK;
  th_text_lines_begin(lines, file,
                      (struct th_range){file->begin, file->begin + bytes},
                      bytes, 0);
  th_status rc = th_text_lines_next(lines, line, &more, err);
  *whole = rc == TH_OK && more && lines->begin == lines->end &&
           lines->next == lines->last && lines->buffer[lines->end - 1] == '\n';
  return rc;
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
