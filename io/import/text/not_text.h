/* not_text.h - files that are no text, and what makes text of them
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_NOT_TEXT_H
#define TH_NOT_TEXT_H

#include "base/error.h"

#include <stddef.h>

/* A kind of file that is no text. */
struct th_not_text_row {
  size_t place; /* of the bytes that show it */
  size_t bytes;
  const char *magic;
  const char *kind;
  const char *remedy; /* FILE in it is the name of the file */
};

/* All kinds. Shown for tests. */
const struct th_not_text_row *th_not_text_table(size_t *count);

/* An error that names the kind of a file and a command that makes what can be
 * imported of it, where its first bytes are those of a known kind; TH_OK for
 * all others. */
th_status th_not_text_refuse(const char *name, const char *head, size_t bytes,
                             struct th_error *err);

/* What is said of a byte 0 in what else is text. */
#define TH_NOT_TEXT_ZERO                                                       \
  "a byte 0 found, which text does not have; correct the line, or save the "   \
  "file as text in UTF-8"

/* An error where a byte 0 is among the first bytes of a file, which is then no
 * text of any format: with its place, and the bytes that the file begins with
 * if these are not those of text. begin: of its first line. */
th_status th_not_text_refuse_zero(const char *name, const char *head,
                                  size_t begin, size_t bytes,
                                  struct th_error *err);

#endif
