/* nearest.h - the name that a misspelt one may stand for
 *
 * Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_NEAREST_H
#define TH_NEAREST_H

#include <stdint.h>

/* Edits from one name to the other (Levenshtein's distance); 0 where the first
 * one is the beginning of the second, of three letters or more: nothing is
 * nearer than what is abbreviated. Names of more than 40 bytes are far away. */
int th_nearest_distance(const char *name, const char *other);

/* The most edits after which a name may still be meant. */
int th_nearest_most(const char *name);

/* The nearest of name(0), name(1), ... up to NULL, or NULL: none is near. */
const char *th_nearest(const char *name, const char *(*known)(int64_t k));

#endif
