/* memory_use.h - the most memory that this process has taken, where ranks of a
 * node share some of it
 *
 * The system keeps the peak of all pages that a process has in use, and shared
 * ones are in the peak of each process that looks at them. Here such memory
 * counts in equal parts for the ranks that share it. What it is, changes during
 * a run; so the system's peak is noted, and begun anew, whenever it does.
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_MEMORY_USE_H
#define TH_MEMORY_USE_H

#include <stdint.h>

struct th_memory_use {
  int64_t shared;  /* bytes that this rank shares now; */
  int64_t others;  /* the parts of these that count for other ranks */
  int64_t peak;    /* the most so far, until the last change */
  int64_t program; /* bytes of the program's own files */
  int64_t files;   /* of these and others, at the last change */
};

/* Nothing is shared so far. */
void th_memory_use_begin(struct th_memory_use *use);

/* The peak until now, with what is shared now. */
void th_memory_use_note(struct th_memory_use *use);

/* So many bytes will be shared by so many ranks. */
void th_memory_use_share(struct th_memory_use *use, int64_t bytes, int ranks);

/* They were, and have been released after the peak was noted. */
void th_memory_use_unshare(struct th_memory_use *use, int64_t bytes, int ranks);

/* The most so far. files: bytes of files that are in use in place, which do not
 * count. use may be NULL, where nothing is ever shared. */
int64_t th_memory_use_peak(const struct th_memory_use *use, int64_t files);

#endif
