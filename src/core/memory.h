/* memory.h - allocation with 64-bit counts, alignment and an error record
 * SPDX-License-Identifier: MIT */
#ifndef TH_MEMORY_H
#define TH_MEMORY_H

#include "core/error.h"

#include <stddef.h>
#include <stdint.h>

/* "1.2 GB" and the like. */
enum { TH_SIZE_TEXT = 32 };
const char *th_memory_size_text(int64_t bytes, char text[TH_SIZE_TEXT]);

/* TH_ENOMEM: one line with what it was for, how much was asked for and what to
 * do. Local. */
th_status th_memory_fail(const char *what, int64_t bytes, struct th_error *err);

/* Zeroed room for count items of size bytes, aligned to 64 bytes, or TH_ENOMEM
 * with one line that says what it was for. Local. *out is untouched on failure
 * and never NULL on success, also for count 0. Release with free(). */
th_status th_alloc(void **out, int64_t count, size_t size, const char *what,
                   struct th_error *err);

/* The same for a typed pointer: TH_TRY(TH_NEW(&p, n, "predictions", err)). */
#define TH_NEW(pointer, count, what, err)                                      \
  th_alloc((void **)(pointer), (count), sizeof **(pointer), (what), (err))

/* Make room for at least count items of size bytes behind *data, which holds
 * *capacity items; grows by halves, keeps the content. Local. */
th_status th_grow(void **data, int64_t *capacity, int64_t count, size_t size,
                  const char *what, struct th_error *err);

/* Grow one of several arrays that share a capacity: room for `wanted` items
 * behind *data, which has room for `old`. The caller notes the new capacity
 * once all of them have it. Local. */
th_status th_memory_grow_columns(void **data, int64_t old, int64_t wanted,
                                 size_t size, const char *what,
                                 struct th_error *err);

/* The same for a typed pointer. */
#define TH_WIDEN(pointer, old, wanted, what, err)                              \
  th_memory_grow_columns((void **)(pointer), (old), (wanted),                  \
                         sizeof **(pointer), (what), (err))

#endif
