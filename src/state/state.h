/* state.h - the state of a run as a list of plain arrays
 *
 * Everything that outlives an update is described once, by the module that
 * holds it: name, type, count, and where it lives. The description has two
 * uses. A list can be taken into an image, plain bytes that do not depend on
 * the number of ranks. And an image can be put into a fresh run on any number
 * of ranks. Each array is filled in as it is described, so a description may
 * reserve room by counts that it has described before.
 *
 * Work arrays and caches are not part of the state. They are made again from
 * it.
 *
 * The first failure is kept, and later descriptions are skipped. A module
 * describes itself in the same way on every rank. Functions are local unless
 * they say otherwise.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STATE_H
#define TH_STATE_H

#include "base/error.h"
#include "ranks/comm.h"
#include "ranks/partition.h"

#include <stdbool.h>
#include <stdint.h>

enum th_state_type {
  TH_STATE_F64,
  TH_STATE_I64,
  TH_STATE_I32,
  TH_STATE_U8,
  TH_STATE_U16,
  TH_STATE_BOOL, /* 0 or 1, which is checked when an image is put */
  TH_STATE_TYPES
};

/* Where an array lives. Arrays by attribute are spread over the ranks in the
 * order of the attributes, those of rank 0 first. */
enum th_state_place {
  TH_STATE_REPLICATED,
  TH_STATE_BY_EXAMPLE,   /* replicated, one item or more for each example */
  TH_STATE_BY_ATTRIBUTE, /* each rank has a range of the items */
  TH_STATE_FIRST_RANK    /* rank 0 has all, the others nothing */
};

enum { TH_STATE_NAME = 96, TH_STATE_PREFIX = 64 };

/* One array of a run. `rows` vectors of `all` items lie one after the other. Of
 * each vector this rank holds items here.first .. here.last - 1. */
struct th_state_entry {
  char name[TH_STATE_NAME];
  enum th_state_type type;
  enum th_state_place place;
  int64_t rows;
  int64_t all; /* by attribute: known once it has been taken */
  struct th_range here;
  void *data;
};

/* One array of an image: entry.rows x entry.all items, the same on every rank;
 * entry.data is owned, or NULL where the items lie elsewhere. Then `fetch` gets
 * items range.first .. range.last - 1 of vector `row` of array k from there,
 * with any failure of reading. Local. */
struct th_state_image {
  struct th_state_entry *entry;
  int64_t count;
  int64_t capacity;
  th_status (*fetch)(void *self, int64_t k, int64_t row, struct th_range range,
                     void *to, struct th_error *err);
  void *self;
  const char *name; /* where it comes from, for messages; borrowed, or NULL */
};

struct th_state {
  const struct th_state_image
      *image;   /* the image that is put; NULL: a list is made */
  int64_t next; /* entry of it */
  int rank;
  struct th_range owned; /* attributes of this rank */
  int64_t attributes;    /* of the data, to check what is put; 0: not known */
  int64_t examples;      /* the same: training examples */
  struct th_state_entry *entry;
  int64_t count;
  int64_t capacity;
  char prefix[TH_STATE_PREFIX];
  void **scratch; /* owned */
  int64_t scratches;
  int64_t scratch_capacity;
  th_status status;
  struct th_error *err;
};

/* ---- for descriptions ---- */

/* Put "name." before all names up to th_state_leave. */
void th_state_enter(struct th_state *state, const char *name);
void th_state_leave(struct th_state *state);

/* Is an image being put? Then the arrays described so far have their values. */
bool th_state_puts(const struct th_state *state);

/* Has nothing failed? Then the arrays described so far may be used. */
bool th_state_good(const struct th_state *state);

/* Keep the failure of a call within a description. */
void th_state_note(struct th_state *state, th_status status);

/* Give a failure on one rank to all ranks, so that a description may call
 * collective functions. False: something has failed. Collective. */
bool th_state_agree(struct th_state *state, struct th_comm *comm);

/* Zeros that live as long as the list, for arrays that are described in another
 * form than they are kept in. NULL after a failure. */
double *th_state_scratch(struct th_state *state, int64_t count);

/* `count` items that every rank has, or one item. */
void th_state_all(struct th_state *state, const char *name,
                  enum th_state_type type, void *data, int64_t count);

/* Pairs of the same type are arrays of twice as many items. */
#define TH_STATE_TYPE(item)                                                    \
  _Generic((item), double                                                      \
           : TH_STATE_F64, int64_t                                             \
           : TH_STATE_I64, uint64_t                                            \
           : TH_STATE_I64, int32_t                                             \
           : TH_STATE_I32, uint32_t                                            \
           : TH_STATE_I32, uint16_t                                            \
           : TH_STATE_U16, unsigned char                                       \
           : TH_STATE_U8, bool                                                 \
           : TH_STATE_BOOL)
#define TH_STATE_ONE(state, owner, field)                                      \
  th_state_one((state), #field, TH_STATE_TYPE((owner)->field), &(owner)->field)
#define TH_STATE_ARRAY(state, owner, field, count)                             \
  th_state_all((state), #field, TH_STATE_TYPE(*(owner)->field),                \
               (owner)->field, (count))

/* `count` items that every rank could have, and that this one does without:
 * rank 0 has them. */
void th_state_elsewhere(struct th_state *state, const char *name,
                        enum th_state_type type, int64_t count);

/* An array that grows by th_grow, of which `count` elements are in use. An
 * element is so many items of the type. Room is made before the array is put,
 * if the image has that many. */
struct th_state_growing {
  const char *name;
  enum th_state_type type;
  int64_t items; /* of an element */
  void **data;
  int64_t *capacity; /* in elements */
};
void th_state_grow(struct th_state *state, struct th_state_growing array,
                   int64_t count);

/* `count` items for examples. */
void th_state_examples(struct th_state *state, const char *name,
                       enum th_state_type type, void *data, int64_t count);

/* `rows` vectors with an item for each of some attributes, spread over the
 * ranks by attribute. */
void th_state_spread(struct th_state *state, const char *name,
                     enum th_state_type type, void *data, int64_t rows,
                     struct th_range here);

/* Items that rank 0 alone has. */
void th_state_first(struct th_state *state, const char *name,
                    enum th_state_type type, void *data, int64_t count);

/* For lists by attribute, whose length must be known before they are put: the
 * items of the next array, which are ascending attributes, that lie in a range.
 * *keys: these items, borrowed. Only while an image is put. An error if the
 * next array is another one. */
struct th_range th_state_find(struct th_state *state, const char *name,
                              struct th_range range, const int64_t **keys);

/* ---- what is checked while an image is put ---- */

/* One item. Integers are counts or numbers of things, -1 for none, and are
 * refused beyond 2^46 when they are listed. */
void th_state_one(struct th_state *state, const char *name,
                  enum th_state_type type, void *data);

/* A count that no size or index is made from: 0 or more. */
void th_state_counter(struct th_state *state, const char *name, int64_t *data);
#define TH_STATE_COUNTER(state, owner, field)                                  \
  th_state_counter((state), #field, &(owner)->field)

/* Integers that were just described must be from lowest to highest. Another
 * fails, and becomes 0 or, where that is larger, lowest, so that whoever
 * releases the run can trust it. */
void th_state_limit(struct th_state *state, const char *name, int64_t *value,
                    int64_t count, int64_t lowest, int64_t highest);
#define TH_STATE_AT_MOST(state, owner, field, most)                            \
  do {                                                                         \
    TH_STATE_ONE((state), (owner), field);                                     \
    th_state_limit((state), #field, &(owner)->field, 1, 0, (most));            \
  } while (0)

/* Has the next array of the image vectors of that many items? Asked before room
 * is made for them. True while a list is made. */
bool th_state_next_has(struct th_state *state, int64_t items);

/* `count` attributes that every rank has. */
void th_state_attributes(struct th_state *state, const char *name,
                         int64_t *data, int64_t count);

/* They must ascend. */
void th_state_ascending(struct th_state *state, const char *name,
                        const int64_t *data, int64_t count);

/* ---- for taking and putting images ---- */

/* Bytes of an item of a type. */
size_t th_state_size(enum th_state_type type);

/* Begin a list, or begin to put an image. Release with th_state_free. */
void th_state_list(struct th_state *state, const struct th_comm *comm,
                   struct th_range owned, struct th_error *err);
void th_state_from(struct th_state *state, const struct th_state_image *image,
                   const struct th_comm *comm, struct th_range owned,
                   struct th_error *err);
void th_state_free(struct th_state *state);

/* Make an image of the listed arrays, on every rank. An error if a name comes
 * twice. Collective. Release with th_state_image_free. */
th_status th_state_snapshot(struct th_state *state, struct th_comm *comm,
                            struct th_state_image *image, struct th_error *err);

/* Call after everything has been described. TH_EFORMAT unless the whole image
 * is used up on every rank; otherwise the failure of a description.
 * Collective. */
th_status th_state_put(struct th_state *state, struct th_comm *comm,
                       struct th_error *err);

/* Give rank 0's image to all ranks; the images of the others are released.
 * Collective. For tests, in which a run of few ranks is gone on with by
 * more. */
th_status th_state_image_share(struct th_state_image *image,
                               struct th_comm *comm, struct th_error *err);
/* Local. */
void th_state_image_free(struct th_state_image *image);

#endif
