/* pages.h - advice to the operating system about large pieces of memory
 *
 * Advice cannot fail. A system that ignores it loses only time. All functions
 * are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PAGES_H
#define TH_PAGES_H

#include <stddef.h>

/* Bytes of a large page. Memory that begins at a multiple of it profits most.
 */
enum { TH_LARGE_PAGE = 2 << 20 };

/* Ask for large pages for memory that has not been touched yet. There are then
 * fewer page faults, and scattered reads need fewer address look-ups. */
void th_pages_large(void *memory, size_t bytes);

/* Let what is freed serve the next allocations, up to some 128 MB: new pages
 * cost more than the work on them where pieces come and go. For a whole
 * program. */
void th_pages_reuse(void);

/* Give the whole pages in a piece of memory back to the system. Their content
 * is lost; they can be used again as new memory. */
void th_pages_release(void *memory, size_t bytes);

#endif
