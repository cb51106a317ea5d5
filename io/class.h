/* class.h - one class of a target against all others
 *
 * Where a class is given, targets are names: a word, or a number in any form.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLASS_H
#define TH_CLASS_H

#include <stdbool.h>
#include <stdint.h>

struct th_class {
  const char *name; /* borrowed; NULL: no class is given */
  bool is_number;
  double value;
};

/* Local. */
struct th_class th_class_named(const char *name);

/* What a target's text says: +1 the class, -1 another one, 0 nothing, as a
 * missing value does. The byte behind the text is readable and is no part of a
 * number. Local. */
int th_class_of(const struct th_class *wanted, const char *text,
                int64_t length);

/* What programs write for a value that is not there, or that is no number any
 * more. Local. */
bool th_text_is_missing(const char *text, int64_t length);

#endif
