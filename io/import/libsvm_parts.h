/* libsvm_parts.h - what the readers of LIBSVM text share; internal
 * to io/import
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_LIBSVM_PARTS_H
#define TH_LIBSVM_PARTS_H

#include "io/import/libsvm.h"

static inline bool th_libsvm_is_blank(char c)
{
  return c == ' ' || c == '\t';
}

static inline bool th_libsvm_is_digit(char c)
{
  return (unsigned char)(c - '0') < 10;
}

static inline const char *th_libsvm_skip_blanks(const char *p, const char *end)
{
  while (p < end && th_libsvm_is_blank(*p))
    p++;
  return p;
}

static inline bool th_libsvm_ends_here(const char *p, const char *end)
{
  return p == end || *p == '#';
}

static inline bool th_libsvm_ends_token(const char *p, const char *end)
{
  return th_libsvm_ends_here(p, end) || th_libsvm_is_blank(*p);
}

/* Read what stands before the first index:value. Local. TH_EDATA. */
th_status th_libsvm_target(const struct th_libsvm *format,
                           const struct th_line *line, const char **cursor,
                           struct th_text_row *row, struct th_error *err);

/* TH_EDATA for what follows the number of a token; `what` it should be. Local.
 */
th_status th_libsvm_junk(const struct th_line *line, const char *at,
                         const char *token, const char *what,
                         struct th_error *err);

#endif
