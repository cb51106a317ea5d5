/* pages.c - advice to the operating system about large pieces of memory
 *
 * madvise is not in POSIX: src/CMakeLists.txt asks for its declaration.
 * SPDX-License-Identifier: MIT */
#include "base/pages.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef MADV_HUGEPAGE
enum { LARGE = MADV_HUGEPAGE };
#else
enum { LARGE = MADV_NORMAL };
#endif

/* Bytes: larger pieces are the system's own; more that is free goes back to it.
 */
enum { OWN_PIECE = 32 << 20, MOST_FREE = 128 << 20 };

/* Of the whole pages of `page` bytes. */
static void advise(void *memory, size_t bytes, size_t page, int advice)
{
  size_t skip = (page - (uintptr_t)memory % page) % page;
  if (bytes >= skip + page)
    (void)madvise((char *)memory + skip, (bytes - skip) / page * page, advice);
}

void th_pages_large(void *memory, size_t bytes)
{
  advise(memory, bytes, TH_LARGE_PAGE, LARGE);
}

void th_pages_reuse(void)
{
  (void)mallopt(M_MMAP_THRESHOLD, OWN_PIECE);
  (void)mallopt(M_TRIM_THRESHOLD, MOST_FREE);
}

void th_pages_release(void *memory, size_t bytes)
{
  advise(memory, bytes, (size_t)sysconf(_SC_PAGESIZE), MADV_DONTNEED);
}
