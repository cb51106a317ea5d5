/* memory.h - allocation with 64-bit counts, alignment and an error record;
 * advice to the operating system about large pieces
 * SPDX-License-Identifier: MIT */
#ifndef TH_MEMORY_H
#define TH_MEMORY_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fail for want of memory: one line with what it was for, how much was asked
 * for and what to do. Local. */
th_status th_memory_fail(const char *what, int64_t bytes, struct th_error *err);

/* Zeroed room for count items of size bytes, aligned to 64 bytes, or one line
 * that says what it was for. Local. *out is untouched on failure and never NULL
 * on success, also for count 0. Release with free(). */
th_status th_alloc(void **out, int64_t count, size_t size, const char *what,
                   struct th_error *err);

/* th_alloc for a typed pointer: TH_TRY(TH_NEW(&p, n, "predictions", err)). */
#define TH_NEW(pointer, count, what, err)                                      \
  th_alloc((void **)(pointer), (count), sizeof **(pointer), (what), (err))

/* Zeros, likewise, of which few are going to be written and whose
 * pages take memory once they are. Aligned as malloc does.
 * Local. Release with free(). */
th_status th_memory_rare(void **out, int64_t count, size_t size,
                         const char *what, struct th_error *err);
#define TH_NEW_RARE(pointer, count, what, err)                                 \
  th_memory_rare((void **)(pointer), (count), sizeof **(pointer), (what), (err))

/* Release arrays, any of them NULL: TH_FREE(a, b, c). Local. */
void th_memory_free_all(void *const *data, size_t count);
#define TH_FREE(...)                                                           \
  th_memory_free_all((void *[]){__VA_ARGS__},                                  \
                     sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))

/* Release an array of pointers with what they point at; it may be NULL. Local.
 */
void th_memory_free_list(void **list, int64_t count);
#define TH_FREE_LIST(list, count) th_memory_free_list((void **)(list), (count))

/* The capacity that th_grow chooses for `wanted` items: half as much again as
 * there is, or `wanted`. Local. */
int64_t th_memory_roomier(int64_t capacity, int64_t wanted);

/* Make room for at least count items of size bytes behind *data, which holds
 * *capacity items; grows by halves, keeps the content. Local. */
th_status th_grow(void **data, int64_t *capacity, int64_t count, size_t size,
                  const char *what, struct th_error *err);

/* th_grow for a typed pointer. */
#define TH_GROW(pointer, capacity, count, what, err)                           \
  th_grow((void **)(pointer), (capacity), (count), sizeof **(pointer), (what), \
          (err))

/* Make room in a long list that is added to: what lies behind its items takes
 * memory once it is written, and is not set. The list moves without a copy
 * where the system can do so. *data: of this function, or NULL. Aligned as
 * malloc does. Local. */
th_status th_memory_lengthen(void **data, int64_t *capacity, int64_t count,
                             size_t size, const char *what,
                             struct th_error *err);
#define TH_LENGTHEN(pointer, capacity, count, what, err)                       \
  th_memory_lengthen((void **)(pointer), (capacity), (count),                  \
                     sizeof **(pointer), (what), (err))

/* Grow one of several arrays that share a capacity: room for `wanted` items
 * behind *data, which has room for `old`. The caller notes the new capacity
 * once all of them have it. Local. */
th_status th_memory_grow_columns(void **data, int64_t old, int64_t wanted,
                                 size_t size, const char *what,
                                 struct th_error *err);

/* th_memory_grow_columns for a typed pointer. */
#define TH_WIDEN(pointer, old, wanted, what, err)                              \
  th_memory_grow_columns((void **)(pointer), (old), (wanted),                  \
                         sizeof **(pointer), (what), (err))

#define TH_COUNT(list) (sizeof(list) / sizeof *(list))

/* One of the arrays of a struct that share a capacity: where its pointer is,
 * and the bytes of its items for one unit of the capacity, and beyond all. */
struct th_array {
  size_t pointer;
  size_t size;
  size_t spare;
  size_t whole; /* bytes of the struct: a list fits no other */
  bool square;  /* of the capacity's square, then */
};
/* `each` items for one unit, and `more` beyond all. */
#define TH_ARRAY_OF(type, member, each, more)                                  \
  {                                                                            \
    offsetof(type, member), (each) * sizeof *((type *)0)->member,              \
        (more) * sizeof *((type *)0)->member, sizeof(type), false              \
  }
/* One for each pair of units. */
#define TH_MATRIX(type, member)                                                \
  {                                                                            \
    offsetof(type, member), sizeof *((type *)0)->member, 0, sizeof(type), true \
  }
#define TH_ARRAY(type, member) TH_ARRAY_OF(type, member, 1, 0)

/* The arrays of one struct, borrowed. */
struct th_arrays {
  void *object;
  size_t whole; /* bytes of it */
  const struct th_array *list;
  size_t count;
};
#define TH_ARRAYS(object, list)                                                \
  (struct th_arrays)                                                           \
  {                                                                            \
    (object), sizeof *(object), (list), TH_COUNT(list)                         \
  }

/* Room for at least `wanted` units in all arrays, which have *capacity: their
 * content stays, new items are zero. Local. */
th_status th_memory_arrays_reserve(struct th_arrays arrays, int64_t *capacity,
                                   int64_t wanted, const char *what,
                                   struct th_error *err);
/* Release them and forget them. Local. */
void th_memory_arrays_free(struct th_arrays arrays);

/* --- Advice to the operating system ---------------------------------------
 *
 * Advice cannot fail. A system that ignores it loses only time. */

/* Bytes of a large page. Memory that begins at a multiple of it profits most.
 */
enum { TH_LARGE_PAGE = 2 << 20 };

/* Ask for large pages for memory that has not been touched yet. There are then
 * fewer page faults, and scattered reads need fewer address look-ups. Local. */
void th_memory_large_pages(void *memory, size_t bytes);

/* Let what is freed serve the next allocations, up to some 128 MB: new pages
 * cost more than the work on them where pieces come and go. For a whole
 * program. Local. */
void th_memory_reuse_freed(void);

/* Give the whole pages in a piece of memory back to the system. Their content
 * is lost; they can be used again as new memory. Local. */
void th_memory_release_pages(void *memory, size_t bytes);

#endif
