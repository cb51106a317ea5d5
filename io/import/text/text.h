/* text.h - text files as lines, whole or in byte ranges on line borders
 * SPDX-License-Identifier: MIT */
#ifndef TH_TEXT_H
#define TH_TEXT_H

#include "io/files/decompress.h"
#include "io/files/file.h"
#include "io/import/text/text_row.h"

#include <stddef.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* A text file; of a compressed one, its decompressed text. See
 * text/text_files.h. */
struct th_text_file {
  const char *name; /* as the user gave it; borrowed */
  const char *path; /* of its text: the name, or a temporary file; borrowed */
  int owner;        /* the rank that has looked at it */
  bool mine;        /* this one has */
  struct th_identity identity; /* of the named file, then; on that rank */
  uint64_t looks;              /* th_text_looks of the named file, then */
  uint64_t sample;             /* th_text_sample of a file that is no other's */
  int64_t base;                /* where its text begins in a temporary file; -1:
                                  it is not in one */
  int64_t size;                /* bytes of the text */
  int64_t begin;        /* offset of the first line, behind a mark of UTF-8 */
  int64_t body;         /* offset of the first line of data, behind a header */
  int64_t header_lines; /* physical lines before it */
};

/* Open a file of text; a pipe is not waited for. Local. */
th_status th_text_open(const char *path, const char *name, int *fd,
                       struct th_error *err);

/* Open what a file of an import holds, on any rank; it is the file that the
 * rank has seen which looked at it first. Local. */
th_status th_text_open_file(const struct th_text_file *file, int *fd,
                            struct th_error *err);

/* A hash of where a file is stored and of its times: where it is the same on
 * two ranks, they see one file, and nobody reads it to know. Local. */
uint64_t th_text_looks(const struct th_identity *identity);

/* A hash of text at places spread evenly over a file, its end among them: what
 * tells a copy of another day, at no cost. 0 where it cannot be read. Local. */
uint64_t th_text_sample(int fd, int64_t size);

/* The outcome `rc` of reading from the file; where the file is not any more
 * what it was when this rank looked at it first, that failure instead. Of a
 * file at which another rank has looked, `rc` itself. Local. */
th_status th_text_unchanged(const struct th_text_file *file, th_status rc,
                            struct th_error *err);

/* The failure itself. Local. */
th_status th_text_changed(const struct th_text_file *file,
                          struct th_error *err);

/* Lines of an aligned range, read ahead in large pieces. The file is opened
 * when it is first read from, and closed when another one is. Zeroed: none. */
struct th_text_lines {
  const struct th_text_file *file; /* borrowed */
  const struct th_text_file *open; /* the one that fd is open for, or NULL */
  int fd;
  int64_t max_line;
  int64_t number;   /* of the line last handed out */
  int64_t next;     /* offset of what is to be read next */
  int64_t last;     /* end of the range */
  char *buffer;     /* one byte more than capacity */
  int64_t capacity; /* of buffer, without that byte */
  int64_t begin;    /* not yet handed out: begin .. end of the buffer */
  int64_t end;
};

/* The part of the lines that begin in bytes [range.first, range.last), moved
 * to where lines begin; it is read by way of `lines`. A line longer than
 * max_line is cut, but so that it is still too long. Local. */
th_status th_text_align(struct th_text_lines *lines,
                        const struct th_text_file *file, int64_t max_line,
                        struct th_range *range, struct th_error *err);

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

/* What is done with a line. */
typedef th_status th_text_take(void *self, struct th_line *line,
                               struct th_error *err);

/* Hand on all lines behind a header of so many, and check them
 * (th_text_row_check). One of more than `longest` bytes is handed on as such;
 * it is an error of `take`, or the last one. Local. */
th_status th_text_lines_each(const struct th_text_file *file, int64_t longest,
                             int64_t header, th_text_take *take, void *self,
                             struct th_error *err);

/* The line that a file begins with, of so many bytes with its end; *whole is
 * false where it is no such line. Local. */
th_status th_text_lines_first(struct th_text_lines *lines,
                              const struct th_text_file *file, int64_t bytes,
                              struct th_line *line, bool *whole,
                              struct th_error *err);

/* --- Where the next byte of a kind stands, without a loop
 *
 * All functions are local. */

typedef char th_text_bytes __attribute__((vector_size(16)));

static inline th_text_bytes th_text_every(char byte)
{
  return byte - (th_text_bytes){0};
}

/* A bit for each of the 16 bytes, which have all their bits or none. */
#if defined(__SSE2__)
#define TH_TEXT_BITS(found) (unsigned)_mm_movemask_epi8((__m128i)(found))
#else
#define TH_TEXT_BITS(found) th_text_gather(found)
static inline unsigned th_text_gather(th_text_bytes found)
{
  /* a product that moves the lowest bits of eight bytes into the highest byte
   */
  const uint64_t lowest = UINT64_C(0x0101010101010101);
  const uint64_t gather = UINT64_C(0x0102040810204080);
  uint64_t half[2];
  memcpy(half, &found, sizeof half);
  return (unsigned)((half[0] & lowest) * gather >> 56 |
                    (half[1] & lowest) * gather >> 56 << 8);
}
#endif

/* A bit for each of the 16 bytes at p that are like the wanted ones. */
static inline unsigned th_text_find_bits(const char *p, th_text_bytes wanted)
{
  th_text_bytes bytes;
  memcpy(&bytes, p, sizeof bytes);
  return TH_TEXT_BITS(bytes == wanted);
}

/* Bytes before the first wanted one of the next 16; 16: there is none. */
static inline int th_text_find_in_16(const char *p, th_text_bytes wanted)
{
  return __builtin_ctz(th_text_find_bits(p, wanted) | 1U << 16);
}

/* Bytes before the first wanted one of the next 32; 32: there is none. */
static inline int th_text_find_in_32(const char *p, th_text_bytes wanted)
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
