/* index_set.h - the indices that occur in sparse text, and the numbers of the
 * attributes that they name
 *
 * An index is any number of 64 bits. It is numbered by its place among all that
 * occur, in ascending order.
 * SPDX-License-Identifier: MIT */
#ifndef TH_INDEX_SET_H
#define TH_INDEX_SET_H

#include "base/error.h"
#include "ranks/comm.h"

#include <stdbool.h>
#include <stdint.h>

/* A hash table with open addressing, at most half full; or, while indices are
 * added, a bit for each that may be. Zeroed: an empty table. */
struct th_index_set {
  int64_t slots; /* a power of two, or 0 */
  int64_t count;
  uint64_t *index;  /* by slot */
  uint32_t *number; /* by slot: TH_INDEX_FREE, or the attribute's number */
  uint64_t *bit;    /* NULL: a table */
  int64_t words;    /* of bits, 64 each */
};

#define TH_INDEX_FREE UINT32_MAX

/* The most bytes that a set of `count` indices takes while it is made and
 * numbered. Local. */
int64_t th_index_set_bytes(int64_t count);

/* Begin an empty set of indices up to `largest`: bits if they take at most so
 * many bytes. Local. */
th_status th_index_set_begin(struct th_index_set *set, uint64_t largest,
                             int64_t bytes, struct th_error *err);

/* Add an index, which may be there, and is not above the largest. Local. */
th_status th_index_set_add(struct th_index_set *set, uint64_t index,
                           struct th_error *err);

/* Add an index to a table, unless it has TH_INDEX_NOTED of them. Local. */
enum { TH_INDEX_NOTED = 1 << 20 };
th_status th_index_set_note(struct th_index_set *set, uint64_t index,
                            struct th_error *err);

/* Add those of a set that was begun alike, which is freed. Local. */
th_status th_index_set_merge(struct th_index_set *set,
                             struct th_index_set *other, struct th_error *err);

/* Legal on a zeroed set. Local. */
void th_index_set_free(struct th_index_set *set);

/* Make a set of distinct indices, numbered 0, 1, .. as they come. Local. */
th_status th_index_set_fill(struct th_index_set *set, const uint64_t *index,
                            int64_t count, struct th_error *err);

/* Number the indices of all ranks together, afterwards a table, each by its
 * place among them. *count receives how many there are. Where `list` is not
 * NULL, rank 0 receives all of them in ascending order, which it owns, and the
 * others NULL. Collective. */
th_status th_index_set_join(struct th_index_set *set, struct th_comm *comm,
                            uint64_t **list, int64_t *count,
                            struct th_error *err);

/* Steele, Lea & Flood 2014: the slot that an index is looked for from.
 * Local. */
static inline int64_t th_index_set_slot(const struct th_index_set *set,
                                        uint64_t index)
{
  index = (index ^ (index >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  index = (index ^ (index >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (int64_t)((index ^ (index >> 31)) & (uint64_t)(set->slots - 1));
}

/* The number of an index in a table; -1: it is not there. Local. */
static inline int64_t th_index_set_find(const struct th_index_set *set,
                                        uint64_t index)
{
  if (set->slots == 0)
    return -1;
  int64_t at = th_index_set_slot(set, index);
  while (set->number[at] != TH_INDEX_FREE && set->index[at] != index)
    at = (at + 1) & (set->slots - 1);
  return set->number[at] == TH_INDEX_FREE ? -1 : (int64_t)set->number[at];
}

/* The index that a text of decimal digits is, up to `end`; false if it is none,
 * or takes more than 64 bits. Local. */
bool th_index_set_read(const char *text, const char *end, uint64_t *index);

/* The first of an ascending list that is not below an index; count: there is
 * none. Local. */
int64_t th_index_set_from(const uint64_t *list, int64_t count, uint64_t index);

/* The texts of indices, as names: one allocation, owned by the caller. Local.
 */
th_status th_index_set_names(const uint64_t *index, int64_t count,
                             char ***names, struct th_error *err);

#endif
