/* text.h - text files as lines, whole or in byte ranges on line borders
 * SPDX-License-Identifier: MIT */
#ifndef TH_TEXT_H
#define TH_TEXT_H

#include "io/files/decompress.h"
#include "io/files/file.h"
#include "io/import/text/text_row.h"
#include "ranks/comm.h"

#include <emmintrin.h>
#include <stddef.h>

/* An open text file; of a compressed one, its decompressed text. */
struct th_text_file {
  const char *name; /* as the user gave it; borrowed */
  int fd;
  struct th_identity identity; /* of the named file, when it was opened */
  bool unpacked;               /* fd is a temporary file with its text */
  int64_t size;                /* bytes */
  int64_t body;         /* offset of the first line of data, behind a mark of
                           UTF-8 and a header */
  int64_t header_lines; /* physical lines before it */
};

/* Open a file on every rank. text: what is not text is refused, and a mark of
 * UTF-8 passed over. A compressed one is decompressed by rank 0 into a
 * temporary file beside `output`, whose name is gone again when the call
 * returns; reading, which may be NULL, hears of it. Collective. */
th_status th_text_open(struct th_text_file *file, struct th_comm *comm,
                       const char *name, const char *output, bool text,
                       const struct th_reading *reading, struct th_error *err);

/* Close; legal on a zeroed record. Local. */
void th_text_close(struct th_text_file *file);

/* The outcome `rc` of reading from the file; where the file is not any more
 * what it was when it was opened, that failure instead. Local. */
th_status th_text_unchanged(const struct th_text_file *file, th_status rc,
                            struct th_error *err);

/* The failure itself. Local. */
th_status th_text_changed(const struct th_text_file *file,
                          struct th_error *err);

/* The part of the lines that begin in bytes [range.first, range.last), moved
 * to where lines begin. A line longer than max_line is cut, but so that it is
 * still too long. Local. */
th_status th_text_align(const struct th_text_file *file, int64_t max_line,
                        struct th_range *range, struct th_error *err);

/* Lines of an aligned range, read ahead in large pieces. */
struct th_text_lines {
  const struct th_text_file *file; /* borrowed */
  int64_t max_line;
  int64_t number;   /* of the line last handed out */
  int64_t next;     /* offset of what is to be read next */
  int64_t last;     /* end of the range */
  char *buffer;     /* one byte more than capacity */
  int64_t capacity; /* of buffer, without that byte */
  int64_t begin;    /* not yet handed out: begin .. end of the buffer */
  int64_t end;
};

/* Begin a range; the line before its first has that number. Keeps the buffer
 * of an earlier range. Local. */
void th_text_lines_begin(struct th_text_lines *lines,
                         const struct th_text_file *file, struct th_range range,
                         int64_t max_line, int64_t number);

void th_text_lines_free(struct th_text_lines *lines);

/* The next line; *more is false, and *line untouched, at the end of the range.
 * The line is valid until the next call; after one that is too long there are
 * no more. Local. */
th_status th_text_lines_next(struct th_text_lines *lines, struct th_line *line,
                             bool *more, struct th_error *err);

/* --- Where the next byte of a kind stands, without a loop
 *
 * All functions are local. */

/* A bit for each of the 16 bytes at p that are like the wanted ones. */
static inline unsigned th_text_find_bits(const char *p, __m128i wanted)
{
  __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
  return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted));
}

/* Bytes before the first wanted one of the next 16; 16: there is none. */
static inline int th_text_find_in_16(const char *p, __m128i wanted)
{
  return __builtin_ctz(th_text_find_bits(p, wanted) | 1U << 16);
}

/* Bytes before the first wanted one of the next 32; 32: there is none. */
static inline int th_text_find_in_32(const char *p, __m128i wanted)
{
  unsigned long long found = th_text_find_bits(p, wanted);
  found |= (unsigned long long)th_text_find_bits(p + 16, wanted) << 16;
  return __builtin_ctzll(found | 1ULL << 32);
}

/* The word in `text`, in quotes where a shell needs them, and as $'..' with the
 * bytes of what a terminal would not show as octal numbers. Where size, at
 * least 8, is too small, the word between the quotes is cut. Local. */
const char *th_text_shell_word(const char *word, char *text, size_t size);

#endif
