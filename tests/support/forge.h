/* forge.h - files that say something else, with every checksum made right
 *
 * Damage is found by checksums. A forgery is not: what it says has to be
 * checked where it is read.
 * SPDX-License-Identifier: MIT */
#ifndef FORGE_H
#define FORGE_H

#include <stdbool.h>
#include <stdint.h>

enum { FORGE_PATH = 256, FORGE_NAME = 64, FORGE_PLACES = 128 };

/* An array of a file, or a number: attribute `name` of `object`. */
struct forge_place {
  char path[FORGE_PATH];
  char object[FORGE_NAME];
  char name[FORGE_NAME]; /* empty: the data set `object` itself */
  int64_t items;
  int bytes; /* of an item; more than 8: text */
  bool real; /* not a whole number */
};

/* What an item becomes. The last ones look at its neighbours. */
enum forge_way {
  FORGE_ZERO,
  FORGE_ONE,
  FORGE_ALL_BITS, /* the largest without a sign; -1; not a number */
  FORGE_TOP_BIT,  /* the smallest with a sign */
  FORGE_OTHER_BITS,
  FORGE_MIDDLE,
  FORGE_LARGE, /* 1e300 */
  FORGE_UP,
  FORGE_DOWN,
  FORGE_RANDOM,
  FORGE_COPY,
  FORGE_SWAP,
  FORGE_WAYS
};

/* What a file holds: checksums and views of other files left out. Returns how
 * many. */
int forge_list(const char *path, struct forge_place places[FORGE_PLACES]);

/* Change an item; false where that changes nothing. */
bool forge_change(const struct forge_place *place, int64_t at,
                  enum forge_way way, uint64_t random);

/* The whole number of an item; set some items. */
int64_t forge_get(const struct forge_place *place, int64_t at);
void forge_set(const struct forge_place *place, int64_t first, int64_t count,
               int64_t value);

/* Another number of items in a data set: the first of them, then zeros. */
bool forge_resize(const struct forge_place *place, int64_t items);

/* The same items, kept in another way. */
enum forge_form {
  FORGE_HOLLOW,   /* 2^40 of them, none of which is in the file */
  FORGE_EXTERNAL, /* in a file of bytes */
  FORGE_VIRTUAL,  /* by way of a virtual data set */
  FORGE_LINK,     /* in another HDF5 file, by way of an external link */
  FORGE_FORMS
};
bool forge_form(const struct forge_place *place, enum forge_form form);

/* Make the checksums right that arrays of a file carry themselves. */
void forge_seal_arrays(const char *path);

/* Make the checksums of a data set's shards and of its master right, from the
 * bottom up, as far as what they say can be followed. */
void forge_seal(const char *master);

#endif
