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

/* The classes that were met, each once, in ascending order. */
enum { TH_CLASSES_KEPT = 32, TH_CLASS_ROOM = 48 };
struct th_class_set {
  int64_t count;
  bool more; /* there were too many, or one that is too long */
  char name[TH_CLASSES_KEPT][TH_CLASS_ROOM];
  int64_t times[TH_CLASSES_KEPT]; /* how often each was met */
};

/* Add a class that was met so many times. Local. */
void th_class_set_add(struct th_class_set *set, const char *text,
                      int64_t length, int64_t times);

/* What programs write for a value that is not there, or that is no number any
 * more. Local. */
bool th_class_is_missing(const char *text, int64_t length);

#endif
