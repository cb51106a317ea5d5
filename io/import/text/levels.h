/* levels.h - the different words of a column: each is an attribute, 1 where the
 * column has it
 * SPDX-License-Identifier: MIT */
#ifndef TH_LEVELS_H
#define TH_LEVELS_H

#include "base/error.h"
#include "ranks/comm.h"

#include <stdbool.h>
#include <stdint.h>

enum { TH_LEVEL_LENGTH = 200 }; /* bytes of a word, at most */

/* What stands in a field of a table. Truth values may be words; what is odd is
 * meant as a number and is none: too large, not finite, with a decimal comma.
 */
enum th_kind {
  TH_KIND_NUMBER,
  TH_KIND_TRUTH,
  TH_KIND_DATE,
  TH_KIND_PERCENT,
  TH_KIND_WORD,
  TH_KIND_ODD,
  TH_KINDS
};

/* The words of one column, in ascending order of their bytes. */
struct th_levels {
  int64_t count;
  int64_t capacity;
  char **name;           /* owned */
  bool more;             /* there were too many, or one that is too long */
  char *first[TH_KINDS]; /* of each kind that was met: the beginning of the
                            first such field; owned */
};

/* Local. */
void th_levels_free(struct th_levels *levels);

/* Note that a field of that kind was met. Local. */
th_status th_levels_note(struct th_levels *levels, enum th_kind kind,
                         const char *text, int64_t length,
                         struct th_error *err);

/* Add a word, if it is new, and there are not `most` of them. Local. */
th_status th_levels_add(struct th_levels *levels, const char *text,
                        int64_t length, int64_t most, struct th_error *err);

/* Its place, or -1. Local. */
int64_t th_levels_find(const struct th_levels *levels, const char *text,
                       int64_t length);

/* Give every rank the words of all ranks, of `count` columns. Collective. */
th_status th_levels_join(struct th_levels *levels, int64_t count, int64_t most,
                         struct th_comm *comm, struct th_error *err);

#endif
