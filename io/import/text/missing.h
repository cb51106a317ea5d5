/* missing.h - what text writes for a value that nobody knows
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_MISSING_H
#define TH_MISSING_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* How missing values are written, beside the usual words. */
struct th_missing {
  bool refused;   /* none may be missing */
  char *words;    /* one after the other, each ended by a zero; owned */
  int64_t count;  /* of these words */
  double *number; /* of these, what are numbers; owned */
  int64_t numbers;
};

/* The usual words alone. */
extern const struct th_missing th_missing_usual;

/* Read a list of words between commas; NULL: only the usual ones; "error": no
 * value may be missing. Release with th_missing_free. */
th_status th_missing_read(struct th_missing *missing, const char *list,
                          struct th_error *err);
void th_missing_free(struct th_missing *missing);

/* True if a field's text, without its quotes, is the usual word for a missing
 * value: nothing, NA, N/A, NaN, null, None, ?, a dot, in any case; or one of
 * the list. */
bool th_missing_is(const struct th_missing *missing, const char *text,
                   int64_t length);

/* True if the text is a word of the list, or one of its numbers in another
 * form. */
bool th_missing_is_named(const struct th_missing *missing, const char *text,
                         int64_t length);

/* True if a number of the list is this one. */
static inline bool th_missing_is_number(const struct th_missing *missing,
                                        double value)
{
  bool found = false;
  for (int64_t k = 0; k < missing->numbers; k++)
    found = found || missing->number[k] == value;
  return found;
}

#endif
