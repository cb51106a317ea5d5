/* memory.c - allocation with 64-bit counts, alignment and an error record
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include "base/printable.h"

#include <assert.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- Advice to the operating system --------------------------------------- */

#ifdef MADV_HUGEPAGE
enum { LARGE_PAGES = MADV_HUGEPAGE };
#else
enum { LARGE_PAGES = MADV_NORMAL };
#endif

/* Bytes: larger pieces are the system's own; more that is free goes back to it.
 */
enum { OWN_PIECE = 32 << 20, MOST_FREE = 128 << 20 };

/* Of the whole pages of `page` bytes. */
static void advise_pages(void *memory, size_t bytes, size_t page, int advice)
{
  size_t skip = (page - (uintptr_t)memory % page) % page;
  if (bytes >= skip + page)
    (void)madvise((char *)memory + skip, (bytes - skip) / page * page, advice);
}

void th_memory_large_pages(void *memory, size_t bytes)
{
  advise_pages(memory, bytes, TH_LARGE_PAGE, LARGE_PAGES);
}

void th_memory_reuse_freed(void)
{
  (void)mallopt(M_MMAP_THRESHOLD, OWN_PIECE);
  (void)mallopt(M_TRIM_THRESHOLD, MOST_FREE);
}

void th_memory_release_pages(void *memory, size_t bytes)
{
  advise_pages(memory, bytes, (size_t)sysconf(_SC_PAGESIZE), MADV_DONTNEED);
}

/* --- Allocation ----------------------------------------------------------- */

/* From LARGE bytes on the system is asked for large pages. */
enum { ALIGNMENT = 64, LARGE = 2 * TH_LARGE_PAGE };

th_status th_memory_fail(const char *what, int64_t bytes, struct th_error *err)
{
  char text[TH_SIZE_TEXT];
  return th_fail(err, TH_ENOMEM,
                 "no memory for %s: %s more were asked for; raise the limit "
                 "(ulimit -v, or the batch system's), lower {memory}, or use "
                 "more machines",
                 what, th_printable_size(bytes, text));
}

static th_status check_items(int64_t count, size_t size, const char *what,
                             struct th_error *err)
{
  if (count < 0 || (uint64_t)count > (SIZE_MAX - ALIGNMENT) / (size ? size : 1))
    return th_fail(err, TH_ENOMEM, "%s: %lld items are too many", what,
                   (long long)count);
  return TH_OK;
}

th_status th_memory_rare(void **out, int64_t count, size_t size,
                         const char *what, struct th_error *err)
{
  th_status rc = check_items(count, size, what, err);
  if (rc != TH_OK)
    return rc;
  void *p = calloc((size_t)count + 1, size);
  if (p == NULL)
    return th_memory_fail(what, count * (int64_t)size, err);
  *out = p;
  return TH_OK;
}

th_status th_alloc(void **out, int64_t count, size_t size, const char *what,
                   struct th_error *err)
{
  th_status rc = check_items(count, size, what, err);
  if (rc != TH_OK)
    return rc;
  size_t bytes = (size_t)count * size;
  size_t padded = (bytes / ALIGNMENT + 1) * ALIGNMENT;
  size_t align = padded >= LARGE ? TH_LARGE_PAGE : ALIGNMENT;
  void *p = aligned_alloc(align, (padded + align - 1) / align * align);
  if (p == NULL)
    return th_memory_fail(what, (int64_t)padded, err);
  if (padded >= LARGE)
    th_memory_large_pages(p, padded);
  memset(p, 0, padded);
  *out = p;
  return TH_OK;
}

int64_t th_memory_roomier(int64_t capacity, int64_t wanted)
{
  int64_t more = capacity + capacity / 2 + 16;
  return wanted <= capacity ? capacity : wanted > more ? wanted : more;
}

th_status th_grow(void **data, int64_t *capacity, int64_t count, size_t size,
                  const char *what, struct th_error *err)
{
  if (count <= *capacity)
    return TH_OK;
  int64_t wanted = th_memory_roomier(*capacity, count);
  void *larger = NULL;
  th_status rc = th_alloc(&larger, wanted, size, what, err);
  if (larger == NULL)
    return rc;
  if (*data != NULL)
    memcpy(larger, *data, (size_t)*capacity * size);
  free(*data);
  *data = larger;
  *capacity = wanted;
  return TH_OK;
}

th_status th_memory_lengthen(void **data, int64_t *capacity, int64_t count,
                             size_t size, const char *what,
                             struct th_error *err)
{
  if (count <= *capacity)
    return TH_OK;
  int64_t wanted = th_memory_roomier(*capacity, count);
  th_status rc = check_items(wanted, size, what, err);
  if (rc != TH_OK)
    return rc;
  void *longer = realloc(*data, (size_t)wanted * size);
  if (longer == NULL)
    return th_memory_fail(what, wanted * (int64_t)size, err);
  *data = longer;
  *capacity = wanted;
  return TH_OK;
}

th_status th_memory_grow_columns(void **data, int64_t old, int64_t wanted,
                                 size_t size, const char *what,
                                 struct th_error *err)
{
  int64_t capacity = old;
  return th_grow(data, &capacity, wanted, size, what, err);
}

void th_memory_free_all(void *const *data, size_t count)
{
  for (size_t k = 0; k < count; k++)
    free(data[k]);
}

void th_memory_free_list(void **list, int64_t count)
{
  if (list != NULL)
    th_memory_free_all(list, (size_t)count);
  free(list);
}

static size_t array_bytes(const struct th_array *array, int64_t units)
{
  size_t items = (size_t)units;
  if (array->square)
    items *= items;
  return units > 0 ? items * array->size + array->spare : 0;
}

static void **array_of(const struct th_arrays *arrays, size_t k)
{
  const struct th_array *array = &arrays->list[k];
  assert(array->whole == arrays->whole);
  return (void **)(void *)((char *)arrays->object + array->pointer);
}

th_status th_memory_arrays_reserve(struct th_arrays arrays, int64_t *capacity,
                                   int64_t wanted, const char *what,
                                   struct th_error *err)
{
  if (wanted <= *capacity)
    return TH_OK;
  for (size_t k = 0; k < arrays.count; k++) {
    int64_t old = (int64_t)array_bytes(&arrays.list[k], *capacity);
    int64_t bytes = (int64_t)array_bytes(&arrays.list[k], wanted);
    th_status rc =
        th_memory_grow_columns(array_of(&arrays, k), old, bytes, 1, what, err);
    if (rc != TH_OK)
      return rc;
  }
  *capacity = wanted;
  return TH_OK;
}

void th_memory_arrays_free(struct th_arrays arrays)
{
  for (size_t k = 0; k < arrays.count; k++) {
    void **data = array_of(&arrays, k);
    free(*data);
    *data = NULL;
  }
}
