/* pages.h - what the operating system is told about large pieces of memory
 *
 * Advice: nothing fails, and where the system does not listen all is as if
 * nothing had been said. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PAGES_H
#define TH_PAGES_H

#include <stddef.h>

/* Bytes of a large page: memory that begins with a multiple of them has the
 * most of it. */
enum { TH_LARGE_PAGE = 2 << 20 };

/* Memory that was not touched yet shall come by large pages: fewer faults, and
 * fewer addresses to look up for who reads here and there. */
void th_pages_large(void *memory, size_t bytes);

/* The system may have the pages back; what they held is lost, and what is
 * touched again comes anew. Pages in part stay as they are. */
void th_pages_release(void *memory, size_t bytes);

#endif
