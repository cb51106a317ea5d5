/* text_input.c - text files as lines, whole or in byte ranges on line borders
 * SPDX-License-Identifier: MIT */
#include "io/import/text_input.h"

#include "core/memory.h"
#include "io/hdf5/temporary.h"

#include <stdlib.h>
#include <string.h>

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
        th_temporary_read(file->fd, part, bytes, at, file->name, err);
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
  th_status rc = th_temporary_read(lines->file->fd, lines->buffer + left, bytes,
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
